import { isDeepStrictEqual } from 'node:util'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { fail } from '../../errors.ts'
import { hasExactNumbers, isExactNumber, roundNumbers } from '../../json.ts'
import { parseDate, parseLocalDate } from './dates.ts'
import { checkText, parseStrictJson } from './json.ts'

/**
 * How a field's value is read. A field is a schema with a kind; the kind determines how values that clients actually
 * send are converted to the schema's type. Unknown fields are ignored, unless the schema is closed
 * (`additionalProperties: false`).
 */
type Kind =
  | 'id'
  | 'text'
  | 'flag'
  | 'number'
  | 'decimal'
  | 'list'
  | 'anyList'
  | 'date'
  | 'localDate'
  | 'day'
  | 'file'
  | 'object'
  | 'any'
const KIND = 'x-kind'
/** Keyword for another form of the value that clients may send; shown in OpenAPI. */
export const ALSO = 'x-also'

/** Schema of an input without fields. */
export const Nothing = Type.Object({})

/** An id. `null`, `""` and `nil` mean that the field is absent. */
export const Id = (description: string, maxLength = 200) =>
  Type.String({ [KIND]: 'id', description, minLength: 1, maxLength })
/** Text. The empty string is a valid value. */
export const Text = (description: string, maxLength: number) => Type.String({ [KIND]: 'text', description, maxLength })
/** `true` or `false`. Clients may also send it as text, in upper or lower case. */
export const Flag = (description: string) => Type.Boolean({ [KIND]: 'flag', description })
/** A whole number, which clients may also send as text. `null`, `""` and `nil` mean that the field is absent. */
export const Whole = (description: string, minimum: number, maximum: number) =>
  Type.Integer({ [KIND]: 'number', description, minimum, maximum })
/** A number, which clients may also send as text. `null`, `""` and `nil` mean that the field is absent. */
export const Decimal = (description: string, minimum: number, maximum: number) =>
  Type.Number({ [KIND]: 'decimal', description, minimum, maximum })
/** A list of ids, which clients may also send as one text, separated by commas. */
export const IdList = (description: string, maxItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    [KIND]: 'list',
    [ALSO]: { type: 'string', description: 'The same as one string, separated by commas' },
    description,
    maxItems,
  })
/**
 * A list of any values. Clients may also send it as JSON text; a single value becomes a list of one. `null`, `""` and
 * `nil` mean that the field is absent.
 */
export const AnyList = (description: string) => Type.Array(Type.Unknown(), { [KIND]: 'anyList', description })
/**
 * A date and time: ISO 8601, `MM/DD/YYYY`, `MM/DD/YY`, `M/D/YYYY h:mm:ss AM` or `MM/DD/YYYY HH:mm:ss`. It is converted
 * to ISO 8601 in UTC; a time without a zone is taken as UTC.
 */
export const DateTime = (description: string) => Type.String({ [KIND]: 'date', format: 'date-time', description })
/**
 * A date and time in the same formats as `DateTime`. A time without a zone stays local and gets no `Z`, so that the
 * operation can determine its zone.
 */
export const LocalDateTime = (description: string) =>
  Type.String({ [KIND]: 'localDate', description: `${description}. ISO 8601, with a time zone or as local time` })
/**
 * A day, in the same formats as `DateTime`. A time is converted to its day in UTC. The result looks like `2001-05-01`.
 */
export const Day = (description: string) =>
  Type.String({
    [KIND]: 'day',
    format: 'date',
    description: `${description}. Also with a time (ISO 8601; the day in UTC counts), or as MM/DD/YYYY or MM/DD/YY`,
  })
/** A JSON object, which clients may also send as JSON text. */
export const JsonObject = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), {
    [KIND]: 'object',
    [ALSO]: { type: 'string', description: 'The same as a JSON string' },
    description,
  })
/** Any JSON value, including `null`. */
export const AnyJson = (description: string) => Type.Unknown({ [KIND]: 'any', description })

