import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Environment } from '../environment.ts'
import { fail, PlatformError } from '../errors.ts'
import { limitAddress } from './callers/callers.ts'
import { connections } from './connections.ts'
import { buildContentTable } from './content.ts'
import { refuseBody, SMALL_BODY_BYTES } from './input/bodies.ts'
import type { Interface } from './interface.ts'
import type { Metrics } from './metrics.ts'
import { type Headers, sendAnswer } from './output/answers.ts'
import { ANY_ORIGIN_HEADERS, origins, PREFLIGHT_HEADERS } from './output/cors.ts'
import { showError } from './output/errors.ts'
import { JSON_TYPE } from './output/media-types.ts'
import { sendWebPage, sendWelcome, wantsPage } from './pages/web-app.ts'
import { addressFinder } from './proxies.ts'
import { HttpRequest, type Route } from './request.ts'
import type { RouteTable } from './route-table.ts'
import { standstill } from './standstill.ts'
import { buildHostCheck, checkTarget } from './targets.ts'

export type Dispatch = (raw: IncomingMessage, response: ServerResponse) => void

/** Creates a function that finds the route of a request and runs it. Errors that the route throws become responses. */
export function buildDispatch(
  environment: Environment,
  all: Interface,
  table: RouteTable,
  metrics: Metrics,
  nextId: (raw: IncomingMessage) => string,
): Dispatch {
  const findContent = buildContentTable(environment, metrics, all.contentRoutes)
  const { unknown, unknownPage } = unknownRoutes(environment, table, metrics)
  const addressOf = addressFinder(environment.config.TRUST_PROXY)
  const checkHost = buildHostCheck(environment.config)
  const open = environment.get(connections)
  const still = environment.get(standstill)
  return (raw, response) => {
    if (!open.admits(raw.socket, response)) return
    const request = new HttpRequest(raw, response, {
      id: nextId(raw),
      ip: addressOf(raw),
      at: environment.clock(),
      route: unknown,
      isContinueAwaited: raw.httpVersion === '1.1' && AWAITS_CONTINUE.test(raw.headers.expect ?? ''),
    })
    const refuse = (error: unknown) => refuseRequest(environment, request, error)
    try {
      checkTarget(raw)
      const content = findContent(raw)
      const found = content ?? table.find(raw.method as string, raw.url as string)
      if (typeof found === 'object') {
        request.route = found.route
        request.params = found.params
        request.query = found.query
        if (found.route.isEndless) open.refusePipelined(raw.socket, response)
      } else if (wantsPage(request)) request.route = unknownPage
      if (!isHealthCheck(request.route)) checkHost(raw)
      checkTransfer(raw)
      if (found === 'undecodable') throw fail('badRequest')
      if (environment.stopping.aborted && !isHealthCheck(request.route))
        throw fail('notReady', 'The platform is stopping; try again shortly', 1)
      if (!isHealthCheck(request.route)) still.check()
      request.route.handle(request)?.catch(refuse)
    } catch (error) {
      refuse(error)
    }
  }
}

/** Creates the routes for unknown addresses: one for programs, and one for people who navigate in a browser. */
function unknownRoutes(environment: Environment, table: RouteTable, metrics: Metrics) {
  const unknown: Route = {
    name: 'other',
    errorForm: 'plain',
    bodyLimit: SMALL_BODY_BYTES,
    hasHead: false,
    observe: metrics.observerOf('other'),
    handle: (request) => answerUnknown(environment, request, table),
  }
  const unknownPage: Route = {
    ...unknown,
    name: 'page',
    errorForm: 'page',
    hasHead: true,
    observe: metrics.observerOf('page'),
    handle: (request) => {
      const problem = refuseBody(request)
      if (problem) throw problem
      if (table.methodsOf(request.url).length > 0) return answerUnknown(environment, request, table)
      return sendWebPage(environment, request)
    },
  }
  return { unknown, unknownPage }
}

