import fastJsonStringify from 'fast-json-stringify'
import { type TSchema, Type } from 'typebox'
import type { EventSink } from '../../feeds/sink.ts'
import type { ImageType } from './images.ts'

type Texts = Readonly<Record<string, string>>
type TextsOrLists = Readonly<Record<string, string | readonly string[]>>

/** A JSON response that matches a schema. */
export interface JsonOutput<Result> {
  readonly kind: 'json'
  readonly status: number
  /** Response headers, with one sentence about each. */
  readonly headers?: Texts
  headersOf?(result: Result): TextsOrLists
  readonly schema: TSchema
  /** Serializes the result. By default, the declared fields are written and no others. */
  present?(result: Result): string
}

interface ImageOutput {
  readonly kind: 'image'
  /** Media types that the response can have. */
  readonly mediaTypes: readonly ImageType[]
  readonly headers?: Texts
}

/** A file that is generated while it is sent. */
interface FileOutput {
  readonly kind: 'file'
  readonly mediaType: string
  readonly headers?: Texts
}

/** An output for which `run` returns status, headers and body itself. For external protocols and for empty bodies. */
export interface RawOutput {
  readonly kind: 'raw'
  /** By status: a sentence about the response, and the media types of its body if it has one. */
  readonly answers: Readonly<Record<number, { readonly about: string; readonly mediaTypes?: readonly string[] }>>
  readonly headers?: Texts
}

/** The result of `run` for a raw output. */
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

/** An event that a stream may send: a sentence about it, and the schema of its data. */
interface EventDescription {
  readonly about: string
  readonly data: TSchema
}

/** A stream of server-sent events, which lasts until the client disconnects. */
export interface EventOutput {
  readonly kind: 'events'
  readonly about: string
  readonly events: Readonly<Record<string, EventDescription>>
  readonly headers?: Texts
}

/**
 * The output of an operation. For the kinds other than `json`, `run` resolves to an `Image`, a `Download`, a
 * `RawAnswer` or a `StartEvents` function.
 */
export type Output<Result> = JsonOutput<Result> | ImageOutput | FileOutput | RawOutput | EventOutput

/**
 * Writes events until the sink closes. `run` resolves to this function; to refuse the request, `run` rejects before
 * anything is sent.
 */
export type StartEvents = (sink: EventSink) => void

type Options<Result> = Partial<Omit<JsonOutput<Result>, 'kind' | 'schema'>>

export const json = <Result = unknown>(schema: TSchema, options: Options<Result> = {}): JsonOutput<Result> => ({
  kind: 'json',
  schema,
  status: 200,
  ...options,
})

const Success = Type.Object({ success: Type.Literal(true) }, { title: 'Success' })

/** Declares the output `{"success":true}`, for operations that return nothing else. The result of `run` is ignored. */
export const success = <Result = unknown>(options: Options<Result> = {}): JsonOutput<Result> => ({
  kind: 'json',
  schema: Success,
  status: 200,
  present: () => '{"success":true}',
  ...options,
})

const presenters = new WeakMap<TSchema, (result: unknown) => string>()

/**
 * Serializes the declared fields of a result, so that no other field leaves the server. The serializer is compiled on
 * first use, once for both environments.
 */
export function presentAs(schema: TSchema, result: unknown): string {
  let present = presenters.get(schema)
  if (!present) {
    present = fastJsonStringify(nullableFor(schema)) as (result: unknown) => string
    presenters.set(schema, present)
  }
  return present(result)
}

/**
 * Writes unions with null as `nullable`. The serializer validates each value of a union to choose its schema, which
 * takes longer than to write it.
 */
const nullableFor = (schema: TSchema): object =>
  JSON.parse(JSON.stringify(schema), (_, value) => {
    const [one, other, ...more] = value?.anyOf ?? []
    return other?.type === 'null' && more.length === 0 ? { ...one, nullable: true } : value
  })
