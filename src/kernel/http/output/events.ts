import { findSignedIn } from '../../browsers/browsers.ts'
import type { AppUser, Member } from '../../caller.ts'
import type { Environment } from '../../environment.ts'
import { PlatformError } from '../../errors.ts'
import type { EventSink } from '../../feeds/sink.ts'
import { showScopes } from '../../scopes.ts'
import { isConcerned, tokenCache } from '../../sessions/cache.ts'
import { findBearer, lookUpHolder, recallHolder } from '../callers/bearer.ts'
import type { CallerKind } from '../callers/callers.ts'
import { findBrowserToken } from '../callers/cookies.ts'
import type { HttpRequest } from '../request.ts'
import { startAnswer } from './answers.ts'

/** Heartbeat interval, short enough that proxies keep the connection open and that clients notice a dead connection. */
const HEARTBEAT_MS = 15_000
/** A client with this many unread bytes is disconnected. It can reconnect and resume where it was. */
const MAX_UNSENT_BYTES = 256 * 1024
/** Above this many unread bytes, sources that can wait stop sending. */
const BUSY_BYTES = 64 * 1024
/**
 * Signing out in a browser sends no notification to other processes, so the cookie is checked again at this interval.
 */
const RECHECK_MS = 1000
/** Mean time after which clients of a process that stops reconnect. It varies, so that they do not return at once. */
const RECONNECT_MS = 1000

/**
 * Turns the response into a stream of server-sent events. The stream ends when the client disconnects, its session
 * ends, or the server stops.
 */
export function openEventSink(
  environment: Environment,
  request: HttpRequest,
  holds: CallerKind['holds'] = stillHolds,
): EventSink {
  const who = request.who as AppUser | Member
  const response = startAnswer(environment, request, {
    'content-type': 'text/event-stream; charset=utf-8',
    // Tells proxies not to buffer events.
    'x-accel-buffering': 'no',
  })
  response.write(': the stream is open\n\n')

  const closeHandlers: (() => void)[] = []
  let isClosed = false
  const write = (text: string) => {
    if (response.writableEnded || response.destroyed) return
    if (response.writableLength > MAX_UNSENT_BYTES) response.destroy()
    else response.write(text)
  }
  const close = () => response.end()
  const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS)
  const recheck = async () => {
    if (!(await holds(environment, request))) close()
  }
  const isOfApp = 'tokenExpiresAtMs' in who
  const expiry = isOfApp
    ? setTimeout(close, Math.min(who.tokenExpiresAtMs - who.at.getTime(), 2 ** 31 - 1))
    : setInterval(recheck, RECHECK_MS)
  const stopListening = environment.get(tokenCache).onRevoked({
    revoked: (revocation) => {
      if (isOfApp ? isConcerned(who, revocation) : revocation.personId === who.personId) close()
    },
    heardAgain: recheck,
  })
  const stop = () => {
    write(`retry: ${Math.round(RECONNECT_MS * (0.5 + Math.random()))}\n\n`)
    close()
  }
  environment.stopping.addEventListener('abort', stop)
  const cleanUp = () => {
    isClosed = true
    clearInterval(heartbeat)
    clearInterval(expiry)
    stopListening()
    environment.stopping.removeEventListener('abort', stop)
    for (const handler of closeHandlers) handler()
  }
  response.on('close', cleanUp)
  // The client may have disconnected, or the server begun to stop, before the stream was opened.
  if (response.destroyed) cleanUp()
  else if (environment.stopping.aborted) stop()
  else recheck()
  return {
    send: ({ id, event, data }) => write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`),
    isBusy: () => response.writableLength > BUSY_BYTES,
    close,
    onClose: (handler) => {
      if (isClosed) handler()
      else closeHandlers.push(handler)
    },
  }
}

/** Checks the token or the cookie again. While the database is unavailable, both count as valid. */
async function stillHolds(environment: Environment, request: HttpRequest): Promise<boolean> {
  const { clock, db, name } = environment
  const who = request.who as AppUser | Member
  const now = clock()
  try {
    if (!('tokenExpiresAtMs' in who))
      return (await findSignedIn(db, findBrowserToken(environment, request) ?? '', name, now)) !== undefined
    const token = findBearer(request, true)!
    const { scopes } = recallHolder(environment, token, now) ?? (await lookUpHolder(environment, token, now))
    // The client reconnects, and is refused if the token no longer has the scope that the stream needs.
    return showScopes(scopes) === showScopes(who.scopes)
  } catch (error) {
    return error instanceof PlatformError && error.kind === 'notReady'
  }
}
