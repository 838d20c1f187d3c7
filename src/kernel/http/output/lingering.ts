import type { Socket } from 'node:net'
import { Gate } from '../../bounds/gate.ts'
import { networkOf } from '../../bounds/networks.ts'
import { type Environment, service } from '../../environment.ts'
import type { HttpRequest } from '../request.ts'

/** So much of a body is read and thrown away, for so long, on so many connections at once. */
const MOST_BYTES = 32 * 1024 * 1024
const LONGEST_MS = 15_000
const lingering = service(() => new Gate({ atOnce: 256, perKey: 32, waiting: 0 }))
/** The rest of a body so small Node throws away by itself. */
const SMALL_BYTES = 64 * 1024

/** Connections on which the body of a request still comes that was answered already: nothing may be written there but the next answer. */
const answeredEarly = new WeakSet<Socket>()

export const isAnsweredEarly = (socket: Socket): boolean => answeredEarly.has(socket)

/** For every answer that is about to be sent. */
export function noteUnreadBody({ raw, headers }: HttpRequest): void {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  if (raw.complete || !hasBody) return
  answeredEarly.add(raw.socket)
  raw.once('end', () => answeredEarly.delete(raw.socket))
}

/** Whether more of the request's body may come than can be left to Node. */
export function isBodyUnread({ raw, headers, isContinueAwaited }: HttpRequest): boolean {
  if (raw.complete) return false
  if (isContinueAwaited || headers['transfer-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > SMALL_BYTES
}

/**
 * Ends an answer that comes before its request's body. Many clients send all of the body before they look at the answer; were the connection closed on unread
 * bytes, they would lose it (RFC 9112 §9.6). So the answer goes out, the rest of the body is read and thrown away, and then the connection ends.
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
  // The whole answer, but for the end of the connection.
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
