import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { authorizationCodeGrant, buildAuthorizationUrl, calculatePKCECodeChallenge, fetchUserInfo } from 'openid-client'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { type OpenedBrowser, openBrowser } from '../../kernel/browsers/browsers.ts'
import { ProviderRequired } from '../../kernel/browsers/required.ts'
import type { Visitor } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { hashToken } from '../../kernel/sessions/tokens.ts'
import { type Claims, type Identified, readIdentity } from './claims.ts'
import { openProvider } from './discovery.ts'
import { connectPerson, decide, type Linked, LinkRefusal, type Outcome, resolvePerson } from './linking.ts'
import { explain, type Problem, ProviderProblem, recordFailure } from './problems.ts'
import { callbackPath, showValue } from './rules.ts'
import * as store from './sign-in-store.ts'
import { keepIdToken } from './signout.ts'
import { findProvider, findProviderByDomain, type ProviderRow } from './store.ts'

const LIFETIME_MS = 10 * 60_000
/** How far the clock of a provider may be off. */
const TOLERANCE_MS = 60_000
/** How long ago somebody may have signed in at a provider that does not say it. */
const UNKNOWN_AGE_MS = 3_600_000
/** Maximum length of the path to continue at. */
export const MAX_NEXT = 8000
const STATE_BYTES = 32
const TAG_BYTES = 12
const SCOPE = 'openid email profile'

/** What the platform needs to know about the request. */
export interface Visit {
  readonly db: Db
  readonly who: Visitor
  readonly environment: Environment
}

export interface SignInStart {
  readonly purpose: 'sign-in' | 'link' | 'test'
  /** For `link` and `test`: the person who has proven who they are. */
  readonly person?: { readonly personId: number; readonly epoch: number } | undefined
  /** The path to continue at. The caller has checked that it is one of this platform. */
  readonly next?: string | undefined
  readonly isKept?: boolean
  /** The address that the person has typed. */
  readonly loginHint?: string | undefined
  /**
   * True if the provider must ask the person to sign in, even if they are signed in there. It always must if somebody
   * is signed in here: they sign in again to show who they are.
   */
  readonly isFresh?: boolean
}

const stateKeys = service(({ keysFor }) => keysFor('provider.sign-in'))

const derive = (key: Buffer, purpose: string, state: string): Buffer =>
  createHmac('sha256', key).update(`${purpose} ${state}`).digest()
const tagOf = (key: Buffer, random: string): string =>
  derive(key, 'tag', random).subarray(0, TAG_BYTES).toString('base64url')
/** Values that belong to a state. Nobody else can compute them, and no process has to store them. */
const nonceOf = (key: Buffer, state: string): string => derive(key, 'nonce', state).toString('base64url')
const verifierOf = (key: Buffer, state: string): string => derive(key, 'verifier', state).toString('base64url')

/** Returns the key with which a state was made; undefined if it is not one of ours. */
function findKey(environment: Environment, state: string): Buffer | undefined {
  const [, random, tag] = /^([\w-]{43})([\w-]{16})$/.exec(state) ?? []
  if (random === undefined || tag === undefined) return undefined
  return environment.get(stateKeys).find((key) => timingSafeEqual(Buffer.from(tag), Buffer.from(tagOf(key, random))))
}

/** The redirect URI of an organisation's provider. It names the organisation, so that providers cannot be mixed up. */
const redirectUriOf = ({ url }: Environment, organisation: string): string => `${url}${callbackPath(organisation)}`

export const hostOf = ({ issuer }: { readonly issuer: string }): string => new URL(issuer).host

