/**
 * SQL statements are declared once, with the types of their parameters and rows. The TypeScript types are derived from
 * the declarations, and a test compares every declaration with PostgreSQL's own description (`describe.ts`).
 */

import { type ColumnType, int8 } from './columns.ts'

/** The column types: `c.text`, `c.int8` and so on. */
export * as c from './columns.ts'

/** An encoded parameter: text or raw bytes. */
export type Encoded = string | Buffer | null

type Columns = Readonly<Record<string, ColumnType<unknown>>>
type Values<C extends Columns> = { [K in keyof C]: C[K] extends ColumnType<infer T> ? T : never }

export interface Statement<P = unknown, R = unknown> {
  readonly name: string
  readonly lane: 'read' | 'write' | 'list' | 'report'
  readonly params: Columns
  readonly row: Columns
  /** The text with parameters as `$1` and without type casts. Only used to check the declared types. */
  readonly untyped: string
  readonly text: string
  /** The statement that answers many calls at once; undefined if calls cannot be combined. */
  readonly gathered: { readonly name: string; readonly text: string } | undefined
  /** True if `text` itself takes many calls. */
  readonly isBatched: boolean
  encodeParams(params: P): Encoded[]
  /** Encodes several calls as one array literal per parameter. */
  encodeCalls(calls: readonly { readonly params: P }[]): string[]
  /** Creates a reader for rows whose columns are in this order. */
  makeRowReader(columns: readonly string[]): RowReader<R>
}

export type RowReader<R = unknown> = (values: readonly (string | null)[]) => R

/** A statement for the report lane. Only reports can be streamed. */
export type Report<P = unknown, R = unknown> = Statement<P, R> & { readonly lane: 'report' }

export const nullable = <T>(type: ColumnType<T>): ColumnType<T | null> =>
  ({ ...type, isNullable: true }) as ColumnType<T | null>

const statements = new Map<string, Statement>()

export const listStatements = (): readonly Statement[] => [...statements.values()]

interface Declaration<P extends Columns, R extends Columns> {
  params: P
  row: R
  text: string
}

/**
 * Declares a select whose result is small: 256 KiB at most. It runs in the read lane, combined with other calls unless
 * `gather` is false.
 */
export const read = <P extends Columns, R extends Columns>(
  name: string,
  declaration: Declaration<P, R> & { gather?: boolean },
): Statement<Values<P>, Values<R>> => declare(name, 'read', declaration, declaration.gather ?? true)

/**
 * Declares a select whose result can be large, up to a few MiB: its rows are large, or there can be many. It runs in
 * the list lane, where one caller cannot delay others. Where rows × size exceeds that, the text ends the list early
 * with `withinBytes`.
 */
export const list = <P extends Columns, R extends Columns>(
  name: string,
  declaration: Declaration<P, R>,
): Statement<Values<P>, Values<R>> => declare(name, 'list', declaration, false)

/** Declares a statement that changes or locks rows. It runs in the connection pool. */
export const write = <P extends Columns, R extends Columns>(
  name: string,
  declaration: Declaration<P, R>,
): Statement<Values<P>, Values<R>> => declare(name, 'write', declaration, false)

/**
 * Declares a write whose concurrent calls share one statement, and with it one flush to disk. The text takes its calls
 * from `:calls`: one row for each, with a column for each parameter and the number `call`, which every row of the
 * result repeats. Calls must not wait for each other or for anybody else: the text locks rows with `skip locked`, and
 * gives no row for a call whose rows are locked. Inside a transaction, each call runs alone.
 */
export const batchedWrite = <P extends Columns, R extends Columns>(
  name: string,
  declaration: Declaration<P, R>,
): Statement<Values<P>, Values<R>> => declare(name, 'write', declaration, false, true)

/**
 * Declares a heavy select, such as an export, a sum, or a query over whole classes. It runs in the report lane, where
 * each call is planned with its actual values.
 */
export const report = <P extends Columns, R extends Columns>(
  name: string,
  declaration: Declaration<P, R>,
): Report<Values<P>, Values<R>> => declare(name, 'report', declaration, false)

