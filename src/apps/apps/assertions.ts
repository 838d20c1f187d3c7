import { createPublicKey, hash } from 'node:crypto'
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { fail } from '../../kernel/errors.ts'
import { ASSERTION_ALGORITHMS, algorithmsOf, type PublicJwk } from './public-keys.ts'
import * as store from './store.ts'

/** The only value of client_assertion_type (RFC 7523 §2.2). */
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** An assertion is valid for at most this long. */
const LONGEST_SECONDS = 300
/** The clocks of apps may differ from ours by this much. */
const TOLERANCE_SECONDS = 30
const MAX_JTI_LENGTH = 500

export interface Assertion {
  readonly assertion: string
  readonly type: string | undefined
}

interface AssertionContext {
  readonly appId: number
  readonly clientId: string
  readonly keys: readonly PublicJwk[]
  /** The names of this platform that an assertion may be addressed to. */
  readonly audiences: readonly string[]
}

const wrong = (sentence: string) => fail('wrongCredentials', `client_assertion: ${sentence}`)

/**
 * Verifies the JWT with which an app proves that it has a private key (private_key_jwt, RFC 7523 §3). Each JWT works
 * once, at all processes together: the first that inserts its `jti` gets a row.
 */
export async function verifyAssertion(
  db: Db,
  who: Caller,
  { assertion, type }: Assertion,
  { appId, clientId, keys, audiences }: AssertionContext,
): Promise<void> {
  if (type !== ASSERTION_TYPE) throw wrong(`client_assertion_type must be ${ASSERTION_TYPE}`)
  const { kid, alg } = readHeader(assertion)
  // The error for an unsuitable algorithm says so: `none` and HS256 are the usual mistakes, and attacks.
  if (alg === undefined || !ASSERTION_ALGORITHMS.includes(alg)) throw wrong('its algorithm is not accepted')
  const candidates = keys.filter((key) => kid === undefined || key.kid === undefined || key.kid === kid)
  const claims = await findVerified(assertion, candidates, who.at)
  if (!claims) throw wrong('it is not signed with a key of this app')
  const now = who.at.getTime() / 1000
  const { iss, sub, aud, exp, nbf, iat, jti } = claims
  if (iss !== clientId || sub !== clientId) throw wrong('iss and sub must be the client ID')
  if (![aud].flat().some((name) => name !== undefined && audiences.includes(name)))
    throw wrong(`aud must be ${audiences.join(' or ')}`)
  if (exp === undefined) throw wrong('exp is missing')
  if (exp <= now - TOLERANCE_SECONDS) throw wrong('it has expired')
  if (exp > now + LONGEST_SECONDS + TOLERANCE_SECONDS)
    throw wrong(`exp must be at most ${LONGEST_SECONDS} seconds ahead`)
  if (Math.max(nbf ?? 0, iat ?? 0) > now + TOLERANCE_SECONDS) throw wrong('it is from the future')
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH)
    throw wrong(`jti is missing, or longer than ${MAX_JTI_LENGTH} characters`)
  const isFirst = await db.first(store.useAssertion, {
    app: appId,
    jti: hash('sha256', jti, 'buffer'),
    expires: new Date((exp + 2 * TOLERANCE_SECONDS) * 1000),
    now: who.at,
  })
  if (!isFirst) throw wrong('it was already used; sign a new one, with another jti, for each request')
}

function readHeader(assertion: string): { kid?: string | undefined; alg?: string | undefined } {
  try {
    return decodeProtectedHeader(assertion)
  } catch {
    throw wrong('it is not a JWT')
  }
}

/** Returns the claims if one of the keys has signed the assertion. The times are checked by the caller. */
async function findVerified(assertion: string, keys: readonly PublicJwk[], now: Date): Promise<JWTPayload | undefined> {
  for (const jwk of keys) {
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
    const claims = await jwtVerify(assertion, key, {
      algorithms: [...algorithmsOf(jwk)],
      currentDate: now,
      clockTolerance: Number.MAX_SAFE_INTEGER,
    }).then(
      ({ payload }) => payload,
      () => undefined,
    )
    if (claims) return claims
  }
  return undefined
}

/** Assertions are stored until they expire, so that each works once. */
export const assertionRetention: readonly Retention[] = [{ days: 0, remove: store.deleteOldAssertions }]
