import type { Environment } from '../../environment.ts'

const EXPOSED = [
  'access_token',
  'accesstoken',
  'errorcode',
  'errordescription',
  'error_code',
  'error_description',
  'etag',
  'expires_in',
  'ratelimit',
  'ratelimit-policy',
  'refresh_token',
  'refreshtoken',
  'retry-after',
  'token_type',
  'x-request-id',
].join(', ')

/** Pages of registered origins may read our answers; to all others nothing is said, and their browser refuses. */
export function corsHeaders(environment: Environment, origin: string): string[] {
  if (!environment.origins.has(origin)) return ['vary', 'Origin', 'cross-origin-resource-policy', 'same-origin']
  const headers = { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
  return ['vary', 'Origin', 'cross-origin-resource-policy', 'cross-origin', ...Object.entries(headers).flat()]
}
