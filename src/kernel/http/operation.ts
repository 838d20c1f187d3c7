import type { Static, TObject } from 'typebox'
import type { RateLimiter } from '../bounds/rate-limiter.ts'
import type { Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { Environment, Service } from '../environment.ts'
import type { ErrorName } from '../errors.ts'
import type { Asked, CallerKind } from './callers/callers.ts'
import type { RefuseAlternate } from './input/alternate.ts'
import { isWholeBody, type Source } from './input/fields.ts'
import type { Output } from './output/output.ts'
import type { Challenge, ErrorForm, HttpRequest } from './request.ts'

/** What a handler is given beside its input. */
export interface Context<Who> {
  /** The environment's lanes; the transaction of the request where it carries an Idempotency-Key. */
  readonly db: Db
  readonly who: Who
  readonly environment: Environment
  /** For the few operations that read a header of their own. */
  readonly request: HttpRequest
}

/** What a caller must hold beside being one: a role, a permission, a scope. Shown in OpenAPI and in docs/access.md. */
export interface Need<Who> {
  readonly name: string
  readonly errors: readonly ErrorName[]
  /** Refuses by throwing. */
  check(context: Context<Who>): void | Promise<void>
}

/** A limit of its own, beside those that every caller has. */
interface Limit<Who, Input> {
  readonly limiter: Service<RateLimiter>
  key(who: Who, input: Input): string
  cost?(who: Who, input: Input): number
}

/** A request for readers of the documents. A test sends it and records the answer in docs/examples.json. */
export interface Example {
  /** The input's fields, wherever they travel. */
  readonly request?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Who sends it; Avery, who is a student, where nobody is named. Casey teaches, Ellis is the administrator. */
  readonly as?: 'blake' | 'casey' | 'ellis'
  /** Where it is sent with an access token: the client ID whose token that is, if not the demo app's. */
  readonly clientId?: string
  /** Where it is sent with Basic: what the demo data has for it. */
  readonly pair?: { readonly key: string; readonly secret: string }
  /** Where it works, if not everywhere. */
  readonly environment?: 'sandbox'
  /** Whether its numbers and names are others each time: then the test compares what is there, and of which kind. */
  readonly isLive?: boolean
  /** The operation whose example makes what this one reads or changes. */
  readonly after?: string
  /** By field: what to put in, where no example can have it. A sentence that ends with nothing. */
  readonly fill?: Readonly<Record<string, string>>
}

/** One operation of the interface: who may call it, what comes in, what goes out, and the one function that does it. */
// biome-ignore lint/suspicious/noExplicitAny: a list of operations has as many types of callers and inputs as members
export interface Operation<Who extends Caller = any, Input extends TObject = any, Result = any> {
  /** Its name in OpenAPI, metrics and logs. */
  readonly name: string
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** `{id}` in it is the input's field of that name, and travels nowhere else. */
  readonly path: string
  /** Further paths that lead to it. */
  readonly alsoAt?: readonly string[]
  /** Whether it may come as the form of a POST to its path with `?method=` (`input/alternate.ts`), and what speaks against it. */
  readonly alternate?: RefuseAlternate
  readonly area: string
  readonly summary: string
  /** Two or three sentences for somebody who has never seen the platform. */
  readonly description: string
  readonly example?: Example

  readonly who: CallerKind<Who>
  readonly needs?: readonly Need<NoInfer<Who>>[]
  /** What they must be to what it is about, which only the operation itself can tell: `instructor of the class`. Shown where needs are. */
  readonly role?: string
  readonly limit?: Limit<Who, Static<Input>>

  readonly input: Input
  readonly from: Source
  /** Request headers that it reads, with a sentence each. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** Whether its body may be as large as BODY_LIMIT_BYTES; others are small. */
  readonly hasLargeBody?: boolean
  /** The largest body, where it has a limit of its own (bytes). */
  readonly bodyBytes?: (config: Config) => number
  /** Whether an Idempotency-Key means nothing for it, because its answer must not be kept. */
  readonly refusesIdempotencyKey?: boolean

  readonly output: Output<Result>
  /** Errors of its own, beside those that its dimensions bring along. */
  readonly errors: readonly ErrorName[]
  /** Whether pages of every origin may call it, with a key or a token that they have: browsers bring no cookie along. */
  readonly isForAnyOrigin?: boolean
  /** What each of its answers carries, refusals too. */
  readonly headersFor?: (request: HttpRequest, environment: Environment) => Readonly<Record<string, string>>
  /** How its refusals look, where not like everybody's. */
  readonly errorForm?: ErrorForm

  run(context: Context<Who>, input: Static<Input>): Promise<Result>
}

type Address = `${Operation['method']} /${string}`

/** An operation as a room declares it. `from` is the query of a GET and the body of anything else, unless declared. */
export type Declaration<Who extends Caller, Input extends TObject, Result> = Omit<
  Operation<Who, Input, Result>,
  'method' | 'path' | 'area' | 'who' | 'from' | 'errors'
> & {
  readonly area?: string
  readonly who?: CallerKind<Who>
  readonly from?: Source
  readonly errors?: readonly ErrorName[]
}

/**
 * Declares the operations of an area: `op('GET /app/v1/bucket', { … })`. Area and callers are those of the area unless
 * the operation declares its own; TypeScript infers the types of caller, input and result.
 */
export const operationsIn =
  <AreaCaller extends Caller>(defaults: { readonly area: string; readonly who: CallerKind<AreaCaller> }) =>
  <Input extends TObject, Result, Who extends Caller = AreaCaller>(
    address: Address,
    declaration: Declaration<Who, Input, Result>,
  ): Operation => {
    const [method, path] = address.split(' ') as [Operation['method'], string]
    return { ...defaults, method, path, from: method === 'GET' ? 'query' : 'body', errors: [], ...declaration }
  }

/** Declares an operation whose dimensions depend on each other. */
export const operation = <Who extends Caller, Input extends TObject, Result>(
  declared: Operation<Who, Input, Result>,
): Operation => declared

export const isWrite = ({ method }: Pick<Operation, 'method'>): boolean => method !== 'GET'

export const askedOf = (operation: Operation): Asked => ({
  isWrite: isWrite(operation),
  isEmbedded: operation.output.kind === 'image' || operation.output.kind === 'events',
})

const hasBasic = ({ requestHeaders }: Operation): boolean => requestHeaders?.Authorization?.startsWith('Basic') === true

/** How its refusals ask who somebody is. */
export const challengeOf = (operation: Operation): Challenge | undefined =>
  hasBasic(operation) ? 'Basic' : operation.who.challenge

/** The OpenAPI security schemes that it takes, each enough by itself; undefined stands for none, where credentials are fields or somebody may do without. */
export function securityOf(operation: Operation): (string | undefined)[] {
  const schemes = operation.who.security(askedOf(operation))
  const { requestHeaders, input } = operation
  if (schemes.length > 0 || requestHeaders?.Authorization === undefined) return [...schemes]
  if (!hasBasic(operation)) return ['bearer', undefined]
  return 'client_id' in input.properties ? ['basic', undefined] : ['basic']
}

/** Fields of which not even a quick hash may be kept. */
const SECRET_FIELDS = ['password', 'newPassword']

/** Whether it keeps its answer under an `Idempotency-Key`. */
export const isRepeatable = (operation: Operation): boolean =>
  isWrite(operation) &&
  operation.who.keyOf !== undefined &&
  operation.output.kind === 'json' &&
  operation.refusesIdempotencyKey !== true &&
  !isWholeBody(operation.from) &&
  !SECRET_FIELDS.some((name) => name in operation.input.properties)
