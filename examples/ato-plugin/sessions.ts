import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Client, PlatformError, type Tokens } from 'groundschool-sdk'
import type { PageNotice } from './pages.ts'

const COOKIE = 'ato_session'
const MOST_SESSIONS = 1000

/**
 * The session of a person who signed in on the platform, for one request. Sessions are stored in memory only: after a
 * restart, people sign in again.
 */
export interface Session {
  readonly requestId: string
  /** CSRF token of the forms on the pages. */
  readonly key: string
  tokens: Tokens
  /** A message to show on the next page, once. */
  notice?: PageNotice
}

const sessions = new Map<string, Session>()

export const newSession = (requestId: string, tokens: Tokens): Session => ({
  requestId,
  tokens,
  key: randomBytes(32).toString('base64url'),
})

/** Stores a session and returns the value of the header `Set-Cookie`. */
export function keepSession(session: Session): string {
  const id = randomBytes(32).toString('base64url')
  sessions.set(id, session)
  for (const oldest of sessions.keys()) if (sessions.size > MOST_SESSIONS) sessions.delete(oldest)
  return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400`
}

/** Finds the session of this browser for this request. */
export function findSession({ headers }: IncomingMessage, requestId: string): Session | undefined {
  const id = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]
  const session = sessions.get(id ?? '')
  return session?.requestId === requestId ? session : undefined
}

export function isKeyOf(session: Session, key: string | null): boolean {
  const [given, own] = [Buffer.from(key ?? ''), Buffer.from(session.key)]
  return given.length === own.length && timingSafeEqual(given, own)
}

/** Calls the platform on behalf of the person. If the access token has expired, refreshes it and calls again. */
export async function act<T>(
  platform: Client,
  session: Session,
  run: (as: ReturnType<Client['as']>) => Promise<T>,
): Promise<T> {
  try {
    return await run(platform.as(session.tokens.access_token))
  } catch (error) {
    if (!(error instanceof PlatformError) || error.errorCode !== 4010) throw error
    session.tokens = await platform.refresh(session.tokens.refresh_token)
    return run(platform.as(session.tokens.access_token))
  }
}
