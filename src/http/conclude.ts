import type { FastifyRequest } from 'fastify'
import type { Environment } from '../environment.ts'
import type { Observer } from './metrics.ts'

/** Counts every request, and logs those that failed on our side, were slow, or were sampled. Never the address line: it may carry a token. */
export function conclude(
  environment: Environment,
  request: FastifyRequest,
  observer: Observer,
  status: number,
  code?: number,
): void {
  const ms = performance.now() - request.receivedAtMs
  observer.observe(ms, status)
  const { SLOW_REQUEST_MS, LOG_SAMPLE } = environment.config
  const isWorthALine = status >= 500 || ms > SLOW_REQUEST_MS || (LOG_SAMPLE > 0 && Math.random() < LOG_SAMPLE)
  if (!isWorthALine) return
  environment.log.info(
    { requestId: request.id, method: request.method, operation: observer.operation, status, ms: Math.round(ms), code },
    'request',
  )
}
