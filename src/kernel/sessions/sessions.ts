import { randomUUID } from 'node:crypto'
import { recordAudit } from '../audit/audit.ts'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db, Tx } from '../database/database.ts'
import { notify } from '../database/listener.ts'
import type { Retention } from '../database/retention.ts'
import type { RowOf } from '../database/statement.ts'
import { service } from '../environment.ts'
import { fail, type PlatformError } from '../errors.ts'
import { queueLogouts, sidOf } from '../logouts/logouts.ts'
import { intersectScopes, readScopes, type Scopes } from '../scopes.ts'
import * as store from './store.ts'
import type { RefreshClaim } from './tokens.ts'
import { hashToken, inspectToken, mintAccessToken, mintRefreshToken, sayForeign } from './tokens.ts'

/** Topic on which every process is notified of tokens that were revoked before they expired. */
export const REVOKED = 'revoked'
export interface Revocation {
  readonly sessionIds?: readonly string[]
  readonly personId?: number
  readonly appId?: number
}

/** Length of `tokenKey`, the beginning of the token's hash. */
const TOKEN_KEY_BYTES = 12

/** The app, person and session that an access token belongs to. */
export interface Holder {
  readonly appId: number
  readonly personId: number
  readonly userId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  /** The token permits only these scopes; undefined permits everything. */
  readonly scopes: Scopes
  readonly expiresAtMs: number
  /** Tells tokens apart in rate limits. Other processes and the database may see it, unlike the token. */
  readonly tokenKey: string
}

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  /** Lifetime of the access token, in seconds. */
  readonly expiresInSeconds: number
  readonly sessionId: string
  /** The access token permits only these scopes; undefined permits everything. */
  readonly scopes: Scopes
  /** False if the session has no `offline_access`, so that the app must not be given the refresh token. */
  readonly mayRefresh: boolean
}

/** How the person signed in to the app. */
export type Door = 'basic' | 'code' | 'implicit' | 'launch' | 'device' | 'anonymous'

export interface NewSession {
  /** Set if the caller needs the id before the session exists. */
  readonly sessionId?: string
  readonly appId: number
  readonly personId: number
  readonly userId: string
  readonly door: Door
  readonly device: string
  /** Address for the app's push notifications to this device. */
  readonly pushToken?: string | undefined
  /** The browser sign-in that the session came from, if the session has the scope `openid`. */
  readonly browserId?: string | undefined
  /** The app asked for these scopes; undefined means that it asked for everything. */
  readonly scopes?: Scopes
  /** When the person authenticated, for ID tokens; undefined if that was on another device. */
  readonly authTime?: Date | undefined
}

/** Settings for issuing the tokens of one environment. */
export interface TokenPolicy {
  readonly environment: EnvironmentName
  /** Keys that refresh tokens may be signed with; the first signs new ones. */
  readonly refreshKeys: readonly Buffer[]
  readonly accessKey: Buffer
  readonly accessTokenHours: number
  readonly sessionDays: number
}

const HOUR_MS = 3_600_000

/** Derives the tokens of one generation of a session. The same claim always gives the same tokens. */
export function tokensOf(policy: TokenPolicy, of: RefreshClaim): Omit<TokenPair, 'scopes' | 'mayRefresh'> {
  return {
    accessToken: mintAccessToken(policy.accessKey, policy.environment, of),
    refreshToken: mintRefreshToken(policy.refreshKeys[0]!, policy.environment, of),
    expiresInSeconds: policy.accessTokenHours * 3600,
    sessionId: of.sessionId,
  }
}

interface ScopeLists {
  readonly session_scopes: readonly string[] | null
  readonly app_scopes: readonly string[] | null
  readonly user_scopes: readonly string[] | null
}

/** Returns what a session may do: what it asked for, the app has registered, and the person has allowed. */
export const scopesOfSession = ({ session_scopes, app_scopes, user_scopes }: ScopeLists): Scopes =>
  intersectScopes(session_scopes, app_scopes, user_scopes)

/**
 * Whether the app may refresh a session with these scopes. Only requests with `openid` need `offline_access` for it
 * (OpenID Connect Core §11).
 */
export const mayRefresh = (scopes: Scopes): boolean => !scopes?.includes('openid') || scopes.includes('offline_access')

