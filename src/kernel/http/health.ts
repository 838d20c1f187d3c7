import { timingSafeEqual } from 'node:crypto'
import { type Config, isLoopbackHost } from '../config.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { hashToken } from '../sessions/tokens.ts'
import { limitAddress } from './callers/callers.ts'
import { findObstacle, type Metrics } from './metrics.ts'
import { sendAnswer } from './output/answers.ts'
import { JSON_TYPE } from './output/media-types.ts'
import type { HttpRequest, PlainRoute } from './request.ts'

/** Creates the routes for load balancers and monitoring: liveness, readiness and metrics. */
export function healthRoutes(environment: Environment, metrics: Metrics): PlainRoute[] {
  const sendStatus = (request: HttpRequest, status: string) =>
    sendAnswer(environment, request, 200, { 'content-type': JSON_TYPE }, JSON.stringify({ status }))
  return [
    { path: '/healthz', name: 'healthz', handle: (request) => sendStatus(request, 'ok') },
    {
      path: '/readyz',
      name: 'readyz',
      handle: (request) => {
        const obstacle = findObstacle(environment)
        if (obstacle !== undefined) throw fail('notReady', obstacle)
        sendStatus(request, 'ready')
      },
    },
    {
      path: '/metrics',
      name: 'metrics',
      handle: async (request) => {
        limitAddress(environment, request)
        if (!mayReadMetrics(environment, request))
          throw fail('notAuthorized', 'Set METRICS_TOKEN and send it as a bearer token')
        const { registry } = metrics
        sendAnswer(environment, request, 200, { 'content-type': registry.contentType }, await metrics.read())
      },
    },
  ]
}

function mayReadMetrics({ config }: Environment, request: HttpRequest): boolean {
  if (config.METRICS_TOKEN === undefined) return isFromThisMachine(config, request)
  const given = request.headers.authorization?.replace(/^bearer /i, '') ?? ''
  return timingSafeEqual(hashToken(given), hashToken(config.METRICS_TOKEN))
}

/**
 * Headers that proxies add. A proxy on this machine would make every caller look local, so callers with such a header
 * need the metrics token.
 */
const FORWARDED =
  /forwarded|client-ip|real-ip|connecting-ip|^via$|^x-original-|^x-envoy-|cdn|^cf-|^x-amzn-|^x-azure-|^x-appengine-|^fly-/

/**
 * Tells whether a request comes from this machine. It also checks the Host header, because a proxy that adds no header
 * of its own usually passes on the public host name.
 */
const isFromThisMachine = ({ isLocal }: Config, { ip, headers }: HttpRequest): boolean =>
  isLocal &&
  isLoopbackHost(ip) &&
  isLoopbackHost(URL.parse(`http://${headers.host}`)?.hostname ?? '') &&
  !Object.keys(headers).some((name) => FORWARDED.test(name))
