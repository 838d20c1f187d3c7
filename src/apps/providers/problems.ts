import { randomInt } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { showValue } from './rules.ts'
import * as store from './store.ts'

/** What went wrong at a provider, in words for the owners of the organisation. */
export interface Problem {
  readonly problem: string
  /** The claim or field that was wrong, what it was and what was expected. */
  readonly claim?: string
  readonly found?: string
  readonly expected?: string
}

/** An error whose words are already those for the owners. */
export class ProviderProblem extends Error implements Problem {
  readonly problem: string
  readonly claim?: string
  readonly found?: string
  readonly expected?: string

  constructor({ problem, claim, found, expected }: Problem) {
    super(problem)
    this.name = 'ProviderProblem'
    this.problem = problem
    if (claim !== undefined) this.claim = claim
    if (found !== undefined) this.found = found
    if (expected !== undefined) this.expected = expected
  }
}

/** Letters without vowels and without those that look alike. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const REFERENCE_LENGTH = 8

/** Stores a failure for the owners of the organisation. Returns the reference that the person is shown. */
export async function recordFailure(
  db: Db,
  who: Caller,
  { organisationId, problem, claim, found, expected }: { readonly organisationId: number } & Problem,
): Promise<string> {
  const reference = Array.from({ length: REFERENCE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  await db.first(store.insertFailure, {
    organisation: organisationId,
    now: who.at,
    reference,
    problem: showValue(problem),
    claim: claim === undefined ? null : showValue(claim),
    found: found === undefined ? null : showValue(found),
    expected: expected === undefined ? null : showValue(expected),
  })
  return reference
}

/** An error of openid-client, oauth4webapi or below. */
type Link = Error & { readonly code?: unknown; readonly cause?: unknown }
/** The details that oauth4webapi gives with an error. */
interface Details {
  readonly expected?: unknown
  readonly claims?: Readonly<Record<string, unknown>>
  readonly claim?: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly attribute?: string
  readonly header?: { readonly alg?: unknown; readonly kid?: unknown }
  readonly alg?: unknown
  readonly parameters?: URLSearchParams
  readonly now?: number
  readonly candidates?: readonly unknown[]
}

/** Says in words why the protocol failed, from any error of the OpenID client or of our outbound client. */
export function explain(error: unknown): Problem {
  const chain = chainOf(error)
  const known = chain.find((link) => link instanceof ProviderProblem)
  if (known) return known
  const response = chain.find((link) => link instanceof Response)
  const errors = chain.filter((link): link is Link => link instanceof Error)
  const last = errors.at(-1)
  const details = (chain.find((link) => !(link instanceof Error || link instanceof Response)) ?? {}) as Details
  const code = errors.map((link) => link.code).find((one) => typeof one === 'string' && one.startsWith('OAUTH_'))
  const words = EXPLANATIONS[String(code)]?.({ message: last?.message ?? '', details, response, errors })
  return words ?? { problem: 'The response of the provider cannot be used', found: showValue(last?.message ?? error) }
}

/** The error and its causes, outermost first. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let link = error; link !== undefined && link !== null && chain.length < 10; ) {
    chain.push(link)
    link = link instanceof Error ? link.cause : undefined
  }
  return chain
}

interface Facts {
  /** Message of the innermost error. */
  readonly message: string
  readonly details: Details
  readonly response: Response | undefined
  /** The error and its causes. */
  readonly errors: readonly Link[]
}

const where = (response: Response | undefined): string =>
  response?.url ? `The provider’s response from ${new URL(response.url).pathname}` : 'The response of the provider'

const EXPLANATIONS: Readonly<Record<string, (facts: Facts) => Problem>> = {
  OAUTH_AUTHORIZATION_RESPONSE_ERROR: ({ errors: [first] }) => {
    return { problem: 'The provider refused the sign-in', ...readRefusal(first) }
  },
  OAUTH_RESPONSE_BODY_ERROR: ({ errors: [first] }) => {
    return { problem: 'The provider refused to give tokens', ...readRefusal(first) }
  },
  OAUTH_WWW_AUTHENTICATE_CHALLENGE: () => ({ problem: INVALID_CLIENT }),
  OAUTH_RESPONSE_IS_NOT_CONFORM: ({ response }) => ({
    problem: `${where(response)} has an unexpected status`,
    ...(response && { found: String(response.status) }),
    expected: '200',
  }),
  OAUTH_RESPONSE_IS_NOT_JSON: ({ response }) => ({
    problem: `${where(response)} is not JSON`,
    found: showValue(response?.headers.get('content-type') ?? 'no content type'),
    expected: 'application/json',
  }),
  OAUTH_PARSE_ERROR: ({ errors }) => ({
    problem: errors.some(({ message }) => message.includes('JWT'))
      ? 'The ID token cannot be read'
      : 'The response of the provider is not JSON',
  }),
  OAUTH_INVALID_RESPONSE: explainInvalid,
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: ({ details, message }) => {
    const claim = details.claim ?? 'unknown'
    const problem = COMPARISONS[claim] ?? `The claim ${claim} of the ID token is wrong`
    // The nonce is a secret between this platform and the provider.
    if (claim === 'nonce') return { problem, claim }
    const isUntrusted = /additional untrusted audiences/.test(message)
    return {
      problem: isUntrusted
        ? 'The ID token is also for others, and does not say that this platform asked for it'
        : problem,
      claim: isUntrusted ? 'azp' : claim,
      found: showValue(details.claims?.[isUntrusted ? 'azp' : claim]),
      ...(details.expected !== undefined && { expected: showValue(details.expected) }),
    }
  },
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: ({ details }) => {
    const claim = details.claim ?? 'exp'
    return {
      problem: TIMES[claim] ?? 'A time in the ID token is wrong: check the clock of the provider',
      claim,
      found: showTime(details.claims?.[claim]),
      expected: `${claim === 'nbf' ? 'before' : 'after'} ${showTime(details.now)}`,
    }
  },
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: ({ details }) => ({
    problem:
      details.attribute === 'sub'
        ? 'The userinfo endpoint speaks of somebody else than the ID token'
        : `The field ${details.attribute} of a response is wrong`,
    claim: details.attribute ?? 'unknown',
    found: showValue(details.body?.[details.attribute ?? '']),
    ...(details.expected !== undefined && { expected: showValue(details.expected) }),
  }),
  OAUTH_KEY_SELECTION_FAILED: ({ details: { header, candidates } }) =>
    candidates && candidates.length > 1
      ? { problem: 'The ID token does not say which of the provider’s keys signed it', claim: 'kid' }
      : {
          problem: 'The ID token is signed with a key that the provider does not publish',
          claim: 'kid',
          found: showValue(header?.kid ?? `no kid, ${String(header?.alg)}`),
          expected: 'a key at its jwks_uri',
        },
  OAUTH_UNSUPPORTED_OPERATION: ({ details, message }) =>
    details.alg === undefined && details.header?.alg === undefined
      ? { problem: 'The provider uses a feature that this platform does not support', found: showValue(message) }
      : wrongAlgorithm(details.alg ?? details.header?.alg),
  OAUTH_TIMEOUT: () => ({ problem: 'The provider did not respond in time' }),
  OAUTH_ABORT: () => ({ problem: 'The provider did not respond in time' }),
  OAUTH_HTTP_REQUEST_FORBIDDEN: () => ({ problem: 'An address of the provider is not https' }),
  OAUTH_MISSING_SERVER_METADATA: ({ details }) => ({
    problem: 'The configuration of the provider lacks an address',
    claim: details.attribute ?? 'unknown',
  }),
  OAUTH_INVALID_SERVER_METADATA: ({ details }) => ({
    problem: 'The configuration of the provider has an address that is not valid',
    claim: details.attribute ?? 'unknown',
  }),
}

const INVALID_CLIENT = 'The provider does not accept the client ID and secret: enter the current ones'

/** What the registered errors mean (RFC 6749 §4.1.2.1 and §5.2, OpenID Connect Core §3.1.2.6). */
const REFUSALS: Readonly<Record<string, string | undefined>> = {
  access_denied: 'The sign-in was cancelled, or the provider does not let this person use the platform',
  invalid_client: INVALID_CLIENT,
  unauthorized_client: 'The provider does not let this client sign people in: allow the authorization code flow for it',
  invalid_grant: 'The provider did not accept its own code: it has expired, was used before, or was for another client',
  invalid_scope: 'The provider does not allow the scopes openid, email and profile for this client',
  unsupported_response_type: 'The provider does not allow the authorization code flow for this client',
  login_required: 'The provider did not ask the person to sign in',
  interaction_required: 'The provider needs something from the person that it did not ask for',
  consent_required: 'The provider needs the consent of the person or of its administrator',
  server_error: 'The provider had an error of its own',
  temporarily_unavailable: 'The provider is not available at the moment',
  account_selection_required: 'The provider did not ask the person for an account',
  unsupported_grant_type: 'The provider does not allow the authorization code flow for this client',
  invalid_request: undefined,
  invalid_target: undefined,
  invalid_request_uri: undefined,
  invalid_request_object: undefined,
  request_not_supported: undefined,
  request_uri_not_supported: undefined,
  registration_not_supported: undefined,
}

/** Everybody can send a browser here with a response, so only registered words of it reach the owners. */
function readRefusal(first: Link | undefined): Partial<Problem> {
  const { error } = first as unknown as Record<string, unknown>
  if (typeof error !== 'string' || !Object.hasOwn(REFUSALS, error))
    return { claim: 'error', found: 'an error that is not registered' }
  const problem = REFUSALS[error]
  return { ...(problem !== undefined && { problem }), claim: 'error', found: error }
}

const COMPARISONS: Readonly<Record<string, string>> = {
  iss: 'The ID token is from another issuer',
  aud: 'The ID token is for another client',
  azp: 'Another client asked for the ID token',
  nonce: 'The ID token belongs to another sign-in',
}

const TIMES: Readonly<Record<string, string>> = {
  exp: 'The ID token had already expired: check the clock of the provider',
  nbf: 'The ID token is not valid yet: check the clock of the provider',
  auth_time: 'The person signed in at the provider too long ago, and was not asked again',
}
const showTime = (seconds: unknown): string =>
  typeof seconds === 'number' && Math.abs(seconds) < 8.64e12
    ? new Date(seconds * 1000).toISOString()
    : showValue(seconds)

const wrongAlgorithm = (algorithm: unknown): Problem => ({
  problem: 'The ID token is not signed with a public key of the provider',
  claim: 'alg',
  found: showValue(algorithm ?? 'nothing'),
  expected: 'RS256, PS256, ES256 or EdDSA',
})

function explainInvalid({ message, details }: Facts): Problem {
  if (/signature verification failed/.test(message)) return { problem: 'The signature of the ID token is wrong' }
  if (/"alg" header/.test(message)) return wrongAlgorithm(details.header?.alg)
  if (/"state"/.test(message)) return { problem: 'The response does not belong to this sign-in', claim: 'state' }
  if (/parameter "iss"|"iss" \(issuer\) (?:missing|response)/.test(message))
    return {
      problem: 'The response is from another issuer, or does not say from which',
      claim: 'iss',
      found: showValue(details.parameters?.get('iss') ?? 'nothing'),
      ...(details.expected !== undefined && { expected: showValue(details.expected) }),
    }
  const claim = /^(?:unexpected )?(?:JWT|ID Token) "(\w+)"/.exec(message)?.[1]
  if (claim !== undefined) {
    const value = details.claims?.[claim]
    return value === undefined
      ? { problem: `The ID token lacks the claim ${claim}`, claim, found: 'nothing' }
      : { problem: `The claim ${claim} of the ID token has the wrong type`, claim, found: showValue(value) }
  }
  const field = /body "(\w+)" property/.exec(message)?.[1]
  if (field !== undefined) return { problem: `A response of the provider lacks a usable ${field}`, claim: field }
  if (/parameter must be provided only once/.test(message))
    return { problem: 'The response of the provider has a parameter twice' }
  return { problem: 'The response of the provider is not valid', found: showValue(message) }
}