export const lifetimesFrom = (now: Date, policy: TokenPolicy): { tokenExpires: Date; sessionExpires: Date } => ({
  tokenExpires: new Date(now.getTime() + policy.accessTokenHours * HOUR_MS),
  sessionExpires: new Date(now.getTime() + policy.sessionDays * 24 * HOUR_MS),
})

/**
 * Maximum number of sessions per person and app; nobody has this many devices. Some apps open a session on every visit
 * and never end it, and a script could do so all day.
 */
const MAX_SESSIONS = 100
/**
 * Number of sessions that remain after the limit was exceeded, so that the limit is not exceeded again at the next
 * visit.
 */
const SESSIONS_KEPT = 50

/**
 * Opens a session on one device and returns its first tokens. If the person has too many sessions in this app, the
 * least recently used ones are ended.
 */
export function openSession(db: Db, who: Caller, what: NewSession, policy: TokenPolicy): Promise<TokenPair> {
  const { appId, personId, door, sessionId = randomUUID(), scopes: asked = null } = what
  const tokens = tokensOf(policy, { sessionId, counter: 0 })
  return db.transaction(async (tx) => {
    const opened = (await tx.first(store.insertSession, {
      id: sessionId,
      app: appId,
      person: personId,
      user: what.userId,
      door,
      device: what.device,
      push: what.pushToken ?? null,
      browser: what.browserId ?? null,
      scopes: asked && [...asked],
      authTime: what.authTime ?? null,
      hash: hashToken(tokens.accessToken),
      now: who.at,
      ...lifetimesFrom(who.at, policy),
      others: MAX_SESSIONS - 1,
    }))!
    await recordAudit(tx, who, { action: `sign-in.${door}`, personId, appId, sessionId })
    if (opened.is_crowded) await makeRoom(tx, who, { newest: sessionId, personId, appId })
    const scopes = scopesOfSession({ session_scopes: asked, ...opened })
    return { ...tokens, scopes, mayRefresh: mayRefresh(asked ?? undefined) }
  })
}

async function makeRoom(tx: Tx, who: Caller, what: { newest: string; personId: number; appId: number }): Promise<void> {
  const { newest, personId, appId } = what
  const reason = 'too many sessions'
  const ended = await tx.all(store.endLeastUsed, {
    newest,
    person: personId,
    app: appId,
    others: SESSIONS_KEPT - 1,
    reason,
    now: who.at,
  })
  await recordEnded(tx, who, { personId, appId, reason }, ended)
}

/**
 * Ends one session immediately, in every process. Ending it again has no effect. With `tellsApp`, an app with a
 * receiver is told that the person was signed out; an app that ended the session itself is not.
 */
export function endSession(
  db: Db,
  who: Caller,
  what: { sessionId: string; reason: string; tellsApp?: boolean },
): Promise<void> {
  return db.transaction(async (tx) => {
    const { sessionId, reason, tellsApp = false } = what
    const ended = await tx.first(store.endSession, { id: sessionId, reason, now: who.at })
    if (!ended) return
    // The entry names the person, because the audit log outlives the session.
    await recordAudit(tx, who, { action: 'session.ended', personId: ended.person_id, sessionId, detail: { reason } })
    if (tellsApp) await queueLogouts(tx, who, [ended])
    await notify(tx, REVOKED, { sessionIds: [sessionId] } satisfies Revocation)
  })
}

/**
 * Revokes one access token immediately, in every process. Its session continues, and the refresh token remains valid.
 */
export function dropAccessToken(db: Db, who: Caller, what: { token: string }): Promise<void> {
  return db.transaction(async (tx) => {
    const dropped = await tx.first(store.deleteToken, { hash: hashToken(what.token) })
    if (!dropped) return
    const { session_id: sessionId, person_id: personId } = dropped
    await recordAudit(tx, who, { action: 'token.revoked', personId, sessionId })
    // Caches are cleared by session, so the session's other tokens are looked up in the database once more.
    await notify(tx, REVOKED, { sessionIds: [sessionId] } satisfies Revocation)
  })
}

/**
 * Ends the sessions of apps that came from a browser which is signed out, except those with `offline_access`. All apps
 * with such a session are told. Sessions without `openid` have no browser, and continue.
 */
export async function endSessionsOfBrowser(
  tx: Tx,
  who: Caller,
  what: { browserId: string; personId: number; reason: string },
): Promise<void> {
  const { browserId: browser, personId, reason } = what
  const sessions = await tx.all(store.endSessionsOfBrowser, { browser, person: personId, reason, now: who.at })
  const ended = sessions.filter(({ is_ended }) => is_ended)
  await queueLogouts(tx, who, sessions)
  await recordEnded(tx, who, { personId, reason }, ended)
}

