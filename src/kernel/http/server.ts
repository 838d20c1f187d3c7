import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import findMyWay from 'find-my-way'
import type { Environment } from '../environment.ts'
import { fail, PlatformError } from '../errors.ts'
import { limitAddress } from './callers/callers.ts'
import { connections } from './connections.ts'
import { healthRoutes } from './health.ts'
import { withAlternates } from './input/alternate.ts'
import { refuseBody, SMALL_BODY_BYTES } from './input/bodies.ts'
import type { Interface } from './interface.ts'
import { Metrics } from './metrics.ts'
import { referenceRoutes } from './openapi/reference.ts'
import { type Headers, rawErrorAnswer, securityHeaders, sendAnswer } from './output/answers.ts'
import { ANY_ORIGIN_HEADERS, origins, PREFLIGHT_HEADERS } from './output/cors.ts'
import { showError } from './output/errors.ts'
import { isAnsweredEarly } from './output/lingering.ts'
import { JSON_TYPE } from './output/media-types.ts'
import { assetRoutes } from './pages/assets.ts'
import { pageRoute } from './pages/serve-page.ts'
import { fontRoute, sendWebPage, wantsPage, webAssetRoutes } from './pages/web-app.ts'
import { addressFinder } from './proxies.ts'
import { type Fields, HttpRequest, type Route } from './request.ts'
import { routeOf } from './serve-operation.ts'
import { checkTarget } from './targets.ts'

/** Node takes the longer of the two for the whole request, whichever is called so. A picture of 5 MiB in that time is 700 kbit/s. */
const HEADERS_TIMEOUT_MS = 30_000
const REQUEST_TIMEOUT_MS = 60_000
const KEEP_ALIVE_MS = 72_000
const CHECK_EVERY_MS = 5_000
/** An authorization request carries up to 8000 characters of `state`, each of which may be three in the address. */
const HEADERS_BYTES = 32 * 1024

/** What operations and pages are reached by; `HEAD` and `OPTIONS` come with them. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE'] as const

/** What is said about those that Node finds by itself; the others cannot be understood. */
const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time; send it again',
}

export interface HttpServer {
  readonly server: Server
  /** Every route, as `GET /path`. */
  readonly routes: readonly string[]
  handle(raw: IncomingMessage, response: ServerResponse): void
}

