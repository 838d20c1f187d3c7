import { type ErrorName, listErrors } from '../errors.ts'
import type { Json, JsonObject } from './openapi-schemas.ts'
import { isWrite, type Operation } from './operation.ts'

const INPUT: readonly ErrorName[] = ['badRequest', 'parameterMissing', 'validationFailed', 'wrongType']
const TOKEN: readonly ErrorName[] = ['tokenExpired', 'appNotUsable', 'notAuthorized', 'consentMissing', 'tokenInvalid']
const BODY: readonly ErrorName[] = ['bodyTooLarge', 'unsupportedMediaType']
const ALWAYS: readonly ErrorName[] = ['tooManyRequests', 'internal', 'notReady']

/** An operation that keeps its answer under an `Idempotency-Key`. */
export const isRepeatable = (operation: Operation): boolean => operation.access === 'user' && isWrite(operation)

/** Everything that an operation may answer instead of 200: what it declares, and what its kind brings along. */
export const errorsOf = (operation: Operation): ErrorName[] => [
  ...INPUT,
  ...(operation.access === 'open' ? [] : TOKEN),
  ...(isWrite(operation) ? BODY : []),
  ...(isRepeatable(operation) ? (['conflict'] as const) : []),
  ...operation.errors,
  ...ALWAYS,
]

export const errorSchema: JsonObject = {
  type: 'object',
  required: ['error_code', 'error_description'],
  properties: {
    error_code: {
      type: 'integer',
      description: 'What went wrong, for programs',
      enum: listErrors().map((e) => e.code),
    },
    error_description: { type: 'string', description: 'What went wrong and what to do, for people' },
  },
}

const RETRY_STATUSES = new Set([429, 503])

/** Answers that say what went wrong, one for each set of codes, shared by all operations that give the same set. */
export class SharedErrors {
  readonly responses: Record<string, Json> = {}

  /** The `responses` of an operation for these errors, by status. */
  describe(names: readonly ErrorName[]): Record<string, Json> {
    const errors = listErrors().filter((error) => names.includes(error.kind))
    const byStatus = Object.groupBy(errors, (error) => String(error.status))
    return Object.fromEntries(
      Object.entries(byStatus).map(([status, group]) => {
        const name = `Error_${group!.map((error) => error.code).join('_')}`
        this.responses[name] ??= describeGroup(Number(status), group!)
        return [status, { $ref: `#/components/responses/${name}` }]
      }),
    )
  }
}

function describeGroup(status: number, group: ReturnType<typeof listErrors>): Json {
  const headers = ['errorcode', 'errordescription', 'error_code', 'error_description', 'x-request-id']
  if (RETRY_STATUSES.has(status)) headers.push('Retry-After')
  return {
    description: group.map(({ code, text }) => `\`${code}\` ${text}.`).join('\n\n'),
    headers: refsToHeaders(headers),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          group.map(({ kind, code, text }) => [
            kind,
            { summary: `${code} ${kind}`, value: { error_code: code, error_description: text } },
          ]),
        ),
      },
    },
  }
}

export const refsToHeaders = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const header = (description: string, schema: JsonObject = { type: 'string' }): JsonObject => ({ description, schema })

/** Headers that many answers carry. */
export const sharedHeaders: JsonObject = {
  'x-request-id': header("The request's id: quote it when you report a problem. Yours, where you sent a usable one"),
  RateLimit: header('What is left, and the seconds until another request is allowed: `"token";r=2999;t=0`'),
  'RateLimit-Policy': header('The limit that counted: requests at once (q) and the seconds in which they return (w)'),
  'Retry-After': header('Seconds to wait before the next try', { type: 'integer' }),
  errorcode: header('The error code, for clients that read headers only', { type: 'integer' }),
  errordescription: header('The description in ASCII, for clients that read headers only'),
  error_code: header('The same as errorcode', { type: 'integer' }),
  error_description: header('The same as errordescription'),
}
