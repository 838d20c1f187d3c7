import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppUser } from '../caller.ts'
import type { Environment } from '../environment.ts'
import { isConcerned } from '../sessions/cache.ts'
import { commonHeaders } from './answers.ts'
import type { EventSink } from './operation.ts'

/** Often enough that proxies keep the connection, and that a client notices a dead one. */
const HEARTBEAT_MS = 15_000
/** A client that does not read is let go; it resumes where it was. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024

/** Turns the reply into a stream of server-sent events, which ends with the client, its session, or the server. */
export function openEventSink(environment: Environment, request: FastifyRequest, reply: FastifyReply): EventSink {
  const who = request.who as AppUser
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, [
    ...commonHeaders(environment, request),
    'content-type',
    'text/event-stream; charset=utf-8',
    // Asks a proxy not to hold events back.
    'x-accel-buffering',
    'no',
  ])
  raw.write(': the stream is open\n\n')

  const closeHandlers: (() => void)[] = []
  const write = (text: string) => {
    if (raw.writableEnded || raw.destroyed) return
    raw.write(text)
    if (raw.writableLength > MAX_UNSENT_BYTES) raw.destroy()
  }
  const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS)
  const close = () => raw.end()
  const stopListening = environment.tokens.onRevoked((revocation) => isConcerned(who, revocation) && close())
  environment.stopping.addEventListener('abort', close)
  const expiry = setTimeout(close, Math.min(who.tokenExpiresAtMs - who.at.getTime(), 2 ** 31 - 1))
  raw.on('close', () => {
    clearInterval(heartbeat)
    clearTimeout(expiry)
    stopListening()
    environment.stopping.removeEventListener('abort', close)
    for (const handler of closeHandlers) handler()
  })
  return {
    send: ({ id, event, data }) => write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`),
    close,
    onClose: (handler) => {
      closeHandlers.push(handler)
    },
  }
}