const BODY_ONLY = 'x-body-only'
/** Marks a field that must be in the body, although the other fields of the operation may be in the query. */
export const inBody = <T extends TSchema>(field: T): T => ({ ...field, [BODY_ONLY]: true })

/** The bytes of a file, for the sources `image`, `csv` and `raw`. The file's name and declared type are not used. */
export const File = (description: string) => Type.Unsafe<Buffer>({ [KIND]: 'file', description })
/** A file that the operation reads while it arrives, for the source `stream`. */
export const FileStream = (description: string) => Type.Unsafe<BodyStream>({ [KIND]: 'file', description })

/** A body that has not been read yet. Reading it throws if it is too large or the client disconnects. */
export class BodyStream {
  /** The announced size in bytes; undefined if the client does not announce it. */
  readonly bytes: number | undefined
  readonly #chunks: () => AsyncIterable<Buffer>

  constructor(bytes: number | undefined, chunks: () => AsyncIterable<Buffer>) {
    this.bytes = bytes
    this.#chunks = chunks
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return this.#chunks()[Symbol.asyncIterator]()
  }
}

const kindOf = (schema: TSchema): Kind => (schema as { [KIND]?: Kind })[KIND] ?? 'any'
/** Whether a field holds a document that is stored as it was sent, so that its numbers keep their text. */
const isOpaque = (schema: TSchema): boolean => OPAQUE.has((schema as { [KIND]?: Kind })[KIND])
const OPAQUE: ReadonlySet<Kind | undefined> = new Set(['any', 'anyList', 'object'])
export const isFile = (schema: TSchema): boolean => kindOf(schema) === 'file'

/**
 * The source of an operation's fields. `body only`: fields in the query are refused instead of ignored. `image` and
 * `csv`: the whole body is a file, which is one field of the input, and the other fields are in the query. `raw`: the
 * same, for a body of any type. `stream`: the same, but the operation reads the file while it arrives.
 */
export type Source = 'query' | 'body' | 'either' | 'body only' | 'image' | 'csv' | 'raw' | 'stream'
export const isWholeBody = (source: Source): boolean =>
  source === 'image' || source === 'csv' || source === 'raw' || source === 'stream'
export const isInQuery = (source: Source): boolean => source === 'query' || source === 'either' || isWholeBody(source)
export interface Sources {
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** Values of the `{names}` in the path. */
  readonly params?: Readonly<Record<string, unknown>>
}

/** Returns the names of the input fields in a path. */
export const namesInPath = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** Compiled checks by schema. Both environments serve the same operations and share them. */
const checks = new WeakMap<TObject, ReturnType<typeof Compile>>()

export function checkOf(schema: TObject): ReturnType<typeof Compile> {
  const check = checks.get(schema) ?? Compile(schema)
  checks.set(schema, check)
  return check
}

/**
 * Compiles a function that reads the input of one operation: it collects the fields, converts and validates them. Every
 * error names the field.
 */
export function compileInput<T extends TObject>(
  schema: T,
  source: Source,
  inPath: readonly string[] = [],
): (sources: Sources) => Static<T> {
  const schemas = Object.entries<TSchema>(schema.properties)
  const declared = schemas.map(([name, field]): Field => ({ name, tolerate: TOLERANCE[kindOf(field)] }))
  const pathFields = declared.filter(({ name }) => inPath.includes(name))
  const fields = declared.filter((field) => !pathFields.includes(field))
  const bodyFieldsOnly = fields.filter(({ name }) => BODY_ONLY in schema.properties[name]!)
  const fileName = schemas.find(([, field]) => isFile(field))?.[0]
  const rounded = schemas.flatMap(([name, field]) => (isOpaque(field) ? [] : name))
  const check = checkOf(schema)
  const isFromQuery = isInQuery(source)
  const isClosed = (schema as { additionalProperties?: unknown }).additionalProperties === false
  return (sources) => {
    const body = source === 'query' ? undefined : bodyFields(sources.body, fileName)
    if (isClosed && body) refuseUnknown(schema, body)
    if (body && hasExactNumbers(body))
      for (const name of rounded) if (Object.hasOwn(body, name)) body[name] = roundNumbers(body[name])
    if (isFromQuery) refuseRepeated(fields, sources.query)
    if (isFromQuery && isClosed) refuseUnknown(schema, sources.query, fileName)
    if (bodyFieldsOnly.length > 0) refuseInQuery(bodyFieldsOnly, sources.query)
    if (source === 'body only') refuseInQuery(fields, sources.query)
    const input: Record<string, unknown> = {}
    for (const field of fields) {
      const value = pick(field, isFromQuery ? sources.query : undefined, body)
      if (value !== undefined) input[field.name] = value
    }
    for (const field of pathFields) {
      const value = take(field, sources.params)
      if (value !== undefined) input[field.name] = value
    }
    if (!check.Check(input)) throw explain(check.Errors(input), input)
    return input as Static<T>
  }
}

