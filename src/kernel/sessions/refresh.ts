import type { Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import { includesScopes, intersectScopes, invalidScope, parseScopes, readScopes, type Scopes } from '../scopes.ts'
import {
  endSession,
  lifetimesFrom,
  mayRefresh,
  scopesOfSession,
  scopesOfToken,
  type TokenPair,
  type TokenPolicy,
  tokensOf,
} from './sessions.ts'
import * as store from './store.ts'
import { hashToken, inspectToken, openRefreshToken, type RefreshClaim, sayForeign } from './tokens.ts'

/**
 * For this long after a refresh, the previous refresh token returns the same new tokens again: responses can get lost,
 * and clients may refresh in parallel.
 */
const GRACE_MS = 30_000

const REPLACED = 'This refresh token was replaced by a newer one; use that'

/** Number of refreshes after which a session's oldest access tokens are deleted, so that they do not accumulate. */
const TRIM_EVERY = 16

/**
 * Exchanges a refresh token for its successor. Throws if the token is invalid. Reuse of a token that was replaced more
 * than GRACE_MS ago means that it was stolen, so the session ends.
 *
 * With `scope`, the new access token gets only these scopes, and throws if the session does not have them (RFC 6749 §6).
 * The refresh token keeps those of the session.
 */
export async function refreshSession(
  db: Db,
  who: Caller,
  what: { appId: number; refreshToken: string; scope?: string | undefined },
  policy: TokenPolicy,
): Promise<TokenPair> {
  const claim = readRefreshToken(what.refreshToken, policy)
  const next = { sessionId: claim.sessionId, counter: claim.counter + 1 }
  const tokens = tokensOf(policy, next)
  const asked = await readAskedScopes(db, what.appId, claim, what.scope)
  const moved = await db.first(store.refreshSession, {
    id: claim.sessionId,
    app: what.appId,
    counter: claim.counter,
    scopes: asked ? [...asked] : null,
    hash: hashToken(tokens.accessToken),
    now: who.at,
    ...lifetimesFrom(who.at, policy),
  })
  if (moved) {
    // Trimming is only needed occasionally; otherwise a refresh is a single statement.
    if (next.counter % TRIM_EVERY === 0) await db.all(store.forgetTokens, { session: next.sessionId })
    return {
      ...tokens,
      scopes: intersectScopes(asked ?? null, moved.session_scopes, moved.app_scopes, moved.user_scopes),
      mayRefresh: mayRefresh(readScopes(moved.session_scopes)),
    }
  }
  const session = await db.first(store.findSession, { id: claim.sessionId })
  // A refresh token of another app is reported as unknown, and does not end that app's session.
  if (!session || session.app_id !== what.appId)
    throw fail('tokenInvalid', 'This refresh token is unknown; sign in again')
  const state = judge(session, claim, who.at)
  if (state === 'over') throw fail('tokenInvalid', 'This session has ended; sign in again')
  if (state === 'previous') {
    const token = await db.first(store.findToken, { hash: hashToken(tokens.accessToken) })
    if (token)
      return { ...tokens, scopes: scopesOfToken(token), mayRefresh: mayRefresh(readScopes(token.session_scopes)) }
    throw fail(
      'tokenInvalid',
      'The tokens of this refresh were revoked in the meantime; use the refresh token that came with them',
    )
  }
  if (state === 'late') throw fail('alreadyUsed', REPLACED)
  await endSession(db, who, { sessionId: session.id, reason: 'refresh token reused' })
  throw fail('alreadyUsed', 'This refresh token was already used, so its session has ended; sign in again')
}

/** Parses the scopes of a refresh. Throws unless the session has all of them. */
async function readAskedScopes(
  db: Db,
  appId: number,
  { sessionId }: RefreshClaim,
  scope: string | undefined,
): Promise<Scopes> {
  const asked = parseScopes(scope, undefined)
  if (!asked) return undefined
  const session = await db.first(store.findSession, { id: sessionId })
  // A session that does not exist is reported by the refresh itself.
  if (session?.app_id === appId && !includesScopes(scopesOfSession(session), asked))
    throw invalidScope('This session does not have all of these scopes; the user has to allow them first')
  return asked
}

/**
 * Returns the state of a refresh token. `over` means that its session has ended or expired. `late` means that the
 * request arrived before the last refresh: it waited for the database meanwhile, and its client has repeated it.
 */
function judge(
  session: { ended_at: Date | null; expires_at: Date; refresh_counter: number; refreshed_at: Date },
  claim: RefreshClaim,
  now: Date,
): 'over' | 'current' | 'previous' | 'late' | 'reused' {
  if (session.ended_at || session.expires_at <= now) return 'over'
  if (claim.counter >= session.refresh_counter) return 'current'
  const ageMs = now.getTime() - session.refreshed_at.getTime()
  if (claim.counter + 1 === session.refresh_counter && ageMs <= GRACE_MS) return 'previous'
  return ageMs < 0 && ageMs >= -GRACE_MS ? 'late' : 'reused'
}

/**
 * Verifies the MAC of a refresh token and returns its claim. Throws if the token is invalid or of the other
 * environment.
 */
export function readRefreshToken(token: string, { environment, refreshKeys }: TokenPolicy): RefreshClaim {
  const claim = openRefreshToken(refreshKeys, environment, token)
  if (claim) return claim
  const isForeign = inspectToken(token, 'refresh', environment) === 'foreign'
  throw fail(
    'tokenInvalid',
    isForeign ? sayForeign('refresh token', environment) : 'This refresh token is unknown; sign in again',
  )
}

/** Reads the session of a valid refresh token without changing anything. Throws if the token is invalid. */
export async function readSession(db: Db, who: Caller, what: { refreshToken: string }, policy: TokenPolicy) {
  const claim = readRefreshToken(what.refreshToken, policy)
  const session = await db.first(store.findSession, { id: claim.sessionId })
  const state = session ? judge(session, claim, who.at) : 'over'
  if (!session || state === 'over') throw fail('tokenInvalid', 'This session has ended; sign in again')
  if (state === 'late' || state === 'reused') throw fail('alreadyUsed', REPLACED)
  return session
}

/**
 * Finds the session that a refresh token was issued for, however old the token is, and the state of the token;
 * undefined if the token is malformed or of the other environment.
 */
export async function findSessionOfRefreshToken(db: Db, who: Caller, token: string, policy: TokenPolicy) {
  const claim = openRefreshToken(policy.refreshKeys, policy.environment, token)
  const session = claim && (await db.first(store.findSession, { id: claim.sessionId }))
  if (!session) return undefined
  const state = judge(session, claim, who.at)
  const isPrevious = state === 'previous'
  return {
    session,
    isLive: state === 'current' || isPrevious,
    // The previous token's time of issue is not stored.
    issuedAt: isPrevious ? undefined : session.refreshed_at,
    expiresAt: isPrevious ? new Date(session.refreshed_at.getTime() + GRACE_MS) : session.expires_at,
  }
}
