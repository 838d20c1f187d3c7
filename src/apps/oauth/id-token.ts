import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { readIdentity } from '../../kernel/sessions/sessions.ts'
import { signIdToken } from '../openid/openid.ts'
import type { requestTokens } from './token.ts'

/** Returns the ID token of these tokens, if the app asked for `openid` when the person signed in. */
export async function findIdToken(
  db: Db,
  who: Caller,
  tokens: Awaited<ReturnType<typeof requestTokens>>,
  environment: Environment,
): Promise<string | undefined> {
  if (!tokens.scopes?.includes('openid')) return undefined
  const { client, sessionId, accessToken, nonce } = tokens
  const { userId, authTime, sid, asked } = await readIdentity(db, sessionId)
  if (!asked?.includes('openid')) return undefined
  const { clientId, idTokenAlgorithm: algorithm } = client
  return signIdToken(environment, who, { clientId, algorithm, userId, sid, authTime, nonce, accessToken })
}
