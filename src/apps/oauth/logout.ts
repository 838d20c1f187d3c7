import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Forget } from '../../kernel/forget.ts'
import { readRefreshToken, readSession } from '../../kernel/sessions/refresh.ts'
import { endSession, findSessionFlaw, readSessionOfToken, type TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { releaseAnonymous } from '../anonymous/anonymous.ts'

/** A session named by one of its tokens. */
export interface SessionProof {
  readonly refreshToken: string | undefined
  readonly accessToken: string | undefined
}

const unnamed = () =>
  fail('parameterMissing', 'refresh_token is missing; send it, or Authorization: Bearer <access token>')

/** Ends the session at once, and with their last one an anonymous user. Doing it again, or with a token that was replaced since, is as good. */
export async function logOut(
  db: Db,
  who: Caller,
  what: SessionProof,
  policy: TokenPolicy,
  forget: readonly Forget[],
): Promise<void> {
  const sessionId = await nameSession(db, what, policy)
  await endSession(db, who, { sessionId, reason: 'logout' })
  // Apart, because whoever removes a person locks the person before the session. If it comes to nothing now, tidying up does it.
  await releaseAnonymous(db, who, { sessionId, forget })
}

async function nameSession(db: Db, what: SessionProof, policy: TokenPolicy): Promise<string> {
  if (what.refreshToken !== undefined) return readRefreshToken(what.refreshToken, policy).sessionId
  if (what.accessToken === undefined) throw unnamed()
  return (await readSessionOfToken(db, what.accessToken, policy.environment)).session_id
}

/** Refuses where the session has ended. An expired access token names its session as well as any. */
export async function validateSession(db: Db, who: Caller, what: SessionProof, policy: TokenPolicy) {
  if (what.refreshToken !== undefined) {
    const session = await readSession(db, who, { refreshToken: what.refreshToken }, policy)
    refuseFlaw(session)
    return { valid: true, userId: session.user_id, expiresDate: session.expires_at.toISOString() }
  }
  if (what.accessToken === undefined) throw unnamed()
  const row = await readSessionOfToken(db, what.accessToken, policy.environment)
  refuseFlaw(row)
  if (row.session_expires_at <= who.at) throw fail('tokenInvalid')
  return { valid: true, userId: row.user_id, expiresDate: row.session_expires_at.toISOString() }
}

function refuseFlaw(session: Parameters<typeof findSessionFlaw>[0]): void {
  const flaw = findSessionFlaw(session)
  if (flaw) throw flaw
}
