import { type Db, hasCode } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { recordFromLaunch } from '../registrations/recording.ts'
import { failByRule, failWithFaults, MOST_FAULTS } from '../statements/faults/faults.ts'
import { isUuid } from '../statements/model/forms.ts'
import { isHashOf } from '../statements/model/hashes.ts'
import { bases } from '../statements/model/names.ts'
import { attachmentsOf, SIGNATURE } from '../statements/model/statement.ts'
import type { AttachmentContent, NewStatement, StoredStatements } from '../statements/storing/schema.ts'
import { storeStatements } from '../statements/storing/storing.ts'
import {
  checkSender,
  checkSyntax,
  completeStatement,
  isTooLarge,
  type PositionedFault,
  type PositionedStatement,
} from './checking.ts'
import { checkSignature } from './signatures.ts'
import { noteSeen, type XapiCaller } from './statements.ts'

const FOREIGN_KEY_VIOLATION = '23503'

/** The multipart parts with the bytes of attachments, each with the hash from its X-Experience-API-Hash header. */
type AttachmentParts = readonly { readonly hash: string | undefined; readonly bytes: Buffer }[]

/** The contents of a request that sends statements. */
export interface SentStatements {
  readonly body: unknown
  /** The length in bytes of the body's JSON. */
  readonly bytes: number
  /** The `statementId` parameter of a PUT. */
  readonly statementId?: string
  readonly parts: AttachmentParts
}

/** Stores one statement or a batch. If one statement of a batch is refused, none is stored. */
export async function sendStatements(
  db: Db,
  who: XapiCaller,
  sent: SentStatements,
  environment: Environment,
): Promise<StoredStatements> {
  const valid = readStatements(who, sent)
  const contents = matchAttachments(valid, sent)
  if (who.launch) return sendFromLaunch(db, who, who.launch, { sent, valid, contents }, environment)
  const { verbFaults, rightFaults, links } = await checkSender(db, who, valid, environment)
  if (verbFaults.length > 0) throw failWithFaults(inRequest(sent, verbFaults))
  if (rightFaults.length > 0) throw failWithFaults(inRequest(sent, rightFaults), 'forbidden')
  const made = valid.map(({ position, statement }, i): NewStatement => {
    const own = links[i]
    return {
      statement: completeStatement(who, statement),
      contents: contents[i] ?? [],
      pointer: pointerOf(sent, position),
      ...(own ? { links: own } : {}),
    }
  })
  const { homePage } = environment.get(bases)
  const { at, credentialId, appId, personId, senderKey } = who
  const sender = {
    ...{ at, appId, personId, senderKey, homePage, defines: who.scopes.has('define') },
    ...(credentialId === undefined ? {} : { credentialId }),
  }
  try {
    const stored = await storeStatements(sender, made, environment)
    noteSeen(stored.through, environment)
    return stored
  } catch (error) {
    if (!hasCode(error, FOREIGN_KEY_VIOLATION)) throw error
    throw fail('conflict', 'A record that a statement is about was deleted in the meantime; send the statement again')
  }
}

/** Stores statements of content of a package, which have to pass the gate of its launch. */
async function sendFromLaunch(
  db: Db,
  who: XapiCaller,
  { launch_id: launchId, registration_id: registrationId, person_id: personId }: NonNullable<XapiCaller['launch']>,
  what: {
    readonly sent: SentStatements
    readonly valid: readonly PositionedStatement[]
    readonly contents: readonly AttachmentContent[][]
  },
  environment: Environment,
): Promise<StoredStatements> {
  const statements = what.valid.map(({ position, statement }, i) => ({
    sent: statement,
    made: {
      statement: completeStatement(who, statement),
      contents: what.contents[i] ?? [],
      pointer: pointerOf(what.sent, position),
    },
  }))
  const stored = await recordFromLaunch(db, { ...who, launchId, registrationId, personId }, statements, environment)
  noteSeen(stored.through, environment)
  return stored
}

