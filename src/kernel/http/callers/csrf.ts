import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Visitor } from '../../caller.ts'
import { isLoopbackHost } from '../../config.ts'
import { type Environment, service } from '../../environment.ts'
import { fail } from '../../errors.ts'
import type { HttpRequest } from '../request.ts'

/** Name of the hidden field that every form has. */
export const CSRF_FIELD = 'csrf_token'

const csrfKey = service((environment) => environment.keyFor('form'))

/**
 * Creates a token that binds a form to its purpose and to the browser that it is shown in. Another site cannot compute
 * the token, because it does not have the cookie.
 */
export const makeCsrfToken = (environment: Environment, { browserToken }: Visitor, purpose: string): string =>
  createHmac('sha256', environment.get(csrfKey)).update(`${browserToken}\n${purpose}`).digest('base64url')

export function isCsrfToken(environment: Environment, who: Visitor, purpose: string, given: unknown): boolean {
  const expected = Buffer.from(makeCsrfToken(environment, who, purpose))
  const actual = Buffer.from(typeof given === 'string' ? given : '')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/**
 * Refuses requests that a page of another site made a browser send. Browsers report the origin in `Sec-Fetch-Site` or
 * `Origin`; other clients send neither header. Another origin of the same site counts as foreign too.
 */
export function refuseForeignOrigin(environment: Environment, { headers }: HttpRequest): void {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  const isOwn =
    site === undefined
      ? origin === undefined || origin === new URL(environment.url).origin || isSameLaptop(environment, headers)
      : site === 'same-origin' || site === 'none'
  if (!isOwn) throw fail('forbidden', "In a browser, only the platform's own pages can do this")
}

/**
 * True if page and platform are on the same machine. If the platform's own URL is on loopback, every loopback name is
 * accepted, such as `127.0.0.1` and `localhost`, provided that the page was loaded under the name in the Host header of
 * this request, and from the platform's port.
 */
function isSameLaptop({ url }: Environment, { origin, host }: HttpRequest['headers']): boolean {
  const own = new URL(url)
  if (!isLoopbackHost(own.hostname) || origin === undefined || origin !== `http://${host}`) return false
  const given = URL.parse(origin)
  return given !== null && isLoopbackHost(given.hostname) && given.port === own.port
}
