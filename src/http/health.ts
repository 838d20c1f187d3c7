import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Config, isLoopbackHost } from '../config.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { hashToken } from '../sessions/tokens.ts'
import type { Metrics } from './metrics.ts'

/** For load balancers and monitoring: is the process alive, does it want requests, how is it doing. */
export function serveHealth(server: FastifyInstance, environment: Environment, metrics: Metrics): void {
  server.get('/healthz', { config: { operation: 'healthz' } }, async () => ({ status: 'ok' }))
  server.get('/readyz', { config: { operation: 'readyz' } }, async () => {
    if (environment.stopping.aborted) throw fail('notReady', 'The platform is stopping')
    if (!environment.db.isAvailable()) throw fail('notReady', 'The database does not answer')
    return { status: 'ready' }
  })
  server.get('/metrics', { config: { operation: 'metrics' } }, async (request, reply) => {
    if (!mayReadMetrics(environment, request))
      throw fail('notAuthorized', 'Set METRICS_TOKEN and send it as a bearer token')
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
}

function mayReadMetrics({ config }: Environment, request: FastifyRequest): boolean {
  if (config.METRICS_TOKEN === undefined) return isFromThisMachine(config, request)
  const given = request.headers.authorization?.replace(/^bearer /i, '') ?? ''
  return timingSafeEqual(hashToken(given), hashToken(config.METRICS_TOKEN))
}

/** A proxy on this machine that nobody told us about makes every caller look local; what it forwards is not. */
const isFromThisMachine = ({ TRUST_PROXY }: Config, request: FastifyRequest): boolean =>
  isLoopbackHost(request.ip.replace(/^::ffff:/, '')) &&
  (TRUST_PROXY.length > 0 || request.headers['x-forwarded-for'] === undefined)
