import type { Caller } from '../caller.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { answerOnce, type KeptAnswer, keeperOf } from '../idempotency/idempotency.ts'
import { limitKeyOf } from './callers/callers.ts'
import { CSV_BYTES, IMAGE_BYTES, readBody, refuseBody, SMALL_BODY_BYTES } from './input/bodies.ts'
import { compileInput, namesInPath, type Source } from './input/fields.ts'
import { admissionContextOf, type Context, challengeOf, isRepeatable, type Operation } from './operation.ts'
import { sendAnswer } from './output/answers.ts'
import { sendCompressible } from './output/compress.ts'
import { openEventSink } from './output/events.ts'
import { type Download, sendDownload } from './output/files.ts'
import { type Image, sendImage } from './output/images.ts'
import { JSON_TYPE } from './output/media-types.ts'
import type { RawAnswer, StartEvents } from './output/output.ts'
import { presentAs } from './output/output.ts'
import type { HttpRequest, Observe, Route } from './request.ts'
import { standstill } from './standstill.ts'

const FILE_BYTES: Partial<Record<Source, number>> = { image: IMAGE_BYTES, csv: CSV_BYTES }

/**
 * Creates the route of an operation: it authenticates the caller, reads the input, runs the operation, and sends the
 * result.
 */
export function routeOf(environment: Environment, operation: Operation, observe: Observe): Route {
  const { from, who: callers, needs, limit, path } = operation
  const readInput = compileInput(operation.input, from, namesInPath(path))
  const admission = admissionContextOf(operation)
  const { mayLag = () => false } = operation
  const answer = answerer(environment, operation)
  const still = environment.get(standstill)
  return {
    name: operation.name,
    errorForm: operation.errorForm ?? 'plain',
    challenge: challengeOf(operation),
    bodyLimit: bodyLimitOf(environment, operation),
    hasHead: operation.method === 'GET' && operation.output.kind !== 'events',
    isEndless: operation.output.kind === 'events',
    observe,
    handle: async (request) => {
      const admitted = callers.admit(environment, request, admission) as Caller | Promise<Caller>
      const who = admitted instanceof Promise ? await admitted : admitted
      request.who = who
      const problem = refuseBody(request)
      if (problem) throw problem
      const body = from === 'query' ? undefined : await readBody(environment, request, from)
      const input = readInput({ query: request.query, params: request.params, body }) as object
      const context = {
        db: environment.db.as(limitKeyOf(callers, who), mayLag === true || mayLag(who)),
        who,
        environment,
        request,
      }
      if (needs) for (const need of needs) await need.check(context)
      if (limit) request.limit(environment.get(limit.limiter), limit.key(who, input), limit.cost?.(who, input))
      // Its headers may have arrived before the process stood still, and its body afterwards.
      still.check()
      await answer(context, input)
    },
  }
}

const bodyLimitOf = ({ config }: Environment, { bodyBytes, hasLargeBody, from }: Operation): number =>
  bodyBytes?.(config) ?? (hasLargeBody ? config.BODY_LIMIT_BYTES : (FILE_BYTES[from] ?? SMALL_BODY_BYTES))

type Answerer = (context: Context<Caller>, input: object) => Promise<void>

function answerer(environment: Environment, operation: Operation): Answerer {
  const { output } = operation
  switch (output.kind) {
    case 'events':
      return async (context, input) => {
        const start: StartEvents = await operation.run(context, input)
        start(openEventSink(environment, context.request, operation.who.holds))
      }
    case 'image':
      return async (context, input) =>
        sendImage(environment, context.request, (await operation.run(context, input)) as Image)
    case 'file':
      return async (context, input) =>
        sendDownload(
          environment,
          context.request,
          (await operation.run(context, input)) as Download,
          operation.who.holds,
        )
    case 'raw': {
      const send = sendOf(operation)
      return async (context, input) => {
        const { status, headers, body }: RawAnswer = await operation.run(context, input)
        return send(environment, context.request, status, headers, body)
      }
    }
    case 'json':
      return answerJson(environment, operation, output.present ?? ((result) => presentAs(output.schema, result)))
  }
}

const JSON_HEADERS = { 'content-type': JSON_TYPE }

function answerJson(environment: Environment, operation: Operation, present: (result: unknown) => string): Answerer {
  const { output, who: callers } = operation
  const { status, headersOf } = output as Extract<typeof output, { kind: 'json' }>
  const answer = async (context: Context<Caller>, input: object): Promise<KeptAnswer> => {
    const result = await operation.run(context, input)
    const headers = headersOf ? { ...JSON_HEADERS, ...headersOf(result) } : JSON_HEADERS
    return { text: present(result), headers }
  }
  const canRepeat = isRepeatable(operation)
  const send = sendOf(operation)
  return async (context, input) => {
    const { request, who, db } = context
    const key = canRepeat ? findIdempotencyKey(request) : undefined
    const { text, headers } =
      key === undefined
        ? await answer(context, input)
        : await answerOnce(
            db,
            keeperOf(who, callers.keyOf!(who)),
            { key, operation: operation.name, input: [input, request.headers['if-match'] ?? null] },
            (tx) => answer({ ...context, db: tx }, input),
          )
    return send(environment, request, status, headers, text)
  }
}

const sendOf = ({ isCompressible }: Operation) => (isCompressible ? sendCompressible : sendAnswer)

function findIdempotencyKey(request: HttpRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key !== undefined && request.isSentTwice('idempotency-key'))
    throw fail('badRequest', 'The Idempotency-Key header is sent twice')
  return key as string | undefined
}
