import type { Static, TObject } from 'typebox'
import type { RateLimiter } from '../bounds/rate-limiter.ts'
import type { Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { Environment, Service } from '../environment.ts'
import type { ErrorName } from '../errors.ts'
import type { Role } from '../roles.ts'
import type { AdmissionContext, CallerKind } from './callers/callers.ts'
import { isWholeBody, type Source } from './input/fields.ts'
import type { Output } from './output/output.ts'
import type { Challenge, ErrorForm, HttpRequest, Protocol } from './request.ts'

/** Everything that a handler receives besides its input. */
export interface Context<Who> {
  /** The environment's database, or the request's transaction if it carries an Idempotency-Key. */
  readonly db: Db
  readonly who: Who
  readonly environment: Environment
  /** For the few operations that read a header of their own. */
  readonly request: HttpRequest
}

/** A role, permission or scope that the caller must have. Shown in OpenAPI and in docs/access.md. */
export interface Need<Who> {
  readonly name: string
  readonly errors: readonly ErrorName[]
  /** Refuses by throwing. */
  check(context: Context<Who>): void | Promise<void>
}

/** A rate limit of one operation, in addition to those that apply to every caller. */
interface Limit<Who, Input> {
  readonly limiter: Service<RateLimiter>
  key(who: Who, input: Input): string
  cost?(who: Who, input: Input): number
}

/** An example request for the documents. A test sends it and records the response in docs/examples.json. */
export interface Example {
  /** The fields of the input, whether they travel in the path, the query or the body. */
  readonly request?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** The demo person who sends it; by default Avery, a student. Casey is an instructor, Ellis the administrator. */
  readonly as?: 'blake' | 'casey' | 'ellis'
  /** The client ID whose access token is sent, if not the demo app's. */
  readonly clientId?: string
  /** Credentials for Basic authentication, from the demo data. */
  readonly pair?: { readonly key: string; readonly secret: string }
  /** Set if the example works in the sandbox only. */
  readonly environment?: 'sandbox'
  /** Its numbers and names change with every run, so the test compares only which fields exist, and their types. */
  readonly isLive?: boolean
  /** The operation whose example creates what this one reads or changes. */
  readonly after?: string
  /**
   * By field: tells the reader which value to fill in, where no fixed example works. A phrase without a final period.
   */
  readonly fill?: Readonly<Record<string, string>>
}

/** One operation of the interface: who may call it, its input, its output, and the function that runs it. */
// biome-ignore lint/suspicious/noExplicitAny: a list of operations has as many types of callers and inputs as members
export interface Operation<Who extends Caller = any, Input extends TObject = any, Result = any> {
  /** Its name in OpenAPI, metrics and logs. */
  readonly name: string
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** `{id}` is the input field of that name, which then cannot come from the query or the body. */
  readonly path: string
  /** Set if the operation follows a standard with HTTP rules of its own. */
  readonly protocol?: Protocol
  readonly area: string
  readonly summary: string
  /** Two or three sentences for a reader who has never seen the platform. */
  readonly description: string
  readonly example?: Example

  readonly who: CallerKind<Who>
  readonly needs?: readonly Need<NoInfer<Who>>[]
  /**
   * The roles of which the caller must hold one. Other callers are refused, or find nothing. Without it, the operation
   * is about the caller's own data, or is for everybody it admits.
   */
  readonly roles?: readonly Role[]
  readonly limit?: Limit<Who, Static<Input>>

  readonly input: Input
  readonly from: Source
  /** Request headers that it reads, with one sentence each. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** Whether the body may be as large as BODY_LIMIT_BYTES; by default it is limited to 64 KiB. */
  readonly hasLargeBody?: boolean
  /** The body limit in bytes, if the operation has one of its own. */
  readonly bodyBytes?: (config: Config) => number
  /** Whether Idempotency-Key is ignored because the response must not be stored. */
  readonly refusesIdempotencyKey?: boolean

  readonly output: Output<Result>
  /** Errors of its own, besides those that follow from its other properties. */
  readonly errors: readonly ErrorName[]
  /** The form of its error responses, if not `plain`. */
  readonly errorForm?: ErrorForm

  run(context: Context<Who>, input: Static<Input>): Promise<Result>
}

type Address = `${Operation['method']} /${string}`

/** An operation as a room declares it. By default `from` is the query for GET, and the body for all other methods. */
type Declaration<Who extends Caller, Input extends TObject, Result> = Omit<
  Operation<Who, Input, Result>,
  'method' | 'path' | 'area' | 'who' | 'from' | 'errors'
> & {
  readonly area?: string
  readonly who?: CallerKind<Who>
  readonly from?: Source
  readonly errors?: readonly ErrorName[]
}

/**
 * Declares the operations of an area: `op('GET /app/v1/bucket', { … })`. What it does not declare itself,
 * it has from the area; TypeScript infers the types of caller, input and result.
 */
export const operationsIn =
  <AreaCaller extends Caller>(
    defaults: { readonly area: string; readonly who: CallerKind<AreaCaller> } & Pick<Operation, 'protocol'>,
  ) =>
  <Input extends TObject, Result, Who extends Caller = AreaCaller>(
    address: Address,
    declaration: Declaration<Who, Input, Result>,
  ): Operation => {
    const [method, path] = address.split(' ') as [Operation['method'], string]
    return { ...defaults, method, path, from: method === 'GET' ? 'query' : 'body', errors: [], ...declaration }
  }

export const isWrite = ({ method }: Pick<Operation, 'method'>): boolean => method !== 'GET'

export const admissionContextOf = (operation: Operation): AdmissionContext => ({
  isWrite: isWrite(operation),
  isEmbedded: operation.output.kind === 'image' || operation.output.kind === 'events',
})

const hasBasic = ({ requestHeaders }: Operation): boolean => requestHeaders?.Authorization?.startsWith('Basic') === true

/** The scheme in `WWW-Authenticate` on its 401 responses. */
export const challengeOf = (operation: Operation): Challenge | undefined =>
  hasBasic(operation) ? 'Basic' : operation.who.challenge

/**
 * The OpenAPI security schemes, each sufficient by itself. `undefined` stands for no scheme: the credentials are input
 * fields, or are optional.
 */
export function securityOf(operation: Operation): (string | undefined)[] {
  const schemes = operation.who.security(admissionContextOf(operation))
  const { requestHeaders, input } = operation
  if (schemes.length > 0 || requestHeaders?.Authorization === undefined) return [...schemes]
  if (!hasBasic(operation)) return ['bearer', undefined]
  return 'client_id' in input.properties ? ['basic', undefined] : ['basic']
}

/** Fields of which not even a fast hash may be stored. */
const SECRET_FIELDS = ['password', 'newPassword']

/** Whether the response is stored under the request's `Idempotency-Key`. */
export const isRepeatable = (operation: Operation): boolean =>
  isWrite(operation) &&
  operation.who.keyOf !== undefined &&
  operation.output.kind === 'json' &&
  operation.refusesIdempotencyKey !== true &&
  !isWholeBody(operation.from) &&
  !SECRET_FIELDS.some((name) => name in operation.input.properties)
