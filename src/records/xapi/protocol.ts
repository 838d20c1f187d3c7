import type { IncomingHttpHeaders } from 'node:http'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { limitAddress } from '../../kernel/http/callers/callers.ts'
import { readBody, refuseBody } from '../../kernel/http/input/bodies.ts'
import { parseForm } from '../../kernel/http/input/forms.ts'
import type { HttpRequest, Protocol, Route, RouteRow } from '../../kernel/http/request.ts'
import { findVersion, pathsOf, VERSION_HEADER } from './caller.ts'

/**
 * Applies the HTTP rules that all xAPI resources share. `headersFor` returns headers that are added to every response.
 */
export const xapiProtocol =
  (headersFor: NonNullable<Route['headersFor']> = versionHeader): Protocol =>
  (environment, rows) => {
    const all = rows.flatMap(({ method, path, route }) => {
      // Allow every origin: learning content runs on other origins, with a key or token from the page that opened it.
      const own = { ...route, headersFor, isForAnyOrigin: true }
      return pathsOf(path).map((one): RouteRow => ({ method, path: one, route: own }))
    })
    return [...Map.groupBy(all, ({ path }) => path)].flatMap(([path, some]) => [
      ...some.filter(({ method }) => method !== 'POST'),
      { method: 'POST', path, route: postRoute(environment, path, some) },
    ])
  }

/**
 * Returns the version header, which every response has. If the request names no version, the value is 0.95, which suits
 * clients of both versions (1.0.3 Communication 3.3, 2.0 §4.1.2). It is 2.0.0 if the named version is not supported,
 * and for `/about`.
 */
export const versionHeader = (request: HttpRequest): Record<string, string> => ({
  [VERSION_HEADER]:
    findVersion(request) ??
    (request.headers[VERSION_HEADER] === undefined && !/\/about\b/.test(request.url) ? '0.95' : '2.0.0'),
})

/** Headers that the form of the alternate request syntax may contain. */
const HEADERS = [
  'accept',
  'accept-language',
  'authorization',
  'content-type',
  'if-match',
  'if-none-match',
  VERSION_HEADER,
]
/** Form encoding turns one byte into at most three. */
const GROWTH = 3

/**
 * Makes the POST route of a path. It also accepts the alternate request syntax of xAPI 1.0.3 for old browsers
 * (Communication 1.3): a POST with `?method=PUT` and no other parameter, whose form contains the headers, the query
 * and, as `content`, the body of the actual request.
 */
function postRoute(environment: Environment, path: string, rows: readonly RouteRow[]): Route {
  const post = rows.find(({ method }) => method === 'POST')?.route
  const allow = [...rows.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method)), 'OPTIONS'].join(', ')
  return {
    ...(post ?? rows[0]!.route),
    hasHead: false,
    bodyLimit: GROWTH * Math.max(...rows.map(({ route }) => route.bodyLimit)),
    handle: (request) => {
      if ('method' in request.query) return handleAlternate(environment, request, rows)
      if (!post) {
        limitAddress(environment, request)
        request.response.setHeader('allow', allow)
        throw refuseBody(request) ?? fail('methodNotAllowed', `${path} does not support POST; use ${allow}`)
      }
      request.route = post
      return post.handle(request)
    },
  }
}

async function handleAlternate(
  environment: Environment,
  request: HttpRequest,
  rows: readonly RouteRow[],
): Promise<void> {
  // The caller is not authenticated yet, so the request counts towards the rate limit of its IP address.
  limitAddress(environment, request)
  const { method, ...more } = request.query
  const row = rows.find((one) => one.method === method)
  if (!row) throw fail('badRequest', `Unknown method ${String(method).slice(0, 20)}`)
  const type = /^[^;\s]*/.exec(request.headers['content-type'] ?? '')![0].toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw fail('badRequest', 'With ?method= the request must be a form: send it as application/x-www-form-urlencoded')
  if (Object.keys(more).length > 0) throw fail('badRequest', 'With ?method= all other parameters must be in the form')
  const problem = refuseBody(request)
  if (problem) throw problem
  const body = (await readBody(environment, request, 'raw')) as Buffer
  // Other operations accept a JSON body that is declared as a form; the alternate request syntax does not.
  if (/^\s*\{/.test(body.toString('latin1', 0, 64))) throw fail('badRequest', 'With ?method= the body must be a form')
  unwrap(request, row.method, (parseForm(body) ?? {}) as Record<string, string>)
  if (findVersion(request) !== '1.0.3') throw fail('badRequest', '?method= works only with version 1.0 of xAPI')
  request.route = row.route
  return row.route.handle(request)
}

/** Replaces the method, headers, query and body of a request with those that its form contains. */
function unwrap(request: HttpRequest, method: string, form: Readonly<Record<string, string>>): void {
  const headers: IncomingHttpHeaders = { ...request.headers, 'content-type': undefined, 'transfer-encoding': undefined }
  const query: Record<string, string> = {}
  let body: Buffer | undefined
  for (const [name, value] of Object.entries(form)) {
    const lower = name.toLowerCase()
    if (name === 'content') body = Buffer.from(value)
    else if (HEADERS.includes(lower)) headers[lower] = value
    else if (lower !== 'content-length') query[name] = value
  }
  headers['content-type'] = body && (headers['content-type'] ?? 'application/json')
  headers['content-length'] = body && String(body.length)
  Object.assign(request, { method, headers, query, body })
}
