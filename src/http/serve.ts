import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppUser, PersonCaller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { type Answer, answerOnce } from '../idempotency/idempotency.ts'
import { admitTo } from './admit.ts'
import { sendAnswer } from './answers.ts'
import { countHeader } from './authenticate.ts'
import { conclude } from './conclude.ts'
import { openEventSink } from './event-stream.ts'
import { compileInput } from './input.ts'
import type { Observer } from './metrics.ts'
import { compilePresenter, isWrite, type Operation, SMALL_BODY_BYTES } from './operation.ts'

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
    bodyLimit: operation.hasLargeBody ? environment.config.BODY_LIMIT_BYTES : SMALL_BODY_BYTES,
    config: { observer, ...(operation.errorForm ? { errorForm: operation.errorForm } : {}) },
    onRequest: admitTo(environment, operation),
    handler: (request, reply) => {
      const input = readInput({ query: request.query as Record<string, unknown>, body: request.body }) as object
      // Not handed to Fastify as a promise: it would wait for a reply that `run` has sent already.
      run(request, reply, input).catch((error: unknown) => reply.send(error))
    },
  })
}

const NO_HEADERS = {}

type Runner = (request: FastifyRequest, reply: FastifyReply, input: object) => Promise<void>

function makeRunner(environment: Environment, operation: Operation, observer: Observer): Runner {
  if (operation.access === 'stream') {
    return async (request, reply, input) => {
      const start = await operation.run(
        { db: environment.db, who: request.who as AppUser, environment, request },
        input,
      )
      start(openEventSink(environment, request, reply))
      conclude(environment, request, observer, 200)
    }
  }
  const present = operation.present ?? compilePresenter(operation.answer)
  const answer = async (db: Db, request: FastifyRequest, input: object): Promise<Answer> => {
    const who = request.who as AppUser & PersonCaller
    const result = await operation.run({ db, who, environment, request }, input)
    return { text: present(result), headers: operation.headersOf?.(result) ?? NO_HEADERS }
  }
  const canRepeat = operation.access === 'user' && isWrite(operation)
  return async (request, reply, input) => {
    const key = canRepeat ? findIdempotencyKey(request) : undefined
    const { text, headers } =
      key === undefined
        ? await answer(environment.db, request, input)
        : await answerOnce(
            environment.db,
            request.who as AppUser,
            { key, operation: operation.name, input: [input, request.headers['if-match'] ?? null] },
            (tx) => answer(tx, request, input),
          )
    sendAnswer(environment, request, reply, { text, headers })
    conclude(environment, request, observer, 200)
  }
}

function findIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key !== undefined && countHeader(request.raw, 'idempotency-key') > 1)
    throw fail('badRequest', 'The Idempotency-Key header is sent twice')
  return key as string | undefined
}
