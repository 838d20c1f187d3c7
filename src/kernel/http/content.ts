import type { IncomingMessage } from 'node:http'
import { buildContentHosts, filesOrigin, packageOrigin } from '../content-hosts.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { limitAddress } from './callers/callers.ts'
import type { Metrics } from './metrics.ts'
import type { ContentRoute, Fields, Route } from './request.ts'
import { hostNameOf } from './targets.ts'

/**
 * Creates the table of the content origin. It finds a route for every request to a host name of CONTENT_URL, so that
 * no operation, page or cookie of the platform is reached there; and for no other request.
 */
export function buildContentTable(environment: Environment, metrics: Metrics, routes: readonly ContentRoute[] = []) {
  const { contentUrl } = environment
  const isContentHost = buildContentHosts(contentUrl)
  /** Content of others on the host name of a package would have its origin, and could read its storage. */
  const isAtHome = ({ packageOf }: ContentRoute, hostName: string, params: Record<string, string>): boolean => {
    const origin = packageOf ? packageOrigin(contentUrl!, packageOf(params)) : filesOrigin(contentUrl!)
    return new URL(origin).hostname === hostName
  }
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
  const table = routes.map((one) => ({
    ...one,
    route: routeOf(one.name, (request) => one.handle(environment, request, request.params as Record<string, string>)),
  }))
  const unknown = routeOf('content', ({ method }) => {
    throw method === 'GET' || method === 'HEAD' ? fail('notFound', 'There is no file at this address') : notAllowed()
  })
  return ({
    headers,
    method,
    url = '',
  }: IncomingMessage): { route: Route; params: Fields; query: Fields } | undefined => {
    const hostName = hostNameOf(headers.host ?? '')
    if (!isContentHost(hostName)) return undefined
    if (method === 'GET' || method === 'HEAD')
      for (const one of table) {
        const found = one.path.exec(url.split('?', 1)[0]!)
        const params = { ...found?.groups }
        if (found && isAtHome(one, hostName, params)) return { route: one.route, params, query: {} }
      }
    return { route: unknown, params: {}, query: {} }
  }
}

const notAllowed = () => fail('methodNotAllowed', 'Files can only be read, with GET or HEAD')
