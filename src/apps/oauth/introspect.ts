import type { Static } from 'typebox'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { failOauth } from '../../kernel/errors.ts'
import { includesScopes, type Scopes, showScopes } from '../../kernel/scopes.ts'
import { findSessionOfRefreshToken } from '../../kernel/sessions/refresh.ts'
import {
  findSessionFlaw,
  findSessionOfToken,
  findTokenFlaw,
  scopesOfSession,
  scopesOfToken,
  type TokenPolicy,
} from '../../kernel/sessions/sessions.ts'
import type { Client } from '../apps/clients.ts'
import type { TokenFacts } from './schema.ts'

type Facts = Static<typeof TokenFacts>

/**
 * Returns whether a token of this app is valid, without changing it (RFC 7662). A token of another app looks like one
 * that never existed (§4). Public apps are refused, because they cannot authenticate and could guess tokens here
 * (§2.1).
 */
export async function introspectToken(
  db: Db,
  who: Caller,
  client: Client,
  { token }: { token: string },
  { policy, issuer }: { policy: TokenPolicy; issuer: string },
): Promise<Facts> {
  if (client.isPublic)
    throw failOauth('invalid_client', 'permissionMissing', 'Only apps with a client secret can introspect tokens')
  const found = (await findAccess(db, who, token, policy)) ?? (await findRefresh(db, who, token, policy))
  if (found?.appId !== client.id) return { active: false }
  const { appId: _, ...facts } = found
  return { active: true, client_id: client.clientId, iss: issuer, ...facts }
}

/** The handle is part of the profile, so a token without that scope does not reveal it. */
const nameFor = (scopes: Scopes, handle: string) => (includesScopes(scopes, ['profile']) ? { username: handle } : {})

const seconds = (moment: Date): number => Math.floor(moment.getTime() / 1000)

async function findAccess(db: Db, who: Caller, token: string, { environment }: TokenPolicy) {
  const row = await findSessionOfToken(db, token, environment)
  if (!row || findTokenFlaw(row, who.at)) return undefined
  const scopes = scopesOfToken(row)
  return {
    appId: row.app_id,
    scope: showScopes(scopes),
    token_type: 'Bearer' as const,
    ...nameFor(scopes, row.handle),
    sub: row.user_id,
    exp: seconds(row.expires_at),
    iat: seconds(row.created_at),
  }
}

async function findRefresh(db: Db, who: Caller, token: string, policy: TokenPolicy) {
  const found = await findSessionOfRefreshToken(db, who, token, policy)
  if (!found?.isLive || findSessionFlaw(found.session)) return undefined
  const { session, issuedAt, expiresAt } = found
  const scopes = scopesOfSession(session)
  return {
    appId: session.app_id,
    scope: showScopes(scopes),
    token_type: 'refresh_token' as const,
    ...nameFor(scopes, session.handle),
    sub: session.user_id,
    exp: seconds(expiresAt),
    ...(issuedAt ? { iat: seconds(issuedAt) } : {}),
  }
}
