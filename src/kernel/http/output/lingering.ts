import type { Socket } from 'node:net'
import { Gate } from '../../bounds/gate.ts'
import { networkOf } from '../../bounds/networks.ts'
import { type Environment, service } from '../../environment.ts'
import type { HttpRequest } from '../request.ts'

/** Maximum number of bytes of one body that are read and discarded. */
const MOST_BYTES = 32 * 1024 * 1024
/** Time limit for discarding the rest of a body. */
const LONGEST_MS = 15_000
/** Limits how many connections discard a body at once, in total and per network. */
const lingering = service(() => new Gate({ atOnce: 256, perKey: 32, waiting: 0 }))
/** Node itself discards the rest of a body up to this size. */
const SMALL_BYTES = 64 * 1024

/**
 * Connections that are still receiving the body of a request that was already answered. If that body is malformed, the
 * connection is closed without an error response, because the client would take it for the next response.
 */
const answeredEarly = new WeakSet<Socket>()

export const isAnsweredEarly = (socket: Socket): boolean => answeredEarly.has(socket)

/** Marks the connection if its request has a body that has not arrived completely. Call this before every response. */
export function noteUnreadBody({ raw, headers }: HttpRequest): void {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  if (raw.complete || !hasBody) return
  answeredEarly.add(raw.socket)
  raw.once('end', () => answeredEarly.delete(raw.socket))
}

/** Tells whether the unread rest of the body may be larger than what Node discards itself. */
export function isBodyUnread({ raw, headers, isContinueAwaited }: HttpRequest): boolean {
  if (raw.complete) return false
  if (isContinueAwaited || headers['transfer-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > SMALL_BYTES
}

/**
 * Ends a response that is sent before the request's body has arrived. Many clients send the whole body before they read
 * the response, and closing a connection with unread bytes would lose the response (RFC 9112 §9.6). So this function
 * sends the response, reads and discards the rest of the body, and then closes the connection.
 */
export function endAfterBody(environment: Environment, request: HttpRequest, body: string | Buffer): void {
  const { raw, response, ip } = request
  const isHopeless =
    request.isContinueAwaited ||
    environment.stopping.aborted ||
    Number(request.headers['content-length'] ?? 0) > MOST_BYTES
  const leave = isHopeless ? undefined : environment.get(lingering).tryEnter(networkOf(ip))
  if (!leave) {
    response.end(body)
    return
  }
  // Sends the whole response, but keeps the connection open.
  response.flushHeaders()
  if (body.length > 0) response.write(body)
  let left = MOST_BYTES
  const onData = (piece: Buffer) => {
    left -= piece.length
    if (left < 0) end()
  }
  const end = () => {
    clearTimeout(timer)
    raw.off('data', onData).off('end', end).off('close', end)
    environment.stopping.removeEventListener('abort', end)
    leave()
    response.end()
  }
  const timer = setTimeout(end, LONGEST_MS)
  environment.stopping.addEventListener('abort', end)
  raw.on('data', onData).on('end', end).on('close', end).resume()
}
