import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppUser } from '../../caller.ts'
import type { Environment } from '../../environment.ts'
import { PlatformError } from '../../errors.ts'
import type { EventSink } from '../../feeds/sink.ts'
import { isConcerned } from '../../sessions/cache.ts'
import { findBearer, lookUpHolder, recallHolder } from '../callers/bearer.ts'
import { commonHeaders, startAnswer } from './answers.ts'

/** Often enough that proxies keep the connection, and that a client notices a dead one. */
const HEARTBEAT_MS = 15_000
/** A client that does not read is let go; it resumes where it was. */
const MAX_UNSENT_BYTES = 256 * 1024

/** Turns the reply into a stream of server-sent events, which ends with the client, its session, or the server. */
export function openEventSink(environment: Environment, request: FastifyRequest, reply: FastifyReply): EventSink {
  const who = request.who as AppUser
  const raw = startAnswer(environment, request, reply, 200, [
    ...commonHeaders(environment, request),
    'content-type',
    'text/event-stream; charset=utf-8',
    // Asks a proxy not to hold events back.
    'x-accel-buffering',
    'no',
  ])
  raw.write(': the stream is open\n\n')

  const closeHandlers: (() => void)[] = []
  let isClosed = false
  const write = (text: string) => {
    if (raw.writableEnded || raw.destroyed) return
    if (raw.writableLength > MAX_UNSENT_BYTES) raw.destroy()
    else raw.write(text)
  }
  const close = () => raw.end()
  const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS)
  const expiry = setTimeout(close, Math.min(who.tokenExpiresAtMs - who.at.getTime(), 2 ** 31 - 1))
  const stopListening = environment.tokens.onRevoked({
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
  raw.on('close', cleanUp)
  // Each of these may have happened while the operation was deciding.
  if (raw.destroyed) cleanUp()
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
async function closeIfRevoked(environment: Environment, request: FastifyRequest, close: () => void): Promise<void> {
  const token = findBearer(request, true) as string
  const now = environment.clock()
  try {
    if (!recallHolder(environment, token, now)) await lookUpHolder(environment, token, now)
  } catch (error) {
    if (!(error instanceof PlatformError && error.kind === 'notReady')) close()
  }
}
