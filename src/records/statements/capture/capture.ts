import { randomUUID } from 'node:crypto'
import { normaliseHandle } from '../../../identity/people/handles.ts'
import type { Member } from '../../../kernel/caller.ts'
import { type Db, hasCode } from '../../../kernel/database/database.ts'
import type { Environment } from '../../../kernel/environment.ts'
import { fail } from '../../../kernel/errors.ts'
import { failWithFaults, findFaults } from '../faults/faults.ts'
import { readHandle } from '../linking/ids.ts'
import { findNamedRecords } from '../linking/linking.ts'
import { type NamedRecords, resolveLinks } from '../linking/resolving.ts'
import { roundStatement } from '../model/extensions.ts'
import {
  accountAgent,
  type Bases,
  bases,
  idExtension,
  MADE_VERSION,
  PLATFORM_ACCOUNT,
  senderKeyOf,
} from '../model/names.ts'
import type { Agent, Statement } from '../model/statement.ts'
import type { Links } from '../storing/schema.ts'
import { storeInTransaction, storeStatements } from '../storing/storing.ts'
import { isStandardVerb, UNKNOWN_VERB } from '../verbs/verbs.ts'
import { keyInV1, translateV1, translateV2 } from './rules.ts'
import type { Captured, CaptureV1, CaptureV2 } from './schema.ts'

type Services = Pick<Environment, 'get'>

/** Stores a statement that was sent in the form of v2. */
export async function captureV2(db: Db, who: Member, sent: CaptureV2, services: Services): Promise<Captured> {
  const known = services.get(bases)
  const handle = normaliseHandle(readHandle(known, sent.actor))
  const verb = (sent.verb as { id?: unknown } | null)?.id
  if (typeof verb !== 'string') throw fail('validationFailed', 'verb.id must be the IRI of a verb')
  const { statement, ids } = translateV2(known, sent as Record<string, unknown>)
  const named = await findNamedRecords(db, who, { ids, verb, handle, actor: null })
  if (!isStandardVerb(known, verb) && !named.is_added_verb) throw failWithFaults([UNKNOWN_VERB])
  const links = resolveLinks(named, who.personId, ids, (type) => idExtension(known, type))
  const actor = { ...(sent.actor as Agent), account: accountOf(known, named) }
  const whole = roundStatement({ ...statement, ...(sent.id === undefined ? {} : { id: sent.id }), actor })
  return storeCaptured(db, who, { statement: whole, links, named }, services)
}

/**
 * Stores a statement that was sent in the form of v1: `actor` is a userId of the app, and `verb` is words instead of an
 * IRI.
 */
export async function captureV1(db: Db, who: Member, sent: CaptureV1, services: Services): Promise<Captured> {
  const known = services.get(bases)
  const { statement, ids } = translateV1(known, sent)
  const named = await findNamedRecords(db, who, { ids, verb: statement.verb.id, handle: null, actor: sent.actor })
  const links = resolveLinks(named, who.personId, ids, (type) => `object.${keyInV1(type)}`)
  const actor = { objectType: 'Agent' as const, account: accountOf(known, named) }
  return storeCaptured(db, who, { statement: { ...statement, actor }, links, named }, services)
}

const accountOf = ({ homePage }: Bases, { actor_handle: name }: NamedRecords) => ({ homePage, name: name ?? '' })

const FOREIGN_KEY_VIOLATION = '23503'

async function storeCaptured(
  db: Db,
  who: Member,
  what: { readonly statement: Statement; readonly links: Links; readonly named: NamedRecords },
  services: Services,
): Promise<Captured> {
  const { statement, links, named } = what
  const faults = findFaults(statement, MADE_VERSION)
  if (faults.length > 0) throw failWithFaults(faults)
  const { homePage } = services.get(bases)
  const authority = accountAgent(homePage, named.client_id ?? PLATFORM_ACCOUNT)
  const id = statement.id?.toLowerCase() ?? randomUUID()
  const complete = [{ statement: { ...statement, id, authority, version: MADE_VERSION }, links }]
  const sender = { at: who.at, appId: who.appId, personId: who.personId, homePage, senderKey: senderKeyOf(who) }
  try {
    // A request with an Idempotency-Key has a transaction already; the statement must be stored in the same
    // transaction.
    await (db.isTransaction ? storeInTransaction(db, sender, complete) : storeStatements(sender, complete, services))
  } catch (error) {
    if (!hasCode(error, FOREIGN_KEY_VIOLATION)) throw error
    throw fail('conflict', 'A record that the statement is about was deleted in the meantime')
  }
  return { success: true, statementId: id }
}
