import { createHash, randomUUID } from 'node:crypto'
import { type Db, hasCode } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { bases } from '../statements/capture.ts'
import { type Fault, findFaults } from '../statements/faults.ts'
import { complete } from '../statements/formats.ts'
import { findLinks } from '../statements/linking.ts'
import { failSaying, failWith, MOST_FAULTS } from '../statements/problems.ts'
import { findSentBy } from '../statements/query.ts'
import { attachmentsOf, isStatementRef, SIGNATURE, type Statement, VOIDED } from '../statements/statement.ts'
import { type Content, type NewStatement, type Stored, storeStatements } from '../statements/storing.ts'
import { isUuid } from '../statements/syntax.ts'
import { findStrangeVerbs } from '../statements/verbs.ts'
import { checkSignature } from './signatures.ts'
import { noteSeen, type XapiCaller } from './statements.ts'

/** So many statements come in one request at the most. */
export const MOST_SENT = 1000
/** The largest statement, as JSON (bytes). */
export const STATEMENT_BYTES = 1024 * 1024
const FOREIGN_KEY_VIOLATION = '23503'

/** Bytes that came along, by the hash that they are said to have. */
export type Parts = readonly { readonly hash: string | undefined; readonly bytes: Buffer }[]

export interface Sent {
  readonly body: unknown
  /** How long it is as JSON. */
  readonly bytes: number
  /** Where the address says it. */
  readonly statementId?: string
  readonly parts: Parts
}

/** Stores a statement, or several: all of them, or none. */
export async function sendStatements(environment: Environment, db: Db, who: XapiCaller, sent: Sent): Promise<Stored> {
  const statements = readStatements(who, sent)
  if (who.usesLibrary) await refuseStrangeVerbs(environment, db, statements, sent)
  const contents = matchParts(statements, sent)
  const version = who.version === '1.0.3' ? '1.0.0' : '2.0.0'
  const { authority } = who
  const links = await Promise.all(statements.map((one) => findLinks(environment, db, who, one)))
  await refuseForeignVoiding(db, who, statements)
  const made = statements.map((one, i): NewStatement => {
    const statement = complete(one, { id: randomUUID(), authority, version, toUtc: who.version === '2.0.0' })
    const own = links[i]
    return { statement, contents: contents[i] ?? [], ...(own ? { links: own } : {}) }
  })
  const { homePage } = environment.get(bases)
  const { at, credentialId, appId, senderKey } = who
  const sender = {
    ...{ at, appId, senderKey, homePage, defines: who.scopes.has('define') },
    ...(credentialId === undefined ? {} : { credentialId }),
  }
  try {
    const stored = await storeStatements(environment, sender, made)
    noteSeen(environment, stored.through)
    return stored
  } catch (error) {
    if (!hasCode(error, FOREIGN_KEY_VIOLATION)) throw error
    throw fail('conflict', 'Something that a statement is about was removed meanwhile; send it again')
  }
}

/** Without faults, each of them: all faults are told, with the position in the batch. */
function readStatements(who: XapiCaller, { body, bytes, statementId }: Sent): Statement[] {
  const isBatch = Array.isArray(body)
  if (isBatch && statementId !== undefined) throw fail('validationFailed', 'Send one statement, not an array')
  const all: unknown[] = isBatch ? body : [body]
  if (all.length > MOST_SENT)
    throw failSaying('size', `${all.length} statements are too many for one request: the limit is ${MOST_SENT}`)
  const faults: Fault[] = []
  const ids = new Set<string>()
  for (const [i, one] of all.entries()) {
    const where = isBatch ? `/${i}` : ''
    for (const fault of findFaults(one, who.version, MOST_FAULTS - faults.length))
      faults.push({ ...fault, pointer: where + fault.pointer })
    if (faults.length >= MOST_FAULTS) break
    const { id } = (one ?? {}) as { id?: unknown }
    if (typeof id !== 'string') continue
    const key = id.toLowerCase()
    const add = (rule: string, must: string) => faults.push({ pointer: `${where}/id`, rule, must })
    if (ids.has(key)) add('batch-ids-distinct', 'be another one: two statements of the batch have it')
    else if (statementId !== undefined && key !== statementId.toLowerCase())
      add('XAPI-00144', 'be the same as the parameter statementId')
    ids.add(key)
  }
  if (statementId !== undefined && !isUuid(statementId)) throw fail('validationFailed', 'statementId must be a UUID')
  if (faults.length > 0) throw failWith(faults)
  // All together are hardly ever larger than one may be.
  const isLarge = (one: unknown) => Buffer.byteLength(JSON.stringify(one)) > STATEMENT_BYTES
  const large = bytes > STATEMENT_BYTES ? all.findIndex(isLarge) : -1
  if (large >= 0)
    throw fail('bodyTooLarge', `Statement ${large} is too large: the limit is ${STATEMENT_BYTES} bytes for each`)
  const statements = all as Statement[]
  return statementId === undefined ? statements : statements.map((one) => ({ ...one, id: statementId }))
}

