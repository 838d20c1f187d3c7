import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../addresses.ts'
import type { AppUser, Caller } from '../caller.ts'
import type { Environment } from '../environment.ts'
import { fail, type PlatformError } from '../errors.ts'
import type { Holder } from '../sessions/sessions.ts'
import { findBearer, lookUpHolder, recallHolder } from './authenticate.ts'
import { isLarge } from './budget.ts'
import type { Allowance, RateLimiter } from './limits.ts'
import type { Operation } from './operation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    who: AppUser | Caller
    receivedAtMs: number
    /** Values of `RateLimit-Policy` and `RateLimit`, once a limit was applied. */
    limitPolicy: string | undefined
    limitState: string | undefined
  }
}

/** What happens to a request before its body is read. */
export type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Lets a request through to an operation: the process takes work, the caller is who the operation wants, and within the limits. */
export function admitTo(environment: Environment, { access }: Operation): Hook {
  if (access === 'open') return (request, reply, done) => done(admitAnyone(environment, request, reply))
  const authenticateUser = authenticate(environment, access === 'stream')
  return (request, reply, done) => {
    const problem = receive(request) ?? refuseWhileStopping(environment)
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
  const problem = receive(request) ?? refuseWhileStopping(environment)
  if (problem) return problem
  const now = environment.clock()
  request.who = { at: now, requestId: request.id, address: request.ip }
  return limitAddress(environment, request, now) ?? refuseBody(environment, request, reply)
}

/** The first thing that happens to a request, whatever it is for. */
export function receive(request: FastifyRequest): PlatformError | undefined {
  request.receivedAtMs = performance.now()
  const isNameless = request.headers.host === undefined && request.raw.httpVersion === '1.1'
  return isNameless ? fail('badRequest', 'The Host header is missing') : undefined
}

const refuseWhileStopping = ({ stopping }: Environment): PlatformError | undefined =>
  stopping.aborted ? fail('notReady', 'The platform is stopping; try again shortly', 1) : undefined

/** Large bodies are in memory several times while they are worked on, so only so many are let in at once. */
function refuseBody(environment: Environment, request: FastifyRequest, reply: FastifyReply): PlatformError | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-encoding': coding } = request.headers
  if (coding !== undefined && coding !== 'identity')
    return fail('unsupportedMediaType', 'A compressed body is not supported; send it as it is')
  if (length === undefined && encoding === undefined) return undefined
  const bytes = length === undefined ? environment.config.BODY_LIMIT_BYTES : Number(length)
  if (!isLarge(bytes)) return undefined
  const caller = callerOf(request)
  if (!environment.largeBodies.hasRoomFor(caller))
    return fail('notReady', 'Too many large bodies are being worked on; try again shortly', 1)
  reply.raw.once('close', environment.largeBodies.take(caller, bytes))
  return undefined
}

/** Who is counted for what a request holds: the person, or the network where that is not known. */
export const callerOf = ({ who }: FastifyRequest): string =>
  'personId' in who ? String(who.personId) : networkOf(who.address)

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
        applyLimit(request, environment.limits.token, token, now.getTime()) ?? refuseBody(environment, request, reply),
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

function applyLimit(
  request: FastifyRequest,
  limiter: RateLimiter,
  key: string,
  nowMs: number,
): PlatformError | undefined {
  const allowance: Allowance = limiter.take(key, nowMs)
  request.limitPolicy = limiter.policy
  request.limitState = limiter.describe(allowance)
  return allowance.isAllowed ? undefined : fail('tooManyRequests', undefined, allowance.waitSeconds)
}
