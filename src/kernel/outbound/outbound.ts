import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type Environment, service } from '../environment.ts'
import { nameResolver, type ResolveName, withLocalNames } from './resolver.ts'
import { type AddressPolicy, findLiteral, findUriMistake, mayConnect, NOT_A_PUBLIC_HOST } from './rules.ts'

export type { AddressPolicy }
export { findUriMistake }

/** The HTTP client of an environment for requests to other servers. */
export interface Outbound extends AddressPolicy {
  readonly resolve: ResolveName
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

const POOL = {
  keepAlive: true,
  maxSockets: 64,
  maxTotalSockets: 512,
  maxFreeSockets: 8,
  // Idle connections are closed after this time.
  timeout: 20_000,
}

export const outbound = service<Outbound>(
  (environment) => ({
    allowsLoopback: environment.config.PLUGIN_ADDRESSES === 'loopback',
    resolve: withLocalNames((name) => environment.get(nameResolver)(name)),
    http: new HttpAgent(POOL),
    https: new HttpsAgent(POOL),
  }),
  ({ http, https }) => {
    http.destroy()
    https.destroy()
  },
)

/**
 * Checks a URL that a user wants deliveries sent to. Returns the end of a sentence that begins with "must", or
 * undefined if the URL is acceptable. It also resolves the name, but only to report mistakes early: each connection
 * checks the resolved address again.
 */
export async function findAddressMistake(
  uri: string,
  policy: Pick<Outbound, 'allowsLoopback' | 'resolve'>,
): Promise<string | undefined> {
  const mistake = findUriMistake(uri, policy)
  const url = new URL(mistake === undefined ? uri : 'http://0')
  if (mistake !== undefined || findLiteral(url) !== undefined) return mistake
  const addresses = await policy.resolve(url.hostname).catch(() => [])
  if (addresses.length === 0) return 'have a host that can be found: DNS has no address for it yet'
  return addresses.every((address) => mayConnect(address, policy)) ? undefined : NOT_A_PUBLIC_HOST
}

export interface Sending {
  readonly uri: string
  /** POST by default. A GET has no body. */
  readonly method?: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  /** The text to send. */
  readonly body: string
  /** Media type of the body; JSON by default. */
  readonly contentType?: string
  /** Time limit for the whole request: resolving, connecting, sending and reading. */
  readonly timeoutMs: number
  /** Maximum number of bytes of the response that are read; 64 KiB by default. */
  readonly maxAnswerBytes?: number
  readonly signal?: AbortSignal
}

/** A response with any status. */
export interface OutboundResponse {
  readonly failure?: undefined
  readonly status: number
  readonly contentType: string | undefined
  readonly text: string
  /** True if the response was longer than `maxAnswerBytes`: the rest was not read. */
  readonly isCut: boolean
}

/** The request got no usable response. `problem` is a sentence for the operator of the address. */
export interface Failure {
  readonly failure: 'address' | 'connection' | 'encoding' | 'redirect' | 'stopped' | 'timeout'
  readonly problem: string
  /** Status of the unusable response, if there was one. */
  readonly status?: number
}

const MAX_ANSWER_BYTES = 64 * 1024

/** Sends a request to a server outside the platform. Never throws; failures are returned. */
export async function send(what: Sending, environment: Pick<Environment, 'get'>): Promise<OutboundResponse | Failure> {
  const out = environment.get(outbound)
  const mistake = findUriMistake(what.uri, out)
  if (mistake !== undefined) return { failure: 'address', problem: `The URL must ${mistake}` }
  const limit = AbortSignal.timeout(what.timeoutMs)
  const outcome = await post(out, what, limit)
  // Retries once on a reused connection that failed, because the server may have closed it while it was idle.
  return outcome === 'stale' ? ((await post(out, what, limit)) as OutboundResponse | Failure) : outcome
}

function post(out: Outbound, what: Sending, limit: AbortSignal): Promise<OutboundResponse | Failure | 'stale'> {
  const { promise, resolve } = Promise.withResolvers<OutboundResponse | Failure | 'stale'>()
  const url = new URL(what.uri)
  const isTls = url.protocol === 'https:'
  const ends = new AbortController()
  const request = (isTls ? requestHttps : requestHttp)(url, {
    method: what.method ?? 'POST',
    agent: isTls ? out.https : out.http,
    headers: what.method === 'GET' ? what.headers : { ...what.headers, ...bodyHeaders(what) },
    lookup: vetted(out),
  })
  const finish = (outcome: OutboundResponse | Failure | 'stale') => {
    ends.abort()
    resolve(outcome)
  }
  const give = (failure: Failure) => {
    finish(failure)
    request.destroy()
  }
  const onAbort = (signal: AbortSignal | undefined, failure: Failure) => {
    if (signal?.aborted) give(failure)
    else signal?.addEventListener('abort', () => give(failure), { signal: ends.signal })
  }
  request.on('error', (error: NodeJS.ErrnoException) => {
    const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !limit.aborted
    finish(isStale ? 'stale' : explain(error))
  })
  request.on('response', (response) => {
    const problem = findUnwanted(response)
    if (problem) return give(problem)
    readResponse(response, what.maxAnswerBytes ?? MAX_ANSWER_BYTES).then(finish, (error) => finish(explain(error)))
  })
  onAbort(limit, {
    failure: 'timeout',
    problem: `There was no complete response within ${what.timeoutMs / 1000} seconds`,
  })
  onAbort(what.signal, { failure: 'stopped', problem: 'The platform stopped' })
  request.end(what.method === 'GET' ? undefined : what.body)
  return promise
}

const bodyHeaders = ({ body, contentType = 'application/json' }: Sending) => ({
  'content-type': contentType,
  'content-length': Buffer.byteLength(body),
  accept: 'application/json',
})

function findUnwanted({ statusCode: status, headers }: IncomingMessage): Failure | undefined {
  if (status! >= 300 && status! < 400)
    return { failure: 'redirect', status: status!, problem: `It responded with ${status}: redirects are not followed` }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    return {
      failure: 'encoding',
      status: status!,
      problem: 'It responded with an unrequested Content-Encoding',
    }
  return undefined
}

async function readResponse(response: IncomingMessage, maxBytes: number): Promise<OutboundResponse> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    // `break` closes the connection.
    if (bytes > maxBytes) break
  }
  return {
    status: response.statusCode!,
    contentType: response.headers['content-type'],
    text: Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8'),
    isCut: bytes > maxBytes,
  }
}

