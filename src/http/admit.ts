import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../bounds/networks.ts'
import type { Allowance, RateLimiter } from '../bounds/rate-limiter.ts'
import { findSignedIn } from '../browsers/browsers.ts'
import { type AppUser, type Caller, findPerson, type PersonCaller, type Visitor } from '../caller.ts'
import type { Environment } from '../environment.ts'
import { fail, type PlatformError } from '../errors.ts'
import type { Holder } from '../sessions/sessions.ts'
import { inspectToken, mintToken } from '../sessions/tokens.ts'
import { Holding, isLarge, type Party } from './budget.ts'
import { findBearer, lookUpHolder, recallHolder } from './callers/bearer.ts'
import { readCookie } from './callers/cookies.ts'
import { findForeignOrigin } from './callers/csrf.ts'
import { noRoom } from './input/read-body.ts'
import { isWrite, type Operation } from './operation.ts'
import { expectNothingBehind, isTooMuch } from './pipelining.ts'

declare module 'fastify' {
  interface FastifyRequest {
    who: AppUser | Visitor | PersonCaller | Caller
    receivedAtMs: number
    /** Values of `RateLimit-Policy` and `RateLimit`, once a limit was applied. */
    limitPolicy: string | undefined
    limitState: string | undefined
  }
}

/** What happens to a request before its body is read. */
export type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Lets a request through to an operation: the process takes work, the caller is who the operation wants, and within the limits. */
export function admitTo(environment: Environment, operation: Operation): Hook {
  const { access } = operation
  if (access === 'open') return (request, reply, done) => done(admitAnyone(environment, request, reply))
  if (access === 'visitor') return admitVisitor(environment, isWrite(operation))
  if (access === 'person' || access === 'own image' || access === 'download')
    return admitPerson(environment, isWrite(operation))
  const authenticateUser = authenticate(environment, access === 'stream' || access === 'image')
  return (request, reply, done) => {
    const problem = receive(request, reply) ?? refuseWhileStopping(environment)
    if (access === 'stream') expectNothingBehind(request.raw, reply.raw)
    if (problem) done(problem)
    else authenticateUser(request, reply, done)
  }
}

/** For what anyone may ask: limited by the address that it comes from. */
export function admitAnyone(
  environment: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
): PlatformError | undefined {
  return admitAddress(environment, request, reply) ?? letBodyIn(environment, request, reply)
}

function admitAddress(
  environment: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
): PlatformError | undefined {
  const problem = receive(request, reply) ?? refuseWhileStopping(environment)
  if (problem) return problem
  const now = environment.clock()
  request.who = { at: now, requestId: request.id, address: request.ip }
  return limitAddress(environment, request, now) ?? refuseBody(request, reply)
}

/** For people in a browser: finds out who is signed in there. What they send must come from a page of ours. */
export function admitVisitor(environment: Environment, isSending: boolean): Hook {
  const findOut = findVisitor(environment, isSending)
  return (request, reply, done) =>
    findOut(request, reply, (problem) => done(problem ?? letBodyIn(environment, request, reply)))
}

/** The same, and refuses whoever is not signed in. */
function admitPerson(environment: Environment, isSending: boolean): Hook {
  const findOut = findVisitor(environment, isSending)
  return (request, reply, done) =>
    findOut(request, reply, (problem) => {
      if (problem) return done(problem)
      const person = findPerson(request.who as Visitor)
      if (!person) return done(fail('notAuthorized', 'Sign in first, with POST /account/v1/signin or at /account'))
      request.who = person
      done(letBodyIn(environment, request, reply))
    })
}

const findVisitor =
  (environment: Environment, isSending: boolean): Hook =>
  (request, reply, done) => {
    const problem =
      admitAddress(environment, request, reply) ?? (isSending ? findForeignOrigin(environment, request) : undefined)
    if (problem) return done(problem)
    const { at, requestId, address } = request.who
    const cookie = readVisitorCookie(environment, request)
    const visitor = {
      at,
      requestId,
      address,
      browserToken: cookie ?? mintToken('browser', environment.name),
      device: String(request.headers['user-agent'] ?? '').slice(0, 200),
    }
    if (cookie === undefined) {
      request.who = { ...visitor, person: undefined }
      return done()
    }
    findSignedIn(environment.db, cookie, environment.name, at).then((person) => {
      request.who = { ...visitor, person }
      done()
    }, done)
  }

/** The cookie, where it is one that we could have set. */
function readVisitorCookie({ cookie, name }: Environment, request: FastifyRequest): string | undefined {
  const value = readCookie(request.headers.cookie, cookie.name)
  return value !== undefined && inspectToken(value, 'browser', name) === 'good' ? value : undefined
}

export const isNewVisitor = (environment: Environment, request: FastifyRequest): boolean =>
  readVisitorCookie(environment, request) === undefined

/** The first thing that happens to a request, whatever it is for. */
export function receive(request: FastifyRequest, reply: FastifyReply): PlatformError | undefined {
  request.receivedAtMs = performance.now()
  if (isTooMuch(request.raw, reply.raw))
    return fail('badRequest', 'Too many requests wait behind others on this connection, or one behind a stream')
  const isNameless = request.headers.host === undefined && request.raw.httpVersion === '1.1'
  return isNameless ? fail('badRequest', 'The Host header is missing') : undefined
}

const refuseWhileStopping = ({ stopping }: Environment): PlatformError | undefined =>
  stopping.aborted ? fail('notReady', 'The platform is stopping; try again shortly', 1) : undefined