async function refuseStrangeVerbs(
  environment: Environment,
  db: Db,
  statements: readonly Statement[],
  { body }: Sent,
): Promise<void> {
  const strange = await findStrangeVerbs(
    environment,
    db,
    statements.map(({ verb }) => verb.id),
  )
  const faults = statements.flatMap(({ verb }, i) =>
    strange.includes(verb.id)
      ? [
          {
            pointer: `${Array.isArray(body) ? `/${i}` : ''}/verb/id`,
            rule: 'verb library',
            must: 'be in the verb library, which GET /edu/v1/xapi/verbs lists',
          },
        ]
      : [],
  )
  if (faults.length > 0) throw failWith(faults.slice(0, MOST_FAULTS))
}

/** Whoever may not do everything voids only what they have sent themselves. */
async function refuseForeignVoiding(db: Db, who: XapiCaller, statements: readonly Statement[]): Promise<void> {
  if (who.scopes.has('all')) return
  const targets = statements.flatMap(({ verb, object }) =>
    verb.id === VOIDED && isStatementRef(object) ? [object.id.toLowerCase()] : [],
  )
  if (targets.length === 0) return
  const own = await findSentBy(db, who.senderKey, targets)
  const foreign = targets.find((id) => !own.has(id))
  if (foreign !== undefined)
    throw fail('forbidden', `You can void only statements that you have sent, and ${foreign} is not one of them`)
}

const ALGORITHMS: Readonly<Record<number, string>> = { 56: 'sha224', 64: 'sha256', 96: 'sha384', 128: 'sha512' }
const hashOf = (bytes: Buffer, sha2: string): string =>
  createHash(ALGORITHMS[sha2.length] ?? 'sha256')
    .update(bytes)
    .digest('hex')

/** Finds the bytes of each attachment (xAPI-Communication 1.5.2): none is missing, none is left over, and each has the hash that it says. */
function matchParts(statements: readonly Statement[], { parts, body }: Sent): Content[][] {
  const byHash = new Map<string, Buffer>()
  for (const [i, { hash, bytes }] of parts.entries()) {
    if (hash === undefined) throw refusePart(i, 'has no header X-Experience-API-Hash')
    if (hashOf(bytes, hash) !== hash.toLowerCase()) throw refusePart(i, 'does not match its hash')
    byHash.set(hash.toLowerCase(), bytes)
  }
  const used = new Set<string>()
  const contents = statements.map((statement, i) => {
    const found = new Map<string, Content>()
    const where = `${Array.isArray(body) ? `/${i}` : ''}/attachments`
    for (const attachment of attachmentsOf(statement)) {
      const sha2 = attachment.sha2.toLowerCase()
      const bytes = byHash.get(sha2)
      if (!bytes) {
        if (attachment.fileUrl !== undefined && attachment.usageType !== SIGNATURE) continue
        throw failSaying(
          'attachments',
          `Statement ${i} has an attachment without its bytes: send them as a part with X-Experience-API-Hash: ${sha2}, or give a fileUrl`,
          where,
        )
      }
      // The hash says that the bytes are whole; `length` may be wrong (ADL's own suite sends it so).
      if (attachment.usageType === SIGNATURE) checkSignature(statement, bytes, where)
      used.add(sha2)
      found.set(sha2, { sha2, bytes })
    }
    return [...found.values()]
  })
  const left = parts.findIndex(({ hash }) => !used.has(hash!.toLowerCase()))
  if (left >= 0) throw refusePart(left, 'belongs to no attachment of the statements')
  return contents
}

const refusePart = (i: number, problem: string) => failSaying('attachments', `Part ${i + 2} of the body ${problem}`)
