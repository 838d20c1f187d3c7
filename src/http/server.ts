import { randomBytes } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { rawErrorAnswer, sendError, understand } from './answers.ts'
import { answerPreflight, corsHeaders } from './cors.ts'
import { serveHealth } from './health.ts'
import { Metrics, type Observer } from './metrics.ts'
import type { Operation } from './operation.ts'
import { serveReference } from './reference.ts'
import { acceptBodies, serveOperation } from './serve.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string
    observer?: Observer
  }
}

const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 72_000

/** The HTTP server of one environment: what every request passes through, then its operations. */
export function buildServer(environment: Environment, operations: readonly Operation[]): FastifyInstance {
  const always = securityHeaders(environment)
  const nextRawId = makeRequestIds()
  const server = fastify({
    logger: false,
    // Node would refuse a request without a host by itself, with an empty answer; `receive` does it with ours.
    http: { requireHostHeader: false },
    genReqId: makeRequestIds(),
    bodyLimit: environment.config.BODY_LIMIT_BYTES,
    trustProxy: environment.config.TRUST_PROXY.length > 0 ? environment.config.TRUST_PROXY : false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) =>
      refuse(environment, error, request, reply.headers(always).header('x-request-id', request.id)),
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
      const problem =
        error.code === 'HPE_HEADER_OVERFLOW' ? fail('badRequest', 'The headers are too large') : fail('badRequest')
      socket.end(rawErrorAnswer(problem, { ...always, 'x-request-id': nextRawId() }))
    },
  })
  // Likewise: what a client expects beyond our answer is its own affair.
  server.server.on('checkExpectation', server.routing)
  const metrics = new Metrics(environment)
  server.decorateRequest('who')
  server.decorateRequest('receivedAtMs', 0)
  acceptBodies(server)
  server.addHook('onRoute', ({ config }) => {
    if (config) config.observer = metrics.observerOf(config.operation ?? 'other')
  })
  server.addHook('onRequest', receive(environment, always))
  server.addHook('onResponse', (request, reply, done) => {
    conclude(environment, request, reply)
    done()
  })
  server.setErrorHandler((error, request, reply) => refuse(environment, error, request, reply))
  server.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]
    sendError(
      reply,
      fail('notFound', `There is no operation ${request.method} ${path}; ${environment.url}/docs lists them all`),
    )
  })

  serveHealth(server, environment, metrics)
  serveReference(server, environment, operations)
  for (const operation of operations) serveOperation(server, environment, operation)
  return server
}

/** Short, unique over all processes, and safe in a header. A client's own id is kept where it has that form. */
function makeRequestIds(): (request?: { headers: Record<string, string | string[] | undefined> }) => string {
  const start = randomBytes(6).toString('base64url')
  let count = 0
  return (request) => {
    const given = request?.headers['x-request-id']
    if (typeof given === 'string' && /^[\w.-]{8,64}$/.test(given)) return given
    return `${start}-${(++count).toString(36)}`
  }
}

/** What every answer carries, the refusal of a broken request too. */
const securityHeaders = ({ url }: Environment): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  ...(url.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
})

/** The first thing that happens to a request. */
function receive(environment: Environment, always: Record<string, string>) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    request.receivedAtMs = performance.now()
    reply.headers(always)
    reply.header('x-request-id', request.id)
    const { origin, host } = request.headers
    if (host === undefined && request.raw.httpVersion === '1.1')
      return done(fail('badRequest', 'The Host header is missing'))
    if (origin !== undefined) reply.headers(corsHeaders(environment, origin))
    if (request.method === 'OPTIONS') return answerPreflight(environment, request, reply)
    if (environment.stopping.aborted && !isHealthCheck(request)) {
      reply.header('connection', 'close')
      return done(fail('notReady', 'The platform is stopping; try again shortly', 1))
    }
    done()
  }
}

const isHealthCheck = (request: FastifyRequest): boolean => request.url === '/healthz' || request.url === '/readyz'

function refuse(environment: Environment, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = understand(error)
  if (problem.kind === 'internal') {
    const { name, message, stack, code } = error as Error & { code?: string }
    environment.log.error(
      {
        requestId: request.id,
        operation: request.routeOptions?.config?.operation,
        error: { name, message, stack, code },
      },
      'an operation failed in a way that was not foreseen',
    )
  }
  sendError(reply, problem)
}

/** Counts every request, and logs those that failed on our side, were slow, or were sampled. Never the address line: it may carry a token. */
function conclude(environment: Environment, request: FastifyRequest, reply: FastifyReply): void {
  const ms = performance.now() - request.receivedAtMs
  const { config } = request.routeOptions
  config.observer?.observe(ms / 1000, reply.statusCode)
  const { SLOW_REQUEST_MS, LOG_SAMPLE } = environment.config
  const isWorthALine = reply.statusCode >= 500 || ms > SLOW_REQUEST_MS || (LOG_SAMPLE > 0 && Math.random() < LOG_SAMPLE)
  if (!isWorthALine) return
  environment.log.info(
    {
      requestId: request.id,
      method: request.method,
      operation: config.operation,
      status: reply.statusCode,
      ms: Math.round(ms),
      code: reply.getHeader('errorcode'),
    },
    'request',
  )
}
