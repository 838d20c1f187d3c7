import { parse as parseForm } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppUser, Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { type Answer, answerOnce } from '../idempotency/idempotency.ts'
import type { Holder } from '../sessions/sessions.ts'
import { sendAnswer } from './answers.ts'
import { findBearer, lookUpHolder, recallHolder } from './authenticate.ts'
import { conclude } from './conclude.ts'
import { openEventSink } from './event-stream.ts'
import { compileInput } from './input.ts'
import { parseStrictJson } from './json.ts'
import type { Allowance, RateLimiter } from './limits.ts'
import type { Observer } from './metrics.ts'
import { compilePresenter, isWrite, type Operation } from './operation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    who: AppUser | Caller
    receivedAtMs: number
    /** Values of `RateLimit-Policy` and `RateLimit`, once a limit was applied. */
    limitPolicy: string | undefined
    limitState: string | undefined
  }
}

/** Bodies arrive as JSON or as a form; both become the same fields. */
export function acceptBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseStrictJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    // Without a limit of its own: it would leave out fields silently, and the body has one already.
    const fields = parseForm(body as string, '&', '=', { maxKeys: 0 })
    const twice = Object.entries(fields).find(([, value]) => Array.isArray(value))
    done(twice ? fail('validationFailed', `${twice[0]} is given twice`) : null, { ...fields })
  })
}

/** Makes one operation reachable: limit and authenticate, read the input, run, present. */
export function serveOperation(
  server: FastifyInstance,
  environment: Environment,
  operation: Operation,
  observer: Observer,
): void {
  const readInput = compileInput(operation.input, operation.place)
  const run = makeRunner(environment, operation, observer)
  server.route({
    method: operation.method,
    url: operation.path,
    exposeHeadRoute: operation.access !== 'stream',
    config: { observer },
    onRequest:
      operation.access === 'open'
        ? limitByAddress(environment)
        : authenticate(environment, operation.access === 'stream'),
    handler: (request, reply) =>
      run(request, reply, readInput({ query: request.query as Record<string, unknown>, body: request.body }) as object),
  })
}

type Runner = (request: FastifyRequest, reply: FastifyReply, input: object) => Promise<unknown>

function makeRunner(environment: Environment, operation: Operation, observer: Observer): Runner {
  if (operation.access === 'stream') {
    return async (request, reply, input) => {
      const start = await operation.run(
        { db: environment.db, who: request.who as AppUser, environment, request },
        input,
      )
      start(openEventSink(environment, request, reply))
      conclude(environment, request, observer, 200)
      return reply
    }
  }
  const present = operation.present ?? compilePresenter(operation.answer)
  const answer = async (db: Db, request: FastifyRequest, input: object): Promise<Answer> => {
    const result = await operation.run({ db, who: request.who as AppUser, environment, request }, input)
    return { text: present(result), headers: operation.headersOf?.(result) ?? {} }
  }
  const canRepeat = operation.access === 'user' && isWrite(operation)
  return async (request, reply, input) => {
    const key = canRepeat ? request.headers['idempotency-key'] : undefined
    const { text, headers } =
      key === undefined
        ? await answer(environment.db, request, input)
        : await answerOnce(
            environment.db,
            request.who as AppUser,
            { key: String(key), operation: operation.name, input: [input, request.headers['if-match'] ?? null] },
            (tx) => answer(tx, request, input),
          )
    sendAnswer(environment, request, reply, { text, headers })
    conclude(environment, request, observer, 200)
    return reply
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

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
