import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Environment } from '../../environment.ts'
import { fail, PlatformError } from '../../errors.ts'
import { partyOf } from '../admit.ts'
import { Holding, holdUntilClosed, isLarge } from '../budget.ts'
import { boundRest } from '../lingering.ts'
import { corsHeaders } from './cors.ts'
import { errorBody, errorHeaders } from './errors.ts'
import { JSON_TYPE } from './media-types.ts'

/** An answer is seen to be read in pieces of this size (bytes). */
const PIECE_BYTES = 64 * 1024
/**
 * And late, and in large steps: Linux asks for more only once a third of its send buffer is free, which with 4 MiB of it is 1.4 MiB. That is how much one may be ahead of the pace
 * that is asked of them.
 */
const ADVANCE_MS = 25_000

/** What every answer to this request carries, whoever sends it: name, value, name, value – the form that Node writes quickest. */
export function commonHeaders(environment: Environment, request: FastifyRequest): string[] {
  const headers = [...environment.securityHeaders, 'x-request-id', request.id]
  if (request.limitPolicy !== undefined)
    headers.push('ratelimit-policy', request.limitPolicy, 'ratelimit', request.limitState as string)
  const { origin } = request.headers
  if (origin !== undefined) headers.push(...corsHeaders(environment, origin))
  if (environment.stopping.aborted) headers.push('connection', 'close')
  return headers
}

/**
 * Sends an operation's answer. It goes to the socket directly: Fastify's own way of sending, with its hooks and listeners, took a tenth of a
 * request's time and adds nothing to a text that is finished.
 */
export function sendAnswer(
  environment: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
  { text, headers: own }: { text: string; headers: Readonly<Record<string, string>> },
): void {
  // A text takes up to two bytes for each of its characters.
  const room = isLarge(text.length) ? holdUnsent(environment, request, reply, 2 * text.length) : undefined
  const headers = commonHeaders(environment, request)
  if (text !== '') headers.push('content-type', JSON_TYPE)
  headers.push('content-length', String(Buffer.byteLength(text)))
  for (const name in own) setHeader(headers, name, own[name] as string)
  const response = startAnswer(environment, request, reply, 200, headers)
  if (room && text.length > PIECE_BYTES) sendPieces(response, Buffer.from(text), room)
  else response.end(text)
}

/** A large body, piece by piece: how much of one piece was read, nobody is told. */
export function sendPieces(response: ServerResponse, body: Buffer, room: Holding): void {
  let sent = 0
  const goOn = () => {
    if (sent > 0) room.hasMoved(PIECE_BYTES)
    const piece = body.subarray(sent, sent + PIECE_BYTES)
    sent += piece.length
    if (sent === body.length) response.end(piece)
    else if (response.write(piece)) setImmediate(goOn)
    else response.once('drain', goOn)
  }
  goOn()
}

/** Begins an answer that goes to the socket directly, whatever it is: only here does Fastify let go of one. */
export function startAnswer(
  environment: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: string[],
): ServerResponse {
  boundRest(environment, request.raw, reply.raw)
  request.bodyRoom?.giveBack()
  reply.hijack()
  return reply.raw.writeHead(status, headers)
}

/**
 * A large answer is in memory until its client has read it, so only so many are given at once. Where others need the room, the connection ends of who does not read, or reads much
 * more than they do.
 */
export function holdUnsent(
  environment: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: number,
): Holding | undefined {
  if (!isLarge(bytes)) return undefined
  const nowMs = () => environment.clock().getTime()
  const room = new Holding(environment.unsentAnswers, partyOf(request), nowMs, ADVANCE_MS)
  if (!room.canGrow())
    throw fail('notReady', 'Too many large answers wait to be read; read them, or try again shortly', 1)
  // Not the request itself, which has the body that it came with.
  const { socket } = request.raw
  room.startMoving(() => {
    room.giveBack()
    socket.destroy()
  })
  room.setTo(bytes)
  holdUntilClosed(reply.raw, room.giveBack)
  return room
}

/** What an operation says itself stands instead of what every answer says. */
export function setHeader(headers: string[], name: string, value: string): void {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== name) continue
    headers[i + 1] = value
    return
  }
  headers.push(name, value)
}

/** The same headers, for what Fastify sends: pages and errors. What a page sets itself, it keeps. */
export function addCommonHeaders(environment: Environment, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const headers = commonHeaders(environment, request)
  for (let i = 0; i < headers.length; i += 2)
    if (!reply.hasHeader(headers[i] as string)) reply.header(headers[i] as string, headers[i + 1])
  return reply
}

/** The same answer, for requests so broken that there is no reply to write to. */
export function rawErrorAnswer(error: PlatformError, always: readonly string[]): string {
  const body = errorBody(error)
  const headers = {
    ...Object.fromEntries(Array.from({ length: always.length / 2 }, (_, i) => [always[2 * i], always[2 * i + 1]])),
    ...errorHeaders(error),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`
}

/** Turns whatever was thrown into an error that we mean; what we did not foresee becomes 5000 and is told to the log alone. */
export function understand(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return fail('bodyTooLarge')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return fail('unsupportedMediaType')
  // Whatever the framework blames on the request: a path that cannot be decoded, a client that left in the middle of its body.
  if (statusCode !== undefined && statusCode < 500) return fail('badRequest')
  return fail('internal')
}
