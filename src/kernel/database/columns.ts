/** A PostgreSQL type, for parameters and columns. */
export interface ColumnType<T> {
  readonly sql: string
  readonly oid: number
  readonly isNullable: boolean
  /**
   * True for array types. If calls are combined, such a value is sent as text, because `unnest` would flatten an array
   * of arrays.
   */
  readonly isArray: boolean
  encode(value: T): string | Buffer
  /** Encodes the value as an element of an array literal, for statements that combine several calls. */
  encodeElement(value: T): string
  decode(text: string): T
}

const quoteElement = (text: string): string => `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`

const NEEDS_QUOTES = /[{}",\\]|^\s|\s$|^$|^null$/i

/**
 * Quotes an element of an array literal only if needed. Plain words stay shorter, and an array within an array needs no
 * second level of quotes.
 */
const quoteWhereNeeded = (text: string): string => (NEEDS_QUOTES.test(text) ? quoteElement(text) : text)

const makeType = <T>(
  sql: string,
  oid: number,
  decode: (text: string) => T,
  encode: (value: T) => string | Buffer = String,
  encodeElement: (value: T) => string = encode as (value: T) => string,
): ColumnType<T> => ({ sql, oid, isNullable: false, isArray: false, encode, encodeElement, decode })

const makeArrayType = <T>(
  sql: string,
  oid: number,
  decode: (text: string) => T[],
  encode: (value: T[]) => string,
): ColumnType<T[]> => ({
  ...makeType(sql, oid, decode, encode, (value) => quoteElement(encode(value))),
  isArray: true,
})

const asItIs = (text: string): string => text

export const int8 = makeType('int8', 20, Number)
export const int4 = makeType('int4', 23, Number)
export const float8 = makeType('float8', 701, Number)
export const text = makeType('text', 25, asItIs, String, quoteElement)
export const uuid = makeType('uuid', 2950, asItIs, String, quoteElement)
/** JSON as text. It is not parsed here, so it is passed on exactly as it was stored. */
export const json = makeType('json', 114, asItIs, String, quoteElement)
export const bool = makeType('bool', 16, (value) => value === 't')
/** Sessions run in UTC with ISO dates, so PostgreSQL's text always ends in `+00`. */
export const timestamptz = makeType(
  'timestamptz',
  1184,
  (value) => new Date(`${value.slice(0, 10)}T${value.slice(11, -3)}Z`),
  (value) => value.toISOString(),
)
/** A `timestamptz` as text in the format of `Date.toISOString`, for values that are only shown. */
export const instant = makeType('timestamptz', 1184, toIsoString)
export const bytea = makeType(
  'bytea',
  17,
  (value) => Buffer.from(value.slice(2), 'hex'),
  (value) => value,
  (value) => `"\\\\x${value.toString('hex')}"`,
)
export const textArray = makeArrayType(
  'text[]',
  1009,
  parseTextArray,
  (value) => `{${value.map(quoteWhereNeeded).join()}}`,
)
/** Elements are not quoted, because UUIDs need no quotes. */
export const uuidArray = makeArrayType('uuid[]', 2951, parseTextArray, (value) => `{${value.join()}}`)
export const int8Array = makeArrayType(
  'int8[]',
  1016,
  (value) => (value === '{}' ? [] : value.slice(1, -1).split(',').map(Number)),
  (value) => `{${value.join()}}`,
)

/**
 * Converts `2026-11-17 18:52:03.1081+00` to `2026-11-17T18:52:03.108Z`. Going through a `Date` would take several times
 * as long.
 */
function toIsoString(value: string): string {
  if (value[10] !== ' ' || !value.endsWith('+00')) throw new RangeError(`'${value}' is outside the years 1 to 9999`)
  return `${value.slice(0, 10)}T${value.slice(11, 19)}.${value.slice(20, -3).padEnd(3, '0').slice(0, 3)}Z`
}

function parseTextArray(literal: string): string[] {
  const inner = literal.slice(1, -1)
  if (inner === '') return []
  // Splitting is many times faster than matching, and enough if no element is quoted.
  const hasQuotes = inner.includes('"')
  const elements = hasQuotes ? inner.match(/"(?:[^"\\]|\\.)*"|[^,]+/gs)! : inner.split(',')
  if (elements.includes('NULL')) throw new Error('A text array holds a NULL, which its declaration does not allow')
  return hasQuotes ? elements.map(unquoteElement) : elements
}

const unquoteElement = (element: string): string =>
  element[0] === '"' ? element.slice(1, -1).replace(/\\(.)/gs, '$1') : element