/** What no caller may send. Also where nobody would read it: a body that is only announced must not be waited for. */
function refuseBody(request: FastifyRequest, reply: FastifyReply): PlatformError | undefined {
  const { 'content-length': length, 'content-encoding': coding } = request.headers
  if (coding !== undefined && coding !== 'identity')
    return fail('unsupportedMediaType', 'A compressed body is not supported; send it as it is')
  if (length === undefined || Number(length) <= request.routeOptions.bodyLimit) return undefined
  reply.header('connection', 'close')
  return fail('bodyTooLarge')
}

/** The last step: whoever is refused before is not asked for the body. */
function letBodyIn(environment: Environment, request: FastifyRequest, reply: FastifyReply): PlatformError | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding, expect } = request.headers
  if (length === undefined && encoding === undefined) return undefined
  if (expect !== undefined && isAskedFor(expect) && request.raw.httpVersion === '1.1')
    request.askForBody = () => reply.raw.writeContinue()
  return length !== undefined && !isLarge(Number(length)) ? undefined : makeRoom(environment, request)
}

const isAskedFor = (expect: string): boolean => /(?:^|\W)100-continue(?:$|\W)/i.test(expect)

/**
 * Large bodies are in memory several times while they are worked on, so only so many are let in at once: those of whoever `request.who` says. Held while it arrives, and then until
 * there is an answer, also where the client has left: what it sent is worked on all the same.
 */
function makeRoom(environment: Environment, request: FastifyRequest): PlatformError | undefined {
  const room = new Holding(environment.largeBodies, partyOf(request), () => environment.clock().getTime())
  if (!room.canGrow()) return noRoom()
  request.bodyRoom = room
  return undefined
}

/** Who is counted for what a request holds: the person, or the network where that is not known. */
export function partyOf({ who }: FastifyRequest): Party {
  const personId = 'personId' in who ? who.personId : 'person' in who ? who.person?.personId : undefined
  if (personId === undefined) return { name: networkOf(who.address), isGuest: true }
  return { name: String(personId), isGuest: 'isAnonymous' in who && who.isAnonymous }
}

const limitAddress = (environment: Environment, request: FastifyRequest, now: Date): PlatformError | undefined =>
  applyLimit(request, environment.limits.address, networkOf(request.ip), now.getTime())

/** Sets `request.who`. A token that is not remembered costs a look into the database, so those count for the address too. */
const authenticate =
  (environment: Environment, isQueryAllowed: boolean): Hook =>
  (request, reply, done) => {
    const now = environment.clock()
    const admit = (holder: Holder, token: string) => {
      request.who = {
        at: now,
        requestId: request.id,
        address: request.ip,
        appId: holder.appId,
        personId: holder.personId,
        userId: holder.userId,
        sessionId: holder.sessionId,
        isAnonymous: holder.isAnonymous,
        tokenExpiresAtMs: holder.expiresAtMs,
      }
      done(
        applyLimit(request, environment.limits.token, token, now.getTime()) ??
          refuseBody(request, reply) ??
          letBodyIn(environment, request, reply),
      )
    }
    try {
      const token = findBearer(request, isQueryAllowed)
      if (token === undefined) throw fail('notAuthorized')
      const holder = recallHolder(environment, token, now)
      if (holder) return admit(holder, token)
      const problem = limitAddress(environment, request, now)
      if (problem) return done(problem)
      lookUpHolder(environment, token, now).then((found) => admit(found, token), done)
    } catch (error) {
      done(limitAddress(environment, request, now) ?? (error as Error))
    }
  }

/**
 * For the token operation: counts for the app. A public app proves nothing, so there each network counts for itself, or one could spend what is another's.
 */
export function admitClient(
  environment: Environment,
  request: FastifyRequest,
  { clientId, isPublic }: { readonly clientId: string; readonly isPublic: boolean },
): void {
  const key = isPublic ? `${clientId} ${networkOf(request.ip)}` : clientId
  const problem = applyLimit(request, environment.limits.client, key, request.who.at.getTime())
  if (problem) throw problem
}

/** For what makes a user of anybody who asks: counts for the network, beside what that may ask at all. */
export function admitNewcomer(environment: Environment, request: FastifyRequest): void {
  const problem = applyLimit(request, environment.limits.anonymous, networkOf(request.ip), request.who.at.getTime())
  if (problem) throw problem
}

/** So many people shown count as one search, and one that an anonymous user makes as so many. */
const PEOPLE_A_SEARCH = 10
const ANONYMOUS_SEARCHES = 4

/**
 * For what finds people: counts for the user, whatever token they hold, and by how many are shown at most, beside what they may ask at all. Anybody can make anonymous users, so
 * those of one network and app count together, and for more.
 */
export function admitSearch(environment: Environment, request: FastifyRequest, people: number): void {
  const { at, userId, appId, isAnonymous } = request.who as AppUser
  const key = isAnonymous ? `${appId} ${networkOf(request.ip)}` : userId
  const count = Math.ceil(people / PEOPLE_A_SEARCH) * (isAnonymous ? ANONYMOUS_SEARCHES : 1)
  const problem = applyLimit(request, environment.limits.search, key, at.getTime(), count)
  if (problem) throw problem
}

function applyLimit(
  request: FastifyRequest,
  limiter: RateLimiter,
  key: string,
  nowMs: number,
  count = 1,
): PlatformError | undefined {
  const allowance: Allowance = limiter.take(key, nowMs, count)
  request.limitPolicy = limiter.policy
  request.limitState = limiter.describe(allowance)
  return allowance.isAllowed ? undefined : fail('tooManyRequests', undefined, allowance.waitSeconds)
}
