import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import type { AuthorizationParams, AuthorizationRequest } from './authorize.ts'
import { queryOf } from './request-query.ts'
import { mustSignInAgain } from './rules.ts'

/** After this long, the address of a form says nothing any more. Answering the form starts anew. */
const LIFETIME_MS = 15 * 60_000

const sinceKeys = service(({ keysFor }) => keysFor('oauth.signin-since'))

const sealOf = (key: Buffer, ms: string, { signin_since: _, ...params }: AuthorizationParams): string =>
  createHmac('sha256', key)
    .update(`${ms}\n${queryOf(params)}`)
    .digest('base64url')

/**
 * Notes in the request when its sign-in form was shown, so that the next step can tell whether the person has
 * authenticated since. It is signed for this request, so neither another request nor a time that somebody made up
 * passes for it.
 */
export function noteSince(environment: Environment, who: Caller, params: AuthorizationParams): AuthorizationParams {
  const ms = String(who.at.getTime())
  return { ...params, signin_since: `${ms}.${sealOf(environment.get(sinceKeys)[0]!, ms, params)}` }
}

/** Returns when the sign-in form of this request was shown, in milliseconds; undefined if it was not. */
function readSince(environment: Environment, params: AuthorizationParams): number | undefined {
  const [, ms, seal] = /^([0-9]{1,15})\.([\w-]{43})$/.exec(params.signin_since ?? '') ?? []
  if (ms === undefined || seal === undefined) return undefined
  const isOurs = environment
    .get(sinceKeys)
    .some((key) => timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(key, ms, params))))
  return isOurs ? Number(ms) : undefined
}

/** Whether the person has authenticated after the sign-in form of this request was shown. */
export function hasSignedInSince(
  environment: Environment,
  params: AuthorizationParams,
  { signedInAt, at }: PersonCaller,
): boolean {
  const since = readSince(environment, params)
  return since !== undefined && signedInAt.getTime() >= since && at.getTime() - since <= LIFETIME_MS
}

/** Whether the person has to sign in for this request, though they are signed in. */
export const needsSignIn = (
  environment: Environment,
  params: AuthorizationParams,
  { prompts, maxAgeMs }: AuthorizationRequest,
  person: PersonCaller,
): boolean =>
  !hasSignedInSince(environment, params, person) &&
  mustSignInAgain({ needsLogin: prompts.has('login'), maxAgeMs }, person.signedInAt, person.at)
