import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppUser, PersonCaller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { type Answer, answerOnce } from '../idempotency/idempotency.ts'
import { admitTo } from './admit.ts'
import { countHeader } from './callers/bearer.ts'
import { conclude } from './conclude.ts'
import { mostBytesOf, routeByBody } from './input/bodies.ts'
import { compileInput, namesInPath } from './input/fields.ts'
import type { Observer } from './metrics.ts'
import { compilePresenter, isWrite, type Operation } from './operation.ts'
import { sendAnswer } from './output/answers.ts'
import { openEventSink } from './output/events.ts'
import { sendDownload } from './output/files.ts'
import { sendImage } from './output/images.ts'

/** Makes one operation reachable: limit and authenticate, read the input, run, present. */
export function serveOperation(
  server: FastifyInstance,
  environment: Environment,
  operation: Operation,
  observer: Observer,
): void {
  const { path, place } = operation
  const readInput = compileInput(operation.input, place, namesInPath(path))
  const run = makeRunner(environment, operation, observer)
  routeByBody(server, place, {
    method: operation.method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: operation.access !== 'stream',
    bodyLimit: operation.hasLargeBody ? environment.config.BODY_LIMIT_BYTES : mostBytesOf(place),
    config: { observer, ...(operation.errorForm ? { errorForm: operation.errorForm } : {}) },
    onRequest: admitTo(environment, operation),
    handler: (request, reply) => {
      const { query, params, body } = request as { query: Fields; params: Fields; body: unknown }
      const input = readInput({ query, params, body }) as object
      // Not handed to Fastify as a promise: it would wait for a reply that `run` has sent already.
      run(request, reply, input).catch((error: unknown) => reply.send(error))
    },
  })
}

type Fields = Readonly<Record<string, unknown>>

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
  if (operation.access === 'image' || operation.access === 'own image') {
    return async (request, reply, input) => {
      const who = request.who as AppUser & PersonCaller
      const image = await operation.run({ db: environment.db, who, environment, request }, input)
      conclude(environment, request, observer, sendImage(environment, request, reply, image))
    }
  }
  if (operation.access === 'download') {
    return async (request, reply, input) => {
      const who = request.who as PersonCaller
      const download = await operation.run({ db: environment.db, who, environment, request }, input)
      sendDownload(environment, request, reply, download)
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
