import { randomUUID } from 'node:crypto'
import { recordAudit } from '../audit/audit.ts'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Age } from '../database/age.ts'
import type { Db } from '../database/database.ts'
import { notify } from '../database/listener.ts'
import { fail } from '../errors.ts'
import * as store from './store.ts'
import { hashToken, inspectToken, mintRefreshToken, mintToken } from './tokens.ts'

/** Topic of the message that every process hears when tokens die before their time. */
export const REVOKED = 'revoked'
export interface Revocation {
  readonly sessionId?: string
  readonly personId?: number
  readonly appId?: number
}

/** What an access token stands for. */
export interface Holder {
  readonly appId: number
  readonly personId: number
  readonly userId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  readonly expiresAtMs: number
}

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  /** Lifetime of the access token as clients of this interface read it: `1d`, `12h`. */
  readonly expiresIn: string
  readonly sessionId: string
}

export interface NewSession {
  readonly appId: number
  readonly personId: number
  readonly userId: string
  readonly door: 'basic'
  readonly device: string
}

/** How tokens of one environment are made. */
export interface TokenPolicy {
  readonly environment: EnvironmentName
  readonly refreshKey: Buffer
  readonly accessTokenHours: number
  readonly sessionDays: number
}

const HOUR_MS = 3_600_000
const sayHours = (hours: number): string => (hours % 24 === 0 ? `${hours / 24}d` : `${hours}h`)

/** Opens a session on one device and gives its first tokens. */
export async function openSession(db: Db, who: Caller, what: NewSession, policy: TokenPolicy): Promise<TokenPair> {
  const sessionId = randomUUID()
  const accessToken = mintToken('access', policy.environment)
  const nowMs = who.at.getTime()
  await db.first(store.insertSession, {
    id: sessionId,
    app: what.appId,
    person: what.personId,
    user: what.userId,
    door: what.door,
    device: what.device,
    hash: hashToken(accessToken),
    now: who.at,
    tokenExpires: new Date(nowMs + policy.accessTokenHours * HOUR_MS),
    sessionExpires: new Date(nowMs + policy.sessionDays * 24 * HOUR_MS),
  })
  const refreshToken = mintRefreshToken(policy.refreshKey, policy.environment, { sessionId, counter: 0 })
  return { accessToken, refreshToken, expiresIn: sayHours(policy.accessTokenHours), sessionId }
}

/** Ends one session at once, on every process. Ending it again changes nothing. */
export function endSession(db: Db, who: Caller, what: { sessionId: string; reason: string }): Promise<void> {
  return db.transaction(async (tx) => {
    const ended = await tx.first(store.endSession, { id: what.sessionId, reason: what.reason, now: who.at })
    if (!ended) return
    await recordAudit(tx, who, { action: 'session.ended', sessionId: what.sessionId, detail: { reason: what.reason } })
    await notify(tx, REVOKED, { sessionId: what.sessionId } satisfies Revocation)
  })
}

/** Ends all sessions of a person: the password was changed, or the account was disabled. */
export function endSessionsOfPerson(db: Db, who: Caller, what: { personId: number; reason: string }): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.all(store.endSessionsOfPerson, { person: what.personId, reason: what.reason, now: who.at })
    await recordAudit(tx, who, { action: 'sessions.ended', personId: what.personId, detail: { reason: what.reason } })
    await notify(tx, REVOKED, { personId: what.personId } satisfies Revocation)
  })
}

/** Who holds this access token, by the database's word. Refuses with the reason that its client can act on. */
export async function readHolder(db: Db, token: string, environment: EnvironmentName, now: Date): Promise<Holder> {
  const form = inspectToken(token, 'access', environment)
  if (form === 'foreign')
    throw fail(
      'tokenInvalid',
      `This token was issued by the ${environment === 'production' ? 'sandbox' : 'production'} environment; this is ${environment}`,
    )
  if (form === 'malformed') throw fail('tokenInvalid')
  const row = await db.first(store.findToken, { hash: hashToken(token) })
  if (!row || row.ended_at || row.disabled_at) throw fail('tokenInvalid')
  if (row.app_status !== 'approved') throw fail('appNotUsable', 'This app is not approved, or is suspended')
  if (row.withdrawn_at) throw fail('consentMissing')
  if (row.expires_at <= now) throw fail('tokenExpired')
  return {
    appId: row.app_id,
    personId: row.person_id,
    userId: row.user_id,
    sessionId: row.session_id,
    isAnonymous: row.anonymous,
    expiresAtMs: row.expires_at.getTime(),
  }
}

/** Expired tokens stay for a month, so that a late client hears "expired" and not "unknown". */
export const sessionAges: readonly Age[] = [
  { days: 30, remove: store.deleteOldTokens },
  { days: 30, remove: store.deleteOldSessions },
]
