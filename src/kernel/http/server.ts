import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Environment } from '../environment.ts'
import { fail, type PlatformError } from '../errors.ts'
import { connections, pendingResponse } from './connections.ts'
import { buildDispatch, type Dispatch, makeRequestIds } from './dispatch.ts'
import { isStreaming } from './input/streams.ts'
import type { Interface } from './interface.ts'
import { Metrics } from './metrics.ts'
import { rawErrorAnswer, securityHeaders } from './output/answers.ts'
import { isAnsweredEarly } from './output/lingering.ts'
import { buildRouteTable } from './route-table.ts'

/** Time limit for receiving the headers of a request. */
const HEADERS_TIMEOUT_MS = 30_000
/** Time limit for receiving a whole request. Uploading a 5 MiB picture within a minute needs 700 kbit/s. */
const REQUEST_TIMEOUT_MS = 60_000
const CHECK_EVERY_MS = 5_000
/**
 * Large enough for an authorization request with 8,000 characters of `state`, each of which takes up to three bytes in
 * the URL.
 */
const HEADERS_BYTES = 32 * 1024

/** Messages for protocol errors that Node detects itself. Other errors get the catalogue's text. */
const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time; send it again',
}

const TOO_MANY_COOKIES = 'The cookies of this site were too large, so your browser was told to delete them; try again'

/**
 * Returns whether a request is too large because of its cookies. Other sites below one domain can set cookies for all
 * of it, and would lock people out of the platform. A long URL is no reason, because every page can link to one.
 */
function isFullOfCookies(error: NodeJS.ErrnoException & { rawPacket?: Buffer }): boolean {
  if (error.code !== 'HPE_HEADER_OVERFLOW' || !error.rawPacket) return false
  const [line = '', ...headers] = error.rawPacket.toString('latin1').split('\r\n')
  return /^[A-Z]+ \//.test(line) && line.length < HEADERS_BYTES / 4 && headers.some((one) => /^cookie:/i.test(one))
}

export interface HttpServer {
  readonly server: Server
  /** Method and path of every route, such as `GET /path`. */
  readonly routes: readonly string[]
  readonly handle: Dispatch
}

/** Builds the HTTP server of one environment. */
export function buildServer(environment: Environment, all: Interface): HttpServer {
  const metrics = new Metrics(environment, all.gauges)
  const table = buildRouteTable(environment, all, metrics)
  const nextId = makeRequestIds()
  const handle = buildDispatch(environment, all, table, metrics, nextId)
  const server = createServer({
    // Without this, Node itself would refuse a request without Host, with an empty response.
    requireHostHeader: false,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    maxHeaderSize: HEADERS_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // The sweep of `connections` closes idle connections.
    keepAliveTimeout: 0,
    // Requests without a body skip the events of a stream.
    optimizeEmptyRequests: true,
  })
  // If the registry is not cleared, prom-client's hooks on the process keep a closed environment in memory.
  server.once('close', () => metrics.registry.clear())
  refuseBadConnections(environment, server, nextId)
  // With a listener only for `request`, Node would respond `100 Continue` to every client. `readBody` does so only if
  // it wants the body.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, handle)
  return { server, routes: table.addresses, handle }
}

/**
 * Refuses, in our own error format, everything that never becomes a request: too many connections, protocol errors,
 * CONNECT.
 */
function refuseBadConnections(environment: Environment, server: Server, nextId: () => string): void {
  const rawRefusal = (problem: PlatformError, ...headers: string[]): string =>
    rawErrorAnswer(problem, [...environment.get(securityHeaders), 'x-request-id', nextId(), ...headers])
  environment
    .get(connections)
    .follow(server, () =>
      rawRefusal(fail('tooManyRequests', 'Too many connections are open from this network; close some', 5)),
    )
  const refuseRaw = (socket: Socket, problem: PlatformError, ...headers: string[]): void => {
    const isAnswered = pendingResponse(socket)?.headersSent || isAnsweredEarly(socket)
    if (!socket.writable || isAnswered) return void socket.destroy()
    socket.end(rawRefusal(problem, ...headers))
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Browsers open connections in advance. A refusal on one that was not used yet would arrive as the response to its
    // first request.
    const isUnused = (socket as Socket).bytesRead === 0
    // A streamed body has its own time limit.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isStreaming(socket as Socket)) return
    if (isUnused || error.code === 'ECONNRESET') return void socket.destroy()
    if (isFullOfCookies(error))
      return refuseRaw(socket as Socket, fail('badRequest', TOO_MANY_COOKIES), 'clear-site-data', '"cookies"')
    refuseRaw(socket as Socket, fail('badRequest', CLIENT_ERRORS[error.code as string]))
  })
  // Without a listener, Node would close the connection without a response.
  server.on('connect', (_, socket) => {
    socket.on('error', () => socket.destroy())
    refuseRaw(
      socket as Socket,
      fail('methodNotAllowed', 'This is not a proxy; send the request to its own host'),
      'allow',
      '',
    )
  })
}
