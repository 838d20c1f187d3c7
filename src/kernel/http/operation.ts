import type { Static, TObject } from 'typebox'
import type { RateLimiter } from '../bounds/rate-limiter.ts'
import type { Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { Environment, Service } from '../environment.ts'
import type { ErrorName } from '../errors.ts'
import type { Role } from '../roles.ts'
import type { Scope } from '../scopes.ts'
import type { AdmissionContext, CallerKind } from './callers/callers.ts'
import { isWholeBody, type Source } from './input/fields.ts'
import type { Output } from './output/output.ts'
import type { Challenge, ErrorForm, HttpRequest, Protocol } from './request.ts'

/** Everything that a handler receives in addition to its input. */
export interface Context<Who> {
  /** The environment's database on behalf of the caller or, with an Idempotency-Key, the request's transaction. */
  readonly db: Db
  readonly who: Who
  readonly environment: Environment
  /** For the few operations that read a request header themselves. */
  readonly request: HttpRequest
}

/** A role, permission or scope that the caller must have. It is shown in OpenAPI and in docs/access.md. */
export interface Need<Who> {
  readonly name: string
  readonly errors: readonly ErrorName[]
  /** If given, the only security scheme with which a caller can meet the requirement. */
  readonly security?: string
  /** Throws if the caller does not meet the requirement. */
  check(context: Context<Who>): void | Promise<void>
}

/** A rate limit of one operation, in addition to the limits that apply to every caller. */
interface Limit<Who, Input> {
  readonly limiter: Service<RateLimiter>
  key(who: Who, input: Input): string
  cost?(who: Who, input: Input): number
}

/** An example request for the documentation. A test sends it and records the response in docs/examples.json. */
export interface Example {
  /** The fields of the input, whether they are sent in the path, the query or the body. */
  readonly request?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The demo person who sends the request; by default Avery, a student. Casey is an instructor, Ellis the
   * administrator.
   */
  readonly as?: 'blake' | 'casey' | 'ellis'
  /** Client ID of the app whose access token is sent; by default the demo app. */
  readonly clientId?: string
  /** Credentials for Basic authentication, from the demo data. */
  readonly pair?: { readonly key: string; readonly secret: string }
  /** Set if the example only works in the sandbox. */
  readonly environment?: 'sandbox'
  /**
   * True if numbers and names in the response change with every run. Then the test compares only the fields and their
   * types.
   */
  readonly isLive?: boolean
  /** Name of the operation whose example creates the object that this example reads or changes. */
  readonly after?: string
  /**
   * By field name: tells the reader which value to fill in if no fixed example value works. A phrase without a final
   * period.
   */
  readonly fill?: Readonly<Record<string, string>>
}

/** An operation of the API: who may call it, its input, its output, and the function that runs it. */
// biome-ignore lint/suspicious/noExplicitAny: a list of operations has as many types of callers and inputs as members
export interface Operation<Who extends Caller = any, Input extends TObject = any, Result = any> {
  /** Name in OpenAPI, metrics and logs. */
  readonly name: string
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** `{id}` stands for the input field of that name, which then cannot be in the query or the body. */
  readonly path: string
  /** Set if the operation follows a standard that has its own HTTP rules. */
  readonly protocol?: Protocol
  readonly area: string
  /** Name in the API reference: an imperative of at most 45 characters, such as `Create a bucket`; see its test. */
  readonly summary: string
  /** Two or three sentences: first what the operation does (`Returns …`), then what its users must know. */
  readonly description: string
  readonly example?: Example

  readonly who: CallerKind<Who>
  readonly needs?: readonly Need<NoInfer<Who>>[]
  /**
   * The scope that an access token needs; null if every token will do. Every operation that accepts access tokens
   * declares it.
   */
  readonly scope?: Scope | null
  /**
   * The caller must hold one of these roles. Other callers are refused, or find nothing. If not set, the operation is
   * about the caller's own data, or is open to every caller whom `who` admits.
   */
  readonly roles?: readonly Role[]
  readonly limit?: Limit<Who, Static<Input>>

  readonly input: Input
  readonly from: Source
  /** Request headers that the operation reads, with one sentence about each. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** If true, the body may have up to BODY_LIMIT_BYTES instead of 64 KiB. */
  readonly hasLargeBody?: boolean
  /** Returns the body limit in bytes, if the operation has its own. */
  readonly bodyBytes?: (config: Config) => number
  /** If true, the Idempotency-Key header has no effect, because the response must not be stored. */
  readonly refusesIdempotencyKey?: boolean

  readonly output: Output<Result>
  /**
   * If true, large JSON responses are compressed. Only for reads whose responses contain no token, key or other secret:
   * the size of a compressed text tells something about its content (decision 77).
   */
  readonly isCompressible?: boolean
  /**
   * If true, lists and reports are read from a standby if there is one, so the response may miss the changes of the last
   * seconds. Only for reads that nobody makes to see their own write. A function decides for each caller.
   */
  readonly mayLag?: true | ((who: Who) => boolean)
  /** Errors that the operation declares, in addition to those that follow from its other properties. */
  readonly errors: readonly ErrorName[]
  /** Form of the error responses; `plain` by default. */
  readonly errorForm?: ErrorForm

  run(context: Context<Who>, input: Static<Input>): Promise<Result>
}

type Address = `${Operation['method']} /${string}`

/**
 * An operation as a module declares it. `from` defaults to the query for GET, and to the body for all other methods.
 */
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
 * Returns a function that declares operations of an area: `op('GET /app/v1/bucket', { … })`. Properties that an
 * operation does not declare are taken from the area; TypeScript infers the types of caller, input and result.
 */
export const operationsIn =
  <AreaCaller extends Caller>(
    defaults: { readonly area: string; readonly who: CallerKind<AreaCaller> } & Pick<Operation, 'protocol' | 'scope'>,
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
  scope: operation.scope ?? undefined,
})

