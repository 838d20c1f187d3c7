import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail, failOauth, oauthNameOf, PlatformError } from '../../kernel/errors.ts'
import { parseScopes, type Scopes } from '../../kernel/scopes.ts'
import { type Client, readClient } from '../apps/clients.ts'
import { matchesRedirectUri } from '../apps/redirect-uris.ts'
import { addResponseParams } from './redirects.ts'
import { isChallenge, needsPkce } from './rules.ts'

/**
 * The variant of OAuth: `own` is the platform's original flow (/oauth/…); `rfc` follows the RFCs exactly (/oauth/v2/…).
 */
export type Dialect = 'own' | 'rfc'

/** The query parameters that an app may send to the sign-in page. */
export interface AuthorizationParams {
  readonly response_type?: string
  readonly client_id?: string
  readonly redirect_uri?: string
  /** Still percent-encoded, exactly as in the URL. */
  readonly state?: string
  readonly code_challenge?: string
  readonly code_challenge_method?: string
  readonly prompt?: string
  readonly scope?: string
  readonly nonce?: string
  readonly response_mode?: string
  readonly max_age?: string
  readonly login_hint?: string
  readonly id_token_hint?: string
  readonly request?: string
  readonly request_uri?: string
  readonly registration?: string
  /** Added by the sign-in form: when it was shown, signed by the platform. */
  readonly signin_since?: string
}

/** An authorization request that has passed every check. */
export interface AuthorizationRequest {
  readonly dialect: Dialect
  readonly client: Client
  readonly responseType: 'code' | 'implicit'
  readonly redirectUri: string
  readonly isRedirectGiven: boolean
  readonly state: string | undefined
  readonly challenge: string | undefined
  readonly prompts: ReadonlySet<Prompt>
  /** The app asks for these scopes; undefined means everything. The `own` dialect always asks for everything. */
  readonly scopes: Scopes
  /** Returned in the ID token. */
  readonly nonce: string | undefined
  /** How long ago the person may have authenticated. */
  readonly maxAgeMs: number | undefined
  /** The user that the app expects, from its ID token. */
  readonly hintedUserId: string | undefined
  /** Sent in responses as `iss` (RFC 9207); undefined in the `own` dialect, which has no such parameter. */
  readonly issuer: string | undefined
}

/** Reads whom an ID token of this app is about; undefined if it is not one. */
type ReadHint = (what: { hint: string; clientId: string }) => Promise<{ userId: string } | undefined>

interface Draft {
  readonly dialect: Dialect
  readonly readHint: ReadHint
  readonly params: AuthorizationParams
  readonly environment: EnvironmentName
  client?: Client
  redirectUri?: string
  scopes?: Scopes
  hintedUserId?: string
}

/**
 * A check of an authorization request. A failure is shown to the person (`page`) as long as the redirect URI has not
 * been checked; after that, it is sent to the app (`redirect`).
 */
interface Step {
  readonly rule: string
  readonly only?: Dialect
  readonly tell: 'page' | 'redirect'
  check(draft: Draft, db: Db): PlatformError | undefined | Promise<PlatformError | undefined>
}

const incomplete = (name: string) =>
  fail('authorizationIncomplete', `The authorization request is incomplete: ${name} is missing`)
const RESPONSE_TYPES: Record<Dialect, readonly string[]> = { own: ['code', 'implicit'], rfc: ['code'] }
type Prompt = 'login' | 'consent' | 'none'
const PROMPTS: Readonly<Record<string, Prompt>> = {
  login: 'login',
  // `select_account` shows the sign-in page, because another person can sign in there.
  select_account: 'login',
  consent: 'consent',
  none: 'none',
}

/** Removes `prompt=login` from the request, so that a person who has just signed in need not sign in again. */
export function afterSignIn({ prompt, ...params }: AuthorizationParams): AuthorizationParams {
  const rest = prompt?.split(' ').filter((word) => PROMPTS[word] !== 'login') ?? []
  return rest.length > 0 ? { ...params, prompt: rest.join(' ') } : params
}

/** Returns the known values of `prompt`; unknown values are ignored. */
const wordsOf = (prompt = ''): Set<Prompt> =>
  new Set(prompt.split(' ').flatMap((word) => (Object.hasOwn(PROMPTS, word) ? [PROMPTS[word]!] : [])))

/**
 * Reads `prompt`. `none` together with other values is ignored; the `rfc` dialect has already refused such a request.
 */
function readPrompts(prompt: string | undefined): ReadonlySet<Prompt> {
  const words = wordsOf(prompt)
  if (words.size > 1) words.delete('none')
  return words
}

