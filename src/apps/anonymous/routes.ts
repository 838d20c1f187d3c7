import { OwnProfile } from '../../identity/profiles/schema.ts'
import { networkOf } from '../../kernel/bounds/networks.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import { findBearer, lookUpHolder } from '../../kernel/http/callers/bearer.ts'
import { anyone } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { rateLimit } from '../../kernel/limits/limits.ts'
import { CLIENT_ID } from '../../kernel/samples.ts'
import { type TokenPair, tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { TOKEN_HEADERS, tokenHeaders } from '../../kernel/sessions/token-headers.ts'
import { createAnonymous } from './anonymous.ts'
import { NewAnonymous } from './schema.ts'

const op = operationsIn({ area: 'Profile', who: anyone })

/** Anybody can create users here, so each network has a limit on new users, in addition to the limit on requests. */
const newcomerLimit = rateLimit('anonymous', (config) => ({
  perSecond: config.RATE_ANONYMOUS_PER_SECOND,
  burst: config.RATE_ANONYMOUS_BURST,
}))

export const anonymousOperations: readonly Operation[] = [
  op('PUT /user/v1/my/profile', {
    name: 'createAnonymousUser',
    summary: 'Create an anonymous user',
    description:
      'Creates an anonymous user, for apps that can be used without an account. Keep the tokens from the response headers: when the session ends or is not refreshed in time, the user and their own buckets are deleted, and nobody can sign in as them again. A request with a valid access token is refused, so that a signed-in user does not become another one.',
    example: {
      request: { anonymous: true, clientId: CLIENT_ID, dateOfBirth: '2001-05-01' },
    },
    input: NewAnonymous,
    requestHeaders: { clientId: "The app's client ID, unless it is sent as a field (client_id is read too)" },
    output: json(OwnProfile, {
      headers: TOKEN_HEADERS,
      headersOf: ({ tokens }: { tokens: TokenPair }) => tokenHeaders(tokens),
    }),
    limit: { limiter: newcomerLimit, key: ({ address }) => networkOf(address) },
    errors: ['impossibleNow', 'appNotUsable', 'notAuthorized', 'notForAnonymous'],
    run: async ({ db, who, environment, request }, input) => {
      await refuseSignedIn(environment, request)
      const clientId = input.clientId ?? request.oneHeader('clientid', 'client_id')
      const what = { ...input, clientId, device: request.device, defaultCountry: environment.config.DEFAULT_COUNTRY }
      return createAnonymous(db, who, what, environment.get(tokenPolicy))
    },
  }),
]

/**
 * Refuses a request with a valid token, because the signed-in user would silently become another user. An invalid token
 * is ignored: an app that creates a new user because the previous one was deleted may still send the old token.
 */
async function refuseSignedIn(environment: Environment, request: HttpRequest): Promise<void> {
  const token = findBearer(request, false)
  if (token === undefined) return
  const holder = await lookUpHolder(environment, token, request.who.at).catch((error: unknown) => {
    if (error instanceof PlatformError && error.status < 500) return undefined
    throw error
  })
  if (holder)
    throw fail('impossibleNow', 'You are already signed in; to create another user, leave out the Authorization header')
}
