import type { Db } from '../database/database.ts'
import { Gatherer } from '../database/gather.ts'
import { service } from '../environment.ts'
import { fail } from '../errors.ts'
import { keyOf } from './agents.ts'
import { REFERS, refsOf, type Ref } from './refs.ts'
import { isStatementRef, type Statement, VOIDED } from './statement.ts'
import * as store from './store.ts'

/** What of the platform's own a statement is about, by internal numbers. */
export interface Links {
  readonly person_id?: number | null
  readonly lesson_id?: number | null
  readonly course_id?: number | null
  readonly class_id?: number | null
  readonly enrolment_id?: number | null
  readonly attempt_id?: number | null
  readonly objective_id?: number | null
  readonly badge_id?: number | null
}

/** A statement without faults, complete but for `stored`. */
export interface NewStatement {
  readonly statement: Statement & { readonly id: string }
  readonly fingerprint: string
  readonly links?: Links
}

/** Who sends: a key of the record store, or a person in an app. */
export interface Sender {
  readonly credentialId?: number
  readonly appId?: number
  readonly personId?: number
}

/** What one request wants to be stored: all of it, or nothing. */
interface Request {
  readonly statements: readonly NewStatement[]
  readonly sender: Sender
  readonly at: Date
}

/** So many statements share a transaction. */
const GATHERED = 500

const gatherer = service(
  ({ db }) =>
    new Gatherer<Request, string[]>(db, {
      most: GATHERED,
      weigh: ({ statements }) => statements.length,
      write: storeTogether,
    }),
)

/** Stores statements, together with those of other requests. Gives their ids, also of those that were here already. */
export const storeStatements = (get: Parameters<typeof gatherer.open>[0]['get'], request: Request): Promise<string[]> =>
  get(gatherer).add(request)

const VOIDED_KEY = keyOf('verb', VOIDED)
const targetOf = ({ object }: Statement): string | undefined =>
  isStatementRef(object) ? object.id.toLowerCase() : undefined
const isVoiding = ({ verb }: Statement): boolean => verb.id === VOIDED

interface Known {
  readonly seq: number
  readonly fingerprint: string
  readonly refs: readonly Ref[]
  readonly isVoiding: boolean
}

async function storeTogether(tx: Db, requests: readonly Request[]): Promise<(string[] | Error)[]> {
  const all = requests.flatMap(({ statements }) => statements)
  // First of all: whoever has the numbers is alone until the commit.
  const now = Math.max(...requests.map(({ at }) => at.getTime())) * 1000
  const { last } = (await tx.first(store.takeNumbers, { now, count: all.length }))!
  const known = await findKnown(tx, all)
  const rows: (NewStatement & { seq: number; refs: readonly Ref[]; sender: Sender; voids: number | undefined })[] = []
  let seq = last - all.length
  const outcomes = requests.map(({ statements, sender }): string[] | Error => {
    const made = statements.map((one) => ({ ...one, seq: ++seq }))
    const problem = findProblem(made, known)
    if (problem) return problem
    for (const one of made) {
      const { id } = one.statement
      if (known.has(id)) continue
      const target = known.get(targetOf(one.statement) ?? '')
      const voids = isVoiding(one.statement) ? target?.seq : undefined
      const refs = [...refsOf(one.statement), ...(target?.refs ?? [])]
      rows.push({ ...one, refs, sender, voids })
      known.set(id, { seq: one.seq, fingerprint: one.fingerprint, refs, isVoiding: isVoiding(one.statement) })
    }
    return statements.map(({ statement }) => statement.id)
  })
  await insertRows(tx, rows)
  return outcomes
}

function findProblem(made: readonly NewStatement[], known: ReadonlyMap<string, Known>): Error | undefined {
  for (const { statement, fingerprint } of made) {
    const found = known.get(statement.id)
    if (found && found.fingerprint !== fingerprint)
      return fail('conflict', `There is another statement with the id ${statement.id}`)
    const target = known.get(targetOf(statement) ?? '')
    if (isVoiding(statement) && target?.isVoiding)
      return fail('validationFailed', `The statement ${targetOf(statement)} is voiding, and cannot be voided`)
  }
  return undefined
}

/** What is there of these statements, and of those that they refer to. */
async function findKnown(tx: Db, all: readonly NewStatement[]): Promise<Map<string, Known>> {
  const targets = all.flatMap(({ statement }) => targetOf(statement) ?? [])
  const ids = [...new Set([...all.map(({ statement }) => statement.id), ...targets])]
  const rows = await tx.all(store.findKnown, { ids, targets, voided: VOIDED_KEY })
  return new Map(
    rows.map(({ statement_id, seq, fingerprint, payload, is_voiding }) => {
      const refs = payload === null ? [] : refsOf(JSON.parse(payload) as Statement)
      return [statement_id, { seq, fingerprint, refs, isVoiding: is_voiding }]
    }),
  )
}