/**
 * Ends the sessions of one sign-in (`sid`) in an app, except those with `offline_access`, when the app signs the person
 * out after the browser's own sign-in has ended.
 */
export function endSessionsOfSid(
  db: Db,
  who: Caller,
  what: { appId: number; personId: number; userId: string; sid: string; reason: string },
): Promise<void> {
  return db.transaction(async (tx) => {
    const { appId, personId, userId, sid, reason } = what
    const sessions = (await tx.all(store.listOpenid, { app: appId, user: userId })).filter(
      ({ id, browser_id }) => sidOf({ appId, browserId: browser_id ?? undefined, sessionId: id }) === sid,
    )
    const ended: { readonly id: string }[] = []
    for (const { id, ended_at, is_offline } of sessions) {
      if (ended_at || is_offline) continue
      const row = await tx.first(store.endSession, { id, reason, now: who.at })
      if (row) ended.push(row)
    }
    await queueLogouts(tx, who, sessions)
    await recordEnded(tx, who, { personId, appId, reason }, ended)
  })
}

/**
 * Tells apps that a person whose account is being deleted was signed out. The sessions are deleted with the account.
 */
export const tellAppsOfLeaver = async (tx: Tx, who: Caller, { personId }: { personId: number }): Promise<void> =>
  queueLogouts(tx, who, await tx.all(store.listOpenidOfPerson, { person: personId }))

/** Ends all sessions of a person, after a password change or when the account is disabled. */
export async function endSessionsOfPerson(
  tx: Tx,
  who: Caller,
  { personId, reason }: { personId: number; reason: string },
): Promise<void> {
  const ended = await tx.all(store.endSessionsOfPerson, { person: personId, reason, now: who.at })
  await queueLogouts(tx, who, ended)
  await recordAudit(tx, who, { action: 'sessions.ended', personId, detail: { reason } })
  await notify(tx, REVOKED, { personId } satisfies Revocation)
}

/** Maximum number of session ids in one notification, which PostgreSQL limits to 8,000 bytes. */
const MAX_NAMED = 150

/** Ends a person's sessions in one app. */
export async function endSessionsInApp(
  tx: Tx,
  who: Caller,
  what: { personId: number; appId: number; reason: string },
): Promise<void> {
  const { personId, appId, reason } = what
  const ended = await tx.all(store.endSessionsInApp, { person: personId, app: appId, reason, now: who.at })
  await queueLogouts(tx, who, ended)
  await recordEnded(tx, who, what, ended)
}

async function recordEnded(
  tx: Tx,
  who: Caller,
  { personId, appId, reason }: { personId: number; appId?: number; reason: string },
  ended: readonly { readonly id: string }[],
): Promise<void> {
  if (ended.length === 0) return
  const app = appId === undefined ? {} : { appId }
  await recordAudit(tx, who, { action: 'sessions.ended', personId, ...app, detail: { reason } })
  const revocation: Revocation = ended.length > MAX_NAMED ? { personId } : { sessionIds: ended.map(({ id }) => id) }
  await notify(tx, REVOKED, { ...revocation })
}

/** Ends a session if it belongs to this person, which the statement checks. Ending it again has no effect. */
export function endOwnSession(
  db: Db,
  who: Caller,
  what: { sessionId: string; personId: number; reason: string },
): Promise<void> {
  return db.transaction(async (tx) => {
    const own = await tx.first(store.findOwn, { id: what.sessionId, person: what.personId })
    if (!own) throw fail('notFound', 'You have no session with this id')
    await endSession(tx, who, { sessionId: own.id, reason: what.reason, tellsApp: true })
  })
}

/** Returns what an ID token says about a session that exists, and the scopes that the app asked for. */
export async function readIdentity(db: Db, sessionId: string) {
  const session = (await db.first(store.findSession, { id: sessionId }))!
  return {
    userId: session.user_id,
    authTime: session.auth_time,
    sid: sidOf({ appId: session.app_id, browserId: session.browser_id ?? undefined, sessionId }),
    asked: readScopes(session.session_scopes),
  }
}