/** Starts a sign-in of this browser. Returns the address of the provider that the browser is sent to. */
export async function startSignIn(
  { db, who, environment }: Visit,
  provider: ProviderRow,
  { purpose, person, next, isKept = false, loginHint, isFresh = false }: SignInStart,
): Promise<string> {
  const mustAsk = isFresh || purpose !== 'sign-in' || who.person !== undefined
  if (next !== undefined && next.length > MAX_NEXT)
    throw fail('validationFailed', 'The request of the app is too long for sign-in with an organisation')
  const key = environment.get(stateKeys)[0]!
  const random = randomBytes(STATE_BYTES).toString('base64url')
  const state = `${random}${tagOf(key, random)}`
  await db.first(store.insertSignIn, {
    hash: hashToken(state),
    organisation: provider.id,
    browser: hashToken(who.browserToken),
    version: provider.version,
    purpose,
    person: person?.personId ?? null,
    epoch: person?.epoch ?? null,
    next: next ?? null,
    isKept,
    isFresh: mustAsk,
    now: who.at,
    expires: new Date(who.at.getTime() + LIFETIME_MS),
  })
  const configuration = await openProvider(environment, provider)
  const address = buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUriOf(environment, provider.key),
    scope: SCOPE,
    state,
    nonce: nonceOf(key, state),
    code_challenge: await calculatePKCECodeChallenge(verifierOf(key, state)),
    code_challenge_method: 'S256',
    ...(mustAsk && { prompt: 'login', max_age: '0' }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
  })
  return address.href
}

/** Whether people can sign in with any provider here, so that sign-in pages offer it. */
export const hasProviders = async (db: Db): Promise<boolean> => (await db.first(store.findAny, {})) !== undefined

export interface TypedSignIn {
  /** What was typed as handle or e-mail address. */
  readonly typed: string
  /** True if the person has asked to sign in with their organisation. */
  readonly isAsked: boolean
  readonly next: string | undefined
  readonly isKept: boolean
  readonly isFresh?: boolean
}

/**
 * Returns the address of the provider that decides about a typed e-mail address; undefined if the password decides. It
 * depends on the domain alone, and never on whether an account exists.
 */
export async function findWay(visit: Visit, what: TypedSignIn): Promise<string | undefined> {
  const { isAsked, next, isKept, isFresh } = what
  const typed = what.typed.normalize('NFKC').trim()
  const named = /^[^@\s]+@([^@\s]{1,253})$/.exec(typed)?.[1]?.toLowerCase()
  // Proven domains are stored in the ASCII form of names with other letters.
  const domain = named && (domainToASCII(named) || named)
  if (domain === undefined) {
    if (isAsked) throw fail('impossibleNow', 'Type the e-mail address that you have at your organisation')
    return undefined
  }
  const provider = await visit.db.first(findProviderByDomain, { domain })
  if (!provider && isAsked)
    throw fail('impossibleNow', `No organisation with its own sign-in uses addresses at ${named}`)
  if (!provider || (!isAsked && provider.mode !== 'enforced')) return undefined
  return startSignIn(visit, provider, {
    purpose: 'sign-in',
    next,
    isKept,
    loginHint: typed,
    ...(isFresh && { isFresh }),
  })
}

/** Finds the provider of an organisation, if people can sign in with it. */
export async function findUsable(db: Db, organisation: string): Promise<ProviderRow | undefined> {
  const provider = await db.first(findProvider, { organisation })
  return provider?.mode === 'off' ? undefined : provider
}

type Started = RowOf<typeof store.takeSignIn>

/** A sign-in that has failed. */
export interface Failed {
  readonly kind: 'failed'
  readonly provider: ProviderRow | undefined
  readonly sentence: string
  /** The code under which the owners find what went wrong; undefined if it is not for them. */
  readonly reference?: string
  readonly status: number
  readonly next: string | null
  /** True if an owner has tested the settings. */
  readonly isTest?: boolean
}

/** What a test has shown. Nobody was signed in and nothing was connected. */
export interface Tested {
  readonly kind: 'tested'
  readonly provider: ProviderRow
  readonly claims: Claims
  readonly person: Identified
  readonly outcome: Outcome
}

export type Finished =
  | Failed
  | Tested
  | {
      readonly kind: 'signed-in'
      readonly browser: OpenedBrowser
      readonly next: string | null
      readonly outcome: Linked['outcome']
    }

const UNKNOWN: Failed = {
  kind: 'failed',
  provider: undefined,
  sentence:
    'This sign-in was not started in this browser, has expired after ten minutes, or was used already. Start again.',
  status: 400,
  next: null,
}