/** Returns the JSON pointer to a statement in the request body. */
const pointerOf = ({ body }: SentStatements, position: number): string => (Array.isArray(body) ? `/${position}` : '')

/** Makes the pointers of faults relative to the request body, and keeps only as many faults as a refusal lists. */
const inRequest = (sent: SentStatements, faults: readonly PositionedFault[]) =>
  faults
    .slice(0, MOST_FAULTS)
    .map(({ position, ...fault }) => ({ ...fault, pointer: pointerOf(sent, position) + fault.pointer }))

/** Reads the statements from the request body. Refuses all of them if one has a fault. */
function readStatements({ version }: XapiCaller, sent: SentStatements): readonly PositionedStatement[] {
  const { body, bytes, statementId } = sent
  const isBatch = Array.isArray(body)
  if (isBatch && statementId !== undefined) throw fail('validationFailed', 'Send one statement, not an array')
  if (statementId !== undefined && !isUuid(statementId)) throw fail('validationFailed', 'statementId must be a UUID')
  const { valid, faults } = checkSyntax(isBatch ? body : [body], { version, bytes, most: MOST_FAULTS })
  const { id } = (body ?? {}) as { id?: unknown }
  if (statementId !== undefined && typeof id === 'string' && id.toLowerCase() !== statementId.toLowerCase())
    faults.push({ position: 0, pointer: '/id', rule: 'XAPI-00144', must: 'be the same as the parameter statementId' })
  if (faults.length > 0)
    throw failWithFaults(inRequest(sent, faults), faults.every(isTooLarge) ? 'bodyTooLarge' : 'validationFailed')
  if (statementId === undefined) return valid
  return valid.map(({ position, statement }) => ({ position, statement: { ...statement, id: statementId } }))
}

/**
 * Finds the bytes of each attachment among the parts (xAPI-Communication 1.5.2). Refuses a part that belongs to no
 * attachment or whose bytes do not match its hash, and an attachment that has neither a part nor a `fileUrl`. A
 * signature must always have a part.
 */
function matchAttachments(statements: readonly PositionedStatement[], sent: SentStatements): AttachmentContent[][] {
  const { parts } = sent
  const byHash = new Map<string, Buffer>()
  for (const [i, { hash, bytes }] of parts.entries()) {
    if (hash === undefined) throw refusePart(i, 'has no header X-Experience-API-Hash')
    if (!isHashOf(hash, bytes)) throw refusePart(i, 'does not match its hash')
    byHash.set(hash.toLowerCase(), bytes)
  }
  const used = new Set<string>()
  const contents = statements.map(({ position, statement }) => {
    const found = new Map<string, AttachmentContent>()
    const pointer = `${pointerOf(sent, position)}/attachments`
    for (const attachment of attachmentsOf(statement)) {
      const sha2 = attachment.sha2.toLowerCase()
      const bytes = byHash.get(sha2)
      if (!bytes) {
        if (attachment.fileUrl !== undefined && attachment.usageType !== SIGNATURE) continue
        throw failByRule(
          'attachments',
          `Statement ${position} has an attachment without its bytes: send them as a part with X-Experience-API-Hash: ${sha2}, or send a fileUrl`,
          pointer,
        )
      }
      // `length` is not compared: the hash proves that the bytes are complete, and ADL's own suite sends wrong lengths.
      if (attachment.usageType === SIGNATURE) checkSignature(statement, bytes, pointer)
      used.add(sha2)
      found.set(sha2, { sha2, bytes })
    }
    return [...found.values()]
  })
  const left = parts.findIndex(({ hash }) => !used.has(hash!.toLowerCase()))
  if (left >= 0) throw refusePart(left, 'belongs to no attachment of the statements')
  return contents
}

const refusePart = (i: number, problem: string) => failByRule('attachments', `Part ${i + 2} of the body ${problem}`)
