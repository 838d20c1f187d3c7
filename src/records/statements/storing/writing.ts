import type { Tx } from '../../../kernel/database/database.ts'
import type { Environment } from '../../../kernel/environment.ts'
import { keyOfSender, keyOfTarget, REFERS, type Ref, SENDER, targetOf } from '../model/refs.ts'
import type { Statement } from '../model/statement.ts'
import { type Decision, decide, idsNeededBy, type NewRow } from './decisions.ts'
import { type ChangedDefinition, changeDefinitions, findDefinitions } from './definitions.ts'
import {
  type Chains,
  findReferring,
  insertLateRefs,
  type NumberedRef,
  type ReferringStatement,
  readKnown,
  toColumns,
  withTargetRefs,
} from './references.ts'
import type { PreparedStatement, StoreRequest } from './requests.ts'
import { isVoiding, type KnownStatement } from './rules.ts'
import type { StoredStatements } from './schema.ts'
import { findAllShares, findShare, findShares, type Shares, toCharges, toNeeds } from './shares.ts'
import * as store from './store.ts'

/** The outcome of each request, in order. */
type Outcomes = (StoredStatements | Error)[]

const NOTHING_ARRIVES: Chains['arriving'] = new Map()

/**
 * Steps 2 to 4 for requests that depend on little that is stored, as almost all do. It reads without locking the clock,
 * decides, and then takes numbers, checks that its assumptions still hold, inserts and commits in one round trip. So
 * other processes do not wait for the clock while this one is busy with other work. Returns undefined, and has stored
 * nothing, if `storeRequests` has to decide.
 */
export async function appendRequests(tx: Tx, requests: readonly StoreRequest[]): Promise<Outcomes | undefined> {
  const statements = statementsIn(requests)
  if (statements.some(({ contents = [] }) => contents.length > 0)) return undefined
  const targets = statements.flatMap(({ statement }) => targetOf(statement) ?? [])
  const ids = statements.map(({ statement }) => statement.id)
  const keys = ids.map(keyOfTarget)
  // The queries run in this order, so statements that are stored after the first one have a number above `since`.
  const [stored, known, definitions, shares] = await Promise.all([
    tx.first(store.findStored, { ids, keys }),
    readKnown(tx, { ids: targets, targets }),
    findDefinitions(tx, definingIn(requests)),
    findAllShares(tx, paidIn(requests)),
  ])
  const present = [...known.keys()]
  const areEnds = known.values().every(({ statement }) => statement && targetOf(statement) === undefined)
  if (stored!.is_known || !shares || !areEnds) return undefined
  const { outcomes, accepted } = decide(requests, { known, arriving: NOTHING_ARRIVES, shares })
  const voided = findVoided(accepted, known, [])
  if (voided.seqs.length > 0 || outcomes.some((outcome) => outcome instanceof Error)) return undefined
  const numbers = numbersFor(requests)
  if (accepted.length === 0) return toOutcomes(outcomes, (await tx.finish(store.takeNumbers, numbers))[0]!.last)

  const changed = changeDefinitions(definingIn(accepted), definitions)
  const assumptions = {
    absent: [...new Set([...ids, ...targets]).difference(new Set(present))],
    ...{ since: stored!.since, unreferred: keys },
    ...{ present, before: JSON.stringify(changed), ...toNeeds(accepted) },
  }
  const rows = toRows(accepted, { known, arriving: NOTHING_ARRIVES, shares, changed, voided: voided.ids })
  const [, inserted] = await Promise.all([
    tx.all(store.takeNumbers, numbers),
    tx.finish(store.insertStatements, { ...rows, ...assumptions, count: numbers.count }),
  ])
  return inserted[0] && toOutcomes(outcomes, inserted[0].last)
}

/** Steps 2 to 4 for any requests, with the clock locked from the start. */
export async function storeRequests(
  tx: Tx,
  requests: readonly StoreRequest[],
  log?: Environment['log'],
): Promise<Outcomes> {
  const statements = statementsIn(requests).map(({ statement }) => statement)
  const numbers = numbersFor(requests)
  // The queries are sent together and run in this order. Taking numbers locks the clock, so no other transaction can
  // store statements between these queries and the commit.
  const [taken, known, referring, definitions, shares] = await Promise.all([
    tx.first(store.takeNumbers, numbers),
    readKnown(tx, idsNeededBy(statements)),
    statements.length > 0
      ? findReferring(
          tx,
          statements.map(({ id }) => id),
        )
      : [],
    findDefinitions(tx, definingIn(requests)),
    findShares(tx, paidIn(requests)),
  ])
  const { last } = taken!
  const arriving = new Map(referring.map(({ id, target }) => [id, target]))
  const { outcomes, accepted } = decide(requests, { known, arriving, shares })
  if (accepted.length === 0) return toOutcomes(outcomes, last)

  const changed = changeDefinitions(definingIn(accepted), definitions)
  const byId = new Map(accepted.map((one) => [one.statement.id, one]))
  const earlier = referring.filter(({ target }) => byId.has(target))
  const late = earlier.map(({ target, seq }) => ({ seq, refs: withTargetRefs(byId.get(target)!, { known, arriving }) }))
  const voided = findVoided(accepted, known, earlier)
  const contents = accepted.flatMap(({ position, contents: own = [] }) =>
    own.map((content) => ({ ...content, seq: last - numbers.count + position })),
  )
  const [without] = await Promise.all([
    insertLateRefs(tx, late),
    voided.seqs.length > 0 && tx.all(store.voidStatements, { seqs: voided.seqs }),
    ...contents.map((content) => tx.all(store.insertAttachment, content)),
    tx.finish(store.insertStatements, {
      ...toRows(accepted, { known, arriving, shares, changed, voided: voided.ids }),
      ...{ ...NO_ASSUMPTIONS, since: last, count: numbers.count },
    }),
  ])
  if (without > 0)
    log?.warn(
      { statements: without },
      'so many statements refer to one that has arrived after them that some cannot be found by it',
    )
  return toOutcomes(outcomes, last)
}

