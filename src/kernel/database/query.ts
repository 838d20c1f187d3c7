import pg from 'pg'
import { hasCode } from './connection.ts'
import type { Encoded, RowReader } from './statement.ts'

/** SQL, and the name that a connection prepares it by. */
export interface NamedText {
  readonly name: string
  readonly text: string
}

type Callback = (error: Error | null) => void

/** What a connection knows of a statement that it has prepared. */
interface Prepared {
  columns?: readonly string[]
  reader?: RowReader
}

const preparedOn = new WeakMap<pg.Connection, Map<string, Prepared>>()

// A pipelined connection takes no other class than this one. Its declared type leaves out what `pg` calls.
const PgQuery = pg.Query as unknown as new (text: string, callback: Callback) => { callback: Callback }

/**
 * One run of a named statement. `pg`'s own query has its rows described every time; this one only when the connection
 * prepares the statement. That is enough, because the server refuses to run a statement whose columns have changed.
 */
export class Query extends PgQuery {
  readonly found: (string | null)[][] = []
  readonly #form: NamedText
  readonly #values: Encoded[]
  readonly #isFirstOfTransaction: boolean
  #statements: Map<string, Prepared> | undefined
  #prepared: Prepared = {}
  #problem: Error | null = null

  constructor(form: NamedText, values: Encoded[], callback: Callback, isFirstOfTransaction = false) {
    super(form.text, callback)
    this.#form = form
    this.#values = values
    this.#isFirstOfTransaction = isFirstOfTransaction
  }

  /** How to read the rows that were found. It is made once for each preparation. */
  readerFrom(make: (columns: readonly string[]) => RowReader): RowReader {
    this.#prepared.reader ??= make(this.#prepared.columns ?? [])
    return this.#prepared.reader
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork()
    // BEGIN and the statement are one unit of the protocol: where BEGIN fails, the server skips the statement.
    if (this.#isFirstOfTransaction) {
      connection.bind({ statement: 'begin' }, true)
      connection.execute({}, true)
    }
    this.#prepare(connection)
    try {
      connection.bind({ statement: this.#form.name, values: this.#values }, true)
      connection.execute({}, true)
    } catch (error) {
      // A value that cannot be sent. What went out before it is still answered.
      this.#problem = error as Error
    }
    connection.sync()
    connection.stream.uncork()
  }

  #prepare(connection: pg.Connection): void {
    const { name, text } = this.#form
    this.#statements = preparedOn.get(connection) ?? new Map()
    preparedOn.set(connection, this.#statements)
    const prepared = this.#statements.get(name)
    if (prepared) {
      this.#prepared = prepared
      return
    }
    this.#statements.set(name, this.#prepared)
    // The server may know the name already, from a try that failed.
    connection.close({ type: 'S', name }, true)
    connection.parse({ name, text, types: [] }, true)
    connection.describe({ type: 'S', name }, true)
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    this.#prepared.columns = fields.map((field) => field.name)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.found.push(fields)
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(this.#problem)
  }

  handleError(error: Error): void {
    // It is prepared anew where that had failed, where the server has forgotten it, or where its columns have changed.
    if (!this.#prepared.columns || hasCode(error, '26000', '0A000')) this.#statements?.delete(this.#form.name)
    this.callback(error)
  }
}
