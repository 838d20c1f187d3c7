import type { Caller } from '../../../kernel/caller.ts'
import type { Tx } from '../../../kernel/database/database.ts'
import { Gatherer } from '../../../kernel/database/gather.ts'
import { type Environment, service } from '../../../kernel/environment.ts'
import { fail, RECORDS_FULL } from '../../../kernel/errors.ts'
import { failWithFaults } from '../faults/faults.ts'
import { fingerprint } from '../model/compare.ts'
import { keyOfSender, keyOfTarget, REFERS, type Ref, refsOf, SENDER, targetOf } from '../model/refs.ts'
import type { Fault, Statement } from '../model/statement.ts'
import { findDefinitions, storeDefinitions } from './definitions.ts'
import {
  type FindKnown,
  findReferring,
  insertLateRefs,
  type NumberedRef,
  type NumberedStatement,
  type ReferringStatement,
  readKnown,
  readKnownWith,
  toColumns,
  withTargetRefs,
} from './references.ts'
import {
  findRefsFault,
  isVoiding,
  type Judgement,
  judge,
  type KnownStatement,
  MOST_REFS_TOGETHER,
  TOO_MANY_REFS_TOGETHER,
} from './rules.ts'
import { chargeOf, chargeShares, findShare, findShares, type Shares, takeRoom } from './shares.ts'
import * as store from './store.ts'

/** The platform's records that a statement is about, as internal ids. */
export interface Links {
  /** The person who is the actor. */
  readonly person?: number
  /** The person who sent the statement. */
  readonly sender?: number
  /** Whether the platform wrote the statement itself, from an event. */
  readonly own?: boolean
  readonly lesson?: number
  readonly course?: number
  readonly class?: number
  readonly enrolment?: number
  readonly attempt?: number
  readonly objective?: number
  readonly badge?: number
}

/** The bytes of an attachment, and their hash in lower case. */
export interface AttachmentContent {
  readonly sha2: string
  readonly bytes: Buffer
}

/** A valid statement that is complete except for `stored`, which is derived from `seq`. */
export interface NewStatement {
  readonly statement: Statement & { readonly id: string }
  readonly links?: Links
  readonly contents?: readonly AttachmentContent[]
  /** The JSON pointer of the statement in the request body, for faults; empty if the statement was sent alone. */
  readonly pointer?: string
}

/** The sender of statements: a key of the record store, an app, or the platform. */
export interface Sender extends Pick<Caller, 'at'> {
  readonly credentialId?: number
  readonly appId?: number | undefined
  /** The person whose share of storage the statements count for; none if a key or an operator sends them. */
  readonly personId?: number | undefined
  /** Identifies the sender, so that callers limited to their own statements find them. */
  readonly senderKey: string
  /** Whether the definitions in the sender's statements are stored and so become visible to all readers. */
  readonly defines?: boolean
  /** The home page of the platform's accounts, if the sender knows it. */
  readonly homePage?: string
}

export interface StoredStatements {
  /** The ids of all statements of the request, including those that were already stored. */
  readonly ids: string[]
  /** All statements with a `seq` up to this value can be read. */
  readonly through: number
}

/**
 * Stores statements, in one transaction together with those of other requests. Each request succeeds or fails as a
 * whole.
 */
export const storeStatements = (
  sender: Sender,
  statements: readonly NewStatement[],
  { get }: Pick<Environment, 'get'>,
): Promise<StoredStatements> => get(gatherer).add(prepareRequest(sender, statements))

/** Stores statements in a transaction of the caller. */
export async function storeInTransaction(
  tx: Tx,
  sender: Sender,
  statements: readonly NewStatement[],
): Promise<StoredStatements> {
  const [outcome] = await storeRequests(tx, [prepareRequest(sender, statements)])
  if (outcome instanceof Error) throw outcome
  return outcome!
}

/** Advances the store's clock without storing anything, so that `through` is current. */
export const moveClock = (at: Date, environment: Pick<Environment, 'get'>): Promise<StoredStatements> =>
  storeStatements({ at, senderKey: '' }, [], environment)

