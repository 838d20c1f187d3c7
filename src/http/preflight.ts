import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { sendError } from './output/errors.ts'
import { JSON_TYPE } from './output/media-types.ts'
import { SUCCESS } from './output/success.ts'

/** A browser asks whether a page may call us, before it does. */
export function answerPreflight(environment: Environment, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { origin } = request.headers
  if (origin !== undefined && !environment.origins.has(origin)) {
    return sendError(
      reply,
      fail('forbidden', 'This origin is not registered; add it to the app in the developer console'),
    )
  }
  return reply
    .headers({
      'access-control-allow-methods': 'GET, PUT, POST, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, clientid, client_id, idempotency-key, if-match, last-event-id, x-request-id',
      'access-control-max-age': '600',
      'content-type': JSON_TYPE,
    })
    .send(JSON.stringify(SUCCESS))
}
