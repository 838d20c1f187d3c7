import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { failOauth } from '../../kernel/errors.ts'
import type { Forget } from '../../kernel/forget.ts'
import { findSessionOfRefreshToken } from '../../kernel/sessions/refresh.ts'
import { dropAccessToken, endSession, findSessionOfToken, type TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { inspectToken, sayForeign } from '../../kernel/sessions/tokens.ts'
import { releaseAnonymous } from '../anonymous/anonymous.ts'
import type { Client } from '../apps/clients.ts'

/**
 * Revokes a token (RFC 7009). Revoking a refresh token, current or rotated, ends its session. Revoking an access token
 * invalidates only that token. Revoking an unknown token succeeds (§2.2).
 */
export async function revokeToken(
  db: Db,
  who: Caller,
  client: Client,
  { token }: { token: string },
  policy: TokenPolicy,
  forget: readonly Forget[],
): Promise<void> {
  for (const kind of ['access', 'refresh'] as const)
    if (inspectToken(token, kind, policy.environment) === 'foreign')
      throw failOauth('invalid_grant', 'validationFailed', sayForeign('token', policy.environment))
  const refresh = await findSessionOfRefreshToken(db, who, token, policy)
  if (refresh) {
    checkOwner(client, refresh.session)
    const sessionId = refresh.session.id
    await endSession(db, who, { sessionId, reason: 'revoked' })
    await releaseAnonymous(db, who, { sessionId, forget })
    return
  }
  const access = await findSessionOfToken(db, token, policy.environment)
  if (!access) return
  checkOwner(client, access)
  await dropAccessToken(db, who, { token })
}

/** Throws if the token was issued to another app, whose tokens a client must not revoke (RFC 7009 §2.1). */
function checkOwner(client: Client, { app_id: appId }: { app_id: number }): void {
  if (appId !== client.id) throw failOauth('invalid_grant', 'validationFailed', 'This token was issued to another app')
}
