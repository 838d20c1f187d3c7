import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { findBearer, lookUpHolder, recallHolder } from '../../kernel/http/callers/bearer.ts'
import { anyone, appUser } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { readUserInfo } from './openid.ts'
import { UserInfo, UserInfoFields } from './schema.ts'

const op = operationsIn({ area: 'Sign-in', who: anyone })

/**
 * Returns the holder of a token that may be in the body (RFC 6750 §2.2), which is read after the caller is admitted.
 */
function findHolder(environment: Environment, request: HttpRequest, field: string | undefined, now: Date) {
  const header = findBearer(request, false)
  if (header !== undefined && field !== undefined)
    throw fail('badRequest', 'The access token is sent twice: use either the Authorization header or the field')
  const token = header ?? field
  if (token === undefined) throw fail('notAuthorized')
  request.hasToken = true
  return recallHolder(environment, token, now) ?? lookUpHolder(environment, token, now)
}

export const openidOperations: readonly Operation[] = [
  op('GET /oauth/v2/userinfo', {
    name: 'readUserInfo',
    summary: 'Get the signed-in user (OpenID)',
    description:
      'Returns the claims about the user that the scopes of the access token allow (OpenID Connect Core §5.3). `sub` is the same as in the ID token: compare them. The scopes `profile` and `email` add claims; those that have no value are left out.',
    who: appUser,
    scope: 'openid',
    input: Nothing,
    output: json(UserInfo),
    errors: ['scopeMissing'],
    run: ({ db, who }) => readUserInfo(db, who),
  }),
  op('POST /oauth/v2/userinfo', {
    name: 'postUserInfo',
    summary: 'Get the signed-in user by POST (OpenID)',
    description:
      'Does the same as `readUserInfo`, for OpenID libraries that use POST. The access token is a Bearer token, or the field `access_token` of a form.',
    scope: 'openid',
    input: UserInfoFields,
    from: 'body only',
    requestHeaders: { Authorization: 'Bearer <access token>, unless access_token is sent' },
    output: json(UserInfo),
    errors: ['tokenExpired', 'appNotUsable', 'notAuthorized', 'consentMissing', 'tokenInvalid', 'scopeMissing'],
    run: async ({ db, who, environment, request }, input) =>
      readUserInfo(db, await findHolder(environment, request, input.access_token, who.at)),
  }),
]