function bodyFields(body: unknown, fileName: string | undefined): Record<string, unknown> | undefined {
  if (body === undefined || body === null) return undefined
  if (isFileValue(body) && fileName !== undefined) return { [fileName]: body }
  if (typeof body !== 'object' || Array.isArray(body) || isExactNumber(body))
    throw fail('badRequest', 'The body must be a JSON object')
  return body as Record<string, unknown>
}

const isFileValue = (value: unknown): boolean => Buffer.isBuffer(value) || value instanceof BodyStream

/** Refuses unknown fields of a closed schema. */
function refuseUnknown({ properties }: TObject, given: Readonly<Record<string, unknown>>, except?: string): void {
  const unknown = Object.keys(given).find((name) => name === except || !Object.hasOwn(properties, name))
  if (unknown !== undefined)
    throw fail('validationFailed', `${unknown.slice(0, 100)} must be left out: it is not a known field`)
}

/** Refuses a field that occurs more than once in the query, where repeated fields are parsed as an array. */
function refuseRepeated(fields: readonly Field[], query: Sources['query']): void {
  const repeated = fields.find(({ name }) => Array.isArray(query[name]))
  if (repeated) throw fail('validationFailed', `${repeated.name} is sent twice`)
}

/**
 * Refuses fields in the query that belong in the body. URLs appear in logs, so they must not contain secrets (RFC 6749
 * §2.3.1), and a client that splits its fields between query and body has a bug.
 */
function refuseInQuery(fields: readonly Field[], query: Sources['query']): void {
  const misplaced = fields.find(({ name }) => Object.hasOwn(query, name))
  if (misplaced) throw fail('badRequest', `${misplaced.name} must be in the body, not in the query`)
}

interface Field {
  readonly name: string
  readonly tolerate: (value: unknown, name: string) => unknown
}

function pick(field: Field, query: Sources['query'] | undefined, body: Record<string, unknown> | undefined): unknown {
  const fromQuery = take(field, query)
  const fromBody = take(field, body)
  if (fromQuery === undefined) return fromBody
  if (fromBody !== undefined && !isDeepStrictEqual(fromBody, fromQuery))
    throw fail('validationFailed', `${field.name} is sent twice, with different values`)
  return fromQuery
}

function take({ name, tolerate }: Field, source: Readonly<Record<string, unknown>> | undefined): unknown {
  const value = source && Object.hasOwn(source, name) ? source[name] : undefined
  if (value === undefined) return undefined
  // Unlike JSON bodies, queries and forms have not been checked for invalid characters yet.
  if (typeof value === 'string') checkText(value)
  return tolerate(value, name)
}

const isAbsent = (value: unknown): boolean => value === null || value === '' || value === 'nil'