const changed = (provider: ProviderRow, { next, purpose }: Started): Failed => ({
  kind: 'failed',
  provider,
  sentence: `${provider.name} has changed its sign-in meanwhile. Start again.`,
  status: 400,
  next,
  isTest: purpose === 'test',
})

/** Finishes a sign-in with the response of the provider, which is the query of the redirect URI. */
export async function finishSignIn(
  visit: Visit,
  { organisation, response }: { organisation: string; response: URLSearchParams },
): Promise<Finished> {
  const { db, who, environment } = visit
  const state = response.get('state') ?? ''
  const key = findKey(environment, state)
  const taken = { hash: hashToken(state), browser: hashToken(who.browserToken), organisation, now: who.at }
  const started = key && (await db.first(store.takeSignIn, taken))
  const provider = started && (await db.first(findProvider, { organisation }))
  if (!key || !started || !provider) return UNKNOWN
  const isUsable = provider.version === started.version && (provider.mode !== 'off' || started.purpose === 'test')
  if (!isUsable) return changed(provider, started)
  try {
    const identified = await identify(visit, provider, { key, state, response, started })
    return await goOn(visit, provider, started, identified)
  } catch (error) {
    return explainFailure(visit, provider, started, error, response)
  }
}

interface Identification {
  readonly claims: Claims
  readonly idToken: string
  readonly person: Identified
}

/** Exchanges the code, and reads who has signed in. Throws an error that `explain` understands. */
async function identify(
  { db, environment }: Visit,
  provider: ProviderRow,
  what: { key: Buffer; state: string; response: URLSearchParams; started: Started },
): Promise<Identification> {
  const { key, state, response, started } = what
  const configuration = await openProvider(environment, provider)
  const address = new URL(redirectUriOf(environment, provider.key))
  address.search = String(response)
  const tokens = await authorizationCodeGrant(configuration, address, {
    expectedState: state,
    expectedNonce: nonceOf(key, state),
    pkceCodeVerifier: verifierOf(key, state),
    idTokenExpected: true,
  })
  const own = tokens.claims()!
  if (started.purpose !== 'sign-in') refuseOldSignIn(own)
  const { groups_claim: groups } = provider
  const isComplete = own.email !== undefined && (groups === null || Object.hasOwn(own, groups))
  const canAsk = configuration.serverMetadata().userinfo_endpoint !== undefined
  const more = !isComplete && canAsk ? await fetchUserInfo(configuration, tokens.access_token, own.sub) : {}
  // Whether an address is verified says only the one who has sent the address.
  const { email, email_verified } = own.email === undefined ? (more as Claims) : own
  const claims = { ...more, ...own, email, email_verified }
  return { claims, idToken: tokens.id_token!, person: await readIdentity(db, provider, claims) }
}

/**
 * A provider may ignore that we ask for a new sign-in. Then somebody else's account would be connected by accident. If
 * it sends no time of the sign-in, or 0 as some do, this is not noticed.
 */
function refuseOldSignIn({ auth_time: seconds }: Claims): void {
  if (typeof seconds !== 'number' || seconds <= 0 || Date.now() - seconds * 1000 <= LIFETIME_MS + TOLERANCE_MS) return
  throw new ProviderProblem({
    problem: 'The person signed in at the provider too long ago, and was not asked again',
    claim: 'auth_time',
    found: showValue(seconds),
  })
}

/**
 * When the person has shown at the provider who they are. The age is measured with the clock of the ID token's times.
 * If the provider was told to ask, its clock may be a little behind. If it does not say when, an unasked person may
 * have signed in there long ago.
 */
function whenAuthenticated(
  { auth_time: seconds }: Claims,
  { is_fresh: isFresh, created_at: start }: Started,
  at: Date,
) {
  if (typeof seconds !== 'number' || seconds <= 0) return isFresh ? at : new Date(at.getTime() - UNKNOWN_AGE_MS)
  const ms = at.getTime() - Math.max(0, Date.now() - seconds * 1000)
  const isAfterStart = isFresh && ms >= start.getTime() - TOLERANCE_MS
  return new Date(isAfterStart ? Math.max(ms, start.getTime()) : Math.max(ms, 0))
}

