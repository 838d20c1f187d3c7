import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { RateLimiter } from '../bounds/rate-limiter.ts'
import type { Caller } from '../caller.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'

/** How a refusal looks. `oauth`: with its OAuth name beside our two fields. `rfc`: as RFC 6749 §5.2 has it. `page`: for people. */
export type ErrorForm = 'plain' | 'oauth' | 'rfc' | 'page'

/** How a caller who is refused is asked to say who they are (RFC 9110 §11.6.1). */
export type Challenge = 'Bearer' | 'Basic'

/** Told of each request's time and status. */
export type Observe = (ms: number, status: number) => void

/** What a path and a method lead to. */
export interface Route {
  /** In metrics and logs. */
  readonly name: string
  readonly errorForm: ErrorForm
  /** None where a browser's cookie says who somebody is: no header can ask for that. */
  readonly challenge?: Challenge | undefined
  /** The largest body (bytes). */
  readonly bodyLimit: number
  /** Whether HEAD does what GET does, without the body. */
  readonly hasHead: boolean
  /** Whether its answers go on for as long as the client listens. */
  readonly isEndless?: boolean
  readonly observe: Observe
  /** Whether pages of every origin may call it: it is opened by a header that they must know, and a cookie alone shows them nothing. */
  readonly isForAnyOrigin?: boolean | undefined
  /** What each of its answers carries, refusals too. */
  headersFor?: ((request: HttpRequest, environment: Environment) => Readonly<Record<string, string>>) | undefined
  handle(request: HttpRequest): Promise<void> | void
}

/** What is served beside operations and pages: health, documents, style sheets. */
export interface PlainRoute {
  readonly path: string
  readonly name: string
  handle(request: HttpRequest): Promise<void> | void
}

export type Fields = Readonly<Record<string, unknown>>

/** How often a header is sent: of some, Node keeps the first alone. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string
    if (header.length === name.length && header.toLowerCase() === name) count++
  }
  return count
}

/** A request within another one. */
export interface WrappedRequest {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer | undefined
}

const NO_FIELDS: Fields = {}

/** One request and the answer to it, as they travel through the kernel. */
export class HttpRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  /** The client's address, behind the proxies that are trusted. */
  readonly ip: string
  readonly receivedAtMs = performance.now()
  route: Route
  params: Fields = NO_FIELDS
  query: Fields = NO_FIELDS
  /** Who sends it: nobody in particular until they are found out. */
  who: Caller
  /** The client ID that an app has given with its secret; it may be anything. */
  clientId: string | undefined
  /** Values of `RateLimit-Policy` and `RateLimit`, once a limit was applied. */
  limitPolicy: string | undefined
  limitState: string | undefined
  /** The request that came as the form of this one (`input/alternate.ts`): it stands in its place. */
  wrapped: WrappedRequest | undefined
  /** Gives back what its body holds in memory. */
  releaseBody: (() => void) | undefined
  /** Whether the client waits to be told that it may send its body (RFC 9110 §10.1.1). */
  isContinueAwaited: boolean

  constructor(
    raw: IncomingMessage,
    response: ServerResponse,
    parts: { id: string; ip: string; at: Date; route: Route; isContinueAwaited: boolean },
  ) {
    this.raw = raw
    this.response = response
    this.id = parts.id
    this.ip = parts.ip
    this.who = { at: parts.at, requestId: parts.id, address: parts.ip }
    this.route = parts.route
    this.isContinueAwaited = parts.isContinueAwaited
  }

  get headers(): IncomingHttpHeaders {
    return this.wrapped?.headers ?? this.raw.headers
  }

  get method(): string {
    return this.wrapped?.method ?? (this.raw.method as string)
  }

  get url(): string {
    return this.raw.url as string
  }

  /** The client's own name for itself, short enough to keep. */
  get device(): string {
    return String(this.headers['user-agent'] ?? '').slice(0, 200)
  }

  get hasLeft(): boolean {
    return this.raw.socket.destroyed
  }

  /** The value of a header that may be spelled in several ways and is sent once: Node would silently take the first. */
  oneHeader(...names: string[]): string | undefined {
    const values = names.map((name) => this.headers[name]).filter((value) => typeof value === 'string' && value !== '')
    if (new Set(values).size > 1 || names.some((name) => this.isSentTwice(name)))
      throw fail('badRequest', `The header ${names[0]} is sent twice`)
    return values[0] as string | undefined
  }

  isSentTwice(name: string): boolean {
    return countHeader(this.raw, name) > 1
  }

  /** Counts for a limit, and refuses what is over it. */
  limit(limiter: RateLimiter, key: string, cost = 1): void {
    const allowance = limiter.take(key, this.who.at.getTime(), cost)
    this.limitPolicy = limiter.policy
    this.limitState = limiter.describe(allowance)
    if (!allowance.isAllowed) throw fail('tooManyRequests', undefined, allowance.waitSeconds)
  }
}
