import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { JSON_TYPE, sendError } from './answers.ts'
import { SUCCESS } from './operation.ts'

const EXPOSED = [
  'access_token',
  'accesstoken',
  'errorcode',
  'errordescription',
  'error_code',
  'error_description',
  'etag',
  'ratelimit',
  'ratelimit-policy',
  'refresh_token',
  'refreshtoken',
  'retry-after',
  'x-request-id',
].join(', ')

/** Pages of registered origins may read our answers; to all others nothing is said, and their browser refuses. */
export function corsHeaders(environment: Environment, origin: string): Record<string, string> {
  if (!environment.origins.has(origin)) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    'cross-origin-resource-policy': 'cross-origin',
  }
}

export function answerPreflight(environment: Environment, request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers
  if (origin !== undefined && !environment.origins.has(origin)) {
    sendError(reply, fail('forbidden', 'This origin is not registered; add it to the app in the developer console'))
    return
  }
  reply
    .headers({
      'access-control-allow-methods': 'GET, PUT, POST, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, clientid, client_id, idempotency-key, if-match, last-event-id, x-request-id',
      'access-control-max-age': '600',
      'content-type': JSON_TYPE,
    })
    .send(JSON.stringify(SUCCESS))
}
