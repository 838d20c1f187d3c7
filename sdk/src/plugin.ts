import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Candidate,
  type CandidateSearch,
  type CapabilitiesSearch,
  type Capability,
  checkCandidates,
  checkCapabilities,
  type DistributionChange,
  MISSING,
  type StartDocument,
} from './payloads.ts'
import type { Seen } from './seen.ts'
import { type HeaderFields, isSigned, type Signed, verifyBasic, verifySignature } from './verify.ts'

export type Purpose = 'request' | 'distributions' | 'capabilities' | 'candidates'

type MaybeAsync<T> = T | Promise<T>

export interface PluginOptions {
  readonly clientId: string
  /** One secret, or two while the secret is being rotated. */
  readonly secrets: string | readonly string[]
  readonly onRequestStarted?: (request: StartDocument, delivery: Signed) => MaybeAsync<void>
  readonly onDistributionsChanged?: (change: DistributionChange, delivery: Signed) => MaybeAsync<void>
  readonly onCapabilitiesSearch?: (search: CapabilitiesSearch) => MaybeAsync<readonly Capability[]>
  readonly onCandidateSearch?: (search: CandidateSearch) => MaybeAsync<readonly Candidate[]>
  /**
   * Stores the ids of handled deliveries. A delivery whose id is stored is acknowledged without calling the handler.
   * The id is stored after the handler has returned.
   */
  readonly seen?: Seen
  /** Path for each purpose; by default `/request`, `/distributions`, `/capabilities`, `/candidates`. */
  readonly paths?: Partial<Record<Purpose, string>>
  /** Maximum size of a request body; larger bodies are refused with 413. 1 MiB by default. */
  readonly bodyLimitBytes?: number
  /** Called if a handler throws. The platform gets only the status 500. */
  readonly onError?: (error: unknown, purpose: Purpose) => void
  readonly clock?: () => Date
}

/** A request in a form that any server can provide. */
export interface RawRequest {
  readonly method: string
  /** The path of the URL, without the query. */
  readonly path: string
  readonly headers: HeaderFields
  /** The bytes as they were received, because the signature covers them. */
  readonly body: Uint8Array
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** The methods of Fastify that are used, declared here so that Fastify need not be installed. */
interface FastifyLike {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    parse: (request: unknown, payload: unknown, done: (error: null, body?: undefined) => void) => void,
  ): unknown
  all(
    path: string,
    handle: (
      request: { raw: IncomingMessage },
      reply: { code(status: number): { headers(all: Record<string, string>): { send(body: string): unknown } } },
    ) => Promise<unknown>,
  ): unknown
}

export interface Plugin {
  /** Handles one request. For servers that have no adapter below. */
  handle(request: RawRequest): Promise<RawAnswer>
  /** For `createServer(plugin.node)`. If `next` is given, it is called for requests to other paths. */
  node(request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): Promise<void>
  /** For `app.use(plugin.express)`. Must come before any middleware that reads request bodies. */
  express(request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): Promise<void>
  /** For `app.register(plugin.fastify)`, with or without a prefix. */
  fastify(instance: FastifyLike): Promise<void>
}

const UNAUTHORIZED = refuse(401, 'Wrong or missing credentials.', { 'www-authenticate': 'Basic realm="plugin"' })

