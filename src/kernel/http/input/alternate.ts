import type { IncomingHttpHeaders } from 'node:http'
import type { Environment } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { limitAddress } from '../callers/callers.ts'
import type { HttpRequest, Route } from '../request.ts'
import { collect, refuseBody } from './bodies.ts'
import { parseForm } from './forms.ts'

/** Throws if the request may not use the alternate syntax. */
export type RefuseAlternate = (request: HttpRequest) => void

interface RouteRow {
  readonly method: string
  readonly path: string
  readonly alternate?: RefuseAlternate
  readonly route: Route
}

/** Headers that the form may contain. */
const HEADERS = [
  'accept',
  'accept-language',
  'authorization',
  'content-type',
  'if-match',
  'if-none-match',
  'x-experience-api-version',
]
/** Form encoding writes a byte as three at most. */
const GROWTH = 3

/**
 * The alternate request syntax of xAPI 1.0.3 (Communication 1.3), for old browsers: a POST with `?method=PUT` and no
 * other parameter, whose form holds the headers, the query and, as `content`, the body of the actual request. Wraps the
 * POST route of each path that accepts it, or adds one.
 */
export function withAlternates(environment: Environment, rows: readonly RouteRow[]): RouteRow[] {
  const paths = Map.groupBy(
    rows.filter(({ alternate }) => alternate),
    ({ path }) => path,
  )
  const others = rows.filter(({ method, path }) => method !== 'POST' || !paths.has(path))
  const wrappers = [...paths].map(([path, some]): RouteRow => {
    const post = some.find(({ method }) => method === 'POST')
    const { route, alternate } = post ?? some[0]!
    const allow = [...some.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method)), 'OPTIONS'].join(', ')
    return {
      method: 'POST',
      path,
      route: {
        ...route,
        hasHead: false,
        bodyLimit: GROWTH * Math.max(...some.map((one) => one.route.bodyLimit)),
        handle: (request) => {
          if ('method' in request.query) return unwrap(environment, request, some, alternate!)
          if (!post) {
            limitAddress(environment, request)
            request.response.setHeader('allow', allow)
            throw refuseBody(request) ?? fail('methodNotAllowed', `${path} does not take POST; it takes ${allow}`)
          }
          request.route = route
          return route.handle(request)
        },
      },
    }
  })
  return [...others, ...wrappers]
}

async function unwrap(
  environment: Environment,
  request: HttpRequest,
  rows: readonly RouteRow[],
  refuse: RefuseAlternate,
): Promise<void> {
  // The caller is not authenticated yet, so the request counts against its network.
  limitAddress(environment, request)
  const { method, ...more } = request.query
  const row = rows.find((one) => one.method === method)
  if (!row) throw fail('badRequest', `There is no method ${String(method).slice(0, 20)} here`)
  const type = /^[^;\s]*/.exec(request.headers['content-type'] ?? '')![0].toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw fail('badRequest', 'With ?method= the request is a form: send it as application/x-www-form-urlencoded')
  if (Object.keys(more).length > 0) throw fail('badRequest', 'With ?method= all other parameters belong in the form')
  const problem = refuseBody(request)
  if (problem) throw problem
  if (request.isContinueAwaited) {
    request.isContinueAwaited = false
    request.response.writeContinue()
  }
  const body = await collect(environment, request)
  // Other operations accept JSON that is declared as a form; here it is refused.
  if (/^\s*\{/.test(body.toString('latin1', 0, 64))) throw fail('badRequest', 'With ?method= the body must be a form')
  return handleForm(request, row, refuse, parseForm(body) as Record<string, string> | undefined)
}

function handleForm(
  request: HttpRequest,
  row: RouteRow,
  refuse: RefuseAlternate,
  form: Readonly<Record<string, string>> = {},
): Promise<void> | void {
  const headers: IncomingHttpHeaders = { ...request.headers, 'content-type': undefined, 'content-length': undefined }
  const query: Record<string, string> = {}
  let body: Buffer | undefined
  for (const [name, value] of Object.entries(form)) {
    const lower = name.toLowerCase()
    if (name === 'content') body = Buffer.from(value)
    else if (HEADERS.includes(lower)) headers[lower] = value
    else if (lower !== 'content-length') query[name] = value
  }
  if (body && headers['content-type'] === undefined) headers['content-type'] = 'application/json'
  request.wrapped = { method: row.method, headers, body }
  refuse(request)
  request.query = query
  request.route = row.route
  return row.route.handle(request)
}
