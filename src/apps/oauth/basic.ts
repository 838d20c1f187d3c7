import { isUtf8 } from 'node:buffer'
import { confirmPerson, verifyPerson } from '../../identity/people/people.ts'
import { refuseRequired } from '../../kernel/browsers/required.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { openSession, type TokenPair, type TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { ensureAppUser, readApp } from '../apps/apps.ts'

export interface BasicSignIn {
  readonly clientId: string | undefined
  /** The value of the Authorization header. */
  readonly authorization: string | undefined
  readonly device: string
}

/**
 * Signs a person in with handle and password, for apps without a web page that an administrator has permitted to do so.
 */
export async function signInWithBasic(db: Db, who: Caller, what: BasicSignIn, policy: TokenPolicy): Promise<TokenPair> {
  if (!what.clientId) throw fail('parameterMissing', 'The header clientId is missing')
  const credentials = readBasic(what.authorization)
  const app = await readApp(db, what.clientId, policy.environment)
  if (!app.isBasicEnabled)
    throw fail('permissionMissing', 'Basic authentication is not enabled for this app; contact an administrator')
  const person = await verifyPerson(db, who, credentials)
  return db.transaction(async (tx) => {
    await confirmPerson(tx, person)
    const personId = person.id
    await refuseRequired(tx, { personId, epoch: undefined })
    const userId = await ensureAppUser(tx, who, { appId: app.id, personId })
    return openSession(tx, who, { appId: app.id, personId, userId, door: 'basic', device: what.device }, policy)
  })
}

const FORM = 'The Authorization header must be: Basic base64(handle:password)'

/**
 * Parses Basic credentials (RFC 7617 §2). The password may contain a colon, the handle may not; neither may contain
 * control characters.
 */
function readBasic(authorization: string | undefined): { handle: string; password: string } {
  if (!authorization) throw fail('notAuthorized', 'Send Authorization: Basic base64(handle:password)')
  const encoded = /^basic ([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1]
  const text = decode(Buffer.from(encoded ?? '', 'base64'))
  const colon = text.indexOf(':')
  if (colon < 1) throw fail('notAuthorized', FORM)
  if (/\p{Cc}/u.test(text)) throw fail('notAuthorized', `${FORM}, without control characters`)
  return { handle: text.slice(0, colon), password: text.slice(colon + 1) }
}

/**
 * Decodes the credentials. Old clients send Latin-1 if all characters fit. Such bytes are hardly ever valid UTF-8, so
 * the two encodings can be distinguished.
 */
const decode = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
