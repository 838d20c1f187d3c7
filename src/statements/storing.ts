import type { Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { Gatherer } from '../database/gather.ts'
import { type Environment, service } from '../environment.ts'
import { fail } from '../errors.ts'
import { keyOf } from './agents.ts'
import { fingerprint, isSameTime } from './compare.ts'
import { holdFacts } from './facts-store.ts'
import { keyOfVerb, type Ref, refsOf, targetOf } from './refs.ts'
import { type Statement, VOIDED } from './statement.ts'
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

/** A statement without faults, complete but for `stored`, which comes with its number. */
export interface NewStatement {
  readonly statement: Statement & { readonly id: string }
  readonly links?: Links
}

/** Through what it comes: a key of the record store, or an app. */
export interface Sender extends Pick<Caller, 'at'> {
  readonly credentialId?: number
  readonly appId?: number | undefined
  /** That of the platform's accounts, where the sender knows it. */
  readonly homePage?: string
}

/** What one request wants to be stored: all of it, or nothing. */
interface Request {
  readonly sender: Sender
  readonly statements: readonly NewStatement[]
}

/** So many statements share a transaction. */
const GATHERED = 500

const gatherer = service(({ db }) => {
  const weigh = ({ statements }: Request) => statements.length
  return new Gatherer<Request, string[]>(db, { most: GATHERED, weigh, write: storeTogether })
})

/** Stores statements, together with those of other requests. Gives their ids, also of those that were here already. */
export const storeStatements = (
  { get }: Pick<Environment, 'get'>,
  sender: Sender,
  statements: readonly NewStatement[],
): Promise<string[]> => get(gatherer).add({ sender, statements })

/** Within a transaction of the caller's own. */
export async function storeInTransaction(
  tx: Db,
  sender: Sender,
  statements: readonly NewStatement[],
): Promise<string[]> {
  const [outcome] = await storeTogether(tx, [{ sender, statements }])
  if (outcome instanceof Error) throw outcome
  return outcome!
}

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

interface Row extends NewStatement {
  readonly seq: number
  readonly sender: Sender
  readonly fingerprint: string
}
type StoredRef = Omit<Ref, 'role'> & { readonly role: number }

async function storeTogether(tx: Db, requests: readonly Request[]): Promise<(string[] | Error)[]> {
  const all = requests.flatMap(({ statements }) => statements)
  // First of all: whoever has the numbers is alone until the commit.
  const now = Math.max(...requests.map(({ sender }) => sender.at.getTime())) * 1000
  const homePage = requests.find(({ sender }) => sender.homePage)?.sender.homePage ?? null
  const { last } = (await tx.first(store.takeNumbers, { now, count: all.length, homePage }))!
  const known = await findKnown(tx, all)
  const rows: Row[] = []
  let seq = last - all.length
  const outcomes = requests.map(({ statements, sender }): string[] | Error => {
    const made = statements.map((one) => ({ ...one, seq: ++seq, fingerprint: fingerprint(one.statement), sender }))
    const problem = findProblem(made, known)
    if (problem) return problem
    for (const one of made) {
      const { statement } = one
      if (known.has(statement.id)) continue
      rows.push(one)
      known.set(statement.id, one)
    }
    return statements.map(({ statement }) => statement.id)
  })
  if (rows.length > 0) await insertRows(tx, rows, known)
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
      return fail('validationFailed', `The statement ${targetOf(statement)} voids another one, and cannot be voided`)
  }
  return undefined
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

/** What it is found by, and what the statement that it refers to is found by. */
function allRefs(statement: Statement, known: ReadonlyMap<string, Known>): StoredRef[] {
  const refs: StoredRef[] = refsOf(statement)
  let target = targetOf(statement)
  for (let step = 0; target !== undefined && step < MOST_STEPS; step++) {
    const found = known.get(target)?.statement
    if (!found) break
    refs.push(...refsOf(found))
    target = targetOf(found)
  }
  return refs
}

/** Removes statements. What refers to them stays. */
export async function removeStatements(
  tx: Db,
  rows: readonly { readonly seq: number; readonly statement: Statement }[],
): Promise<void> {
  await tx.all(holdFacts, {})
  const targets = rows.flatMap(({ statement }) => targetOf(statement) ?? [])
  const known = await readKnown(tx, targets)
  const refs = rows.flatMap(({ seq, statement }) => {
    const target = targetOf(statement)
    const keys = [...allRefs(statement, known).map(({ key }) => key), ...(target ? [referenceKey(target)] : [])]
    return [...new Set(keys)].map((key) => ({ key, seq }))
  })
  await tx.all(store.deleteStatements, {
    seqs: rows.map(({ seq }) => seq),
    refKeys: refs.map(({ key }) => key),
    refSeqs: refs.map(({ seq }) => seq),
  })
}

async function insertRows(tx: Db, rows: readonly Row[], known: ReadonlyMap<string, Known>): Promise<void> {
  const made = rows.map((row) => ({ ...row, refs: allRefs(row.statement, known) }))
  const byKey = new Map(made.map((row) => [referenceKey(row.statement.id), row]))
  // Those that were here before what they refer to are found by it from now on.
  const earlier = await tx.all(store.findReferring, { keys: [...byKey.keys()], role: REFERS, voided: VOIDED_KEY })
  const refs = [
    ...made.flatMap(({ refs: own, seq, statement }) => {
      const target = targetOf(statement)
      const reference = target === undefined ? [] : [{ key: referenceKey(target), role: REFERS }]
      return [...own, ...reference].map((ref) => ({ ...ref, seq }))
    }),
    ...earlier.flatMap(({ key, seq }) => byKey.get(key)!.refs.map((ref) => ({ ...ref, seq }))),
  ]
  const voids = [
    ...rows.flatMap(({ statement }) => (isVoiding(statement) ? (known.get(targetOf(statement)!)?.seq ?? []) : [])),
    ...earlier.flatMap(({ key, is_voiding }) => {
      const { seq, statement } = byKey.get(key)!
      return is_voiding && !isVoiding(statement) ? seq : []
    }),
  ]
  await tx.all(store.insertStatements, {
    rows: JSON.stringify(
      rows.map(({ seq, statement, fingerprint: own, sender, links = {} }) => ({
        seq,
        id: statement.id,
        fingerprint: own,
        payload: textOf(statement),
        is_voided: voids.includes(seq),
        credential: sender.credentialId,
        app: sender.appId,
        links: Object.keys(links).length > 0 ? links : undefined,
      })),
    ),
    voids: voids.filter((seq) => !rows.some((row) => row.seq === seq)),
    refKeys: refs.map(({ key }) => key),
    refSeqs: refs.map(({ seq }) => seq),
    refRoles: refs.map(({ role }) => role),
  })
}

/** `stored` is what the number says. */
const textOf = ({ stored: _stored, ...statement }: Statement): string => JSON.stringify(statement)
