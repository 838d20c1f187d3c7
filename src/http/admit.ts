import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppUser, Caller } from '../caller.ts'
import type { Environment } from '../environment.ts'
import { fail, type PlatformError } from '../errors.ts'
import type { Holder } from '../sessions/sessions.ts'
import { findBearer, lookUpHolder, recallHolder } from './authenticate.ts'
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
  const admit = access === 'open' ? limitByAddress(environment) : authenticate(environment, access === 'stream')
  return (request, reply, done) => {
    const problem = receive(request) ?? refuseWhileStopping(environment)
    if (problem) done(problem)
    else admit(request, reply, done)
  }
}

/** The first thing that happens to a request, whatever it is for. */
export function receive(request: FastifyRequest): PlatformError | undefined {
  request.receivedAtMs = performance.now()
  const isNameless = request.headers.host === undefined && request.raw.httpVersion === '1.1'
  return isNameless ? fail('badRequest', 'The Host header is missing') : undefined
}

export const refuseWhileStopping = (environment: Environment): PlatformError | undefined =>
  environment.stopping.aborted ? fail('notReady', 'The platform is stopping; try again shortly', 1) : undefined

/** Unauthenticated requests are limited by the address they come from. */
const limitByAddress =
  (environment: Environment): Hook =>
  (request, _reply, done) => {
    const now = environment.clock()
    request.who = { at: now, requestId: request.id, address: request.ip }
    done(applyLimit(request, environment.limits.address, request.ip, now.getTime()))
  }

/** Sets `request.who`. A token that is not remembered costs a look into the database, so those count for the address too. */
const authenticate =
  (environment: Environment, isQueryAllowed: boolean): Hook =>
  (request, _reply, done) => {
    const now = environment.clock()
    const limitAddress = () => applyLimit(request, environment.limits.address, request.ip, now.getTime())
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
      done(applyLimit(request, environment.limits.token, token, now.getTime()))
    }
    try {
      const token = findBearer(request, isQueryAllowed)
      if (token === undefined) throw fail('notAuthorized')
      const holder = recallHolder(environment, token, now)
      if (holder) return admit(holder, token)
      const problem = limitAddress()
      if (problem) return done(problem)
      lookUpHolder(environment, token, now).then((found) => admit(found, token), done)
    } catch (error) {
      done(limitAddress() ?? (error as Error))
    }
  }

function applyLimit(request: FastifyRequest, limiter: RateLimiter, key: string, nowMs: number): Error | undefined {
  const allowance: Allowance = limiter.take(key, nowMs)
  request.limitPolicy = limiter.policy
  request.limitState = limiter.describe(allowance)
  return allowance.isAllowed ? undefined : fail('tooManyRequests', undefined, allowance.waitSeconds)
}