const unsupportedType = ({ params, dialect }: Draft) =>
  failOauth(
    'unsupported_response_type',
    'duplicate',
    `The response type ${params.response_type} is not supported; use ${RESPONSE_TYPES[dialect][0]}`,
  )
const asksForOpenid = ({ scope = '' }: AuthorizationParams): boolean => scope.split(' ').includes('openid')
const isTypeKnown = ({ params, dialect }: Draft): boolean => RESPONSE_TYPES[dialect].includes(params.response_type!)

/** The checks of an authorization request, in the order in which they run. */
const STEPS: readonly Step[] = [
  {
    rule: 'RFC 6749 §4.1.1: response_type is required',
    only: 'own',
    tell: 'page',
    check: ({ params }) => (params.response_type === undefined ? incomplete('response_type') : undefined),
  },
  {
    rule: 'contract §3: an unknown response type is a page, 400/4002',
    only: 'own',
    tell: 'page',
    check: (draft) => (isTypeKnown(draft) ? undefined : unsupportedType(draft)),
  },
  {
    rule: 'RFC 6749 §4.1.1: client_id is required',
    tell: 'page',
    check: ({ params }) => (params.client_id === undefined ? incomplete('client_id') : undefined),
  },
  {
    rule: 'contract §3: an unknown client is 404/4041, one that is not approved or of the other environment 401/4013',
    tell: 'page',
    check: async (draft, db) => {
      draft.client = await readClient(db, draft.params.client_id!, 'noSuchApp', draft.environment)
      return undefined
    },
  },
  {
    rule: 'contract §3: implicit only where the app has it enabled',
    only: 'own',
    tell: 'page',
    check: ({ params, client }) =>
      params.response_type === 'implicit' && !client!.isImplicitEnabled
        ? failOauth('unsupported_response_type', 'duplicate', 'The implicit flow is not enabled for this app; use code')
        : undefined,
  },
  {
    rule: 'RFC 6749 §3.1.2.3: redirect_uri may be left out if exactly one is registered (own dialect: never)',
    tell: 'page',
    check: (draft) => {
      const { params, client, dialect } = draft
      const [only, ...others] = client!.redirectUris
      if (params.redirect_uri !== undefined) draft.redirectUri = params.redirect_uri
      else if (dialect === 'rfc' && only !== undefined && others.length === 0) draft.redirectUri = only
      else return incomplete('redirect_uri')
      return undefined
    },
  },
  {
    rule: 'RFC 9700 §4.1.3: redirect_uri is a registered one, exactly',
    tell: 'page',
    check: ({ client, redirectUri }) =>
      client!.redirectUris.some((registered) => matchesRedirectUri(redirectUri!, registered))
        ? undefined
        : fail(
            'validationFailed',
            'The redirect URI is not registered for this app; it must match a registered one exactly',
          ),
  },
  {
    rule: 'OpenID Connect Core §3.1.2.6: request objects and self-issued registration are not supported',
    only: 'rfc',
    tell: 'redirect',
    check: ({ params }) => {
      const name = (['request', 'request_uri', 'registration'] as const).find((one) => params[one] !== undefined)
      return name && failOauth(`${name}_not_supported`, 'validationFailed', `The parameter ${name} is not supported`)
    },
  },
  {
    rule: 'RFC 6749 §4.1.2.1: the app is told of a response type that is missing or unknown',
    only: 'rfc',
    tell: 'redirect',
    check: (draft) => {
      if (draft.params.response_type === undefined) return incomplete('response_type')
      return isTypeKnown(draft) ? undefined : unsupportedType(draft)
    },
  },
  {
    rule: 'RFC 7636 §4.3: a challenge has the method S256 (plain protects nothing) and the form of a SHA-256',
    tell: 'redirect',
    check: ({ params: { code_challenge: challenge, code_challenge_method: method } }) => {
      if (challenge === undefined && method === undefined) return undefined
      if (method !== 'S256') return fail('validationFailed', 'code_challenge_method must be S256')
      const isGood = challenge !== undefined && isChallenge(challenge)
      return isGood
        ? undefined
        : fail('validationFailed', 'code_challenge must be a SHA-256 in base64url, 43 characters')
    },
  },
  {
    rule: 'RFC 9700 §2.1.1: PKCE is required of public apps, of apps registered so, and in the rfc dialect unless a nonce does the same',
    tell: 'redirect',
    check: ({ params, client, dialect }) => {
      const how = { isOpenid: asksForOpenid(params), hasNonce: params.nonce !== undefined }
      const isNeeded =
        params.response_type === 'code' && (dialect === 'rfc' ? needsPkce(client!, how) : client!.isPkceRequired)
      return isNeeded && params.code_challenge === undefined
        ? fail('validationFailed', 'code_challenge is missing: this app must use PKCE with S256')
        : undefined
    },
  },
  {
    rule: 'OpenID Connect Core §3.1.2.1: none must stand alone (own dialect: otherwise ignored)',
    only: 'rfc',
    tell: 'redirect',
    check: ({ params }) => {
      const words = wordsOf(params.prompt)
      return words.has('none') && words.size > 1
        ? fail('validationFailed', 'prompt=none cannot be combined with other values')
        : undefined
    },
  },
  {
    rule: 'OAuth 2.0 Multiple Response Types §2.1: the response of a code is in the query',
    only: 'rfc',
    tell: 'redirect',
    check: ({ params: { response_mode: mode = 'query' } }) =>
      mode === 'query' ? undefined : fail('validationFailed', 'response_mode must be query'),
  },
  {
    rule: 'OpenID Connect Core §3.1.2.1: max_age is a number of seconds',
    only: 'rfc',
    tell: 'redirect',
    check: ({ params: { max_age: maxAge = '0' } }) =>
      /^[0-9]{1,9}$/.test(maxAge) ? undefined : fail('validationFailed', 'max_age must be a number of seconds'),
  },
  {
    rule: 'OpenID Connect Core §3.1.2.2: id_token_hint is an ID token that was issued to this app',
    only: 'rfc',
    tell: 'redirect',
    check: async (draft) => {
      const { id_token_hint: hint, client_id: clientId } = draft.params
      if (hint === undefined) return undefined
      const found = await draft.readHint({ hint, clientId: clientId! })
      if (!found) return fail('validationFailed', 'id_token_hint is not an ID token of this app')
      draft.hintedUserId = found.userId
      return undefined
    },
  },
  {
    rule: 'RFC 6749 §4.1.2.1: the app is told of a scope that is unknown, or that it has not registered',
    only: 'rfc',
    tell: 'redirect',
    check: (draft) => {
      try {
        draft.scopes = parseScopes(draft.params.scope, draft.client!.scopes)
      } catch (error) {
        if (error instanceof PlatformError) return error
        throw error
      }
      return undefined
    },
  },
]

