import type { IncomingHttpHeaders } from 'node:http'
import type { Environment } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { limitAddress } from '../callers/callers.ts'
import type { HttpRequest, Route } from '../request.ts'
import { collect, refuseBody } from './bodies.ts'
import { parseForm } from './forms.ts'

/** Throws where a request may not come this way. */
export type RefuseAlternate = (request: HttpRequest) => void

interface Entry {
  readonly method: string
  readonly path: string
  readonly alternate?: RefuseAlternate
  readonly route: Route
}

/** The headers that may stand in the form. */
const HEADERS = [
  'accept',
  'accept-language',
  'authorization',
  'content-type',
  'if-match',
  'if-none-match',
  'x-experience-api-version',
]
/** A form writes each byte as three at the most. */
const GROWTH = 3

/**
 * The alternate request syntax of xAPI 1.0.3 (Communication 1.3), for browsers of old: a POST with `?method=PUT` and nothing else in its address, whose form holds the
 * headers, the query and, as `content`, the body of the request that is meant. Wraps the POST of each path that takes it, and adds one where there is none.
 */
export function withAlternates(environment: Environment, entries: readonly Entry[]): Entry[] {
  const paths = Map.groupBy(
    entries.filter(({ alternate }) => alternate),
    ({ path }) => path,
  )
  const others = entries.filter(({ method, path }) => method !== 'POST' || !paths.has(path))
  const wrappers = [...paths].map(([path, some]): Entry => {
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
  entries: readonly Entry[],
  refuse: RefuseAlternate,
): Promise<void> {
  // Nobody is known yet whom it could count for.
  limitAddress(environment, request)
  const { method, ...more } = request.query
  const entry = entries.find((one) => one.method === method)
  if (!entry) throw fail('badRequest', `There is no method ${String(method).slice(0, 20)} here`)
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
  // Elsewhere JSON that calls itself a form is taken as such.
  if (/^\s*\{/.test(body.toString('latin1', 0, 64))) throw fail('badRequest', 'With ?method= the body must be a form')
  return handleForm(request, entry, refuse, parseForm(body) as Record<string, string> | undefined)
}

function handleForm(
  request: HttpRequest,
  entry: Entry,
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
  request.wrapped = { method: entry.method, headers, body }
  refuse(request)
  request.query = query
  request.route = entry.route
  return entry.route.handle(request)
}
