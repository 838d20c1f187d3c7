import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { Gatherer } from '../../kernel/database/gather.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { keyOf } from './agents.ts'
import { fingerprint, isSameTime } from './compare.ts'
import { definedIn, mergeDefinitions } from './definitions.ts'
import { holdFacts } from './facts-store.ts'
import { failSaying } from './problems.ts'
import { keyOfActivity, keyOfVerb, type Ref, refsOf, targetOf } from './refs.ts'
import { type Definition, type Statement, VOIDED } from './statement.ts'
import * as store from './store.ts'

/** What of the platform's own a statement is about, by internal numbers. */
export interface Links {
  /** Who acts, and who has sent it. */
  readonly person?: number
  readonly sender?: number
  /** The platform wrote it, from what has happened. */
  readonly own?: boolean
  readonly lesson?: number
  readonly course?: number
  readonly class?: number
  readonly enrolment?: number
  readonly attempt?: number
  readonly objective?: number
  readonly badge?: number
}

/** The bytes of an attachment, by the hash that its statement says. */
export interface Content {
  readonly sha2: string
  readonly bytes: Buffer
}

/** A statement without faults, complete but for `stored`, which comes with its number. */
export interface NewStatement {
  readonly statement: Statement & { readonly id: string }
  readonly links?: Links
  readonly contents?: readonly Content[]
}

/** Through what it comes: a key of the record store, or an app. */
export interface Sender extends Pick<Caller, 'at'> {
  readonly credentialId?: number
  readonly appId?: number | undefined
  /** Who they are to those who may read only what they have sent. */
  readonly senderKey: string
  /** Whether what they say about activities counts for all. */
  readonly defines?: boolean
  /** That of the platform's accounts, where the sender knows it. */
  readonly homePage?: string
}

export interface Stored {
  /** Of all that were sent, also of those that were here already. */
  readonly ids: string[]
  /** Everything up to this number can be read. */
  readonly through: number
}

/** What can be told of a statement before its turn to be stored: whoever has the clock lets all others wait. */
interface Prepared extends NewStatement {
  readonly text: string
  readonly fingerprint: string
  readonly refs: readonly StoredRef[]
}

function prepare(one: NewStatement): Prepared {
  const { statement } = one
  const refs = refsOf(statement)
  if (refs.length > MOST_REFS)
    throw fail(
      'validationFailed',
      `The statement ${statement.id} names ${refs.length} agents and activities: the limit is ${MOST_REFS}`,
    )
  return { ...one, text: textOf(statement), fingerprint: fingerprint(statement), refs }
}

/** What one request wants to be stored: all of it, or nothing. */
interface Request {
  readonly sender: Sender
  readonly statements: readonly Prepared[]
}

/** A statement is found by so many agents and activities at the most, and by so many of those that it refers to. */
const MOST_REFS = 500
const MOST_COPIED = 1000
/** So many of both come with one request, go in one removal, or are added to those that were here before. */
const MOST_REFS_TOGETHER = 20_000
/** So many statements share a transaction; those that are found by much, or refer to others, weigh more. */
const GATHERED = 500

const gatherer = service(({ db }) => {
  const weigh = ({ statements }: Request) =>
    statements.reduce((sum, { statement, refs }) => sum + (targetOf(statement) ? 25 : Math.max(1, refs.length / 20)), 0)
  return new Gatherer<Request, Stored>(db, { most: GATHERED, weigh, write: storeTogether })
})

/** Stores statements, together with those of other requests. */
export const storeStatements = (
  { get }: Pick<Environment, 'get'>,
  sender: Sender,
  statements: readonly NewStatement[],
): Promise<Stored> => get(gatherer).add({ sender, statements: statements.map(prepare) })

/** Moves the clock on, so that everything that was stored before can be told apart from what comes. */
export const moveClock = (environment: Pick<Environment, 'get'>, at: Date): Promise<Stored> =>
  storeStatements(environment, { at, senderKey: '' }, [])

/** Within a transaction of the caller's own. */
export async function storeInTransaction(tx: Db, sender: Sender, statements: readonly NewStatement[]): Promise<Stored> {
  const [outcome] = await storeTogether(tx, [{ sender, statements: statements.map(prepare) }])
  if (outcome instanceof Error) throw outcome
  return outcome!
}

