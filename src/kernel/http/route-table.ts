import { setImmediate } from 'node:timers/promises'
import findMyWay from 'find-my-way'
import type { Environment } from '../environment.ts'
import { healthRoutes } from './health.ts'
import { SMALL_BODY_BYTES } from './input/bodies.ts'
import { checkOf } from './input/fields.ts'
import type { Interface } from './interface.ts'
import type { Metrics } from './metrics.ts'
import { descriptionRoute } from './openapi/reference.ts'
import type { Operation } from './operation.ts'
import { assetRoutes } from './pages/assets.ts'
import { documentationRoutes } from './pages/documentation.ts'
import { pageRoute } from './pages/serve-page.ts'
import { fontRoute, webAssetRoutes } from './pages/web-app.ts'
import type { Fields, Route, RouteRow } from './request.ts'
import { routeOf } from './serve-operation.ts'

/** Methods that operations and pages can have. `HEAD` and `OPTIONS` are derived from them. */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE'] as const

interface Match {
  readonly route: Route
  readonly params: Fields
  readonly query: Fields
}

/** All addresses that an environment serves. */
export interface RouteTable {
  /** Method and path of each route, such as `GET /path`. */
  readonly addresses: readonly string[]
  /** Finds the route of a request. Returns `undecodable` if the URL cannot be percent-decoded. */
  find(method: string, url: string): Match | 'undecodable' | undefined
  /** Returns the methods that a path supports, for the `Allow` header. */
  methodsOf(url: string): string[]
  /** Tells whether pages of any origin may call this path. */
  isForAnyOrigin(url: string): boolean
}

/** Prepares what the tables of both environments share, for a process that has to wait for its database anyway. */
export async function prepareRoutes({ operations }: Interface): Promise<void> {
  for (const { input } of operations) {
    checkOf(input)
    // The start of the database goes on meanwhile.
    await setImmediate()
  }
}

export function buildRouteTable(environment: Environment, all: Interface, metrics: Metrics): RouteTable {
  const rowOf = (operation: Operation): RouteRow => ({
    method: operation.method,
    path: operation.path,
    route: routeOf(environment, operation, metrics.observerOf(operation.name)),
  })
  const rows: readonly RouteRow[] = [
    ...[...Map.groupBy(all.operations, ({ protocol }) => protocol)].flatMap(([protocol, operations]) => {
      const plain = operations.map(rowOf)
      return protocol ? protocol(environment, plain) : plain
    }),
    ...all.pages.map((page) => ({
      method: page.method,
      path: page.path,
      route: pageRoute(environment, page, metrics.observerOf(page.name)),
    })),
    ...[
      ...healthRoutes(environment, metrics),
      descriptionRoute(environment, all),
      ...documentationRoutes(environment),
      ...assetRoutes(environment),
      ...webAssetRoutes(environment),
      fontRoute(environment),
    ].map(({ name, path, handle }) => ({
      method: 'GET',
      path,
      route: {
        name,
        handle,
        errorForm: 'plain' as const,
        challenge: 'Bearer' as const,
        bodyLimit: SMALL_BODY_BYTES,
        hasHead: true,
        observe: metrics.observerOf(name),
      },
    })),
  ]
  const addresses = rows.map(({ method, path }) => `${method} ${path}`)
  const router = routerOf(addresses)
  const routeAt = (method: string, url: string): Route | undefined => {
    const found = router.find(method as 'GET', url)
    return found?.store && rows[found.store.number]?.route
  }
  return {
    addresses,
    find: (method, url) => {
      const found = router.find((method === 'HEAD' ? 'GET' : method) as 'GET', url)
      if (!found) return undefined
      const route: Route | undefined = found.store && rows[found.store.number]?.route
      if (!route) return 'undecodable'
      if (method === 'HEAD' && !route.hasHead) return undefined
      return { route, params: found.params as Fields, query: found.searchParams as Fields }
    },
    methodsOf: (url) => {
      const found = METHODS.flatMap((method) => {
        const route = routeAt(method, url)
        return route ? [method, ...(route.hasHead ? ['HEAD'] : [])] : []
      })
      return found.length > 0 ? [...found, 'OPTIONS'] : []
    },
    isForAnyOrigin: (url) => METHODS.some((method) => routeAt(method, url)?.isForAnyOrigin),
  }
}

type Router = ReturnType<typeof findMyWay>
const routers = new Map<string, Router>()

/**
 * Returns a router that finds the index of a row. Both environments have the same addresses and share one compiled
 * router.
 */
function routerOf(addresses: readonly string[]): Router {
  const key = addresses.join('\n')
  let router = routers.get(key)
  if (router) return router
  router = findMyWay({ maxParamLength: 500, ignoreTrailingSlash: true, onBadUrl: () => {} })
  for (const [number, address] of addresses.entries()) {
    const [method, path = ''] = address.split(' ')
    router.on(method as 'GET', path.replaceAll(/\{(\w+)\}/g, ':$1'), () => {}, { number })
  }
  routers.set(key, router)
  return router
}