/** Predicts the outcome of `storeStatements`, as far as it depends on stored statements that `find` returns. */
export async function predictOutcomes(
  statements: readonly NewStatement['statement'][],
  find: FindKnown,
): Promise<Judgement[]> {
  const judged = statements.map((statement) => ({
    statement,
    fingerprint: fingerprint(statement),
    refs: refsOf(statement),
  }))
  return judgeRequest(judged, await readKnownWith(find, idsNeededBy(statements)), NOTHING_ARRIVES)
}

const NOTHING_ARRIVES: ReadonlyMap<string, string> = new Map()

/** The maximum total weight of the statements that one transaction stores. */
const MOST_GATHERED = 500
/** The weight of a statement that refers to another one. */
const WEIGHT_OF_REFERENCE = 25
/** Any other statement weighs 1 for each of this many keys, and at least 1. */
const REFS_PER_WEIGHT = 20

const weigh = ({ statements }: StoreRequest): number =>
  statements.reduce(
    (sum, { statement, refs }) =>
      sum + (targetOf(statement) ? WEIGHT_OF_REFERENCE : Math.max(1, refs.length / REFS_PER_WEIGHT)),
    0,
  )

const gatherer = service(
  ({ db, log }) =>
    new Gatherer<StoreRequest, StoredStatements>(db, {
      most: MOST_GATHERED,
      weigh,
      write: (tx, requests) => storeRequests(tx, requests, log),
    }),
)

/** The statements of one request, prepared for storing. */
interface StoreRequest {
  readonly sender: Sender
  readonly statements: readonly PreparedStatement[]
}

/** A statement, and the values derived from it that decide whether it can be stored. */
interface JudgedStatement extends Pick<NewStatement, 'statement'> {
  readonly fingerprint: string
  readonly refs: readonly Ref[]
}

interface PreparedStatement extends NewStatement, JudgedStatement {
  readonly text: string
  /** The bytes that it counts for in its share of storage. */
  readonly charge: number
}

interface NewRow extends PreparedStatement {
  readonly seq: number
  readonly sender: Sender
}

/** Step 1: computes as much as possible before the transaction, during which all other writers have to wait. */
const prepareRequest = (sender: Sender, statements: readonly NewStatement[]): StoreRequest => ({
  sender,
  statements: statements.map(prepareStatement),
})

function prepareStatement(one: NewStatement): PreparedStatement {
  const { statement } = one
  const refs = refsOf(statement)
  const fault = findRefsFault(refs.length)
  if (fault) throw refuseStatement(one, fault)
  const text = textOf(statement)
  const attached = (one.contents ?? []).reduce((sum, { bytes }) => sum + bytes.length, 0)
  const charge = chargeOf({ text, refs: refs.length, attached })
  return { ...one, text, charge, fingerprint: fingerprint(statement), refs }
}

/**
 * Converts a statement to the text that is stored. `stored` is left out, because it is derived from `seq`. The
 * timestamp comes first, so that readers can tell without parsing whether there is one.
 */
const textOf = ({ stored: _stored, timestamp, ...statement }: Statement): string =>
  JSON.stringify({ timestamp, ...statement })

const refuseStatement = ({ pointer = '' }: Pick<NewStatement, 'pointer'>, fault: Fault): Error =>
  failWithFaults([{ ...fault, pointer: pointer + fault.pointer }])

/** Runs steps 2 to 4 in a transaction. Returns the outcome of each request, in order. */
async function storeRequests(
  tx: Tx,
  requests: readonly StoreRequest[],
  log?: Environment['log'],
): Promise<(StoredStatements | Error)[]> {
  const numbered = await takeNumbers(tx, requests)
  const { outcomes, accepted } = decide(requests, numbered)
  if (accepted.length === 0) return outcomes
  const without = await insertStatements(tx, accepted, numbered)
  if (without > 0)
    log?.warn(
      { statements: without },
      'so many statements refer to one that has arrived after them that some cannot be found by it',
    )
  return outcomes
}

