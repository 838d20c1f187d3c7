import { networkOf } from '../../bounds/networks.ts'
import { RateLimiter } from '../../bounds/rate-limiter.ts'
import { findSignedIn } from '../../browsers/browsers.ts'
import { browserUses } from '../../browsers/uses.ts'
import {
  type AppUser,
  type Caller,
  callerKey,
  findPerson,
  type Member,
  type PersonCaller,
  type Visitor,
} from '../../caller.ts'
import { type Environment, service } from '../../environment.ts'
import { type ErrorName, fail } from '../../errors.ts'
import type { Holder } from '../../sessions/sessions.ts'
import { mintToken } from '../../sessions/tokens.ts'
import type { Challenge, HttpRequest } from '../request.ts'
import { findBearer, lookUpHolder, recallHolder } from './bearer.ts'
import { findBrowserToken, findKnownBrowser } from './cookies.ts'
import { refuseForeignOrigin } from './csrf.ts'

const addressLimit = service(
  ({ config }) => new RateLimiter('address', config.RATE_ADDRESS_PER_SECOND, config.RATE_ADDRESS_BURST),
)
const tokenLimit = service(
  ({ config }) => new RateLimiter('token', config.RATE_TOKEN_PER_SECOND, config.RATE_TOKEN_BURST),
)

/** What of an operation decides how its caller is let in. */
export interface Asked {
  readonly isWrite: boolean
  /** Loaded by browsers without headers (`<img>`, `EventSource`): the token may stand in the query. */
  readonly isEmbedded: boolean
}

/** A kind of caller: how it is recognised and limited, before its body is read. A room may add one of its own. */
export interface CallerKind<Who extends Caller = Caller> {
  /** As it is called in documents. */
  readonly name: string
  /** The names of OpenAPI security schemes; each is enough by itself. */
  security(asked: Asked): readonly string[]
  errors(asked: Asked): readonly ErrorName[]
  /** How its refusals ask who somebody is. */
  readonly challenge?: Challenge
  /** Whom an Idempotency-Key belongs to; callers who are nobody in particular have none. */
  keyOf?(who: Who): string
  admit(environment: Environment, request: HttpRequest, asked: Asked): Who | Promise<Who>
  /** Whether somebody who was let in still would be: asked while a stream or a file is under way, of kinds that are no token and no cookie alone. */
  holds?(environment: Environment, request: HttpRequest): Promise<boolean>
}

/** Anybody at all: limited by the address that they come from. */
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

/** Somebody in a browser, signed in to the platform or not: never a page of another site. */
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

/** Somebody who is signed in to the platform itself, with the cookie of their browser. */
export const person: CallerKind<PersonCaller> = {
  name: 'person',
  security: () => ['browser'],
  errors: (asked) => [...visitor.errors(asked), 'notAuthorized'],
  keyOf: callerKey,
  admit: async (environment, request, asked) => {
    const found = findPerson(await visitor.admit(environment, request, asked))
    if (!found) throw fail('notAuthorized', 'Sign in first, with POST /account/v1/signin or at /account')
    return found
  },
}

/** A person in an app, with an access token. One that is not remembered costs a look into the database, so those count for the address too. */
export const appUser: CallerKind<AppUser> = {
  name: 'app user',
  challenge: 'Bearer',
  security: ({ isEmbedded }) => (isEmbedded ? ['bearer', 'bearerInQuery'] : ['bearer']),
  errors: () => ['tokenExpired', 'appNotUsable', 'notAuthorized', 'consentMissing', 'tokenInvalid'],
  keyOf: ({ userId }) => userId,
  admit: (environment, request, { isEmbedded }) => {
    const { at } = request.who
    const admit = (holder: Holder, token: string): AppUser => {
      request.limit(environment.get(tokenLimit), token)
      return { ...request.who, ...userOf(holder), defaultCountry: environment.config.DEFAULT_COUNTRY }
    }
    let token: string | undefined
    try {
      token = findBearer(request, isEmbedded)
      if (token === undefined) throw fail('notAuthorized')
      const holder = recallHolder(environment, token, at)
      if (holder) return admit(holder, token)
    } catch (error) {
      // A refusal for its own limit is no guess.
      if (request.limitPolicy === undefined) limitAddress(environment, request)
      throw error
    }
    limitAddress(environment, request)
    const given = token
    return lookUpHolder(environment, given, at).then((holder) => admit(holder, given))
  },
}

/** A person with an account, in an app or on the platform's own pages: an access token, or else the cookie of the browser. */
export const member: CallerKind<Member> = {
  name: 'member',
  challenge: 'Bearer',
  security: (asked) => [...appUser.security(asked), ...person.security(asked)],
  errors: (asked) => [...new Set([...appUser.errors(asked), ...person.errors(asked), 'notForAnonymous' as const])],
  keyOf: (who) => ('userId' in who ? String(who.userId) : callerKey(who)),
  admit: async (environment, request, asked) => {
    const hasToken =
      request.headers.authorization !== undefined || (asked.isEmbedded && 'authorization' in request.query)
    if (!hasToken && findBrowserToken(environment, request) !== undefined) {
      const { personId, ...who } = await person.admit(environment, request, asked)
      return { ...who, personId, appId: undefined }
    }
    const who = await appUser.admit(environment, request, asked)
    if (who.isAnonymous) throw fail('notForAnonymous', 'This is not open to anonymous users; sign in with an account')
    return who
  },
}

const userOf = (holder: Holder): Omit<AppUser, keyof Caller | 'defaultCountry'> => ({
  appId: holder.appId,
  personId: holder.personId,
  userId: holder.userId,
  sessionId: holder.sessionId,
  isAnonymous: holder.isAnonymous,
  tokenExpiresAtMs: holder.expiresAtMs,
})

export const limitAddress = (environment: Environment, request: HttpRequest): void =>
  request.limit(environment.get(addressLimit), networkOf(request.ip))
