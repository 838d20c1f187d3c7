import type { FastifyRequest } from 'fastify'
import type { Environment } from '../environment.ts'
import { fail, PlatformError } from '../errors.ts'
import { admitNewcomer } from '../http/admit.ts'
import { findBearer, lookUpHolder } from '../http/authenticate.ts'
import { oneHeader } from '../http/client-credentials.ts'
import { type Operation, openOperation } from '../http/operation.ts'
import type { TokenPair } from '../sessions/sessions.ts'
import { TOKEN_HEADERS, tokenHeaders } from '../sessions/token-headers.ts'
import { createAnonymous } from './anonymous.ts'
import { AnonymousProfile, NewAnonymous } from './schema.ts'

export const anonymousOperations: readonly Operation[] = [
  openOperation({
    name: 'createAnonymousUser',
    summary: 'Makes an anonymous user, who is gone when the session ends or is not refreshed in time',
    method: 'PUT',
    path: '/user/v1/my/profile',
    area: 'Profile',
    input: NewAnonymous,
    place: 'body',
    requestHeaders: { clientId: "The app's client ID, where it is not a field (client_id is read too)" },
    answer: AnonymousProfile,
    answerHeaders: TOKEN_HEADERS,
    headersOf: ({ tokens }: { tokens: TokenPair }) => tokenHeaders(tokens),
    errors: ['impossibleNow', 'appNotUsable', 'notAuthorized'],
    run: async ({ db, who, environment, request }, input) => {
      await refuseSignedIn(environment, request)
      admitNewcomer(environment, request)
      const clientId = input.clientId ?? oneHeader(request, 'clientid', 'client_id')
      const device = String(request.headers['user-agent'] ?? '').slice(0, 200)
      return createAnonymous(db, who, { ...input, clientId, device }, environment.tokenPolicy)
    },
  }),
]

/**
 * Whoever is signed in would silently become somebody else. A token that no longer holds is ignored: an app that makes a new user because the last one is gone may
 * well send along what it had.
 */
async function refuseSignedIn(environment: Environment, request: FastifyRequest): Promise<void> {
  const token = findBearer(request, false)
  if (token === undefined) return
  const holder = await lookUpHolder(environment, token, request.who.at).catch((error: unknown) => {
    if (error instanceof PlatformError && error.status < 500) return undefined
    throw error
  })
  if (holder)
    throw fail('impossibleNow', 'You are signed in already; leave the Authorization header out to become another user')
}