const NO_ASSUMPTIONS = {
  ...{ absent: [], unreferred: [], present: [], before: '[]' },
  ...{ rooms: [], needs: [], people: [], apps: [], credentials: [] },
}

const statementsIn = (requests: readonly StoreRequest[]): readonly PreparedStatement[] =>
  requests.flatMap(({ statements }) => statements)

/** Returns the statements whose definitions are stored. */
const definingIn = (some: readonly (StoreRequest | NewRow)[]): readonly Statement[] =>
  some.flatMap((one) => {
    if (!one.sender.defines) return []
    return 'statements' in one ? one.statements.map(({ statement }) => statement) : one.statement
  })

const paidIn = (requests: readonly StoreRequest[]) =>
  requests.flatMap(({ sender, statements }) => statements.map(({ links }) => ({ sender, links })))

/** Returns the numbers to take: one for each statement. */
const numbersFor = (requests: readonly StoreRequest[]) => ({
  now: Math.max(...requests.map(({ sender }) => sender.at.getTime())) * 1000,
  count: requests.reduce((sum, { statements }) => sum + statements.length, 0),
  homePage: requests.find(({ sender }) => sender.homePage)?.sender.homePage ?? null,
})

const toOutcomes = (outcomes: Decision['outcomes'], through: number): Outcomes =>
  outcomes.map((outcome) => (outcome instanceof Error ? outcome : { ids: outcome, through }))

interface VoidedStatements {
  /** The ids of accepted statements that are voided by one that is stored, or accepted with them. */
  readonly ids: ReadonlySet<string>
  /** The sequence numbers of stored statements that an accepted one voids. */
  readonly seqs: number[]
}

function findVoided(
  accepted: readonly NewRow[],
  known: ReadonlyMap<string, KnownStatement>,
  earlier: readonly ReferringStatement[],
): VoidedStatements {
  const targets = accepted.flatMap(({ statement }) => (isVoiding(statement) ? targetOf(statement)! : []))
  const arrived = earlier.flatMap(({ target, is_voiding }) =>
    is_voiding && !isVoiding(known.get(target)!.statement!) ? target : [],
  )
  return { ids: new Set([...targets, ...arrived]), seqs: targets.flatMap((target) => known.get(target)?.seq ?? []) }
}

interface InsertContext extends Chains {
  readonly shares: Shares
  readonly changed: readonly ChangedDefinition[]
  readonly voided: ReadonlySet<string>
}

/** Converts accepted statements to the parameters of the insert. */
const toRows = (accepted: readonly NewRow[], { shares, changed, voided, ...chains }: InsertContext) => ({
  rows: JSON.stringify(accepted.map((one) => toRow(one, voided.has(one.statement.id), findShare(shares, one)))),
  payloads: accepted.map(({ text }) => text).join('\n'),
  definitions: JSON.stringify(changed),
  ...toCharges(shares, accepted),
  ...toColumns(accepted.flatMap((one) => toRefs(one, withTargetRefs(one, chains)))),
})

/** Returns the keys of a statement as they are stored, including the key of its target and the key of its sender. */
function toRefs({ position, statement, sender }: NewRow, refs: readonly Ref[]): NumberedRef[] {
  const target = targetOf(statement)
  const reference = target === undefined ? [] : [{ key: keyOfTarget(target), role: REFERS }]
  const sent = { key: keyOfSender(sender.senderKey), role: SENDER }
  return [...refs, ...reference, sent].map(({ key, role }) => ({ key, role, number: position }))
}

const toRow = (one: NewRow, isVoided: boolean, share: number | undefined) => ({
  position: one.position,
  id: one.statement.id,
  fingerprint: one.fingerprint,
  is_voided: isVoided,
  credential: one.sender.credentialId,
  app: one.sender.appId,
  sender: keyOfSender(one.sender.senderKey),
  share,
  charge: share === undefined ? undefined : one.charge,
  links: one.links && Object.keys(one.links).length > 0 ? one.links : undefined,
})
