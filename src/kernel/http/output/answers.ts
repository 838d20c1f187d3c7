import { type ServerResponse, STATUS_CODES } from 'node:http'
import { noteRequest } from '../../answered.ts'
import { ByteBudget } from '../../bounds/byte-budget.ts'
import { callerKey } from '../../caller.ts'
import { type Environment, service } from '../../environment.ts'
import { fail, type PlatformError } from '../../errors.ts'
import { KEEP_ALIVE } from '../connections.ts'
import type { HttpRequest } from '../request.ts'
import { ANY_ORIGIN_HEADERS, corsHeaders, origins } from './cors.ts'
import { errorBody, errorHeaders } from './errors.ts'
import { endAfterBody, isBodyUnread, noteUnreadBody } from './lingering.ts'

/** Limits the memory for responses that clients have not read yet. */
const unsentAnswers = service(({ config }) => new ByteBudget(config.UNSENT_ANSWERS_BYTES))
/** Smaller responses are not counted, because the limit on connections already bounds them. */
const LARGE_BYTES = 64 * 1024
/** Time limit for a client to read a large response. */
const READ_MS = 60_000

/**
 * Headers of every response, even to a malformed request. They are a list of alternating names and values, which Node
 * writes fastest.
 */
export const securityHeaders = service(({ url }): readonly string[] => [
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'content-security-policy',
  "default-src 'none'; frame-ancestors 'none'",
  'cache-control',
  'no-store',
  ...(url.startsWith('https:') ? ['strict-transport-security', 'max-age=31536000; includeSubDomains'] : []),
])

/** Response headers. A list is sent as one header line per value, as Set-Cookie requires. */
export type Headers = Readonly<Record<string, string | readonly string[]>>

/**
 * Sends a complete response. All responses except streams are sent by this function; streams begin with `startAnswer`.
 */
export function sendAnswer(
  environment: Environment,
  request: HttpRequest,
  status: number,
  headers: Headers,
  body: string | Buffer = '',
): void {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  if (bytes > LARGE_BYTES) boundUnsent(environment, request, bytes)
  const isEarly = isBodyUnread(request)
  const all = allHeaders(environment, request, headers)
  if (status !== 304 && status !== 204) setHeader(all, 'content-length', String(bytes))
  if (isEarly) setHeader(all, 'connection', 'close')
  const { response } = request
  noteUnreadBody(request)
  request.releaseBody?.()
  response.writeHead(status, all)
  if (isEarly) endAfterBody(environment, request, body)
  // Node writes ASCII text faster as Latin-1, which has the same bytes.
  else response.end(body, bytes === body.length ? 'latin1' : 'utf8')
  conclude(environment, request, status, headers.errorcode as string | undefined)
}

/** Begins a streamed response: events, or a file that is read or generated while it is sent. */
export function startAnswer(
  environment: Environment,
  request: HttpRequest,
  headers: Headers,
  status = 200,
): ServerResponse {
  noteUnreadBody(request)
  request.releaseBody?.()
  request.response.writeHead(status, allHeaders(environment, request, headers))
  conclude(environment, request, status)
  return request.response
}

function allHeaders(environment: Environment, request: HttpRequest, own: Headers): string[] {
  const headers = [...environment.get(securityHeaders), ...KEEP_ALIVE, 'x-request-id', request.id]
  if (request.limitPolicy !== undefined)
    headers.push('ratelimit-policy', request.limitPolicy, 'ratelimit', request.limitState as string)
  const { origin } = request.headers
  if (request.route.isForAnyOrigin) headers.push(...Object.entries(ANY_ORIGIN_HEADERS).flat())
  else if (origin !== undefined) headers.push(...corsHeaders(environment.get(origins), origin))
  if (environment.isLeaving) headers.push('connection', 'close')
  const { route } = request
  if (route.headersFor)
    for (const [name, value] of Object.entries(route.headersFor(request, environment))) setHeader(headers, name, value)
  for (const name in own) {
    const value = own[name] as Headers[string]
    if (typeof value === 'string') setHeader(headers, name, value)
    else for (const line of value) headers.push(name, line)
  }
  return headers
}

/** Sets a header, replacing the default value if there is one. */
function setHeader(headers: string[], name: string, value: string): void {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== name) continue
    headers[i + 1] = value
    return
  }
  headers.push(name, value)
}

/**
 * Limits the bytes of unread responses per caller, and the time to read one, because a large response stays in memory
 * until the client has read it.
 */
function boundUnsent(environment: Environment, { who, response, raw }: HttpRequest, bytes: number): void {
  const room = environment.get(unsentAnswers).hold(callerKey(who))
  if (!room.growTo(bytes))
    throw fail('notReady', 'Too many large responses are waiting to be read; read them, or try again shortly', 1)
  const timer = setTimeout(() => raw.socket.destroy(), READ_MS).unref()
  const done = () => {
    clearTimeout(timer)
    room.release()
  }
  // If the client has already disconnected, the close event has fired before.
  if (response.destroyed) done()
  else response.once('close', done)
}

/**
 * Counts a finished request, and logs it if it failed on our side, was slow, or was sampled. The URL is never logged,
 * because it may contain a token.
 */
function conclude(environment: Environment, request: HttpRequest, status: number, code?: string): void {
  const { config, log } = environment
  const ms = performance.now() - request.receivedAtMs
  const { route, id, method, who } = request
  route.observe(ms, status)
  const app = (who as { appId?: number }).appId ?? request.clientId
  if (app !== undefined)
    environment.get(noteRequest)?.({
      ...{ app, at: who.at, operation: route.name, status, ms, requestId: id },
      code: code === undefined ? undefined : Number(code),
    })
  const isSampled = config.LOG_SAMPLE > 0 && Math.random() < config.LOG_SAMPLE
  if (status < 500 && ms <= config.SLOW_REQUEST_MS && !isSampled) return
  const line = { requestId: id, method, operation: route.name, status, ms: Math.round(ms) }
  log.info(code === undefined ? line : { ...line, code: Number(code) }, 'request')
}

/** Formats an error response as raw text, for requests so malformed that Node provides no response object. */
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
