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

/** Origins of web pages that may call an environment, as the room of apps keeps them. */
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

/** Pages of registered origins may read our answers; to all others nothing is said, and their browser refuses. */
export function corsHeaders(origins: Origins, origin: string): string[] {
  if (!origins.has(origin)) return ['vary', 'Origin', 'cross-origin-resource-policy', 'same-origin']
  const headers = { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
  return ['vary', 'Origin', 'cross-origin-resource-policy', 'cross-origin', ...Object.entries(headers).flat()]
}

/** For what pages of every origin may call. Without `Access-Control-Allow-Credentials` no browser shows them an answer that a cookie opened. */
export const ANY_ORIGIN_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'cross-origin-resource-policy': 'cross-origin',
}

/** What a browser is told that asks whether a page may call us. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, PUT, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, clientid, client_id, idempotency-key, if-match, if-none-match, last-event-id, x-experience-api-version, x-request-id',
  'access-control-max-age': '600',
}
