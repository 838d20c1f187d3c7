import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Environment } from '../environment.ts'
import { fail, PlatformError } from '../errors.ts'
import { partyOf } from './admit.ts'
import { holdUntilClosed, isLarge } from './budget.ts'
import { corsHeaders } from './cors.ts'
import { errorBody, errorHeaders } from './error-forms.ts'
import { boundRest } from './lingering.ts'
import { JSON_TYPE } from './media-types.ts'

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
  if (isLarge(text.length)) holdUnsent(environment, request, reply, 2 * text.length)
  const headers = commonHeaders(environment, request)
  if (text !== '') headers.push('content-type', JSON_TYPE)
  headers.push('content-length', String(Buffer.byteLength(text)))
  for (const name in own) setHeader(headers, name, own[name] as string)
  startAnswer(environment, request, reply, 200, headers).end(text)
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
  reply.hijack()
  return reply.raw.writeHead(status, headers)
}

/** A large answer is in memory until its client has read it, so only so many are given at once. */
export function holdUnsent(
  environment: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: number,
): void {
  if (!isLarge(bytes)) return
  const party = partyOf(request)
  if (!environment.unsentAnswers.hasRoomFor(party))
    throw fail('notReady', 'Too many large answers wait to be read; read them, or try again shortly', 1)
  holdUntilClosed(reply.raw, environment.unsentAnswers.take(party, bytes))
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
