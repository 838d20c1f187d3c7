import pg from 'pg'
import { fail, type PlatformError, RECORDS_FULL, StartupError } from '../errors.ts'

export type Connection = Pick<
  pg.ClientConfig,
  'host' | 'port' | 'user' | 'database' | 'password' | 'ssl' | 'connectionString'
>

interface SessionOptions {
  readonly schema: string
  readonly statementTimeoutMs: number
  readonly applicationName?: string
  /** Settings that SQL functions read with `current_setting`. */
  readonly settings?: Settings
}

export const CONNECT_TIMEOUT_MS = 5_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const END_TIMEOUT_MS = 500
const FIRST_DELAY_MS = 50
const LAST_DELAY_MS = 1_000

export type Settings = Record<string, string>

export const sessionSettings = (options: SessionOptions): Settings => ({
  search_path: pg.escapeIdentifier(options.schema),
  statement_timeout: String(options.statementTimeoutMs),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_TIMEOUT_MS),
  application_name: options.applicationName ?? 'groundschool',
  // The decoders in `columns.ts` rely on the next three settings, so the server's defaults are overridden.
  timezone: 'UTC',
  datestyle: 'ISO',
  bytea_output: 'hex',
  // JIT compilation of a plan takes longer than any of our statements.
  jit: 'off',
  ...options.settings,
})

/** Applies settings with `set_config`, because a connection string could override startup parameters. */
export async function prepareSession(client: pg.ClientBase, settings: Settings): Promise<void> {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`,
  )
  const query = { text: `select ${calls.join(', ')}`, query_timeout: CONNECT_TIMEOUT_MS }
  await client.query(query)
}

/** Keeps a connection open, and reconnects when it is lost. */
export type HoldConnection = (handlers: {
  /** Called each time the connection is established. If it throws, the connection is dropped and retried. */
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
        // Consecutive failures with the same message are reported only once.
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

/** Closes the connection properly, but does not wait long for a hung server. */
async function endClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), END_TIMEOUT_MS)
  await client.end()
  clearTimeout(timer)
}

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof pg.DatabaseError && codes.includes(error.code ?? '')

// SQLSTATE codes: 08 connection problem, 25006 write to a standby, 53 out of resources, 57P01 to 57P03 shutting down or
// starting, 57014 statement timeout.
const NOT_READY = /^(08|25006|53|57P0[123]|57014)/
const DISK_FULL = '53100'
/** Raised by the SQL function `charge_share`. */
const SHARE_USED_UP = 'GSFUL'

/**
 * Returns `notReady` if the database is at fault, or the error itself if the statement is. An error that is not a
 * `DatabaseError` was caused by the connection.
 */
export function classifyError(error: unknown): Error {
  if (hasCode(error, SHARE_USED_UP)) return fail('storageFull', RECORDS_FULL)
  if (hasCode(error, DISK_FULL)) return notReady(error, 'The disk of the database is full; nothing was stored')
  if (!(error instanceof pg.DatabaseError) || NOT_READY.test(error.code ?? '')) return notReady(error)
  // These fields may quote stored values, which must not be logged.
  error.detail = undefined
  error.where = undefined
  return error
}

/** Seconds after which a client should repeat a request that failed because the database was lost. */
const RETRY_AFTER_SECONDS = 1

export const unavailable = (): PlatformError => notReady(new Error('The database is not available'))

export const notReady = (cause: unknown, description?: string): PlatformError =>
  Object.assign(fail('notReady', description, RETRY_AFTER_SECONDS), { cause })

/** Explains to an operator what to do if the database cannot be reached at startup. */
export function explainConnection(error: unknown): StartupError {
  const { message } = error as Error
  const advice = /No space left on device/.test(message)
    ? 'Free some space on the disk of the database and start again'
    : 'Check that it is running, and check URL and password.'
  return new StartupError(`The database cannot be reached: ${message}. ${advice}`, { cause: error })
}