/** The sequence numbers that were taken, and the stored data on which decisions depend. */
interface NumberedRequests {
  /** The last `seq` that was taken. */
  readonly last: number
  /** The stored statements that have one of the ids or are referred to, keyed by id. Accepted statements are added. */
  readonly known: Map<string, NumberedStatement>
  readonly referring: readonly ReferringStatement[]
  /** The ids of `referring`, each with the id that its chain of references has ended at. */
  readonly arriving: ReadonlyMap<string, string>
  readonly definitions: Awaited<ReturnType<typeof findDefinitions>>
  readonly shares: Shares
}

/**
 * Step 2: takes a `seq` for each statement, and reads the stored data that concerns the statements, in one round trip.
 */
async function takeNumbers(tx: Tx, requests: readonly StoreRequest[]): Promise<NumberedRequests> {
  const statements = requests.flatMap((request) => request.statements.map(({ statement }) => statement))
  const defining = requests.flatMap(({ sender, statements: own }) =>
    sender.defines ? own.map(({ statement }) => statement) : [],
  )
  const ids = statements.map(({ id }) => id)
  // The queries are sent together and run in this order. Taking numbers locks the clock, so no other transaction can
  // store statements between these queries and the commit.
  const [numbers, known, referring, definitions, shares] = await Promise.all([
    tx.first(store.takeNumbers, {
      now: Math.max(...requests.map(({ sender }) => sender.at.getTime())) * 1000,
      count: statements.length,
      homePage: requests.find(({ sender }) => sender.homePage)?.sender.homePage ?? null,
    }),
    readKnown(tx, idsNeededBy(statements)),
    ids.length > 0 ? findReferring(tx, ids) : [],
    findDefinitions(tx, defining),
    findShares(
      tx,
      requests.flatMap(({ sender, statements: own }) => own.map((one) => ({ ...one, sender }))),
    ),
  ])
  const arriving = new Map(referring.map(({ id, target }) => [id, target]))
  return { last: numbers!.last, known, referring, arriving, definitions, shares }
}

/** Returns the ids of the stored statements on which decisions depend: the statements' own ids and their targets. */
const idsNeededBy = (statements: readonly NewStatement['statement'][]): string[] =>
  statements.flatMap((statement) => [statement.id, targetOf(statement) ?? []].flat())

interface Decision {
  readonly outcomes: (StoredStatements | Error)[]
  /** The new statements of all requests that were not refused. */
  readonly accepted: readonly NewRow[]
}

/** Step 3: refuses a request, or accepts those of its statements that are not stored yet. */
function decide(requests: readonly StoreRequest[], { last, known, arriving, shares }: NumberedRequests): Decision {
  const accepted: NewRow[] = []
  let seq = last - requests.reduce((sum, { statements }) => sum + statements.length, 0)
  const outcomes = requests.map(({ statements, sender }): StoredStatements | Error => {
    const fresh: NewRow[] = []
    for (const [i, judgement] of judgeRequest(statements, known, arriving).entries()) {
      const row = { ...statements[i]!, seq: ++seq, sender }
      if (judgement === 'new') fresh.push(row)
      else if (judgement !== 'same') return refuse(row, judgement)
    }
    if (!takeRoom(shares, fresh)) return fail('storageFull', RECORDS_FULL)
    for (const row of fresh) known.set(row.statement.id, row)
    accepted.push(...fresh)
    return { ids: statements.map(({ statement }) => statement.id), through: last }
  })
  return { outcomes, accepted }
}

const refuse = (one: NewStatement, problem: 'conflict' | Fault): Error =>
  problem === 'conflict'
    ? fail('conflict', `There is another statement with the id ${one.statement.id}`)
    : refuseStatement(one, problem)

/**
 * Judges the statements of one request. If all of them could be stored alone, also checks how many keys the new ones
 * have together; the statement that exceeds the maximum has the fault.
 */
