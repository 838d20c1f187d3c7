import { randomBytes } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { admitAnyone, receive } from './admit.ts'
import { conclude } from './conclude.ts'
import { serveHealth } from './health.ts'
import { acceptBodies, SMALL_BODY_BYTES } from './input/bodies.ts'
import { boundRest, isAnswered, makeLingering } from './lingering.ts'
import { Metrics, type Observer } from './metrics.ts'
import { serveReference } from './openapi/reference.ts'
import type { Operation } from './operation.ts'
import { addCommonHeaders, rawErrorAnswer, understand } from './output/answers.ts'
import { type ErrorForm, sendError, sendRefusal } from './output/errors.ts'
import type { Page } from './pages/page.ts'
import { servePage, serveScripts, serveStyle } from './pages/serve-page.ts'
import { answerPreflight } from './preflight.ts'
import { serveOperation } from './serve.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its name in metrics and logs. */
    operation?: string
    observer?: Observer
    errorForm?: ErrorForm
  }
}

/** Node takes the longer of the two for the whole request, whichever is called so. A picture of 5 MiB in that time is 700 kbit/s. */
const HEADERS_TIMEOUT_MS = 30_000
const REQUEST_TIMEOUT_MS = 60_000
const KEEP_ALIVE_MS = 72_000
/** A connection on which nothing moves, because its client neither sends nor reads. */
const SILENT_CONNECTION_MS = 120_000
const CHECK_EVERY_MS = 5_000
/** An authorization request carries up to 8000 characters of `state`, each of which may be three in the address. */
const HEADERS_BYTES = 32 * 1024

/** What is said about those that Node finds by itself; the others cannot be understood. */
const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time; send it again',
}

/** The HTTP server of one environment: what every request passes through, then its operations. */
export function buildServer(
  environment: Environment,
  operations: readonly Operation[],
  pages: readonly Page[],
): FastifyInstance {
  const nextRawId = makeRequestIds()
  const server = fastify({
    logger: false,
    // Node would refuse a request without a host by itself, with an empty answer; `receive` does it with ours.
    http: {
      requireHostHeader: false,
      connectionsCheckingInterval: CHECK_EVERY_MS,
      maxHeaderSize: HEADERS_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
    },
    genReqId: makeRequestIds(),
    // For paths that there are none of, too: their bodies are read before anybody looks at the path.
    bodyLimit: SMALL_BODY_BYTES,
    trustProxy: environment.config.TRUST_PROXY.length > 0 ? environment.config.TRUST_PROXY : false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: SILENT_CONNECTION_MS,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    // Such an answer passes no hook.
    frameworkErrors: (error, request, reply) => {
      boundRest(environment, request.raw, reply.raw)
      refuse(environment, error, request, addCommonHeaders(environment, request, reply))
    },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable || isAnswered(socket)) return socket.destroy()
      const problem = fail('badRequest', CLIENT_ERRORS[error.code as string])
      socket.end(rawErrorAnswer(problem, [...environment.securityHeaders, 'x-request-id', nextRawId()]))
    },
  })
  // Likewise: Node would ask every client for its body that waits to be asked; `readBody` does it where somebody wants it.
  server.server.on('checkContinue', server.routing)
  // And what else a client expects beyond our answer is its own affair.
  server.server.on('checkExpectation', server.routing)
  const metrics = new Metrics(environment)
  const unnamed = metrics.observerOf('other')
  server.decorateRequest('who')
  server.decorateRequest('receivedAtMs', 0)
  server.decorateRequest('bodyRoom')
  server.decorateRequest('askForBody')
  server.decorateRequest('limitPolicy')
  server.decorateRequest('limitState')
  acceptBodies(server)
  server.addHook('onRoute', ({ config }) => {
    if (config) config.observer ??= metrics.observerOf(config.operation ?? 'other')
  })
  const linger = makeLingering(environment)
  // For what is not sent by `sendAnswer`: pages, health, errors.
  server.addHook('onSend', (request, reply, payload, done) => {
    addCommonHeaders(environment, request, reply)
    const observer = request.routeOptions.config.observer ?? unnamed
    conclude(environment, request, observer, reply.statusCode, Number(reply.getHeader('errorcode')) || undefined)
    boundRest(environment, request.raw, reply.raw)
    request.bodyRoom?.giveBack()
    done(null, linger(request, reply, payload))
  })
  const answerUnknown = (request: FastifyRequest, reply: FastifyReply) => {
    const problem = admitAnyone(environment, request, reply)
    if (problem) return sendError(reply, problem)
    if (request.method === 'OPTIONS') return answerPreflight(environment, request, reply)
    const path = request.url.split('?', 1)[0]
    const advice = `There is no operation ${request.method} ${path}; ${environment.url}/docs lists them all`
    return sendError(reply, fail('notFound', advice))
  }
  server.setNotFoundHandler(answerUnknown)
  server.setErrorHandler((error, request, reply) => {
    // Fastify refuses a media type that is none before it says that there is no such path, and nobody was admitted yet.
    if (request.is404 && request.who === undefined) answerUnknown(request, reply)
    else refuse(environment, error, request, reply)
  })

  for (const operation of operations) serveOperation(server, environment, operation, metrics.observerOf(operation.name))
  for (const page of pages) servePage(server, environment, page, metrics.observerOf(page.name))
  server.register(async (others) => {
    others.addHook('onRequest', (request, reply, done) => {
      done(isHealthCheck(request) ? receive(request, reply) : admitAnyone(environment, request, reply))
    })
    serveHealth(others, environment, metrics)
    serveReference(others, environment, operations, pages)
    serveStyle(others)
    serveScripts(others)
  })
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

const isHealthCheck = (request: FastifyRequest): boolean => request.url === '/healthz' || request.url === '/readyz'

function refuse(environment: Environment, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = understand(error)
  if (problem.kind === 'internal') {
    const { name, message, stack, code } = error as Error & { code?: string }
    environment.log.error(
      {
        requestId: request.id,
        operation: request.routeOptions?.config?.observer?.operation,
        error: { name, message, stack, code },
      },
      'an operation failed in a way that was not foreseen',
    )
  }
  if (problem.kind === 'notReady' && problem.cause instanceof Error) tellCause(environment, problem.cause)
  sendRefusal(environment, request, reply, problem)
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