/** The key by which those statements are found that a sender has sent. */
export const keyOfSender = (senderKey: string): string => keyOf(`sender ${senderKey}`)
export const SENDER = 15
/** What a statement has of another one that it refers to stands in the same place, and this. */
const COPIED = 32
const copy = (ref: StoredRef): StoredRef => (ref.role >= COPIED ? ref : { ...ref, role: ref.role + COPIED })
/** A filter that also looks at what was copied. */
export const withCopied = <T extends { readonly roles: readonly number[] }>(wanted: T): T => ({
  ...wanted,
  roles: [...wanted.roles, ...wanted.roles.map((role) => role + COPIED)],
})

const VOIDED_KEY = keyOfVerb(VOIDED)
/** By what statements are found that refer to this one, whichever came first. */
const referenceKey = (id: string): string => keyOf(`statement ${id}`)
const REFERS = 14

const isVoiding = ({ verb }: Statement): boolean => verb.id === VOIDED

interface Known {
  readonly seq: number
  readonly fingerprint: string
  readonly statement: Statement
}

interface Row extends Prepared {
  readonly seq: number
  readonly sender: Sender
}
type StoredRef = Omit<Ref, 'role'> & { readonly role: number }

async function storeTogether(tx: Db, requests: readonly Request[]): Promise<(Stored | Error)[]> {
  const all = requests.flatMap(({ statements }) => statements)
  const ids = all.map(({ statement }) => statement.id)
  const now = Math.max(...requests.map(({ sender }) => sender.at.getTime())) * 1000
  const homePage = requests.find(({ sender }) => sender.homePage)?.sender.homePage ?? null
  const defined = requests.flatMap(({ sender, statements }) =>
    sender.defines ? statements.flatMap(({ statement }) => definedIn(statement)) : [],
  )
  // All at once, in this order. The numbers come first: whoever has them is alone until the commit.
  const [numbers, known, referring, definitions] = await Promise.all([
    tx.first(store.takeNumbers, { now, count: all.length, homePage }),
    all.length > 0 ? findKnown(tx, all) : new Map<string, Known>(),
    all.length > 0 ? findReferring(tx, ids) : [],
    defined.length > 0 ? findDefinitions(tx, defined) : [],
  ])
  const { last } = numbers!
  const rows: Row[] = []
  let seq = last - all.length
  const outcomes = requests.map(({ statements, sender }): Stored | Error => {
    const made = statements.map((one) => ({ ...one, seq: ++seq, sender }))
    const problem = findProblem(made, known)
    if (problem) return problem
    const fresh = made.filter(({ statement }) => !known.has(statement.id))
    for (const one of fresh) known.set(one.statement.id, one)
    if (hasTooManyRefs(fresh, known)) {
      for (const { statement } of fresh) known.delete(statement.id)
      return fail(
        'validationFailed',
        `These statements, with those that they refer to, name more than ${MOST_REFS_TOGETHER} agents and activities: send fewer at once`,
      )
    }
    rows.push(...fresh)
    return { ids: statements.map(({ statement }) => statement.id), through: last }
  })
  if (rows.length > 0) await insertRows(tx, rows, { known, referring, definitions })
  return outcomes
}

function findProblem(
  made: readonly Pick<Row, 'statement' | 'fingerprint'>[],
  known: ReadonlyMap<string, Known>,
): Error | undefined {
  for (const { statement, fingerprint: own } of made) {
    const found = known.get(statement.id)
    if (found && !(found.fingerprint === own && isSameTime(found.statement.timestamp, statement.timestamp)))
      return fail('conflict', `There is another statement with the id ${statement.id}`)
    const target = isVoiding(statement) ? known.get(targetOf(statement)!) : undefined
    if (target && isVoiding(target.statement))
      return failSaying(
        'XAPI-00016',
        `The statement ${targetOf(statement)} voids another one, and cannot be voided`,
        '/object/id',
      )
  }
  return undefined
}

function hasTooManyRefs(rows: readonly Row[], known: ReadonlyMap<string, Known>): boolean {
  let count = 0
  for (const row of rows) {
    count += allRefs(row, known).length
    if (count > MOST_REFS_TOGETHER) return true
  }
  return false
}

/** How far references of references are followed. */
const MOST_STEPS = 10

/** What is there of these statements, and of those that they refer to. */
const findKnown = (tx: Db, all: readonly NewStatement[]): Promise<Map<string, Known>> =>
  readKnown(
    tx,
    all.flatMap(({ statement }) => [statement.id, targetOf(statement) ?? statement.id]),
  )