const AWAITS_CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/** Refuses transfer codings other than chunked, and expectations other than 100-continue (RFC 9110 §10.1.1). */
function checkTransfer({ headers, httpVersion }: IncomingMessage): void {
  const { 'transfer-encoding': coding, expect } = headers
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw fail('badRequest', 'Transfer-Encoding must be chunked, or left out')
  if (expect && httpVersion === '1.1' && expect.toLowerCase() !== '100-continue') throw fail('expectationFailed')
}

const isHealthCheck = ({ name }: Route): boolean => name === 'healthz' || name === 'readyz'

/** Responds to an unknown path (404), a wrong method (405), or a CORS preflight. */
function answerUnknown(environment: Environment, request: HttpRequest, table: RouteTable): void {
  limitAddress(environment, request)
  const problem = refuseBody(request)
  if (problem) throw problem
  const { method, headers, url } = request
  if (method === 'OPTIONS') {
    const { origin } = headers
    const isOpen = table.isForAnyOrigin(url)
    if (origin !== undefined && !isOpen && !environment.get(origins).has(origin))
      throw fail('forbidden', 'This origin is not registered; add it to the app in the developer console')
    const all = { ...PREFLIGHT_HEADERS, ...(isOpen ? ANY_ORIGIN_HEADERS : {}), 'content-type': JSON_TYPE }
    sendAnswer(environment, request, 200, all, '{"success":true}')
    return
  }
  const path = url.split('?', 1)[0]
  if (path === '/' && (method === 'GET' || method === 'HEAD')) {
    sendWelcome(environment, request)
    return
  }
  const allow = table.methodsOf(url).join(', ')
  if (allow !== '') {
    const notAllowed = fail('methodNotAllowed', `${path} does not support ${method}; use ${allow}`)
    refuseRequest(environment, request, notAllowed, { allow })
    return
  }
  throw fail('notFound', `There is no operation ${method} ${path}; ${environment.url}/docs lists all operations`)
}

/**
 * Creates request ids that are short, unique across processes, and safe in a header. If the client has sent an id of
 * that form, it is used instead.
 */
export function makeRequestIds(): (raw?: IncomingMessage) => string {
  const start = randomBytes(6).toString('base64url')
  let count = 0
  return (raw) => {
    const given = raw?.headers['x-request-id']
    if (typeof given === 'string' && /^[\w.-]{8,64}$/.test(given)) return given
    return `${start}-${(++count).toString(36)}`
  }
}

/**
 * Sends an error response. Errors of the catalogue are sent as they are. For any other error the client gets code 5000,
 * and the cause is only logged.
 */
function refuseRequest(environment: Environment, request: HttpRequest, error: unknown, headers: Headers = {}): void {
  const problem = error instanceof PlatformError ? error : fail('internal')
  if (problem.kind === 'internal') {
    const { name, message, stack, code } = error as Error & { code?: string }
    environment.log.error(
      { requestId: request.id, operation: request.route.name, error: { name, message, stack, code } },
      'unhandled error in operation',
    )
  }
  if (problem.kind === 'notReady' && problem.cause instanceof Error) logUnavailable(environment, problem.cause)
  if (request.response.headersSent) return void request.raw.socket.destroy()
  const look = showError(problem, request.route, {
    requestId: request.id,
    isSandbox: environment.name === 'sandbox',
    hasCredentials: Boolean(request.hasToken || request.headers.authorization || request.query.authorization),
    hasToken: request.hasToken,
  })
  sendAnswer(environment, request, look.status, { ...look.headers, ...headers }, look.body)
}

const LOG_INTERVAL_MS = 1_000
let loggedAtMs = 0

/**
 * Logs at most one line per second, because every request fails for the same reason meanwhile.
 */
function logUnavailable(environment: Environment, cause: Error): void {
  const nowMs = performance.now()
  if (nowMs - loggedAtMs < LOG_INTERVAL_MS) return
  loggedAtMs = nowMs
  environment.log.warn(
    { problem: cause.message },
    'requests are refused because the database or the file store is unavailable',
  )
}
