import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Visitor } from '../../caller.ts'
import { isLoopbackHost } from '../../config.ts'
import { type Environment, service } from '../../environment.ts'
import { fail } from '../../errors.ts'
import type { HttpRequest } from '../request.ts'

/** The hidden field of every form. */
export const CSRF_FIELD = 'csrf_token'

const csrfKey = service((environment) => environment.keyFor('form'))

/**
 * Binds a form to the browser that it was shown in and to its purpose. Another site cannot compute it without the
 * cookie.
 */
export const makeCsrfToken = (environment: Environment, { browserToken }: Visitor, purpose: string): string =>
  createHmac('sha256', environment.get(csrfKey)).update(`${browserToken}\n${purpose}`).digest('base64url')

export function isCsrfToken(environment: Environment, who: Visitor, purpose: string, given: unknown): boolean {
  const expected = Buffer.from(makeCsrfToken(environment, who, purpose))
  const actual = Buffer.from(typeof given === 'string' ? given : '')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/**
 * Refuses requests that another site's page made a browser send. Browsers report the origin of a request; clients other
 * than browsers send neither header. Another origin of the same site counts as foreign too.
 */
export function refuseForeignOrigin(environment: Environment, { headers }: HttpRequest): void {
  const site = headers['sec-fetch-site']
  const { origin } = headers
  const isOwn =
    site === undefined
      ? origin === undefined || origin === new URL(environment.url).origin || isSameLaptop(environment, headers)
      : site === 'same-origin' || site === 'none'
  if (!isOwn) throw fail('forbidden', "Only the platform's own pages may do this in a browser")
}

/**
 * A platform whose own URL is on loopback accepts every loopback name, such as `127.0.0.1` and `localhost`, if the page
 * was loaded by the name in this request's Host header and at the platform's own port.
 */
function isSameLaptop({ url }: Environment, { origin, host }: HttpRequest['headers']): boolean {
  const own = new URL(url)
  if (!isLoopbackHost(own.hostname) || origin === undefined || origin !== `http://${host}`) return false
  const given = URL.parse(origin)
  return given !== null && isLoopbackHost(given.hostname) && given.port === own.port
}