async function readKnown(tx: Db, first: readonly string[]): Promise<Map<string, Known>> {
  const known = new Map<string, Known>()
  let ids = new Set(first)
  for (let step = 0; ids.size > 0 && step < MOST_STEPS; step++) {
    const rows = await tx.all(store.findKnown, { ids: [...ids] })
    const found = rows.map(({ statement_id, seq, fingerprint, payload }) => {
      const statement = JSON.parse(payload) as Statement
      known.set(statement_id, { seq, fingerprint, statement })
      return targetOf(statement)
    })
    ids = new Set(found.filter((id) => id !== undefined && !known.has(id)) as string[])
  }
  return known
}

/** What it is found by, and what the statement that it refers to is found by; each once. */
function allRefs(
  { statement, refs }: { readonly statement: Statement; readonly refs: readonly StoredRef[] },
  known: ReadonlyMap<string, Known>,
): readonly StoredRef[] {
  const copied = new Map<string, StoredRef>()
  let target = targetOf(statement)
  for (let step = 0; target !== undefined && step < MOST_STEPS && copied.size < MOST_COPIED; step++) {
    const found = known.get(target)?.statement
    if (!found) break
    for (const ref of refsOfKnown(found)) copied.set(`${ref.key} ${ref.role}`, copy(ref))
    target = targetOf(found)
  }
  return copied.size === 0 ? refs : [...refs, ...[...copied.values()].slice(0, MOST_COPIED)]
}

/** Many may refer to one. */
const refsOfOne = new WeakMap<Statement, readonly StoredRef[]>()
function refsOfKnown(statement: Statement): readonly StoredRef[] {
  const refs = refsOfOne.get(statement) ?? refsOf(statement)
  refsOfOne.set(statement, refs)
  return refs
}

/** Removes statements, the first of them where they are found by much, and says how many they were and how many attachments went along. What refers to them stays. */
export async function removeStatements(
  tx: Db,
  all: readonly { readonly seq: number; readonly sender: string | null; readonly statement: Statement }[],
): Promise<{ readonly statements: number; readonly attachments: number }> {
  // An attachment may be stored again meanwhile: whoever has the clock is alone with it.
  await tx.first(store.takeNumbers, { now: 0, count: 0, homePage: null })
  await tx.all(holdFacts, {})
  const targets = all.flatMap(({ statement }) => targetOf(statement) ?? [])
  const known = await readKnown(tx, targets)
  const refs: { key: string; seq: number }[] = []
  const seqs: number[] = []
  for (const { seq, sender, statement } of all) {
    const target = targetOf(statement)
    const keys = [
      ...allRefs({ statement, refs: refsOf(statement) }, known).map(({ key }) => key),
      ...(target ? [referenceKey(target)] : []),
      ...(sender ? [sender] : []),
    ]
    if (seqs.length > 0 && refs.length + keys.length > MOST_REFS_TOGETHER) break
    seqs.push(seq)
    for (const key of new Set(keys)) refs.push({ key, seq })
  }
  const hashes = (await tx.all(store.listHashes, { seqs })).map(({ sha2 }) => sha2)
  await tx.all(store.deleteStatements, {
    seqs,
    refKeys: refs.map(({ key }) => key),
    refSeqs: refs.map(({ seq }) => seq),
  })
  const attachments = hashes.length > 0 ? (await tx.all(store.deleteAttachments, { hashes })).length : 0
  return { statements: seqs.length, attachments }
}

type Referring = RowOf<typeof store.findReferring>

/** Those that were here before what they refer to, up to a number that a transaction can bear. */
async function findReferring(tx: Db, ids: readonly string[]): Promise<Referring[]> {
  const keys = ids.map(referenceKey)
  const found: Referring[] = []
  for (let after = 0; ; ) {
    const rows = await tx.all(store.findReferring, { keys, voided: VOIDED_KEY, after })
    found.push(...rows)
    if (rows.length < 1000 || found.length >= MOST_REFS_TOGETHER) return found
    after = rows.at(-1)!.seq
  }
}

/** From now on they are found by what the other is found by, and so are those that refer to them. */
async function insertLateRefs(tx: Db, earlier: readonly LateRefs[]): Promise<void> {
  let level = earlier
  let room = MOST_REFS_TOGETHER
  for (let step = 0; level.length > 0 && step < MOST_STEPS; step++) {
    const late: (StoredRef & { seq: number })[] = []
    for (const { seq, refs } of level) {
      if (refs.length > room) break
      room -= refs.length
      for (const ref of refs) late.push({ ...copy(ref), seq })
    }
    if (late.length === 0) return
    await tx.all(store.insertLateRefs, toColumns(late))
    const byKey = new Map(level.map(({ id, refs }) => [referenceKey(id), refs]))
    const further = await findReferring(
      tx,
      level.map(({ id }) => id),
    )
    level = further.map(({ key, seq, id }) => ({ seq, id, refs: byKey.get(key)! }))
  }
}

