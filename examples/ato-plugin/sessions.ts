import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Client, PlatformError, type Tokens } from 'groundschool-sdk'
import type { Told } from './pages.ts'

const COOKIE = 'ato_session'
const MOST_SESSIONS = 1000

/** Somebody who signed in on the platform, for one request. It is kept in memory: after a restart they sign in again. */
export interface Session {
  readonly requestId: string
  /** What forms carry, so that no other site can send them. */
  readonly key: string
  tokens: Tokens
  /** Shown on the next page. */
  told?: Told
}

const sessions = new Map<string, Session>()

export const newSession = (requestId: string, tokens: Tokens): Session => ({
  requestId,
  tokens,
  key: randomBytes(32).toString('base64url'),
})

/** The value of the header `Set-Cookie`. */
export function keepSession(session: Session): string {
  const id = randomBytes(32).toString('base64url')
  sessions.set(id, session)
  for (const oldest of sessions.keys()) if (sessions.size > MOST_SESSIONS) sessions.delete(oldest)
  return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400`
}

/** Who signed in for this request, in this browser. */
export function findSession({ headers }: IncomingMessage, requestId: string): Session | undefined {
  const id = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]
  const session = sessions.get(id ?? '')
  return session?.requestId === requestId ? session : undefined
}

export function isKeyOf(session: Session, key: string | null): boolean {
  const [given, own] = [Buffer.from(key ?? ''), Buffer.from(session.key)]
  return given.length === own.length && timingSafeEqual(given, own)
}

/** Does something on the platform for that person; where the token has expired, with a new one. */
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
