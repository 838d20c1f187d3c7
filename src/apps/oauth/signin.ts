import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail, failOauth } from '../../kernel/errors.ts'
import { includesScopes, type Scopes, showScopes } from '../../kernel/scopes.ts'
import { openSession, type TokenPair, type TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { sayDuration } from '../../kernel/sessions/token-headers.ts'
import { confirmAppUser, ensureAppUser, findConsent } from '../apps/apps.ts'
import { type AuthorizationRequest, codeUri, refusalUri } from './authorize.ts'
import { mintCode } from './codes.ts'
import { addResponseParams } from './redirects.ts'
import { mustAskEachTime } from './rules.ts'

/** Returns the redirect to the app if the person has allowed it before, or undefined if they must be asked. */
export async function passThrough(
  db: Db,
  who: PersonCaller,
  request: AuthorizationRequest,
  policy: TokenPolicy,
): Promise<string | undefined> {
  const isAsked = request.prompts.has('consent') || mustAskEachTime(request.client, request.redirectUri)
  return isAsked ? undefined : grant(db, who, request, policy)
}

/** Returns the redirect to the app with a code or tokens, or undefined if the person has not consented. */
async function grant(db: Db, who: PersonCaller, request: AuthorizationRequest, policy: TokenPolicy) {
  return request.responseType === 'implicit'
    ? grantImplicit(db, who, request, policy)
    : grantCode(db, who, request, policy)
}

async function grantCode(db: Db, who: PersonCaller, request: AuthorizationRequest, policy: TokenPolicy) {
  const { client, redirectUri, isRedirectGiven, challenge, scopes, nonce } = request
  const { personId, epoch, device, browserId } = who
  const what = {
    appId: client.id,
    personId,
    epoch,
    door: 'code' as const,
    redirectUri,
    isRedirectGiven,
    challenge,
    device,
    scopes,
    browserId,
    nonce,
    authTime: who.signedInAt,
  }
  const code = await mintCode(db, who, what, policy)
  return code && codeUri(request, code)
}

/**
 * Returns the redirect of the deprecated implicit flow, with the tokens in the URL. Only for apps that have it enabled.
 */
async function grantImplicit(db: Db, who: PersonCaller, request: AuthorizationRequest, policy: TokenPolicy) {
  const { client, redirectUri, state } = request
  const parties = { appId: client.id, personId: who.personId }
  const tokens = await db.transaction(async (tx): Promise<TokenPair | undefined> => {
    const consent = await findConsent(tx, parties)
    if (!consent || !includesScopes(consent.scopes, client.scopes)) return undefined
    const userId = await confirmAppUser(tx, { ...parties, personEpoch: who.epoch, consentEpoch: consent.epoch })
    if (!userId) throw fail('forbidden', 'You were signed out in the meantime; go back and sign in again')
    return openSession(tx, who, { ...parties, userId, door: 'implicit', device: who.device }, policy)
  })
  if (!tokens) return undefined
  return addResponseParams(redirectUri, {
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    expires_in: sayDuration(tokens.expiresInSeconds),
    state,
  })
}

/** Returns what an app asks for: these scopes, or else all that it had registered when the request was read. */
export const scopesOf = ({ scopes, client }: AuthorizationRequest): Scopes => scopes ?? client.scopes

/**
 * Records the person's consent and returns the redirect to the app. A person who had withdrawn the consent gets the
 * same user id again. Returns undefined if the app asks for everything and has registered more since the request was
 * read: the person has allowed what they saw, and must be asked for the rest.
 */
export async function allowApp(
  db: Db,
  who: PersonCaller,
  request: AuthorizationRequest,
  policy: TokenPolicy,
): Promise<string | undefined> {
  const scopes = scopesOf(request)
  return db.transaction(async (tx) => {
    const parties = { appId: request.client.id, personId: who.personId }
    await ensureAppUser(tx, who, { ...parties, scopes })
    await recordAudit(tx, who, {
      action: 'consent.given',
      ...parties,
      ...(scopes && { detail: { scopes: showScopes(scopes) } }),
    })
    return grant(tx, who, request, policy)
  })
}

export async function denyApp(db: Db, who: PersonCaller, request: AuthorizationRequest): Promise<string> {
  await recordAudit(db, who, { action: 'consent.denied', personId: who.personId, appId: request.client.id })
  return refusalUri(request, failOauth('access_denied', 'forbidden', 'The user did not allow this app'))
}
