import pg from 'pg'
import { hasCode } from './connection.ts'
import type { Encoded, RowReader } from './statement.ts'

/** SQL text and the name under which it is prepared. */
export interface NamedText {
  readonly name: string
  readonly text: string
}

/** The ends of a transaction that a query sends along with its statement. */
export interface Ends {
  readonly begins?: boolean
  readonly commits?: boolean
}

type Callback = (error: Error | null) => void

/** The columns and the row reader of a statement that a connection has prepared. */
interface Prepared {
  columns?: readonly string[]
  reader?: RowReader
}

const preparedOn = new WeakMap<pg.Connection, Map<string, Prepared>>()

// A pipelined connection accepts only instances of `pg.Query`. The cast declares the constructor and the `callback`
// member, which the published type lacks.
const PgQuery = pg.Query as unknown as new (text: string, callback: Callback) => { callback: Callback }

/**
 * One execution of a named statement. The query class of `pg` requests a row description every time; this class only
 * when the connection prepares the statement. That is enough, because the server refuses to run a prepared statement
 * whose columns have changed.
 */
export class Query extends PgQuery {
  readonly found: (string | null)[][] = []
  readonly #form: NamedText
  readonly #values: Encoded[]
  readonly #ends: Ends
  #statements: Map<string, Prepared> | undefined
  #prepared: Prepared = {}
  #problem: Error | null = null

  constructor(form: NamedText, values: Encoded[], callback: Callback, ends: Ends = {}) {
    super(form.text, callback)
    this.#form = form
    this.#values = values
    this.#ends = ends
  }

  /** Returns the row reader, which is created once each time the statement is prepared. */
  readerFrom(make: (columns: readonly string[]) => RowReader): RowReader {
    this.#prepared.reader ??= make(this.#prepared.columns ?? [])
    return this.#prepared.reader
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork()
    const send = (statement: string, values: Encoded[] = []) => {
      connection.bind({ statement, values }, true)
      connection.execute({}, true)
    }
    // BEGIN, the statement and COMMIT share one Sync message, so the server skips what follows one that fails.
    if (this.#ends.begins) send('begin')
    this.#prepare(connection)
    try {
      send(this.#form.name, this.#values)
      if (this.#ends.commits) send('commit')
    } catch (error) {
      // A value could not be encoded. The error is reported after the server has responded to the messages already
      // sent.
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
    // A failed attempt may have left a prepared statement with this name on the server.
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
    // Prepare the statement again next time if preparing failed, the server no longer has it, or its columns have
    // changed.
    if (!this.#prepared.columns || hasCode(error, '26000', '0A000')) this.#statements?.delete(this.#form.name)
    this.callback(error)
  }
}
