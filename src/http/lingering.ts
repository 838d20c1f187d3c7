import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Environment } from '../environment.ts'
import { partyOf } from './admit.ts'
import { Budget } from './budget.ts'

/** So much of a body is read and thrown away, for so long, on so many connections at once. */
const MOST_BYTES = 64 * 1024 * 1024
const LONGEST_MS = 30_000
const CONNECTIONS = 256
/** And so much where the connection is kept for other requests: more than any body that is taken, so that who sent one with a token that has expired learns of that. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024

/**
 * Many clients send their whole body before they look at the answer. Were a connection closed on which bytes wait that nobody has read, they would lose the answer too (RFC 9112
 * §9.6): so the answer goes out at once, and where it ends the connection, the rest of the body is read and thrown away first.
 */
export function makeLingering(environment: Environment) {
  const connections = new Budget(CONNECTIONS)
  const { stopping } = environment

  /** What to send: the same text, whose end waits for the end of the body. */
  return (request: FastifyRequest, reply: FastifyReply, text: unknown): unknown => {
    const { raw, who, method } = request
    const isCutOff = reply.getHeader('connection') === 'close' && !raw.complete && !raw.destroyed
    if (!isCutOff || stopping.aborted || typeof text !== 'string' || method === 'HEAD' || who === undefined) return text
    const party = partyOf(request)
    if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES || !connections.hasRoomFor(party)) return text
    const leave = connections.take(party, 1)
    reply.header('content-length', Buffer.byteLength(text))
    const answer = new Readable({ read() {} })
    answer.push(text)

    let left = MOST_BYTES
    const onData = (piece: Buffer) => {
      left -= piece.length
      if (left < 0) end()
    }
    const end = () => {
      raw.off('data', onData).off('end', end).off('close', end)
      stopping.removeEventListener('abort', end)
      clearTimeout(timer)
      leave()
      answer.push(null)
    }
    const timer = setTimeout(end, LONGEST_MS)
    stopping.addEventListener('abort', end)
    raw.on('data', onData).on('end', end).on('close', end).resume()
    return answer
  }
}

/** Connections on which the body of a request still comes that was answered already. */
const answeredEarly = new WeakSet<Socket>()

/**
 * For every answer whose head is about to be written. What is left of its request's body, Node throws away without any limit, so that the next request on that connection can be
 * found: here it has one.
 */
export function boundRest({ stopping }: Environment, request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || !hasBody(request)) return
  const bound = () => {
    const { socket } = request
    if (request.complete || socket.destroyed) return
    const cut = () => socket.destroy()
    if (stopping.aborted) return cut()
    let left = MOST_KEPT_BYTES
    const onData = (piece: Buffer) => {
      left -= piece.length
      if (left < 0) cut()
    }
    const stop = () => {
      clearTimeout(timer)
      answeredEarly.delete(socket)
      stopping.removeEventListener('abort', cut)
      request.off('data', onData).off('end', stop)
      socket.off('close', stop)
    }
    const timer = setTimeout(cut, LONGEST_MS)
    answeredEarly.add(socket)
    stopping.addEventListener('abort', cut)
    socket.on('close', stop)
    request.on('data', onData).on('end', stop).resume()
  }
  // Before Node's own listener, which would throw away what comes without telling anybody.
  response.prependOnceListener('finish', bound)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Whether an answer has begun or ended to what arrives on a connection: nothing may be written there any more but the rest of it. */
export const isAnswered = (socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean =>
  answeredEarly.has(socket) || socket._httpMessage?.headersSent === true
