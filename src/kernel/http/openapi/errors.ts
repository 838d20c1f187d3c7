import { type ErrorName, fail, listErrors, oauthNameOf } from '../../errors.ts'
import { admissionContextOf, isRepeatable, isWrite, type Operation } from '../operation.ts'
import { rfcStatusOf } from '../output/errors.ts'
import type { Challenge, ErrorForm } from '../request.ts'
import type { Json, JsonObject } from './schemas.ts'

const INPUT: readonly ErrorName[] = ['badRequest', 'parameterMissing', 'validationFailed', 'wrongType']
const BODY: readonly ErrorName[] = ['bodyTooLarge', 'unsupportedMediaType']
const ALWAYS: readonly ErrorName[] = ['tooManyRequests', 'internal', 'notReady']

/**
 * Returns all errors that an operation may respond with: those that it declares, and those that follow from its other
 * properties.
 */
export const errorsOf = (operation: Operation): ErrorName[] => [
  ...INPUT,
  ...operation.who.errors(admissionContextOf(operation)),
  ...(operation.needs ?? []).flatMap((need) => need.errors),
  ...(isWrite(operation) ? BODY : []),
  ...(isRepeatable(operation) ? (['conflict'] as const) : []),
  ...operation.errors,
  ...ALWAYS,
]

const errorSchema: JsonObject = {
  type: 'object',
  required: ['error_code', 'error_description'],
  properties: {
    error_code: {
      type: 'integer',
      description: 'The error code, for programs',
      enum: listErrors().map((e) => e.code),
    },
    error_description: { type: 'string', description: 'The reason and what to do, for people' },
    faults: {
      type: 'array',
      description:
        'The faults of a refused xAPI statement, of the settings of an app, of a course, or of a content package',
      items: {
        type: 'object',
        required: ['pointer', 'must'],
        properties: {
          pointer: { type: 'string', description: 'Location of the fault (RFC 6901)' },
          rule: { type: 'string', description: 'The requirement of the specification of xAPI or cmi5' },
          must: { type: 'string', description: 'The end of the sentence "it must …"' },
          message: { type: 'string', description: 'What is wrong or what to do, for the author of a course' },
        },
      },
    },
  },
}

const oauthName: JsonObject = { type: 'string', description: 'The OAuth error code (RFC 6749 §5.2)' }
const oauthErrorSchema: JsonObject = {
  ...errorSchema,
  required: ['error', 'error_code', 'error_description'],
  properties: { error: oauthName, ...(errorSchema.properties as JsonObject) },
}
const rfcErrorSchema: JsonObject = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: { error: oauthName, error_description: { type: 'string' } },
}

const RETRY_STATUSES = new Set([429, 503])

type CatalogueError = ReturnType<typeof listErrors>[number]

const SCHEMAS: Record<string, JsonObject> = {
  Error: errorSchema,
  OauthError: oauthErrorSchema,
  StandardOauthError: rfcErrorSchema,
}

/** Status, media type, schema and example body of each form of error response. */
const LOOKS: Record<
  ErrorForm,
  {
    statusOf(error: CatalogueError): number
    type: string
    schemaName?: string
    example?(error: CatalogueError): JsonObject
  }
> = {
  plain: {
    statusOf: ({ status }) => status,
    type: 'application/json',
    schemaName: 'Error',
    example: ({ code, text }) => ({ error_code: code, error_description: text }),
  },
  oauth: {
    statusOf: ({ status }) => status,
    type: 'application/json',
    schemaName: 'OauthError',
    example: ({ kind, code, text }) => ({
      error: oauthNameOf(fail(kind)),
      error_code: code,
      error_description: text,
    }),
  },
  rfc: {
    statusOf: ({ kind }) => rfcStatusOf(fail(kind)),
    type: 'application/json',
    schemaName: 'StandardOauthError',
    example: ({ kind, text }) => ({ error: oauthNameOf(fail(kind)), error_description: text }),
  },
  page: { statusOf: ({ status }) => status, type: 'text/html' },
}

/** Descriptions of error responses. Operations with the same set of error codes share one. */
export class SharedErrors {
  readonly responses: Record<string, Json> = {}
  /** Schemas of the error bodies, by name. */
  readonly schemas: Record<string, JsonObject> = {}

  /** Returns the OpenAPI `responses` of an operation for these errors, by status. */
  describe(names: readonly ErrorName[], form: ErrorForm = 'plain', challenge?: Challenge): Record<string, Json> {
    const { schemaName } = LOOKS[form]
    if (schemaName) this.schemas[schemaName] = SCHEMAS[schemaName]!
    const errors = listErrors().filter((error) => names.includes(error.kind))
    const byStatus = Object.groupBy(errors, (error) => String(LOOKS[form].statusOf(error)))
    const prefix = schemaName ?? 'ErrorPage'
    return Object.fromEntries(
      Object.entries(byStatus).map(([status, group]) => {
        const asked = status === '401' ? challenge : undefined
        const name = [prefix, ...group!.map((error) => error.code), ...(asked ? [asked] : [])].join('_')
        this.responses[name] ??= describeGroup(Number(status), group!, form, asked)
        return [status, { $ref: `#/components/responses/${name}` }]
      }),
    )
  }
}

function describeGroup(
  status: number,
  group: readonly CatalogueError[],
  form: ErrorForm,
  challenge: Challenge | undefined,
): Json {
  const { type, schemaName, example } = LOOKS[form]
  const schema = schemaName ? { $ref: `#/components/schemas/${schemaName}` } : { type: 'string' }
  const headers = ['errorcode', 'errordescription', 'error_code', 'error_description', 'x-request-id']
  if (RETRY_STATUSES.has(status)) headers.push('Retry-After')
  if (challenge) headers.push('WWW-Authenticate')
  const examples = example && {
    examples: Object.fromEntries(
      group.map((error) => [error.kind, { summary: `${error.code} ${error.kind}`, value: example(error) }]),
    ),
  }
  return {
    description: group.map(({ code, text }) => `\`${code}\` ${text}.`).join('\n\n'),
    headers: refsToHeaders(headers),
    content: { [type]: { schema, ...examples } },
  }
}

export const refsToHeaders = (names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const header = (description: string, schema: JsonObject = { type: 'string' }): JsonObject => ({ description, schema })

/** Headers that many responses have. */
export const sharedHeaders: JsonObject = {
  'x-request-id': header(
    "The request's id: include it when you report a problem. If you send a valid one, it is returned",
  ),
  RateLimit: header(
    'Requests that are left (r), and the seconds until another one is allowed (t): `"token";r=2999;t=0`',
  ),
  'RateLimit-Policy': header(
    'The limit that applied: requests at once (q), and the seconds until all of them are available again (w)',
  ),
  'Retry-After': header('Seconds to wait before the next request', { type: 'integer' }),
  'WWW-Authenticate': header(
    'How to authenticate: `Basic`, or `Bearer` (RFC 6750) with the reason why a token was refused. Also on a 403 about a token',
  ),
  errorcode: header('The error code, for clients that read headers only', { type: 'integer' }),
  errordescription: header('The description in ASCII, for clients that read headers only'),
  error_code: header('The same as errorcode', { type: 'integer' }),
  error_description: header('The same as errordescription'),
}
