import type { IncomingMessage } from 'node:http'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { limitAddress } from './callers/callers.ts'
import type { Metrics } from './metrics.ts'
import type { ContentRoute, Fields, Route } from './request.ts'
import { hostNameOf } from './targets.ts'

/**
 * Creates the table of the content origin. It finds a route for every request to the host name of CONTENT_URL, so that
 * no operation, page or cookie of the platform is reached there; and for no other request.
 */
export function buildContentTable(environment: Environment, metrics: Metrics, routes: readonly ContentRoute[] = []) {
  const { contentUrl } = environment
  const contentHost = contentUrl && new URL(contentUrl).hostname
  const routeOf = (name: string, handle: Route['handle']): Route => ({
    name,
    errorForm: 'plain',
    bodyLimit: 0,
    hasHead: true,
    observe: metrics.observerOf(name),
    handle: (request) => {
      limitAddress(environment, request)
      return handle(request)
    },
  })
  const table = routes.map(({ name, path, handle }) => ({
    path,
    route: routeOf(name, (request) => handle(environment, request, request.params as Record<string, string>)),
  }))
  const unknown = routeOf('content', ({ method }) => {
    throw method === 'GET' || method === 'HEAD' ? fail('notFound', 'There is no file at this address') : notAllowed()
  })
  return ({
    headers,
    method,
    url = '',
  }: IncomingMessage): { route: Route; params: Fields; query: Fields } | undefined => {
    if (contentHost === undefined || hostNameOf(headers.host ?? '') !== contentHost) return undefined
    if (method === 'GET' || method === 'HEAD')
      for (const { path, route } of table) {
        const found = path.exec(url.split('?', 1)[0]!)
        if (found) return { route, params: { ...found.groups }, query: {} }
      }
    return { route: unknown, params: {}, query: {} }
  }
}

const notAllowed = () => fail('methodNotAllowed', 'Files can only be read, with GET or HEAD')