/** Serves the platform's calls to a plugin: authenticates the platform, parses the document and calls your handler. */
export function createPlugin(options: PluginOptions): Plugin {
  const { clientId, clock = () => new Date(), bodyLimitBytes = 1024 * 1024, seen } = options
  const secrets = [options.secrets].flat()
  if (clientId === '' || secrets.length < 1 || secrets.length > 2 || secrets.includes(''))
    throw new TypeError('A plugin needs its client ID and one or two secrets.')
  const underWay = new Map<string, Promise<RawAnswer>>()

  /**
   * Runs `settle` unless the delivery was handled before, and then stores its id. If the same delivery arrives again
   * meanwhile, it gets the outcome of the first.
   */
  async function settleOnce(id: string, settle: () => Promise<RawAnswer>): Promise<RawAnswer> {
    if (seen === undefined) return settle()
    const first = underWay.get(id)
    if (first !== undefined) return first
    const outcome = (async () => {
      if (await seen.has(id)) return answer({ success: true })
      const settled = await settle()
      await seen.add(id)
      return settled
    })()
    underWay.set(id, outcome)
    try {
      return await outcome
    } finally {
      underWay.delete(id)
    }
  }

  const event =
    <T>(handler: ((document: T, delivery: Signed) => MaybeAsync<void>) | undefined) =>
    (document: T, delivery: Signed | undefined): Promise<RawAnswer> =>
      settleOnce(delivery!.id, async () => {
        await handler!(document, delivery!)
        return answer({ success: true })
      })

  // biome-ignore lint/suspicious/noExplicitAny: each takes its own document, which MISSING has looked at
  type Serve = { isServed: boolean; run: (document: any, delivery: Signed | undefined) => Promise<RawAnswer> }
  const served: Record<Purpose, Serve> = {
    request: { isServed: options.onRequestStarted !== undefined, run: event(options.onRequestStarted) },
    distributions: {
      isServed: options.onDistributionsChanged !== undefined,
      run: event(options.onDistributionsChanged),
    },
    capabilities: {
      isServed: options.onCapabilitiesSearch !== undefined,
      run: async (search) => answer(checkCapabilities(await options.onCapabilitiesSearch!(search))),
    },
    candidates: {
      isServed: options.onCandidateSearch !== undefined,
      run: async (search) => answer(checkCandidates(await options.onCandidateSearch!(search), search.limit)),
    },
  }
  const purposes = new Map<string, Purpose>()
  for (const purpose of Object.keys(served) as Purpose[])
    if (served[purpose].isServed) purposes.set(options.paths?.[purpose] ?? `/${purpose}`, purpose)

  /** Returns an error response if the request can be refused before its body is read. */
  function refuseEarly({ method, path, headers }: Omit<RawRequest, 'body'>): RawAnswer | undefined {
    if (!purposes.has(path)) return refuse(404, 'There is nothing here.')
    if (method !== 'POST') return refuse(405, 'Send it with POST.', { allow: 'POST' })
    const { authorization } = headers
    if (typeof authorization !== 'string' || !verifyBasic(authorization, { clientId, secrets })) return UNAUTHORIZED
    if (Number(headers['content-length'] ?? 0) > bodyLimitBytes) return tooLarge(bodyLimitBytes)
    return undefined
  }

  async function handle(request: RawRequest): Promise<RawAnswer> {
    const refused = refuseEarly(request)
    if (refused) return refused
    const { headers, body } = request
    if (body.length > bodyLimitBytes) return tooLarge(bodyLimitBytes)
    const purpose = purposes.get(request.path)!
    const delivery = verifySignature(headers, body, { secrets, now: clock() })
    if (delivery === undefined && (isSigned(headers) || purpose === 'request' || purpose === 'distributions'))
      return UNAUTHORIZED
    const document = readObject(body)
    if (document === undefined) return refuse(400, 'The body must be a JSON object.')
    const missing = MISSING[purpose](document)
    if (missing !== undefined) return refuse(400, `The field ${missing} is missing or of the wrong type.`)
    try {
      return await served[purpose].run(document, delivery)
    } catch (error) {
      options.onError?.(error, purpose)
      return refuse(500, 'The plugin could not deal with it.')
    }
  }

  async function answerMessage(message: IncomingMessage, path: string): Promise<RawAnswer> {
    const request = { method: message.method ?? '', path, headers: message.headers }
    const refused = refuseEarly(request)
    if (refused) return refused
    const body = await readBody(message, bodyLimitBytes)
    return body === undefined ? tooLarge(bodyLimitBytes) : handle({ ...request, body })
  }

  const node: Plugin['node'] = async (message, response, next) => {
    const path = pathOf(message)
    if (next && !purposes.has(path)) return next()
    try {
      const { status, headers, body } = await answerMessage(message, path)
      response.writeHead(status, { ...headers, ...closing(message) }).end(body)
    } catch (error) {
      options.onError?.(error, purposes.get(path)!)
      if (next) next(error)
      else response.destroy()
    }
  }

  return {
    handle,
    node,
    express: node,
    async fastify(instance) {
      // Remove Fastify's parsers: they would consume the body before its signature is checked.
      instance.removeAllContentTypeParsers()
      instance.addContentTypeParser('*', (_request, _payload, done) => done(null))
      for (const [path] of purposes)
        instance.all(path, async ({ raw }, reply) => {
          const { status, headers, body } = await answerMessage(raw, path)
          return reply
            .code(status)
            .headers({ ...headers, ...closing(raw) })
            .send(body)
        })
    },
  }
}

function answer(body: object, status = 200, headers: Record<string, string> = {}): RawAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}

function refuse(status: number, error: string, headers?: Record<string, string>): RawAnswer {
  return answer({ error }, status, headers)
}

const tooLarge = (limit: number): RawAnswer => refuse(413, `The body is larger than ${limit} bytes.`)

/** Returns the path of the URL. It does not use `new URL`, which throws on requests such as `GET //`. */
const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0]!

/** Closes the connection if the body was not read to its end, so that the rest is not parsed as the next request. */
const closing = (message: IncomingMessage): Record<string, string> => (message.complete ? {} : { connection: 'close' })

function readObject(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads the body; returns undefined if it is too large. */
async function readBody(message: IncomingMessage & { body?: unknown }, limit: number): Promise<Uint8Array | undefined> {
  // The middleware express.raw() has already read the body, and left it unchanged.
  if (message.body instanceof Uint8Array) return message.body
  if (message.readableDidRead)
    throw new Error('The body was already read: use the plugin before express.json() and the like.')
  const parts: Buffer[] = []
  let length = 0
  // Keep the message open when the loop ends early, because a response must still be sent.
  for await (const part of message.iterator({ destroyOnReturn: false })) {
    length += part.length
    if (length > limit) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