function judgeRequest(
  statements: readonly JudgedStatement[],
  known: ReadonlyMap<string, KnownStatement>,
  arriving: ReadonlyMap<string, string>,
): Judgement[] {
  const judgements = statements.map((one): Judgement => findRefsFault(one.refs.length) ?? judge(one, known))
  if (judgements.some((judgement) => judgement !== 'new' && judgement !== 'same')) return judgements
  const own = new Map(statements.map((one) => [one.statement.id, one]))
  const chains = { known: { get: (id: string) => known.get(id) ?? own.get(id) }, arriving }
  let count = 0
  const excess = judgements.findIndex((judgement, i) => {
    if (judgement === 'new') count += withTargetRefs(statements[i]!, chains).length
    return count > MOST_REFS_TOGETHER
  })
  return excess < 0 ? judgements : judgements.with(excess, TOO_MANY_REFS_TOGETHER)
}

/**
 * Step 4: inserts the statements with their keys and links, and updates the stored statements and definitions that they
 * affect. Returns the number of stored statements that could not be updated.
 */
async function insertStatements(
  tx: Tx,
  accepted: readonly NewRow[],
  { known, referring, arriving, definitions, shares }: NumberedRequests,
): Promise<number> {
  const refsBySeq = new Map(accepted.map((one) => [one.seq, withTargetRefs(one, { known, arriving })]))
  const byId = new Map(accepted.map((one) => [one.statement.id, one]))
  const earlier = referring.filter(({ target }) => byId.has(target))
  const late = earlier.map(({ target, seq }) => ({ seq, refs: refsBySeq.get(byId.get(target)!.seq)! }))
  const voided = findVoided(accepted, known, earlier, byId)
  const defining = accepted.flatMap(({ sender, statement }) => (sender.defines ? statement : []))
  const contents = accepted.flatMap(({ seq, contents: own = [] }) => own.map((content) => ({ ...content, seq })))
  const [without] = await Promise.all([
    insertLateRefs(tx, late),
    storeDefinitions(tx, defining, definitions),
    ...contents.map((content) => tx.all(store.insertAttachment, content)),
    tx.all(store.insertStatements, {
      rows: JSON.stringify(accepted.map((one) => toRow(one, voided.has(one.seq), findShare(shares, one)?.no))),
      voids: [...voided].filter((seq) => !refsBySeq.has(seq)),
      ...toColumns(accepted.flatMap((one) => toRefs(one, refsBySeq.get(one.seq)!))),
    }),
    chargeShares(tx, shares, accepted),
  ])
  return without
}

/**
 * Returns the `seq` of each statement that is now voided: one that an accepted statement voids, or an accepted
 * statement that an earlier one voids.
 */
function findVoided(
  accepted: readonly NewRow[],
  known: ReadonlyMap<string, NumberedStatement>,
  earlier: readonly ReferringStatement[],
  byId: ReadonlyMap<string, NewRow>,
): ReadonlySet<number> {
  const targets = accepted.flatMap(({ statement }) =>
    isVoiding(statement) ? (known.get(targetOf(statement)!)?.seq ?? []) : [],
  )
  const arrivedLate = earlier.flatMap(({ target, is_voiding }) => {
    const { seq, statement } = byId.get(target)!
    return is_voiding && !isVoiding(statement) ? seq : []
  })
  return new Set([...targets, ...arrivedLate])
}

/** Returns the keys of a statement as they are stored, including the key of its target and the key of its sender. */
function toRefs({ seq, statement, sender }: NewRow, refs: readonly Ref[]): NumberedRef[] {
  const target = targetOf(statement)
  const reference = target === undefined ? [] : [{ key: keyOfTarget(target), role: REFERS }]
  const sent = { key: keyOfSender(sender.senderKey), role: SENDER }
  return [...refs, ...reference, sent].map(({ key, role }) => ({ key, role, seq }))
}

const toRow = (one: NewRow, isVoided: boolean, share: number | undefined) => ({
  seq: one.seq,
  id: one.statement.id,
  fingerprint: one.fingerprint,
  payload: one.text,
  is_voided: isVoided,
  credential: one.sender.credentialId,
  app: one.sender.appId,
  sender: keyOfSender(one.sender.senderKey),
  share,
  charge: share === undefined ? undefined : one.charge,
  links: one.links && Object.keys(one.links).length > 0 ? one.links : undefined,
})