const hasBasic = ({ requestHeaders }: Operation): boolean => requestHeaders?.Authorization?.startsWith('Basic') === true

/** Returns the authentication scheme in `WWW-Authenticate` on the operation's 401 responses. */
export const challengeOf = (operation: Operation): Challenge | undefined =>
  hasBasic(operation) ? 'Basic' : operation.who.challenge

/**
 * Returns the OpenAPI security schemes of an operation, each of which is sufficient alone. `undefined` stands for no
 * scheme: the credentials are input fields, or are optional.
 */
export function securityOf(operation: Operation): (string | undefined)[] {
  const { requestHeaders, input, needs = [] } = operation
  const schemes = operation.who
    .security(admissionContextOf(operation))
    .filter((scheme) => needs.every(({ security = scheme }) => security === scheme))
  if (schemes.length > 0 || requestHeaders?.Authorization === undefined) return [...schemes]
  if (!hasBasic(operation)) return ['bearer', undefined]
  return 'client_id' in input.properties ? ['basic', undefined] : ['basic']
}

/** Returns the scope that an access token needs; undefined if every token will do, or none is accepted. */
export const scopeOf = (operation: Operation): Scope | undefined =>
  securityOf(operation).includes('bearer') ? (operation.scope ?? undefined) : undefined

/**
 * Fields that hold a password. Operations with such a field store no response, because a fast hash of the input would
 * be stored with it.
 */
const SECRET_FIELDS = ['password', 'newPassword']

/** Tells whether the response can be stored under the request's `Idempotency-Key`. */
export const isRepeatable = (operation: Operation): boolean =>
  isWrite(operation) &&
  operation.who.keyOf !== undefined &&
  operation.output.kind === 'json' &&
  operation.refusesIdempotencyKey !== true &&
  !isWholeBody(operation.from) &&
  !SECRET_FIELDS.some((name) => name in operation.input.properties)
