import type { AppUser } from '../../caller.ts'
import type { Environment } from '../../environment.ts'
import { PlatformError } from '../../errors.ts'
import type { EventSink } from '../../feeds/sink.ts'
import { isConcerned, tokenCache } from '../../sessions/cache.ts'
import { findBearer, lookUpHolder, recallHolder } from '../callers/bearer.ts'
import type { HttpRequest } from '../request.ts'
import { startAnswer } from './answers.ts'

/** Often enough that proxies keep the connection, and that a client notices a dead one. */
const HEARTBEAT_MS = 15_000
/** A client that does not read is let go; it resumes where it was. */
const MAX_UNSENT_BYTES = 256 * 1024

/** Turns the answer into a stream of server-sent events, which ends with the client, its session, or the server. */
export function openEventSink(environment: Environment, request: HttpRequest): EventSink {
  const who = request.who as AppUser
  const response = startAnswer(environment, request, {
    'content-type': 'text/event-stream; charset=utf-8',
    // Asks a proxy not to hold events back.
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
  const expiry = setTimeout(close, Math.min(who.tokenExpiresAtMs - who.at.getTime(), 2 ** 31 - 1))
  const stopListening = environment.get(tokenCache).onRevoked({
    revoked: (revocation) => isConcerned(who, revocation) && close(),
    heardAgain: () => closeIfRevoked(environment, request, close),
  })
  environment.stopping.addEventListener('abort', close)
  const cleanUp = () => {
    isClosed = true
    clearInterval(heartbeat)
    clearTimeout(expiry)
    stopListening()
    environment.stopping.removeEventListener('abort', close)
    for (const handler of closeHandlers) handler()
  }
  response.on('close', cleanUp)
  // Each of these may have happened while the operation was deciding.
  if (response.destroyed) cleanUp()
  else if (environment.stopping.aborted) close()
  else closeIfRevoked(environment, request, close)
  return {
    send: ({ id, event, data }) => write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`),
    close,
    onClose: (handler) => {
      if (isClosed) handler()
      else closeHandlers.push(handler)
    },
  }
}

/** Asks again whether the token holds; a database that is away is asked when it is heard again. */
async function closeIfRevoked(environment: Environment, request: HttpRequest, close: () => void): Promise<void> {
  const token = findBearer(request, true) as string
  const now = environment.clock()
  try {
    if (!recallHolder(environment, token, now)) await lookUpHolder(environment, token, now)
  } catch (error) {
    if (!(error instanceof PlatformError && error.kind === 'notReady')) close()
  }
}