function declare<P extends Columns, R extends Columns, L extends Statement['lane']>(
  name: string,
  lane: L,
  declaration: Declaration<P, R>,
  mayGather: boolean,
  isBatched = false,
): Statement<Values<P>, Values<R>> & { readonly lane: L } {
  // PostgreSQL truncates names at 63 bytes, and the name of the `gathered` statement is one byte longer than `name`.
  if (!/^[\w.-]{1,60}$/.test(name)) throw new Error(`Statement name '${name}' must be 1 to 60 letters, digits, . or -`)
  if (statements.has(name)) throw new Error(`There are two statements with the name '${name}'`)
  const { params, row } = declaration
  const keys = Object.keys(params)
  const types = Object.values(params)
  const columns = Object.entries(isBatched ? { ...row, call: int8 } : row)
  const fill = (replace: (key: string) => string) =>
    isBatched
      ? fillParameters(name, declaration.text, ['calls'], () => callsFrom(params))
      : fillParameters(name, declaration.text, keys, replace)
  const canGather = mayGather && keys.length > 0

  const statement: Statement<Values<P>, Values<R>> & { readonly lane: L } = {
    name,
    lane,
    params,
    row,
    untyped: fill((key) => `$${keys.indexOf(key) + 1}`),
    text: fill((key) => `$${keys.indexOf(key) + 1}::${params[key]?.sql}`),
    gathered: canGather ? { name: `${name}+`, text: gatherText(params, row, fill) } : undefined,
    isBatched,
    encodeParams: (values) => {
      if (isBatched) return statement.encodeCalls([{ params: values }])
      const encoded: Encoded[] = []
      for (let i = 0; i < keys.length; i++) {
        const value = values[keys[i]!]
        encoded.push(value === null || value === undefined ? null : types[i]!.encode(value))
      }
      return encoded
    },
    encodeCalls: (calls) => {
      const arrays: string[] = []
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i]!
        const type = types[i]!
        let literal = ''
        for (const call of calls) {
          const value = call.params[key]
          literal += literal === '' ? '{' : ','
          literal += value === null || value === undefined ? 'NULL' : type.encodeElement(value)
        }
        arrays.push(`${literal}}`)
      }
      return arrays
    },
    makeRowReader: (names) => {
      const readers = columns.map(([key, type]) => ({ key, decode: type.decode, index: names.indexOf(key) }))
      const missing = readers.find((reader) => reader.index < 0)
      if (missing) throw new Error(`Statement '${name}' gives no column '${missing.key}'`)
      return (values) => {
        const result: Record<string, unknown> = {}
        for (const { key, decode, index } of readers) {
          const value = values[index]!
          result[key] = value === null ? null : decode(value)
        }
        return result as Values<R>
      }
    },
  }
  statements.set(name, statement)
  return statement
}

/**
 * Returns SQL that runs the select once per call. The outer names are unusual, so that they do not clash with names in
 * the select. `offset 0` keeps the planner from turning the look-ups into one join, which would be slow if the planner
 * assumes that a table is empty. The first `offset 0` makes PostgreSQL parse array parameters once per call. There is
 * no ORDER BY on purpose: a nested loop keeps the order of each call's rows, and a sort might not.
 */
const gatherText = (params: Columns, row: Columns, fill: (replace: (key: string) => string) => string): string => {
  const types = Object.values(params)
  const names = [...Object.keys(params).map((key) => `"${key}"`), 'call_']
  const calls = `${unnestCalls(params)} as calls_(${names.join(', ')})`
  const values = names.map((name, i) => (types[i]?.isArray ? `${name}::${types[i].sql} as ${name}` : name))
  const columns = ['calls_.call_', ...Object.keys(row).map((key) => `found_."${key}"`)]
  return (
    `select ${columns.join(', ')} from ` +
    (types.some((type) => type.isArray) ? `(select ${values.join(', ')} from ${calls} offset 0) calls_` : calls) +
    ` cross join lateral (select * from (${fill((key) => `calls_."${key}"`)}\n) found_ offset 0) found_`
  )
}

const unnestCalls = (params: Columns): string =>
  `unnest(${Object.values(params)
    .map((type, i) => `$${i + 1}::${type.isArray ? 'text' : type.sql}[]`)
    .join(', ')}) with ordinality`

const callsFrom = (params: Columns): string =>
  `${unnestCalls(params)} as calls(${[...Object.keys(params), 'call'].map((name) => `"${name}"`).join(', ')})`

// The alternatives that may contain a colon which does not start a parameter come first: strings, quoted names,
// comments, dollar quotes, casts.
const TOKENS =
  /\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*.*?\*\/|\$(\w*)\$.*?\$\1\$|::|:([a-zA-Z_]\w*)/gs

function fillParameters(
  statement: string,
  source: string,
  keys: readonly string[],
  replace: (key: string) => string,
): string {
  const used = new Set<string>()
  const filled = source.replace(TOKENS, (token: string, _tag: unknown, key: string | undefined) => {
    if (key === undefined) return token
    if (!keys.includes(key)) throw new Error(`Statement '${statement}' uses :${key}, which its params do not declare`)
    used.add(key)
    return replace(key)
  })
  const unused = keys.find((key) => !used.has(key))
  if (unused !== undefined) throw new Error(`Statement '${statement}' declares :${unused} and does not use it`)
  return filled.trim()
}

/** The row type of a declared statement: `RowOf<typeof findBucket>`. */
export type RowOf<S> = S extends Statement<infer _P, infer R> ? R : never
