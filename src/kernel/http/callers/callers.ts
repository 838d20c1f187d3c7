import { networkOf } from '../../bounds/networks.ts'
import { findSignedIn } from '../../browsers/browsers.ts'
import { browserUses } from '../../browsers/uses.ts'
import {
  type AppUser,
  type Caller,
  callerKey,
  findPerson,
  findPersonId,
  type Member,
  type PersonCaller,
  type Visitor,
} from '../../caller.ts'
import type { Environment } from '../../environment.ts'
import { type ErrorName, fail } from '../../errors.ts'
import { rateLimit } from '../../limits/limits.ts'
import { includesScopes, type Scope } from '../../scopes.ts'
import type { Holder } from '../../sessions/sessions.ts'
import { mintToken } from '../../sessions/tokens.ts'
import type { Challenge, HttpRequest } from '../request.ts'
import { findBearer, lookUpHolder, recallHolder } from './bearer.ts'
import { findBrowserToken, findKnownBrowser } from './cookies.ts'
import { refuseForeignOrigin } from './csrf.ts'

const addressLimit = rateLimit('address', (config) => ({
  perSecond: config.RATE_ADDRESS_PER_SECOND,
  burst: config.RATE_ADDRESS_BURST,
}))
const tokenLimit = rateLimit('token', (config) => ({
  perSecond: config.RATE_TOKEN_PER_SECOND,
  burst: config.RATE_TOKEN_BURST,
}))

/** The properties of an operation that decide how its caller is authenticated. */
export interface AdmissionContext {
  readonly isWrite: boolean
  /**
   * True for images and streams. Browsers load them without setting headers (`<img>`, `EventSource`), so the token may
   * be in the query.
   */
  readonly isEmbedded: boolean
  /** The scope that an access token needs; undefined if every token will do. */
  readonly scope?: Scope | undefined
}

/**
 * A kind of caller: how callers are authenticated and rate-limited before the body is read. A module may add its own
 * kind.
 */
export interface CallerKind<Who extends Caller = Caller> {
  /** Name in the documentation. */
  readonly name: string
  /** Returns the OpenAPI security schemes, each of which is sufficient alone. */
  security(admission: AdmissionContext): readonly string[]
  errors(admission: AdmissionContext): readonly ErrorName[]
  /** Authentication scheme in `WWW-Authenticate` on 401 responses. */
  readonly challenge?: Challenge
  /** Returns the owner of an Idempotency-Key. Kinds without this function, such as `anyone`, cannot use the header. */
  keyOf?(who: Who): string
  admit(environment: Environment, request: HttpRequest, admission: AdmissionContext): Who | Promise<Who>
  /**
   * Checks the credentials again while a stream or a file is being sent. Only needed for kinds that accept credentials
   * other than an access token or the cookie.
   */
  holds?(environment: Environment, request: HttpRequest): Promise<boolean>
}

/**
 * Returns the key for limits of one caller: the person; else the plugin or key of the record store; else the network.
 */
export const limitKeyOf = <Who extends Caller>({ keyOf }: CallerKind<Who>, who: Who): string =>
  findPersonId(who) === undefined && keyOf ? keyOf(who) : callerKey(who)

/** Any caller, authenticated or not. Rate-limited by network. */
export const anyone: CallerKind<Caller> = {
  name: 'anyone',
  challenge: 'Bearer',
  security: () => [],
  errors: () => [],
  admit: (environment, request) => {
    limitAddress(environment, request)
    return request.who
  },
}

/** A browser, whether or not a person is signed in. Writes that pages of other sites trigger are refused. */
export const visitor: CallerKind<Visitor> = {
  name: 'visitor',
  security: () => [],
  errors: ({ isWrite }) => (isWrite ? ['forbidden'] : []),
  admit: (environment, request, { isWrite }) => {
    limitAddress(environment, request)
    if (isWrite) refuseForeignOrigin(environment, request)
    const known = findBrowserToken(environment, request)
    const visitor = {
      ...request.who,
      browserToken: known ?? mintToken('browser', environment.name),
      device: request.device,
      known: findKnownBrowser(environment, request),
      person: undefined,
    }
    if (known === undefined) return visitor
    return findSignedIn(environment.db, known, environment.name, visitor.at).then((person) => {
      if (person) environment.get(browserUses).note(visitor, person)
      return { ...visitor, person }
    })
  },
}

