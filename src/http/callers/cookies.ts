import { type Environment, service } from '../../environment.ts'
import { inspectToken } from '../../sessions/tokens.ts'
import type { HttpRequest } from '../request.ts'

/** How the cookie of an environment is called and kept. Browsers do not tell ports apart, so the two environments of a laptop need two names. */
export const cookie = service(({ name, url }) => {
  const isSecure = url.startsWith('https:')
  const own = name === 'production' ? 'gs_browser' : 'gs_sbx_browser'
  return {
    // With __Host-, no other host and no page without TLS can set it (RFC 6265bis §4.1.3.2).
    name: isSecure ? `__Host-${own}` : own,
    attributes: `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  }
})

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

/** The value of `Set-Cookie`. `maxAgeSeconds` undefined: until the browser is closed; 0: forget it. */
export function writeCookie(
  environment: Environment,
  { token, maxAgeSeconds }: { readonly token: string; readonly maxAgeSeconds?: number | undefined },
): string {
  const { name, attributes } = environment.get(cookie)
  return `${name}=${token}; ${attributes}${maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`}`
}

export const clearCookie = (environment: Environment): string =>
  writeCookie(environment, { token: '', maxAgeSeconds: 0 })
