import { KNOWN_DAYS, openKnownBrowser } from '../../browsers/known.ts'
import type { KnownBrowser } from '../../caller.ts'
import { type Environment, service } from '../../environment.ts'
import { inspectToken } from '../../sessions/tokens.ts'
import type { HttpRequest } from '../request.ts'

/**
 * Creates the name and attributes of a cookie in one environment. Browsers do not separate cookies by port, so two
 * environments on one host need different cookie names.
 */
const cookieNamed = (own: string) =>
  service(({ name, url }) => {
    const isSecure = url.startsWith('https:')
    const full = name === 'production' ? `gs_${own}` : `gs_sbx_${own}`
    return {
      // The prefix `__Host-` prevents other hosts, and pages without TLS, from setting the cookie (RFC 6265bis
      // §4.1.3.2).
      name: isSecure ? `__Host-${full}` : full,
      attributes: `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
    }
  })

/** Identifies the signed-in browser. */
export const cookie = cookieNamed('browser')
/** Remembers the people who have signed in with this browser. It outlives the `browser` cookie and grants no access. */
const knownCookie = cookieNamed('known')
const knownKeys = service((environment) => environment.keysFor('known-browser'))

/**
 * Returns the value of a cookie. If the name occurs several times, the first is used, because browsers send the most
 * specific cookie first.
 */
function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}

/** Returns the browser token from the cookie, if its format and checksum are valid. */
export function findBrowserToken(environment: Environment, request: HttpRequest): string | undefined {
  const value = readCookie(request.headers.cookie, environment.get(cookie).name)
  return value !== undefined && inspectToken(value, 'browser', environment.name) === 'good' ? value : undefined
}

export function findKnownBrowser(environment: Environment, { headers, who }: HttpRequest): KnownBrowser {
  const value = readCookie(headers.cookie, environment.get(knownCookie).name)
  return openKnownBrowser(environment.get(knownKeys), value, who.at)
}

/**
 * Returns the values of `Set-Cookie`. Without `maxAgeSeconds` the cookie lasts until the browser is closed; 0 deletes
 * it. Without `known`, the known-browser cookie is left unchanged.
 */
export function writeCookie(
  environment: Environment,
  what: { readonly token: string; readonly maxAgeSeconds?: number | undefined; readonly known?: string | undefined },
): string[] {
  const { token, maxAgeSeconds, known } = what
  const line = ({ name, attributes }: { name: string; attributes: string }, value: string, maxAge?: number) =>
    `${name}=${value}; ${attributes}${maxAge === undefined ? '' : `; Max-Age=${maxAge}`}`
  const browser = line(environment.get(cookie), token, maxAgeSeconds)
  if (known === undefined) return [browser]
  return [browser, line(environment.get(knownCookie), known, KNOWN_DAYS * 24 * 60 * 60)]
}

export const clearCookie = (environment: Environment): string[] =>
  writeCookie(environment, { token: '', maxAgeSeconds: 0 })