/** The HTTP server of one environment: what every request passes through, then its route. */
export function buildServer(environment: Environment, all: Interface): HttpServer {
  const metrics = new Metrics(environment, all.gauges)
  const routes: string[] = []
  const served: Route[] = []
  const add = (method: string, path: string, route: Route) => {
    routes.push(`${method} ${path}`)
    served.push(route)
  }
  for (const { method, path, route } of withAlternates(
    environment,
    all.operations.flatMap((operation) => {
      const route = routeOf(environment, operation, metrics.observerOf(operation.name))
      return [operation.path, ...(operation.alsoAt ?? [])].map((path) => ({ ...operation, path, route }))
    }),
  ))
    add(method, path, route)
  for (const page of all.pages) add(page.method, page.path, pageRoute(environment, page, metrics.observerOf(page.name)))
  for (const { name, path, handle } of [
    ...healthRoutes(environment, metrics),
    ...referenceRoutes(environment, all),
    ...assetRoutes(environment),
    ...webAssetRoutes(environment),
    fontRoute(environment),
  ])
    add('GET', path, {
      name,
      handle,
      errorForm: 'plain',
      challenge: 'Bearer',
      bodyLimit: SMALL_BODY_BYTES,
      hasHead: true,
      observe: metrics.observerOf(name),
    })

  const router = routerOf(routes)
  const routeAt = (found: { store: { number: number } } | null): Route | undefined =>
    found?.store && served[found.store.number]
  const unknown: Route = {
    name: 'other',
    errorForm: 'plain',
    bodyLimit: SMALL_BODY_BYTES,
    hasHead: false,
    observe: metrics.observerOf('other'),
    handle: (request) => answerUnknown(environment, request, methodsOf, isForAnyOrigin),
  }
  /** The same for a browser that goes somewhere. */
  const unknownPage: Route = {
    ...unknown,
    name: 'page',
    errorForm: 'page',
    hasHead: true,
    observe: metrics.observerOf('page'),
    handle: (request) => {
      const problem = refuseBody(request)
      if (problem) throw problem
      if (methodsOf(request.url).length > 0) return answerUnknown(environment, request, methodsOf, isForAnyOrigin)
      sendWebPage(environment, request)
    },
  }
  /** What a path takes, for `Allow`. */
  const methodsOf = (url: string): string[] => {
    const found = METHODS.flatMap((method) => {
      const route = routeAt(router.find(method, url))
      return route ? [method, ...(route.hasHead ? ['HEAD'] : [])] : []
    })
    return found.length > 0 ? [...found, 'OPTIONS'] : []
  }
  const isForAnyOrigin = (url: string): boolean =>
    METHODS.some((method) => routeAt(router.find(method, url))?.isForAnyOrigin)
  const addressOf = addressFinder(environment.config.TRUST_PROXY)
  const nextId = makeRequestIds()
  const held = environment.get(connections)

  const dispatch = (raw: IncomingMessage, response: ServerResponse, isContinueAwaited: boolean): void => {
    if (!held.admits(raw.socket, response)) return
    const request = new HttpRequest(raw, response, {
      id: nextId(raw),
      ip: addressOf(raw),
      at: environment.clock(),
      route: unknown,
      isContinueAwaited,
    })
    const refuse = (error: unknown) => refuseRequest(environment, request, error)
    try {
      checkTarget(raw)
      const method = raw.method === 'HEAD' ? 'GET' : raw.method
      const found = router.find(method as 'GET', raw.url as string)
      const route = routeAt(found)
      if (found && route && (raw.method !== 'HEAD' || route.hasHead)) {
        request.route = route
        request.params = found.params as Fields
        request.query = found.searchParams as Fields
        if (route.isEndless) held.expectNothingBehind(raw.socket, response)
      } else if (wantsPage(request)) request.route = unknownPage
      checkTransfer(raw)
      // What cannot be decoded as an address has a handler and nothing to handle it.
      if (found && !route) throw fail('badRequest')
      if (environment.stopping.aborted && !isHealthCheck(request.route))
        throw fail('notReady', 'The platform is stopping; try again shortly', 1)
      request.route.handle(request)?.catch(refuse)
    } catch (error) {
      refuse(error)
    }
  }

  const server = createServer({
    // Node would refuse a request without a host by itself, with an empty answer.
    requireHostHeader: false,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    maxHeaderSize: HEADERS_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  // What prom-client hangs on the process stays there; it must not hold on to an environment that is closed.
  server.once('close', () => metrics.registry.clear())
  const rawRefusal = (problem: PlatformError, ...headers: string[]): string =>
    rawErrorAnswer(problem, [...environment.get(securityHeaders), 'x-request-id', nextId(), ...headers])
  held.follow(server, () =>
    rawRefusal(fail('tooManyRequests', 'Too many connections are open from this network; close some', 5)),
  )
  const refuseRaw = (socket: Socket, problem: PlatformError, ...headers: string[]): void => {
    const answering = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
    const isAnswered = answering?.headersSent || isAnsweredEarly(socket)
    if (!socket.writable || isAnswered) return void socket.destroy()
    socket.end(rawRefusal(problem, ...headers))
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    refuseRaw(socket as Socket, fail('badRequest', CLIENT_ERRORS[error.code as string]))
  })
  // Node would end the connection without a word.
  server.on('connect', (_, socket) => {
    socket.on('error', () => socket.destroy())
    refuseRaw(
      socket as Socket,
      fail('methodNotAllowed', 'This is not a proxy; send the request to its own host'),
      'allow',
      '',
    )
  })
  const handle = (raw: IncomingMessage, response: ServerResponse): void =>
    dispatch(raw, response, raw.httpVersion === '1.1' && AWAITS_CONTINUE.test(raw.headers.expect ?? ''))
  // Node would ask every client for its body that waits to be asked; `readBody` does it where it is wanted.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, handle)
  return { server, routes, handle }
}

type Router = ReturnType<typeof findMyWay>
const routers = new Map<string, Router>()

/** Finds the number of a route. Both environments have the same: what was compiled for one is there for the other. */
function routerOf(routes: readonly string[]): Router {
  const key = routes.join('\n')
  let router = routers.get(key)
  if (router) return router
  router = findMyWay({ maxParamLength: 500, ignoreTrailingSlash: true, onBadUrl: () => {} })
  for (const [number, route] of routes.entries()) {
    const [method, path = ''] = route.split(' ')
    router.on(method as 'GET', path.replaceAll(/\{(\w+)\}/g, ':$1'), () => {}, { number })
  }
  routers.set(key, router)
  return router
}

const AWAITS_CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/** What must be done before the body can be read, and is not: a coding other than chunks, an expectation other than to be asked. */
function checkTransfer({ headers, httpVersion }: IncomingMessage): void {
  const { 'transfer-encoding': coding, expect } = headers
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw fail('badRequest', 'Transfer-Encoding must be chunked, or left out')
  if (expect && httpVersion === '1.1' && expect.toLowerCase() !== '100-continue') throw fail('expectationFailed')
}

const isHealthCheck = ({ name }: Route): boolean => name === 'healthz' || name === 'readyz'

/** A path or a method that there is none of, or a browser that asks whether a page may call us. */
function answerUnknown(
  environment: Environment,
  request: HttpRequest,
  methodsOf: (url: string) => string[],
  isForAnyOrigin: (url: string) => boolean,
): void {
  limitAddress(environment, request)
  const problem = refuseBody(request)
  if (problem) throw problem
  const { method, headers, url } = request
  if (method === 'OPTIONS') {
    const { origin } = headers
    const isOpen = isForAnyOrigin(url)
    if (origin !== undefined && !isOpen && !environment.get(origins).has(origin))
      throw fail('forbidden', 'This origin is not registered; add it to the app in the developer console')
    const all = { ...PREFLIGHT_HEADERS, ...(isOpen ? ANY_ORIGIN_HEADERS : {}), 'content-type': JSON_TYPE }
    sendAnswer(environment, request, 200, all, '{"success":true}')
    return
  }
  const path = url.split('?', 1)[0]
  const allow = methodsOf(url).join(', ')
  if (allow !== '') {
    const notAllowed = fail('methodNotAllowed', `${path} does not take ${method}; it takes ${allow}`)
    refuseRequest(environment, request, notAllowed, { allow })
    return
  }
  throw fail('notFound', `There is no operation ${method} ${path}; ${environment.url}/docs lists them all`)
}

/** Short, unique over all processes, and safe in a header. A client's own id is kept where it has that form. */
function makeRequestIds(): (raw?: IncomingMessage) => string {
  const start = randomBytes(6).toString('base64url')
  let count = 0
  return (raw) => {
    const given = raw?.headers['x-request-id']
    if (typeof given === 'string' && /^[\w.-]{8,64}$/.test(given)) return given
    return `${start}-${(++count).toString(36)}`
  }
}

/** Answers what was thrown: an error that we mean as it is, anything else as 5000, and its cause goes to the log alone. */
function refuseRequest(environment: Environment, request: HttpRequest, error: unknown, headers: Headers = {}): void {
  const problem = error instanceof PlatformError ? error : fail('internal')
  if (problem.kind === 'internal') {
    const { name, message, stack, code } = error as Error & { code?: string }
    environment.log.error(
      { requestId: request.id, operation: request.route.name, error: { name, message, stack, code } },
      'an operation failed in a way that was not foreseen',
    )
  }
  if (problem.kind === 'notReady' && problem.cause instanceof Error) tellCause(environment, problem.cause)
  if (request.response.headersSent) return void request.raw.socket.destroy()
  const look = showError(problem, request.route, {
    requestId: request.id,
    isSandbox: environment.name === 'sandbox',
    hasCredentials: Boolean(request.headers.authorization || request.query.authorization),
  })
  sendAnswer(environment, request, look.status, { ...look.headers, ...headers }, look.body)
}

const TELL_EVERY_MS = 1_000
let toldAtMs = 0

/** While the database is away every request fails for the same reason: once a second is enough. */
function tellCause(environment: Environment, cause: Error): void {
  const nowMs = performance.now()
  if (nowMs - toldAtMs < TELL_EVERY_MS) return
  toldAtMs = nowMs
  environment.log.warn({ problem: cause.message }, 'requests are refused because the database cannot serve them')
}
