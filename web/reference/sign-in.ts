import { ApiProblem } from '../api/call.ts'
import { loadHere } from '../api/here.ts'
import { logOut, openapi, readOwnProfile, requestStandardTokens, searchUsers } from '../api/operations.ts'
import { queryClient } from '../api/query.ts'
import { dropPending, holdSession, PENDING, readHeld, type Session } from './credentials.ts'
import type { ApiDocument } from './document.ts'
import { findUserIds } from './request.ts'
import { referenceWords } from './words.ts'

const { signIn: say } = referenceWords

/** Stored in session storage during a sign-in, and deleted when the person returns. */
interface Pending {
  readonly state: string
  readonly verifier: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly next: string
}

/** Returns the redirect URI. Developers register it for their own app to sign in with that app here. */
export const callbackAddress = (): string => `${location.origin}/docs/callback`

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)))

/**
 * Returns the scopes to ask for: those that are needed now, and those of the token that the page holds, so that it can
 * still send what it could send before.
 */
function scopesToAsk(clientId: string, needed: readonly string[]): string {
  const { session } = readHeld()
  const kept = session?.clientId === clientId && session.scope !== 'user' ? (session.scope?.split(' ') ?? []) : []
  return [...new Set([...needed, ...kept])].join(' ')
}

interface SigningIn {
  readonly clientId: string
  readonly clientSecret: string
  /** The scopes that the token needs; without a list, it gets all that the app has registered. */
  readonly scopes: readonly string[] | undefined
  readonly next: string
}

/** Starts the authorization code flow with PKCE (RFC 7636), which leaves the page. */
export async function leaveToSignIn(app: SigningIn): Promise<void> {
  const [state, verifier] = [randomText(), randomText()]
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const { clientId, clientSecret, scopes, next } = app
  const pending: Pending = { state, verifier, clientId, next, ...(clientSecret && { clientSecret }) }
  sessionStorage.setItem(PENDING, JSON.stringify(pending))
  const fields = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callbackAddress(),
    state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...(scopes && { scope: scopesToAsk(clientId, scopes) }),
  }
  location.assign(`/oauth/v2/signin?${new URLSearchParams(fields)}`)
}

/** Exchanges the code for a session, and returns the path of the page where the sign-in began. */
export async function finishSignIn(query: URLSearchParams): Promise<string> {
  const kept = sessionStorage.getItem(PENDING)
  dropPending()
  const pending = kept === null ? undefined : (JSON.parse(kept) as Pending)
  if (!pending || query.get('state') !== pending.state) throw new Error(say.notAsked)
  const issuer = query.get('iss')
  if (issuer !== null && issuer !== location.origin) throw new Error(say.otherIssuer)
  const code = query.get('code')
  if (code === null) throw new Error(query.get('error_description') ?? query.get('error') ?? say.noCode)
  const tokens = await requestStandardTokens({
    grant_type: 'authorization_code',
    code,
    code_verifier: pending.verifier,
    redirect_uri: callbackAddress(),
    client_id: pending.clientId,
    ...(pending.clientSecret !== undefined && { client_secret: pending.clientSecret }),
  })
  const who = await recognise(tokens.access_token)
  holdSession({
    ...who,
    clientId: pending.clientId,
    scope: tokens.scope,
    endsAt: Date.now() + tokens.expires_in * 1000,
  })
  return pending.next
}

/** Finds out who owns a token, and the user ids of the example people in the token's app. */
export async function recognise(token: string): Promise<Session> {
  const [{ handle, userId }, document, { person: keeper }] = await Promise.all([
    readOwnProfile({}, { token }),
    queryClient.ensureQueryData({ queryKey: [openapi.operationName, {}], queryFn: () => openapi({}) }),
    loadHere(),
  ])
  const samples = (document as unknown as ApiDocument)['x-samples']
  const search = async (term: string) => (await searchUsers({ term, limit: 5 }, { token })).docs
  return {
    token,
    handle,
    keeper: keeper?.handle ?? null,
    userIds: await findUserIds(samples, { handle, userId }, search),
  }
}

/** Ends the session on the platform and deletes its token. */
export async function endSession({ token }: Session): Promise<void> {
  try {
    await logOut({}, { token })
  } catch (error) {
    // If the platform refuses the token, the session has already ended.
    if (!(error instanceof ApiProblem && error.status >= 400 && error.status < 500)) throw error
  }
  holdSession(undefined)
}
