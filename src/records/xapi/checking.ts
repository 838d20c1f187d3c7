import { randomUUID } from 'node:crypto'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { failByRule, findFaults } from '../statements/faults/faults.ts'
import { linkStatement } from '../statements/linking/linking.ts'
import { targetOf } from '../statements/model/refs.ts'
import { type Fault, type Statement, type Version, VOIDED } from '../statements/model/statement.ts'
import { findSentBy } from '../statements/query/query.ts'
import type { Links } from '../statements/storing/schema.ts'
import { findUnknownVerbs, UNKNOWN_VERB } from '../statements/verbs/verbs.ts'
import { complete } from './formats.ts'

/** The maximum number of statements in one request. */
export const MOST_SENT = 1000
/** The maximum size of one statement, in bytes of JSON. */
const STATEMENT_BYTES = 1024 * 1024

/** A fault in a statement, with the statement's position in the batch. */
export type PositionedFault = Fault & { readonly position: number }
export interface PositionedStatement {
  readonly position: number
  readonly statement: Statement
}

const TOO_LARGE: Fault = { pointer: '', rule: 'size', must: `have at most ${STATEMENT_BYTES} bytes` }
const REPEATED_ID: Fault = {
  pointer: '/id',
  rule: 'batch-ids-distinct',
  must: 'be unique: an earlier statement in the batch has it',
}
const FOREIGN_TARGET: Fault = {
  pointer: '/object/id',
  rule: 'scope all',
  must: 'be that of a statement that you have sent: only keys with the scope all can void statements of others',
}

export const isTooLarge = ({ rule, must }: Fault): boolean => rule === TOO_LARGE.rule && must === TOO_LARGE.must

interface SyntaxCheck {
  readonly valid: readonly PositionedStatement[]
  readonly faults: PositionedFault[]
}

/**
 * Checks each statement against the specification and against the size limit, and checks that the ids in the batch are
 * distinct. Stops after `most` faults.
 */
export function checkSyntax(
  batch: readonly unknown[],
  { version, bytes, most }: { readonly version: Version; readonly bytes: number; readonly most: number },
): SyntaxCheck {
  if (batch.length > MOST_SENT)
    throw failByRule('size', `${batch.length} statements are too many for one request: the limit is ${MOST_SENT}`)
  // Only a body larger than the limit can contain a statement larger than the limit.
  const isTooLong = (value: unknown) =>
    bytes > STATEMENT_BYTES && Buffer.byteLength(JSON.stringify(value)) > STATEMENT_BYTES
  const ids = new Set<string>()
  const isRepeated = (value: unknown) => {
    const { id } = (value ?? {}) as { id?: unknown }
    if (typeof id !== 'string') return false
    const isKnown = ids.has(id.toLowerCase())
    ids.add(id.toLowerCase())
    return isKnown
  }
  const valid: PositionedStatement[] = []
  const faults: PositionedFault[] = []
  for (const [position, value] of batch.entries()) {
    const own = findFaults(value, version, most - faults.length)
    if (isRepeated(value)) own.push(REPEATED_ID)
    if (own.length === 0 && isTooLong(value)) own.push(TOO_LARGE)
    if (own.length === 0) valid.push({ position, statement: value as Statement })
    for (const fault of own) faults.push({ position, ...fault })
    if (faults.length >= most) break
  }
  return { valid, faults: faults.slice(0, most) }
}

interface SenderCheck {
  /** Verbs that are not in the library, if the caller may use only verbs of the library. */
  readonly verbFaults: readonly PositionedFault[]
  /** Actors for whom the caller may not send statements, and statements that the caller may not void. */
  readonly rightFaults: readonly PositionedFault[]
  /** The links of each statement, in the order of the statements. */
  readonly links: readonly (Links | undefined)[]
}

/** Checks whether the caller may send these statements (already known to be valid), and finds their links. */
export async function checkSender(
  db: Db,
  who: StoreCaller,
  statements: readonly PositionedStatement[],
  environment: Environment,
): Promise<SenderCheck> {
  const [verbFaults, outcomes, voidingFaults] = await Promise.all([
    who.usesLibrary ? findVerbFaults(db, statements, environment) : [],
    Promise.all(statements.map(({ statement }) => linkStatement(db, who, statement, environment))),
    who.scopes.has('all') ? [] : findVoidingFaults(db, who, statements),
  ])
  const actorFaults = outcomes.flatMap(({ fault }, i) => (fault ? at(statements[i]!, fault) : []))
  const links = outcomes.map((outcome) => ('links' in outcome ? outcome.links : undefined))
  return { verbFaults, rightFaults: [...actorFaults, ...voidingFaults], links }
}

/**
 * Returns the statement as it will be stored: with an id, the caller's authority, and the conventions of the xAPI
 * version.
 */
export const completeStatement = (
  { version, authority }: Pick<StoreCaller, 'authority'> & { readonly version: Version },
  statement: Statement,
): Statement & { readonly id: string } =>
  complete(statement, {
    id: randomUUID(),
    authority,
    version: version === '1.0.3' ? '1.0.0' : '2.0.0',
    toUtc: version === '2.0.0',
  })

const at = ({ position }: PositionedStatement, fault: Fault): PositionedFault => ({ position, ...fault })

async function findVerbFaults(
  db: Db,
  statements: readonly PositionedStatement[],
  environment: Environment,
): Promise<PositionedFault[]> {
  const verbs = statements.map(({ statement }) => statement.verb.id)
  const unknown = await findUnknownVerbs(db, verbs, environment)
  return statements.filter(({ statement }) => unknown.has(statement.verb.id)).map((one) => at(one, UNKNOWN_VERB))
}

/** Returns the id of the statement that this statement voids. */
const voidedBy = (statement: Statement): string | undefined =>
  statement.verb.id === VOIDED ? targetOf(statement) : undefined

/** Finds the statements that void a statement of another sender, which only callers with the scope `all` may do. */
async function findVoidingFaults(
  db: Db,
  who: StoreCaller,
  statements: readonly PositionedStatement[],
): Promise<PositionedFault[]> {
  const targets = statements.flatMap(({ statement }) => voidedBy(statement) ?? [])
  if (targets.length === 0) return []
  const own = await findSentBy(db, who.senderKey, targets)
  return statements.flatMap((one) => {
    const target = voidedBy(one.statement)
    return target === undefined || own.has(target) ? [] : at(one, FOREIGN_TARGET)
  })
}
