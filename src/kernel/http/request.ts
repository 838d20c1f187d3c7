import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { RateLimiter } from '../bounds/rate-limiter.ts'
import type { Caller } from '../caller.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'

/**
 * The form of an error response. `plain`: `error_code` and `error_description`. `oauth`: the OAuth error name in
 * addition. `rfc`: exactly as in RFC 6749 §5.2. `page`: HTML.
 */
export type ErrorForm = 'plain' | 'oauth' | 'rfc' | 'page'

/** Authentication scheme in the `WWW-Authenticate` header (RFC 9110 §11.6.1). */
export type Challenge = 'Bearer' | 'Basic'

/** Records duration and status of a request. */
export type Observe = (ms: number, status: number) => void

/** How the requests to one method and path are handled. */
export interface Route {
  /** Name in metrics and logs. */
  readonly name: string
  readonly errorForm: ErrorForm
  /**
   * Authentication scheme for 401 responses. Undefined for callers that are identified by the cookie, because no HTTP
   * authentication scheme can request it.
   */
  readonly challenge?: Challenge | undefined
  /** Body limit in bytes. */
  readonly bodyLimit: number
  /** If true, HEAD is served like GET, but without the body. */
  readonly hasHead: boolean
  /** True if the response is a stream that lasts until the client disconnects. */
  readonly isEndless?: boolean
  readonly observe: Observe
  /**
   * True if pages of any origin may call the route. They must send a key or a token, because browsers do not attach the
   * cookie.
   */
  readonly isForAnyOrigin?: boolean
  /** Returns headers for every response of the route, including errors. */
  readonly headersFor?: (request: HttpRequest, environment: Environment) => Readonly<Record<string, string>>
  handle(request: HttpRequest): Promise<void> | void
}

/** A route with its method and path. */
export interface RouteRow {
  readonly method: string
  readonly path: string
  readonly route: Route
}

/**
 * The HTTP rules of a standard that a module implements. The function is called once at startup with the routes of all
 * operations that declare the protocol, and returns the routes to serve: it can add addresses, headers and origins, and
 * wrap handlers.
 */
export type Protocol = (environment: Environment, rows: readonly RouteRow[]) => readonly RouteRow[]

/** A route that is neither an operation nor a page, such as for health checks, documentation or style sheets. */
export interface PlainRoute {
  readonly path: string
  readonly name: string
  handle(request: HttpRequest): Promise<void> | void
}

/** A route of the content origin. Its requests have no caller: a signed URL is all that they need. */
export interface ContentRoute {
  readonly name: string
  readonly path: RegExp
  /**
   * Returns the id of the content package on whose own host name a request is served. Without this function, the route
   * is served on the host name of uploaded files.
   */
  packageOf?(params: Readonly<Record<string, string>>): string
  handle(environment: Environment, request: HttpRequest, params: Readonly<Record<string, string>>): Promise<void>
}

export type Fields = Readonly<Record<string, unknown>>

/** Counts how often a header was sent, because Node keeps only the first value of some headers. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string
    if (header.length === name.length && header.toLowerCase() === name) count++
  }
  return count
}

const NO_FIELDS: Fields = {}

/** A request and its response, as passed through the kernel. */
export class HttpRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  /** A protocol may replace method, headers and body with those of a request that is contained in the body. */
  method: string
  headers: IncomingHttpHeaders
  /** The request's body, if a protocol has already read it. */
  body: Buffer | undefined
  readonly id: string
  /** The client's address, as reported by trusted proxies. */
  readonly ip: string
  readonly receivedAtMs = performance.now()
  route: Route
  params: Fields = NO_FIELDS
  query: Fields = NO_FIELDS
  /** The caller. Anonymous until the request has been authenticated. */
  who: Caller
  /** True if the request was read to have an access token, valid or not. */
  hasToken = false
  /** The client ID that the request claims; not verified. */
  clientId: string | undefined
  /** Values of the headers `RateLimit-Policy` and `RateLimit`; undefined until a limit is applied. */
  limitPolicy: string | undefined
  limitState: string | undefined
  /** Releases the memory reserved for the body. */
  releaseBody: (() => void) | undefined
  /** True if the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1). */
  isContinueAwaited: boolean

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    parts: { id: string; ip: string; at: Date; route: Route; isContinueAwaited: boolean },
  ) {
    this.raw = raw
    this.response = response
    this.method = raw.method as string
    this.headers = raw.headers
    this.id = parts.id
    this.ip = parts.ip
    this.who = { at: parts.at, requestId: parts.id, address: parts.ip }
    this.route = parts.route
    this.isContinueAwaited = parts.isContinueAwaited
  }

  get url(): string {
    return this.raw.url as string
  }

  /** The User-Agent header, shortened for storage. */
  get device(): string {
    return String(this.headers['user-agent'] ?? '').slice(0, 200)
  }

  get hasLeft(): boolean {
    return this.raw.socket.destroyed
  }

  /**
   * Returns the value of a header that has several spellings. Throws if it was sent twice, because Node would silently
   * use the first.
   */
  oneHeader(...names: string[]): string | undefined {
    const values = names.map((name) => this.headers[name]).filter((value) => typeof value === 'string' && value !== '')
    if (new Set(values).size > 1 || names.some((name) => this.isSentTwice(name)))
      throw fail('badRequest', `The header ${names[0]} is sent twice`)
    return values[0] as string | undefined
  }

  isSentTwice(name: string): boolean {
    return countHeader(this.raw, name) > 1
  }

  /** Counts the request against a rate limit, and throws if the limit is exceeded. */
  limit(limiter: RateLimiter, key: string, cost = 1): void {
    const allowance = limiter.take(key, this.who.at.getTime(), cost)
    this.limitPolicy = limiter.policy
    this.limitState = limiter.describe(allowance)
    if (!allowance.isAllowed) throw fail('tooManyRequests', undefined, allowance.waitSeconds)
  }
}
