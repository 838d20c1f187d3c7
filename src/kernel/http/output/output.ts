import fastJsonStringify from 'fast-json-stringify'
import { type TSchema, Type } from 'typebox'
import type { EventSink } from '../../feeds/sink.ts'
import type { ImageType } from './images.ts'

type Texts = Readonly<Record<string, string>>
type TextsOrLists = Readonly<Record<string, string | readonly string[]>>

interface Answer<Result> {
  readonly status: number
  /** Answer headers that it sends, with a sentence each. */
  readonly headers?: Texts
  headersOf?(result: Result): TextsOrLists
}

/** JSON of a schema. */
export interface JsonOutput<Result> extends Answer<Result> {
  readonly kind: 'json'
  readonly schema: TSchema
  /** The answer's text; by default the declared fields of the result, and no others. */
  present?(result: Result): string
}

/** No body at all. */
export interface EmptyOutput<Result> extends Answer<Result> {
  readonly kind: 'empty'
}

interface ImageOutput {
  readonly kind: 'image'
  /** What its answers may be. */
  readonly mediaTypes: readonly ImageType[]
  readonly headers?: Texts
}

/** A file that is made while it is read. */
interface FileOutput {
  readonly kind: 'file'
  readonly mediaType: string
  readonly headers?: Texts
}

/** Whatever its `run` says: status, headers and bytes. For protocols that are not ours. */
export interface RawOutput {
  readonly kind: 'raw'
  /** By status: a sentence, and the media types of the body where there is one. */
  readonly answers: Readonly<Record<number, { readonly about: string; readonly mediaTypes?: readonly string[] }>>
  readonly headers?: Texts
}

/** What the `run` of such an operation resolves to. */
export interface RawAnswer {
  readonly status: number
  readonly headers: TextsOrLists
  readonly body?: string | Buffer
}

export const raw = (answers: RawOutput['answers'], headers: Texts = {}): RawOutput => ({
  kind: 'raw',
  answers,
  headers,
})

/** An event that a stream may send: a sentence, and the JSON in its data. */
interface EventDescription {
  readonly about: string
  readonly data: TSchema
}

/** Server-sent events, for as long as the client listens. */
export interface EventOutput {
  readonly kind: 'events'
  readonly about: string
  readonly events: Readonly<Record<string, EventDescription>>
  readonly headers?: Texts
}

/** What goes out. `run` resolves to an `Image`, a `Download`, a `RawAnswer` or `StartEvents` where the output is one. */
export type Output<Result> =
  | JsonOutput<Result>
  | EmptyOutput<Result>
  | ImageOutput
  | FileOutput
  | RawOutput
  | EventOutput

/** Refuses before the first byte by rejecting; what it resolves to then writes events until the sink closes. */
export type StartEvents = (sink: EventSink) => void

type Options<Result> = Partial<Omit<JsonOutput<Result>, 'kind' | 'schema'>>

export const json = <Result = unknown>(schema: TSchema, options: Options<Result> = {}): JsonOutput<Result> => ({
  kind: 'json',
  schema,
  status: 200,
  ...options,
})

const Success = Type.Object({ success: Type.Literal(true) }, { title: 'Success' })

/** For an operation with nothing to say, whatever it resolves to. */
export const success = <Result = unknown>(options: Options<Result> = {}): JsonOutput<Result> => ({
  kind: 'json',
  schema: Success,
  status: 200,
  present: () => '{"success":true}',
  ...options,
})

export const empty = <Result = unknown>(
  status: number,
  options: Omit<Options<Result>, 'present' | 'status'> = {},
): EmptyOutput<Result> => ({ kind: 'empty', status, ...options })

const presenters = new WeakMap<TSchema, (result: unknown) => string>()

/** Writes the declared fields of a result: an undeclared field does not leave. Compiled when it is first needed, once for both environments. */
export function presentAs(schema: TSchema, result: unknown): string {
  let present = presenters.get(schema)
  if (!present) {
    present = fastJsonStringify(schema as never) as (result: unknown) => string
    presenters.set(schema, present)
  }
  return present(result)
}
