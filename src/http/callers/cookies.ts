import type { EnvironmentName } from '../../config.ts'

/** How the cookie of one environment is called and kept. Browsers do not tell ports apart, so the two environments of a laptop need two names. */
export interface Cookie {
  readonly name: string
  readonly attributes: string
}

export function cookieOf(environment: EnvironmentName, url: string): Cookie {
  const isSecure = url.startsWith('https:')
  const own = environment === 'production' ? 'gs_browser' : 'gs_sbx_browser'
  return {
    // With __Host-, no other host and no page without TLS can set it (RFC 6265bis §4.1.3.2).
    name: isSecure ? `__Host-${own}` : own,
    attributes: `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  }
}

/** The value of a cookie; the first where there are several, as browsers send the most specific one first. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}

/** `maxAgeSeconds` undefined: until the browser is closed; 0: forget it. */
export const writeCookie = ({ name, attributes }: Cookie, value: string, maxAgeSeconds?: number): string =>
  `${name}=${value}; ${attributes}${maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`}`
