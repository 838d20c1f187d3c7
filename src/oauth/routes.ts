import type { FastifyRequest } from 'fastify'
import { fail } from '../errors.ts'
import { countHeader } from '../http/authenticate.ts'
import { type Operation, openOperation } from '../http/operation.ts'
import type { TokenPair } from '../sessions/sessions.ts'
import { signInWithBasic } from './basic.ts'
import { EmptyAnswer, NoFields } from './schema.ts'

/** Old clients look for one spelling or the other. */
const tokenHeaders = ({ accessToken, refreshToken, expiresIn }: TokenPair): Record<string, string> => ({
  access_token: accessToken,
  refresh_token: refreshToken,
  accesstoken: accessToken,
  refreshtoken: refreshToken,
  token_type: 'Bearer',
  expires_in: expiresIn,
})

const oneHeader = (request: FastifyRequest, ...names: string[]): string | undefined => {
  const values = names.map((name) => request.headers[name]).filter((value) => typeof value === 'string' && value !== '')
  if (new Set(values).size > 1 || names.some((name) => countHeader(request.raw, name) > 1))
    throw fail('badRequest', `The header ${names[0]} is sent twice`)
  return values[0] as string | undefined
}

export const oauthOperations: readonly Operation[] = [
  openOperation({
    name: 'signInWithBasic',
    summary: 'Signs a person in with handle and password, for apps that an administrator has allowed to',
    method: 'GET',
    path: '/auth/basic',
    area: 'Sign-in',
    input: NoFields,
    place: 'query',
    requestHeaders: {
      Authorization: 'Basic base64(handle:password)',
      clientId: "The app's client ID (client_id is read too)",
    },
    answer: EmptyAnswer,
    answerHeaders: {
      access_token: 'The access token (also as accesstoken)',
      refresh_token: 'The refresh token (also as refreshtoken)',
      token_type: 'Bearer',
      expires_in: 'Lifetime of the access token, such as 1d',
    },
    errors: ['notAuthorized', 'wrongCredentials', 'appNotUsable', 'permissionMissing'],
    present: () => '',
    headersOf: tokenHeaders,
    run: ({ db, who, environment, request }) =>
      signInWithBasic(
        db,
        who,
        {
          clientId: oneHeader(request, 'clientid', 'client_id'),
          authorization: oneHeader(request, 'authorization'),
          device: String(request.headers['user-agent'] ?? '').slice(0, 200),
        },
        environment.tokenPolicy,
      ),
  }),
]
