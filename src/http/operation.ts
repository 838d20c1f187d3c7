import fastJsonStringify from 'fast-json-stringify'
import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { AppUser, Caller, PersonCaller, Visitor } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import type { ErrorName } from '../errors.ts'
import type { EventSink } from '../feeds/sink.ts'
import type { Place } from './input/fields.ts'
import type { ErrorForm } from './output/errors.ts'
import type { Download } from './output/files.ts'
import type { Image, ImageType } from './output/images.ts'

/** What a handler is given beside its input. */
export interface Context<Who> {
  /** The environment's lanes; the transaction of the request where it carries an Idempotency-Key. */
  readonly db: Db
  readonly who: Who
  readonly environment: Environment
  /** For the few operations that read a header of their own. */
  readonly request: FastifyRequest
}

interface Described {
  /** The operation's name in OpenAPI, metrics and logs. */
  readonly name: string
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** `{id}` in it is the input's field of that name, and travels nowhere else. */
  readonly path: string
  readonly area: string
  readonly summary: string
  readonly input: TObject
  readonly place: Place
  readonly answer: TSchema
  /** Errors of its own, beside those that every operation may give. */
  readonly errors: readonly ErrorName[]
  /** Request headers that it reads, with a sentence each. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** Whether its body may be as large as BODY_LIMIT_BYTES; others are small. */
  readonly hasLargeBody?: boolean
  /** How its refusals look, where not like everybody's. */
  readonly errorForm?: ErrorForm
  /** Answer headers that it sends, with a sentence each. */
  readonly answerHeaders?: Readonly<Record<string, string>>
}

interface Answered<Result> {
  /** The answer's text; by default the declared fields of the result, and no others. */
  readonly present?: (result: Result) => string
  readonly headersOf?: (result: Result) => Record<string, string>
}

/** One operation of the interface: where it is reached, what the caller must hold, and the one function that does it. */
export type Operation =
  | UserOperation
  | OpenOperation
  | VisitorOperation
  | PersonOperation
  | StreamOperation
  | ImageOperation
  | OwnImageOperation
  | DownloadOperation

// biome-ignore lint/suspicious/noExplicitAny: a list of operations has as many input types as members
export interface UserOperation<Input extends TObject = any, Result = any> extends Described, Answered<Result> {
  readonly access: 'user'
  readonly input: Input
  run(context: Context<AppUser>, input: Static<Input>): Promise<Result>
}

// biome-ignore lint/suspicious/noExplicitAny: see above
export interface OpenOperation<Input extends TObject = any, Result = any> extends Described, Answered<Result> {
  readonly access: 'open'
  readonly input: Input
  run(context: Context<Caller>, input: Static<Input>): Promise<Result>
}

/** For people in a browser, signed in to the platform or not: never for pages of other sites. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export interface VisitorOperation<Input extends TObject = any, Result = any> extends Described, Answered<Result> {
  readonly access: 'visitor'
  readonly input: Input
  run(context: Context<Visitor>, input: Static<Input>): Promise<Result>
}

/** For somebody who is signed in to the platform itself, with the cookie of their browser. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export interface PersonOperation<Input extends TObject = any, Result = any> extends Described, Answered<Result> {
  readonly access: 'person'
  readonly input: Input
  run(context: Context<PersonCaller>, input: Static<Input>): Promise<Result>
}

/** Answers with server-sent events for as long as the client listens. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export interface StreamOperation<Input extends TObject = any> extends Described {
  readonly access: 'stream'
  readonly input: Input
  readonly events: Readonly<Record<string, EventDescription>>
  /** Refuses before the first byte by rejecting; what it resolves to then writes events until the sink closes. */
  run(context: Context<AppUser>, input: Static<Input>): Promise<(sink: EventSink) => void>
}

interface ShowsImage extends Described {
  /** What its answers may be. */
  readonly mediaTypes: readonly ImageType[]
}

/** Answers with an image. Browsers send no header with `<img>`, so the token may come in the query. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export interface ImageOperation<Input extends TObject = any> extends ShowsImage {
  readonly access: 'image'
  readonly input: Input
  run(context: Context<AppUser>, input: Static<Input>): Promise<Image>
}

/** The same for somebody who is signed in to the platform itself, on its own pages. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export interface OwnImageOperation<Input extends TObject = any> extends ShowsImage {
  readonly access: 'own image'
  readonly input: Input
  run(context: Context<PersonCaller>, input: Static<Input>): Promise<Image>
}

/** Answers somebody who is signed in to the platform itself with a file that is made while it is read. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export interface DownloadOperation<Input extends TObject = any> extends Described {
  readonly access: 'download'
  readonly input: Input
  readonly mediaType: string
  /** Refuses before the first byte by rejecting. */
  run(context: Context<PersonCaller>, input: Static<Input>): Promise<Download>
}

/** An event that a stream may send: a sentence, and the JSON in its data. */
export interface EventDescription {
  readonly about: string
  readonly data: TSchema
}

export const userOperation = <I extends TObject, R>(operation: Omit<UserOperation<I, R>, 'access'>): Operation => ({
  ...operation,
  access: 'user',
})
export const openOperation = <I extends TObject, R>(operation: Omit<OpenOperation<I, R>, 'access'>): Operation => ({
  ...operation,
  access: 'open',
})
export const visitorOperation = <I extends TObject, R>(
  operation: Omit<VisitorOperation<I, R>, 'access'>,
): Operation => ({ ...operation, access: 'visitor' })
export const personOperation = <I extends TObject, R>(operation: Omit<PersonOperation<I, R>, 'access'>): Operation => ({
  ...operation,
  access: 'person',
})
export const streamOperation = <I extends TObject>(operation: Omit<StreamOperation<I>, 'access'>): Operation => ({
  ...operation,
  access: 'stream',
})

/** Bytes, for which a schema has no words. */
const IMAGE_BYTES = Type.Unsafe<Buffer>({ description: 'The image' })

export const imageOperation = <I extends TObject>(
  operation: Omit<ImageOperation<I>, 'access' | 'answer'>,
): Operation => ({ ...operation, answer: IMAGE_BYTES, access: 'image' })
export const ownImageOperation = <I extends TObject>(
  operation: Omit<OwnImageOperation<I>, 'access' | 'answer'>,
): Operation => ({ ...operation, answer: IMAGE_BYTES, access: 'own image' })

const FILE_BYTES = Type.Unsafe<Buffer>({ description: 'The file' })

export const downloadOperation = <I extends TObject>(
  operation: Omit<DownloadOperation<I>, 'access' | 'answer'>,
): Operation => ({ ...operation, answer: FILE_BYTES, access: 'download' })

export const isWrite = (operation: Described): boolean => operation.method !== 'GET'

/** Both environments serve the same operations: what was compiled for one is there for the other. */
const presenters = new WeakMap<TSchema, (result: unknown) => string>()

/** Writes the declared fields of a result: an undeclared field does not leave. */
export function compilePresenter(schema: TSchema): (result: unknown) => string {
  const present = presenters.get(schema) ?? (fastJsonStringify(schema as never) as (result: unknown) => string)
  presenters.set(schema, present)
  return present
}
