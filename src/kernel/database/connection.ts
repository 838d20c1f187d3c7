import pg from 'pg'
import { fail, type PlatformError, StartupError } from '../errors.ts'

/** Where PostgreSQL is. */
export type Connection = Pick<
  pg.ClientConfig,
  'host' | 'port' | 'user' | 'database' | 'password' | 'ssl' | 'connectionString'
>

interface SessionOptions {
  readonly schema: string
  readonly statementTimeoutMs: number
  readonly applicationName?: string
}

export const CONNECT_TIMEOUT_MS = 5_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000
const END_TIMEOUT_MS = 500
const FIRST_DELAY_MS = 50
const LAST_DELAY_MS = 1_000

export type Settings = Record<string, string>

export const sessionSettings = (options: SessionOptions): Settings => ({
  search_path: pg.escapeIdentifier(options.schema),
  statement_timeout: String(options.statementTimeoutMs),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_TIMEOUT_MS),
  application_name: options.applicationName ?? 'groundschool',
  // What the decoders of `statement.ts` rely on, whatever the server's own defaults are.
  timezone: 'UTC',
  datestyle: 'ISO',
  bytea_output: 'hex',
  // Compiling costs more than any of our statements takes.
  jit: 'off',
})

/** Settings are SET rather than sent at startup, because what stands in a connection string would win over those. */
export async function prepareSession(client: pg.ClientBase, settings: Settings): Promise<void> {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`,
  )
  const query = { text: `select ${calls.join(', ')}`, query_timeout: CONNECT_TIMEOUT_MS }
  await client.query(query)
}

/** A connection that comes back by itself. */
export type HoldConnection = (handlers: {
  /** The connection stands, for the first time or again. Where this fails, the connection is given up and tried again. */
  onUp(client: pg.Client): void | Promise<void>
  onDown(error: Error): void
}) => Promise<void>

export interface HeldConnection {
  close(): Promise<void>
}

export async function holdConnection(
  open: () => Promise<pg.Client>,
  { onUp, onDown }: Parameters<HoldConnection>[0],
  onProblem: (error: Error) => void,
): Promise<HeldConnection> {
  let current: pg.Client | undefined
  let isClosed = false

  async function connect(): Promise<void> {
    const client = await open()
    const onLost = (error = new Error('The database closed the connection')) => {
      if (current !== client) return
      current = undefined
      client.connection.stream.destroy()
      onDown(error)
      if (isClosed) return
      onProblem(error)
      void reconnect(error)
    }
    client.on('error', onLost)
    client.on('end', onLost)
    try {
      await onUp(client)
      current = client
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
    if (isClosed) await endClient(client)
  }

  async function reconnect(reported: Error): Promise<void> {
    let { message } = reported
    for (let delayMs = FIRST_DELAY_MS; !isClosed; delayMs = Math.min(delayMs * 2, LAST_DELAY_MS)) {
      await new Promise((resolve) => setTimeout(resolve, delayMs * (0.5 + Math.random() / 2)))
      try {
        return await connect()
      } catch (error) {
        // The same reason is told once, however often it is met.
        if ((error as Error).message !== message) onProblem(error as Error)
        message = (error as Error).message
      }
    }
  }

  await connect()
  return {
    close: async () => {
      isClosed = true
      if (current) await endClient(current)
    },
  }
}

/** Says goodbye, but does not wait for a server that hangs. */
async function endClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), END_TIMEOUT_MS)
  await client.end()
  clearTimeout(timer)
}

/** Whether a statement failed with one of these SQLSTATEs. */
export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof pg.DatabaseError && codes.includes(error.code ?? '')

// 08 connection, 53 out of resources, 57P01 to 57P03 shutting down or starting, 57014 statement timeout.
const NOT_READY = /^(08|53|57P0[123]|57014)/

/**
 * `notReady` where the database is at fault, the error itself where the statement is. All errors that are not the
 * server's answer come from the connection.
 */
export function classifyError(error: unknown): Error {
  if (!(error instanceof pg.DatabaseError) || NOT_READY.test(error.code ?? '')) return notReady(error)
  // These quote stored values, and errors are logged.
  error.detail = undefined
  error.where = undefined
  return error
}

export const notReady = (cause: unknown, description?: string): PlatformError =>
  Object.assign(fail('notReady', description), { cause })

/** What an operator can do when there is no connection at start. */
export function explainConnection(error: unknown): StartupError {
  const { message } = error as Error
  const advice = /No space left on device/.test(message)
    ? 'Free some space on the disk of the database and start again'
    : 'Is it running, and are address and password right?'
  return new StartupError(`The database cannot be reached: ${message}. ${advice}`, { cause: error })
}
