import { service } from '../../environment.ts'

const EXPOSED = [
  'access_token',
  'accesstoken',
  'errorcode',
  'errordescription',
  'error_code',
  'error_description',
  'etag',
  'expires_in',
  'last-modified',
  'ratelimit',
  'ratelimit-policy',
  'refresh_token',
  'refreshtoken',
  'retry-after',
  'token_type',
  'www-authenticate',
  'x-experience-api-consistent-through',
  'x-experience-api-version',
  'x-request-id',
].join(', ')

/** Origins whose pages may call an environment. The apps module updates them. */
class Origins {
  #known: ReadonlySet<string> = new Set()

  has(origin: string): boolean {
    return this.#known.has(origin)
  }

  replace(known: ReadonlySet<string>): void {
    this.#known = known
  }
}

export const origins = service(() => new Origins())

/**
 * Returns the CORS headers for an origin. Pages of registered origins may read our responses; for other origins there
 * are no CORS headers, so browsers refuse.
 */
export function corsHeaders(origins: Origins, origin: string): string[] {
  if (!origins.has(origin)) return ['vary', 'Origin', 'cross-origin-resource-policy', 'same-origin']
  const headers = { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
  return ['vary', 'Origin', 'cross-origin-resource-policy', 'cross-origin', ...Object.entries(headers).flat()]
}

/**
 * Headers for routes that pages of any origin may call. `Access-Control-Allow-Credentials` is missing on purpose:
 * without it, no browser lets such a page read the response to a request with a cookie.
 */
export const ANY_ORIGIN_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'cross-origin-resource-policy': 'cross-origin',
}

/** Headers of the response to a CORS preflight request. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, PUT, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, clientid, client_id, idempotency-key, if-match, if-none-match, last-event-id, x-experience-api-version, x-request-id',
  'access-control-max-age': '600',
}