/** A person who is signed in to the platform itself, identified by the cookie of the browser. */
export const person: CallerKind<PersonCaller> = {
  name: 'person',
  security: () => ['browser'],
  errors: (admission) => [...visitor.errors(admission), 'notAuthorized'],
  keyOf: callerKey,
  admit: async (environment, request, admission) => {
    const found = findPerson(await visitor.admit(environment, request, admission))
    if (!found) throw fail('notAuthorized', 'Sign in first, with POST /account/v1/signin or at /account')
    return found
  },
}

/**
 * A person in an app, identified by an access token. A token that is not cached costs a database look-up, so the
 * request also counts against the limit of the network.
 */
export const appUser: CallerKind<AppUser> = {
  name: 'app user',
  challenge: 'Bearer',
  security: ({ isEmbedded }) => (isEmbedded ? ['bearer', 'bearerInQuery'] : ['bearer']),
  errors: ({ scope }) => [
    ...(['tokenExpired', 'appNotUsable', 'notAuthorized', 'consentMissing', 'tokenInvalid'] as const),
    ...(scope ? (['scopeMissing'] as const) : []),
  ],
  keyOf: ({ userId }) => userId,
  admit: (environment, request, { isEmbedded, scope }) => {
    const { at } = request.who
    const admit = (holder: Holder): AppUser => {
      request.limit(environment.get(tokenLimit), holder.tokenKey)
      if (scope && !includesScopes(holder.scopes, [scope]))
        throw fail(
          'scopeMissing',
          `This token does not have the scope ${scope}; ask the user for it at the next sign-in`,
        )
      return { ...request.who, ...userOf(holder), defaultCountry: environment.config.DEFAULT_COUNTRY }
    }
    let token: string | undefined
    try {
      token = findBearer(request, isEmbedded)
      if (token === undefined) throw fail('notAuthorized')
      const holder = recallHolder(environment, token, at)
      if (holder) return admit(holder)
    } catch (error) {
      // If the token's own limit was applied, the token is valid, so the request does not count as a guess of a token.
      if (request.limitPolicy === undefined) limitAddress(environment, request)
      throw error
    }
    limitAddress(environment, request)
    return lookUpHolder(environment, token, at).then(admit)
  },
}

/**
 * A person with an account, in an app or on the platform's own pages. Identified by an access token or else by the
 * cookie.
 */
export const member: CallerKind<Member> = {
  name: 'member',
  challenge: 'Bearer',
  security: (admission) => [...appUser.security(admission), ...person.security(admission)],
  errors: (admission) => [
    ...new Set([...appUser.errors(admission), ...person.errors(admission), 'notForAnonymous' as const]),
  ],
  keyOf: (who) => ('userId' in who ? String(who.userId) : callerKey(who)),
  admit: async (environment, request, admission) => {
    const hasToken =
      request.headers.authorization !== undefined || (admission.isEmbedded && 'authorization' in request.query)
    if (!hasToken && findBrowserToken(environment, request) !== undefined) {
      const { personId, ...who } = await person.admit(environment, request, admission)
      return { ...who, personId, appId: undefined }
    }
    const who = await appUser.admit(environment, request, admission)
    if (who.isAnonymous) throw fail('notForAnonymous', 'Anonymous users cannot do this; sign in with an account')
    return who
  },
}

const userOf = (holder: Holder): Omit<AppUser, keyof Caller | 'defaultCountry'> => ({
  appId: holder.appId,
  personId: holder.personId,
  userId: holder.userId,
  sessionId: holder.sessionId,
  isAnonymous: holder.isAnonymous,
  scopes: holder.scopes,
  tokenExpiresAtMs: holder.expiresAtMs,
})

export const limitAddress = (environment: Environment, request: HttpRequest): void =>
  request.limit(environment.get(addressLimit), networkOf(request.ip))