class AddressError extends Error {}

/**
 * Creates a lookup function for sockets: it resolves a name and fails if any of the addresses is not allowed. The
 * socket connects to the addresses that were checked.
 */
const vetted =
  (out: Outbound): LookupFunction =>
  (name, options, callback) => {
    const look = async () => {
      const addresses = await out.resolve(name)
      if (!addresses.every((address) => mayConnect(address, out)))
        throw new AddressError(`The URL must ${NOT_A_PUBLIC_HOST}`)
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    }
    look().then(
      (found) => {
        if (options.all) callback(null, found)
        else callback(null, found[0]!.address, found[0]!.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'The connection was reset',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
  ENOTFOUND: 'DNS has no address for its host',
  ENODATA: 'DNS has no address for its host',
  ESERVFAIL: 'DNS failed to resolve its host',
  ETIMEOUT: 'DNS did not respond in time',
  ETIMEDOUT: 'The host cannot be reached',
  EPIPE: 'The connection was reset',
}

function explain(error: NodeJS.ErrnoException): Failure {
  if (error instanceof AddressError) return { failure: 'address', problem: error.message }
  const { code = 'no answer' } = error instanceof AggregateError ? (error.errors[0] ?? error) : error
  return { failure: 'connection', problem: PROBLEMS[code] ?? `The connection failed (${code})` }
}