/** Lists a person's active sessions by app. */
export const listSessionsOfPerson = (db: Db, who: Caller, what: { personId: number }) =>
  db.all(store.listOfPerson, { person: what.personId, most: MAX_SESSIONS, now: who.at })

const NO_ID = '00000000-0000-0000-0000-000000000000'
const EXPORTED_AT_ONCE = 500

export async function* exportSessions(db: Db, personId: number) {
  for (let after = { app: 0, id: NO_ID }; ; ) {
    const page = await db.all(store.listAllOfPerson, { person: personId, ...after, limit: EXPORTED_AT_ONCE })
    for (const row of page)
      yield {
        sessionId: row.id,
        clientId: row.client_id,
        door: row.door,
        device: row.device,
        hasPushToken: row.has_push_token,
        // Null if the app asked for everything.
        scopes: row.scopes,
        createdDate: row.created_at,
        lastUsedDate: row.refreshed_at,
        expiresDate: row.expires_at,
        endedDate: row.ended_at,
        endReason: row.end_reason,
      }
    const last = page.at(-1)
    if (!last || page.length < EXPORTED_AT_ONCE) return
    after = { app: last.app_id, id: last.id }
  }
}

/**
 * Finds the session of an access token, even if the token or the session has expired or ended; undefined if the token
 * is unknown, malformed or of the other environment.
 */
export async function findSessionOfToken(db: Db, token: string, environment: EnvironmentName) {
  const isGood = inspectToken(token, 'access', environment) === 'good'
  return isGood ? db.first(store.findToken, { hash: hashToken(token) }) : undefined
}

/** Finds the session of an access token. Throws if the token is unknown, malformed or of the other environment. */
export async function readSessionOfToken(db: Db, token: string, environment: EnvironmentName) {
  const row = await findSessionOfToken(db, token, environment)
  if (row) return row
  const isForeign = inspectToken(token, 'access', environment) === 'foreign'
  throw fail('tokenInvalid', isForeign ? sayForeign('token', environment) : undefined)
}

/** Returns the error that tells a client why all tokens of a session are invalid; undefined if the session is valid. */
export function findSessionFlaw(row: {
  readonly ended_at: Date | null
  readonly disabled_at: Date | null
  readonly app_status: string
  readonly withdrawn_at: Date | null
}): PlatformError | undefined {
  if (row.ended_at || row.disabled_at) return fail('tokenInvalid')
  if (row.app_status !== 'approved') return fail('appNotUsable', 'This app is not approved, or is suspended')
  return row.withdrawn_at ? fail('consentMissing') : undefined
}

/** Returns the error that tells a client why an access token is invalid; undefined if the token is valid. */
export function findTokenFlaw(row: RowOf<typeof store.findToken>, now: Date): PlatformError | undefined {
  return findSessionFlaw(row) ?? (row.expires_at <= now ? fail('tokenExpired') : undefined)
}

/** Returns what an access token may be used for. */
export const scopesOfToken = (row: ScopeLists & { readonly token_scopes: readonly string[] | null }): Scopes =>
  intersectScopes(row.token_scopes, row.session_scopes, row.app_scopes, row.user_scopes)

/** Reads the holder of an access token from the database. Throws the error for the client if the token is invalid. */
export async function readHolder(db: Db, token: string, environment: EnvironmentName, now: Date): Promise<Holder> {
  const row = await readSessionOfToken(db, token, environment)
  const flaw = findTokenFlaw(row, now)
  if (flaw) throw flaw
  return {
    appId: row.app_id,
    personId: row.person_id,
    userId: row.user_id,
    sessionId: row.session_id,
    isAnonymous: row.anonymous,
    scopes: scopesOfToken(row),
    expiresAtMs: row.expires_at.getTime(),
    tokenKey: hashToken(token).toString('base64url', 0, TOKEN_KEY_BYTES),
  }
}

/**
 * Expired tokens are stored for another month, so that a client that uses one gets the error "expired" and not
 * "unknown".
 */
export const sessionRetention: readonly Retention[] = [
  { days: 30, remove: store.deleteOldTokens },
  { days: 30, remove: store.deleteOldSessions },
]

export const tokenPolicy = service(
  ({ name, config, keyFor, keysFor }): TokenPolicy => ({
    environment: name,
    refreshKeys: keysFor('refresh'),
    accessKey: keyFor('access'),
    accessTokenHours: config.ACCESS_TOKEN_HOURS,
    sessionDays: config.SESSION_DAYS,
  }),
)
