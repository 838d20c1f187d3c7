import { randomUUID } from 'node:crypto'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { holdBrowser } from '../../kernel/browsers/browsers.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { fail, failOauth, type PlatformError } from '../../kernel/errors.ts'
import { readScopes, type Scopes } from '../../kernel/scopes.ts'
import { type Door, endSession, openSession, type TokenPair, type TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { hashToken, inspectToken, mintToken, sayForeign } from '../../kernel/sessions/tokens.ts'
import { confirmAppUser } from '../apps/apps.ts'
import type { Client } from '../apps/clients.ts'
import type { Dialect } from './authorize.ts'
import { challengeOf, isVerifier } from './rules.ts'
import * as store from './store.ts'

const LIFETIME_MS = 60_000
/**
 * Maximum number of unredeemed codes of a person for one app. It is more than the person's devices need at the same
 * time, and limits the size of the table. Issuing another code deletes the oldest.
 */
const MAX_OPEN = 10

export interface NewCode {
  readonly appId: number
  readonly personId: number
  readonly epoch: number
  readonly door: 'code' | 'launch'
  readonly redirectUri: string
  readonly isRedirectGiven: boolean
  readonly challenge: string | undefined
  readonly device: string
  /** The app asked for these scopes; undefined means that it asked for everything. */
  readonly scopes?: Scopes
  /** The browser sign-in; stored if the app asked for `openid`. */
  readonly browserId?: string | undefined
  /** Returned in the ID token. */
  readonly nonce?: string | undefined
  /** When the person authenticated. */
  readonly authTime?: Date
}

/** Issues a code. Returns undefined if the person has not consented to the app, or not to all that it asks for. */
export async function mintCode(
  db: Db,
  who: Caller,
  what: NewCode,
  { environment }: Pick<TokenPolicy, 'environment'>,
): Promise<string | undefined> {
  const code = mintToken('code', environment)
  const row = await db.first(store.insertCode, {
    hash: hashToken(code),
    app: what.appId,
    person: what.personId,
    epoch: what.epoch,
    door: what.door,
    redirect: what.redirectUri,
    redirectGiven: what.isRedirectGiven,
    challenge: what.challenge ?? null,
    device: what.device,
    scopes: what.scopes ? [...what.scopes] : null,
    browser: what.scopes?.includes('openid') ? (what.browserId ?? null) : null,
    nonce: what.nonce ?? null,
    authTime: what.authTime ?? null,
    now: who.at,
    expires: new Date(who.at.getTime() + LIFETIME_MS),
    others: MAX_OPEN - 1,
  })
  return row && code
}

export interface CodeExchange {
  readonly code: string
  readonly verifier: string | undefined
  readonly redirectUri: string | undefined
  readonly dialect: Dialect
}

/**
 * Redeems a code for a session. A code can be redeemed once; a second use ends the session that the first use opened
 * (RFC 6749 §4.1.2).
 */
export async function redeemCode(
  db: Db,
  who: Caller,
  client: Client,
  what: CodeExchange,
  policy: TokenPolicy,
): Promise<TokenPair & { nonce?: string }> {
  const form = inspectToken(what.code, 'code', policy.environment)
  if (form === 'foreign') throw fail('unknownCode', sayForeign('code', policy.environment))
  if (form === 'malformed') throw unknown()
  const hash = hashToken(what.code)
  const code = await db.first(store.findCode, { hash })
  // A code of another app is reported as unknown, and stays valid.
  if (!code || code.app_id !== client.id) throw unknown()
  if (!code.used_at) {
    // The expiry is checked before the proofs, so that expired codes add nothing to the audit log.
    if (code.expires_at <= who.at) throw unknown()
    const flaw = findProofFlaw(code, what)
    if (flaw) {
      const { app_id: appId, person_id: personId } = code
      await recordAudit(db, who, { action: 'code.refused', appId, personId, detail: { reason: flaw.message } })
      throw flaw
    }
    const tokens = await db.transaction(async (tx) => {
      const userId = await confirmAppUser(tx, {
        appId: code.app_id,
        personId: code.person_id,
        personEpoch: code.person_epoch,
        consentEpoch: code.consent_epoch,
      })
      if (!userId) throw unknown()
      const browserId = code.browser_id ?? undefined
      // The person may have signed out of the browser in the meantime.
      if (browserId && !(await holdBrowser(tx, { browserId, personId: code.person_id }))) throw unknown()
      const sessionId = randomUUID()
      const taken = await tx.first(store.takeCode, { hash, app: client.id, session: sessionId, now: who.at })
      if (!taken) return undefined
      const parties = { appId: client.id, personId: code.person_id, userId }
      const door = code.door as Door
      const scopes = readScopes(code.scopes)
      const authTime = code.auth_time ?? undefined
      return openSession(
        tx,
        who,
        { ...parties, sessionId, door, device: code.device, scopes, browserId, authTime },
        policy,
      )
    })
    if (tokens) return { ...tokens, ...(code.nonce !== null && { nonce: code.nonce }) }
  }
  throw await refuseUsed(db, who, hash)
}

const unknown = () => fail('unknownCode', 'This code is unknown or no longer valid; start the sign-in again')

/**
 * Returns an error if the redirect URI or the PKCE verifier is wrong (RFC 6749 §4.1.3, RFC 7636 §4.6). A verifier for a
 * code without a challenge is wrong too: an attacker may have removed the challenge from the authorization request
 * (RFC 9700 §4.8.2).
 */
function findProofFlaw(
  code: {
    door: string
    challenge: string | null
    redirect_uri: string
    redirect_given: boolean
    scopes: string[] | null
  },
  what: CodeExchange,
): PlatformError | undefined {
  const wrong = (sentence: string) => failOauth('invalid_grant', 'validationFailed', sentence)
  if (what.redirectUri !== undefined && what.redirectUri !== code.redirect_uri)
    return wrong('redirect_uri differs from the one in the authorization request')
  if (what.redirectUri === undefined && code.redirect_given && what.dialect === 'rfc')
    return wrong('redirect_uri is missing: it was in the authorization request')
  // The response of the own dialect cannot say which scopes were granted, and always has a refresh token.
  if (code.scopes !== null && what.dialect === 'own')
    return wrong('This code was issued for scopes; redeem it at /oauth/v2/token')
  if (code.challenge === null) {
    if (what.verifier !== undefined)
      return wrong('code_verifier was sent, but the authorization request had no code_challenge')
    // A launch starts on the platform, so there was no authorization request in which the app could have sent a
    // challenge.
    // A confidential app that uses OpenID may protect the code with a nonce instead (RFC 9700 §2.1.1).
    return what.dialect === 'rfc' && code.door !== 'launch' && !code.scopes?.includes('openid')
      ? wrong('This code was issued without PKCE; redeem it at /oauth/token, or start at /oauth/v2/signin')
      : undefined
  }
  if (what.verifier === undefined) return failOauth('invalid_grant', 'parameterMissing', 'code_verifier is missing')
  return isVerifier(what.verifier) && challengeOf(what.verifier) === code.challenge
    ? undefined
    : wrong('code_verifier does not match the code_challenge of the authorization request')
}

/**
 * Returns the error for a code that has expired or was already redeemed. If it was redeemed, its session ends, which is
 * committed although this request fails.
 */
async function refuseUsed(db: Db, who: Caller, hash: Buffer): Promise<Error> {
  const code = await db.first(store.findCode, { hash })
  if (!code?.used_at) return unknown()
  if (code.session_id) await endSession(db, who, { sessionId: code.session_id, reason: 'code used twice' })
  return fail('alreadyUsed', 'This code was already used, so its session has ended; start the sign-in again')
}

/** Codes are stored for a day after they expire, so that a second use is still recognised. */
export const oauthRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldCodes }]