interface LateRefs {
  readonly seq: number
  readonly id: string
  readonly refs: readonly StoredRef[]
}

/** What is known when it comes to storing. */
interface Found {
  readonly known: ReadonlyMap<string, Known>
  readonly referring: readonly Referring[]
  readonly definitions: Definitions
}

async function insertRows(tx: Db, rows: readonly Row[], { known, referring, definitions }: Found): Promise<void> {
  const bySeq = new Map(rows.map((row) => [row.seq, allRefs(row, known)]))
  const byKey = new Map(rows.map((row) => [referenceKey(row.statement.id), row]))
  const earlier = referring.filter(({ key }) => byKey.has(key))
  const refs = rows.flatMap(({ seq, statement, sender }) => {
    const target = targetOf(statement)
    const reference = target === undefined ? [] : [{ key: referenceKey(target), role: REFERS }]
    const by = { key: keyOfSender(sender.senderKey), role: SENDER }
    return [...bySeq.get(seq)!, ...reference, by].map(({ key, role }) => ({ key, role, seq }))
  })
  const voids = new Set([
    ...rows.flatMap(({ statement }) => (isVoiding(statement) ? (known.get(targetOf(statement)!)?.seq ?? []) : [])),
    ...earlier.flatMap(({ key, is_voiding }) => {
      const { seq, statement } = byKey.get(key)!
      return is_voiding && !isVoiding(statement) ? seq : []
    }),
  ])
  const late = earlier.map(({ key, seq, id }) => ({ seq, id, refs: bySeq.get(byKey.get(key)!.seq)! }))
  const contents = rows.flatMap((row) => (row.contents ?? []).map((one) => ({ ...one, seq: row.seq })))
  await Promise.all([
    define(tx, rows, definitions),
    ...contents.map((content) => tx.all(store.insertAttachment, content)),
    insertLateRefs(tx, late),
    tx.all(store.insertStatements, {
      rows: JSON.stringify(
        rows.map(({ seq, statement, text, fingerprint: own, sender, links = {} }) => ({
          seq,
          id: statement.id,
          fingerprint: own,
          payload: text,
          is_voided: voids.has(seq),
          credential: sender.credentialId,
          app: sender.appId,
          sender: keyOfSender(sender.senderKey),
          links: Object.keys(links).length > 0 ? links : undefined,
        })),
      ),
      voids: [...voids].filter((seq) => !bySeq.has(seq)),
      ...toColumns(refs),
    }),
  ])
}

const toColumns = (refs: readonly { readonly key: string; readonly seq: number; readonly role: number }[]) => ({
  refKeys: refs.map(({ key }) => key),
  refSeqs: refs.map(({ seq }) => seq),
  refRoles: refs.map(({ role }) => role),
})

/** `stored` is what the number says. The time leads, so that the text tells at once whether there is one. */
const textOf = ({ stored: _stored, timestamp, ...statement }: Statement): string =>
  JSON.stringify({ timestamp, ...statement })

type Definitions = readonly RowOf<typeof store.findDefinitions>[]
const findDefinitions = (tx: Db, defined: readonly { readonly id: string }[]): Promise<Definitions> =>
  tx.all(store.findDefinitions, { keys: [...new Set(defined.map(({ id }) => id))].map(keyOfActivity) })

/** What those who may define say about activities, put together with what is known of them. */
async function define(tx: Db, rows: readonly Row[], known: Definitions): Promise<void> {
  const sent = rows.flatMap(({ sender, statement }) => (sender.defines ? definedIn(statement) : []))
  if (sent.length === 0) return
  const before = new Map(known.map(({ iri, definition }) => [iri, definition]))
  const after = new Map<string, Definition>()
  for (const { id, definition } of sent) {
    const text = before.get(id)
    const so = after.get(id) ?? (text === undefined ? undefined : (JSON.parse(text) as Definition))
    after.set(id, mergeDefinitions(so, definition))
  }
  const changed = [...after]
    .map(([iri, value]) => ({ iri, definition: JSON.stringify(value) }))
    .filter(({ iri, definition }) => before.get(iri) !== definition)
    .map((one) => ({ ...one, key: keyOfActivity(one.iri) }))
  if (changed.length > 0) await tx.all(store.upsertDefinitions, { rows: JSON.stringify(changed) })
}