/**
 * Returns the checked request, or a redirect that reports an error to the app. Throws errors that only the person may
 * see.
 */
export async function readAuthorizationRequest(
  db: Db,
  params: AuthorizationParams,
  {
    dialect,
    environment,
    url,
    readHint,
  }: { dialect: Dialect; environment: EnvironmentName; url: string; readHint: ReadHint },
): Promise<AuthorizationRequest | { redirect: string }> {
  const draft: Draft = { dialect, params, environment, readHint }
  const issuer = dialect === 'rfc' ? url : undefined
  for (const step of STEPS) {
    if (step.only !== undefined && step.only !== dialect) continue
    const problem = await step.check(draft, db)
    if (!problem) continue
    if (step.tell === 'page') throw problem
    return { redirect: refusalUri({ redirectUri: draft.redirectUri!, state: params.state, issuer }, problem) }
  }
  return {
    dialect,
    client: draft.client!,
    responseType: params.response_type as 'code' | 'implicit',
    redirectUri: draft.redirectUri!,
    isRedirectGiven: params.redirect_uri !== undefined,
    state: params.state,
    challenge: params.code_challenge,
    prompts: readPrompts(params.prompt),
    scopes: draft.scopes,
    nonce: dialect === 'rfc' ? params.nonce : undefined,
    maxAgeMs: params.max_age === undefined ? undefined : Number(params.max_age) * 1000,
    hintedUserId: draft.hintedUserId,
    issuer,
  }
}

type RedirectTarget = Pick<AuthorizationRequest, 'redirectUri' | 'state' | 'issuer'>

/** Returns the redirect that reports an error to the app (RFC 6749 §4.1.2.1). */
export const refusalUri = ({ redirectUri, state, issuer }: RedirectTarget, problem: PlatformError): string =>
  addResponseParams(redirectUri, {
    error: oauthNameOf(problem),
    error_description: problem.message,
    state,
    iss: issuer,
  })

/** Returns the redirect that passes the code to the app. */
export const codeUri = ({ redirectUri, state, issuer }: RedirectTarget, code: string): string =>
  addResponseParams(redirectUri, { code, state, iss: issuer })