const TOLERANCE: Record<Kind, (value: unknown, name: string) => unknown> = {
  any: (value) => value,
  // A text field with the name of the file field is ignored.
  file: (value) => (isFileValue(value) ? value : undefined),
  id: (value) => (isAbsent(value) ? undefined : value),
  text: (value) => (value === null ? undefined : value),
  flag: (value) => {
    if (isAbsent(value)) return undefined
    if (typeof value !== 'string') return value
    const word = value.toLowerCase()
    return word === 'true' ? true : word === 'false' ? false : value
  },
  number: (value) => {
    if (isAbsent(value)) return undefined
    return typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? Number(value) : value
  },
  decimal: (value) => {
    if (isAbsent(value)) return undefined
    return typeof value === 'string' && /^-?\d{1,20}(\.\d{1,20})?$/.test(value) ? Number(value) : value
  },
  list: (value) => {
    if (isAbsent(value)) return undefined
    if (typeof value !== 'string') return value
    return value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => !isAbsent(part))
  },
  anyList: (value) => {
    if (isAbsent(value)) return undefined
    if (Array.isArray(value)) return value
    return (typeof value === 'string' && parseList(value)) || [value]
  },
  object: (value, name) => {
    if (isExactNumber(value)) return roundNumbers(value)
    return typeof value === 'string' && value !== '' ? parseObject(value, name) : value
  },
  date: (value, name) => readMoment(value, name, '2026-05-01T12:00:00.000Z'),
  localDate: (value, name) => readMoment(value, name, '2026-05-01T12:00:00.000Z', parseLocalDate),
  day: (value, name) => {
    const moment = readMoment(value, name, '2026-05-01')
    return typeof moment === 'string' ? moment.slice(0, 10) : moment
  },
}

function readMoment(
  value: unknown,
  name: string,
  example: string,
  parse: (text: string) => string | undefined = (text) => parseDate(text)?.toISOString(),
): unknown {
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') return value
  const moment = parse(value)
  if (!moment) throw fail('validationFailed', `${name} is not a valid date; send ISO 8601, such as ${example}`)
  return moment
}

function parseList(text: string): unknown[] | undefined {
  if (!/^\s*\[/.test(text)) return undefined
  try {
    const parsed = parseStrictJson(Buffer.from(text))
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function parseObject(text: string, name: string): unknown {
  try {
    return parseStrictJson(Buffer.from(text))
  } catch {
    throw fail(
      'validationFailed',
      `${name} must be a JSON object, or a string that contains one, and each key only once`,
    )
  }
}

interface Problem {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
  readonly params: object
}

function explain(problems: readonly Problem[], input: Record<string, unknown>): Error {
  const [problem] = problems
  if (!problem) return fail('validationFailed')
  const path = problem.instancePath.split('/').slice(1)
  const where = path.join('.')
  if (problem.keyword === 'required') {
    const required = (problem.params as { requiredProperties?: string[] }).requiredProperties ?? []
    const within = path.reduce<object>((value, name) => value[name as keyof typeof value], input)
    const missing = required.filter((name) => !(name in within)).map((name) => [...path, name].join('.'))
    return fail('parameterMissing', `${missing.join(', ')} is missing`)
  }
  const allowed = allowedValues(problem, problems)
  const sentence = `${where} ${allowed.length > 0 ? `must be ${sayValues(allowed)}` : problem.message}`
  return problem.keyword === 'type' ? fail('wrongType', sentence) : fail('validationFailed', sentence)
}

/** Returns the values that a field allows, if the problem is that it has another one; otherwise none. */
function allowedValues(problem: Problem, problems: readonly Problem[]): unknown[] {
  if (problem.keyword === 'enum') return (problem.params as { allowedValues: unknown[] }).allowedValues
  if (problem.keyword !== 'const') return []
  // A union of constants has one problem for each of them.
  return problems
    .filter(({ keyword, instancePath }) => keyword === 'const' && instancePath === problem.instancePath)
    .map(({ params }) => (params as { allowedValue: unknown }).allowedValue)
}

const MOST_NAMED_VALUES = 10
function sayValues(values: readonly unknown[]): string {
  if (values.length === 1) return String(values[0])
  const more = values.length - MOST_NAMED_VALUES
  return `one of: ${values.slice(0, MOST_NAMED_VALUES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