async function goOn(
  { db, who, environment }: Visit,
  provider: ProviderRow,
  started: Started,
  { claims, idToken, person }: Identification,
): Promise<Finished> {
  const { purpose, person_id: personId, epoch, next, is_kept: isKept } = started
  if (purpose === 'test') {
    const { id: organisation, version, sealed_secret: secret, groups_claim: claim, group_roles: roles } = provider
    const tested = await db.first(store.setTested, { organisation, version, secret, claim, roles, now: who.at })
    if (!tested) return changed(provider, started)
    return { kind: 'tested', provider, claims, person, outcome: await decide(db, who, provider, person) }
  }
  const messages = environment.get(messagePolicy)
  const open = async (tx: Parameters<Parameters<Db['transaction']>[0]>[0], linked: Linked): Promise<Finished> => {
    const from = { organisationId: provider.id, authenticatedAt: whenAuthenticated(claims, started, who.at) }
    const opened = { personId: linked.id, epoch: linked.epoch, door: 'provider', isKept, provider: from } as const
    const browser = await openBrowser(tx, who, opened, environment.name)
    await keepIdToken(tx, environment, { browserId: browser.browserId, organisationId: provider.id, idToken })
    return { kind: 'signed-in', browser, next, outcome: linked.outcome }
  }
  return purpose === 'link'
    ? connectPerson(db, who, provider, person, { id: personId!, epoch: epoch! }, messages, open)
    : resolvePerson(db, who, provider, person, messages, open)
}

/** Stores the failure for the owners, and says what the person is told. */
async function explainFailure(
  { db, who, environment }: Visit,
  provider: ProviderRow,
  { next, purpose }: Started,
  error: unknown,
  response: URLSearchParams,
): Promise<Failed> {
  const failed = { kind: 'failed', provider, next, isTest: purpose === 'test' } as const
  if (response.get('error') === 'access_denied' && !response.has('code') && purpose !== 'test')
    return { ...failed, sentence: `You cancelled, or ${hostOf(provider)} did not let you in.`, status: 400 }
  if (error instanceof ProviderRequired) {
    const { organisation, sentence } = error
    return { kind: 'failed', provider: await findUsable(db, organisation), sentence: `${sentence}.`, status: 403, next }
  }
  const refusal = error instanceof LinkRefusal ? error : undefined
  if (!refusal && !isOfProvider(error)) throw error
  const problem: Problem = refusal ? refusal.problem : explain(error)
  const reference = await recordFailure(db, who, { organisationId: provider.id, ...problem })
  environment.log.info({ organisation: provider.key, reference, problem: problem.problem }, 'a provider sign-in failed')
  await recordAudit(db, who, {
    action: 'connection.refused',
    detail: { organisation: provider.key, reference, problem: problem.problem },
  })
  if (refusal) return { ...failed, sentence: refusal.sentence, reference, status: 403 }
  const sentence =
    purpose === 'test'
      ? `${problem.problem}.`
      : `${hostOf(provider)} did not respond as it should, so nobody was signed in. An owner of ${provider.name} can find out why with the code below.`
  return { ...failed, sentence, reference, status: statusOf(error) }
}

/** Whether the error is about what the provider has sent or not sent. Others are our own. */
const isOfProvider = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'ProviderProblem' ||
    /^OAUTH_/.test(String((error as { code?: unknown }).code)) ||
    isOfProvider(error.cause))

/** 502 or 504 if the provider cannot be reached, 400 if its response is wrong. */
function statusOf(error: unknown): number {
  const { problem, found } = explain(error)
  if (/in time|within/.test(`${problem} ${found ?? ''}`)) return 504
  return /cannot be reached|larger than|unexpected status|is not JSON/.test(problem) ? 502 : 400
}

/** Sign-ins that were never finished are deleted. */
export const providerRetention: readonly Retention[] = [{ days: 1, remove: store.deleteOldSignIns }]
