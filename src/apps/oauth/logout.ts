import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Forget } from '../../kernel/forget.ts'
import { readRefreshToken, readSession } from '../../kernel/sessions/refresh.ts'
import { endSession, findSessionFlaw, readSessionOfToken, type TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { releaseAnonymous } from '../anonymous/anonymous.ts'

/** Identifies a session by one of its tokens. */
export interface SessionProof {
  readonly refreshToken: string | undefined
  readonly accessToken: string | undefined
}

const tokenMissing = () =>
  fail('parameterMissing', 'refresh_token is missing; send it, or Authorization: Bearer <access token>')

/**
 * Ends the session. If it was the last session of an anonymous user, deletes that user. Idempotent; also accepts a
 * refresh token that has been rotated since.
 */
export async function logOut(
  db: Db,
  who: Caller,
  what: SessionProof,
  policy: TokenPolicy,
  forget: readonly Forget[],
): Promise<void> {
  const sessionId = await readSessionId(db, what, policy)
  await endSession(db, who, { sessionId, reason: 'logout' })
  // Runs in a separate transaction: deleting a person locks the person before the session, so a transaction that has
  // locked the session already could deadlock. If this fails, upkeep deletes the user later.
  await releaseAnonymous(db, who, { sessionId, forget })
}

async function readSessionId(db: Db, what: SessionProof, policy: TokenPolicy): Promise<string> {
  if (what.refreshToken !== undefined) return readRefreshToken(what.refreshToken, policy).sessionId
  if (what.accessToken === undefined) throw tokenMissing()
  return (await readSessionOfToken(db, what.accessToken, policy.environment)).session_id
}

/** Throws if the session has ended or expired. An expired access token still identifies its session. */
export async function validateSession(db: Db, who: Caller, what: SessionProof, policy: TokenPolicy) {
  if (what.refreshToken !== undefined) {
    const session = await readSession(db, who, { refreshToken: what.refreshToken }, policy)
    refuseFlaw(session)
    return { valid: true, userId: session.user_id, expiresDate: session.expires_at.toISOString() }
  }
  if (what.accessToken === undefined) throw tokenMissing()
  const row = await readSessionOfToken(db, what.accessToken, policy.environment)
  refuseFlaw(row)
  if (row.session_expires_at <= who.at) throw fail('tokenInvalid')
  return { valid: true, userId: row.user_id, expiresDate: row.session_expires_at.toISOString() }
}

function refuseFlaw(session: Parameters<typeof findSessionFlaw>[0]): void {
  const flaw = findSessionFlaw(session)
  if (flaw) throw flaw
}
