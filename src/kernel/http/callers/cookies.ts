import { KNOWN_DAYS, openKnownBrowser } from '../../browsers/known.ts'
import type { KnownBrowser } from '../../caller.ts'
import { type Environment, service } from '../../environment.ts'
import { inspectToken } from '../../sessions/tokens.ts'
import type { HttpRequest } from '../request.ts'

/** How a cookie of an environment is called and kept. Browsers do not tell ports apart, so the two environments of a laptop need two names. */
const cookieCalled = (own: string) =>
  service(({ name, url }) => {
    const isSecure = url.startsWith('https:')
    const full = name === 'production' ? `gs_${own}` : `gs_sbx_${own}`
    return {
      // With __Host-, no other host and no page without TLS can set it (RFC 6265bis §4.1.3.2).
      name: isSecure ? `__Host-${full}` : full,
      attributes: `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
    }
  })

/** Who is signed in. */
export const cookie = cookieCalled('browser')
/** Who has signed in before. It outlives the other, and opens nothing. */
const knownCookie = cookieCalled('known')
const knownKey = service((environment) => environment.keyFor('known-browser'))

/** The value of a cookie; the first where there are several, as browsers send the most specific one first. */
function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}

/** The token of the browser, where it is one that we could have given. */
export function findBrowserToken(environment: Environment, request: HttpRequest): string | undefined {
  const value = readCookie(request.headers.cookie, environment.get(cookie).name)
  return value !== undefined && inspectToken(value, 'browser', environment.name) === 'good' ? value : undefined
}

export function findKnownBrowser(environment: Environment, { headers, who }: HttpRequest): KnownBrowser {
  const value = readCookie(headers.cookie, environment.get(knownCookie).name)
  return openKnownBrowser(environment.get(knownKey), value, who.at)
}

/** The values of `Set-Cookie`. `maxAgeSeconds` undefined: until the browser is closed; 0: forget it. `known` undefined: stays as it is. */
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
