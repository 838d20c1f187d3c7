import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { Scopes } from '../../kernel/scopes.ts'
import type { Algorithm } from '../apps/algorithms.ts'
import { signToken, verifyToken } from '../signing/signing.ts'
import { claimsOf, hashAccessToken } from './claims.ts'
import * as store from './store.ts'

/** Apps read an ID token at once, so an hour is plenty. */
const LIFETIME_SECONDS = 3600

interface IdTokenFacts {
  readonly clientId: string
  readonly algorithm: Algorithm
  readonly userId: string
  /** The browser's sign-in, or the session of a device. */
  readonly sid: string
  /** When the person authenticated; null if that was on another device. */
  readonly authTime: Date | null
  /** The nonce of the authorization request; a refresh has none. */
  readonly nonce: string | undefined
  readonly accessToken: string
}

const seconds = (moment: Date): number => Math.floor(moment.getTime() / 1000)

/** Signs an ID token (OpenID Connect Core §2). `sid` is the sign-in, which logout tokens name too. */
export function signIdToken(environment: Environment, who: Caller, what: IdTokenFacts): Promise<string> {
  const { algorithm, authTime, nonce } = what
  const now = seconds(who.at)
  return signToken(environment, who, {
    algorithm,
    type: 'JWT',
    claims: {
      iss: environment.url,
      sub: what.userId,
      aud: what.clientId,
      exp: now + LIFETIME_SECONDS,
      iat: now,
      ...(authTime && { auth_time: seconds(authTime) }),
      ...(nonce !== undefined && { nonce }),
      at_hash: hashAccessToken(what.accessToken, algorithm),
      sid: what.sid,
    },
  })
}

/**
 * Returns whom an ID token of this app is about; undefined if it is not one, or one of another app or environment. It
 * may have expired (OpenID Connect Core §3.1.2.1).
 */
export async function readIdTokenHint(
  environment: Environment,
  who: Caller,
  { hint, clientId }: { hint: string; clientId: string },
): Promise<{ userId: string; sid: string | undefined } | undefined> {
  const claims = await verifyToken(environment, who, { token: hint, type: 'JWT' })
  if (claims?.aud !== clientId || typeof claims.sub !== 'string') return undefined
  return { userId: claims.sub, sid: typeof claims.sid === 'string' ? claims.sid : undefined }
}

/** Whether the person is this user of the app. */
export async function isUser(db: Db, what: { appId: number; personId: number; userId: string }): Promise<boolean> {
  const row = await db.first(store.findUser, { app: what.appId, person: what.personId })
  return row?.user_id === what.userId
}

/** Returns the claims about the user of an access token that its scopes allow (OpenID Connect Core §5.3). */
export async function readUserInfo(
  db: Db,
  { personId, userId, scopes }: { personId: number; userId: string; scopes: Scopes },
): Promise<{ sub: string } & Record<string, string | boolean>> {
  if (scopes && !scopes.includes('openid')) throw fail('scopeMissing', 'This token does not have the scope openid')
  const person = await db.first(store.findPerson, { person: personId })
  if (!person) throw fail('tokenInvalid')
  const facts = {
    handle: person.handle,
    firstName: person.first_name,
    lastName: person.last_name,
    email: person.email,
    isEmailConfirmed: person.email_confirmed,
  }
  return { sub: userId, ...claimsOf(facts, scopes) }
}
