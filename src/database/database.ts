import pg from 'pg'
import { fail, PlatformError, StartupError } from '../errors.ts'
import { type Listener, openListener } from './listener.ts'
import { openReadLane, type ReadLane } from './read-lane.ts'
import type { Statement } from './statement.ts'

/** The two lanes of one environment, or a transaction: what every operation is given. */
export interface Db {
  readonly isTransaction: boolean
  all<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  first<P, R>(statement: Statement<P, R>, params: P): Promise<R | undefined>
  /**
   * Runs the work on one connection between BEGIN and COMMIT; inside a transaction the work joins the outer one.
   * An error rolls back and is thrown on. After a serialization failure or a deadlock the outermost work runs again,
   * up to three times more, so it must do nothing outside of the transaction: that belongs into `afterCommit`.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Work for after the outermost commit (at once outside of a transaction). It is dropped where that is rolled back. */
  afterCommit(work: () => void): void
}

export interface Database extends Db, Pick<Listener, 'onMessage' | 'onListening'> {
  readonly schema: string
  isAvailable(): boolean
  /** Reads gathered and statements sent are counts since the start, the others are of this moment. */
  figures(): {
    poolTotal: number
    poolIdle: number
    poolWaiting: number
    readsQueued: number
    readsGathered: number
    readStatements: number
  }
  /** Waits a few seconds for work under way; what comes later is refused. */
  close(): Promise<void>
}

export type Connection = Pick<
  pg.ClientConfig,
  'host' | 'port' | 'user' | 'database' | 'password' | 'ssl' | 'connectionString'
>

export interface DatabaseOptions {
  connection: Connection
  schema: string
  poolSize: number
  readConnections: number
  statementTimeoutMs: number
  applicationName?: string
  onProblem(error: Error): void
}

const CONNECT_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_MS = 5_000
const IDLE_TIMEOUT_MS = 60_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000
/** How much longer than the server's own limit an answer may take before the server counts as hung. */
const GUARD_EXTRA_MS = 1_000
const RETRIES = 3
const END_TIMEOUT_MS = 500
const FIRST_DELAY_MS = 50
const LAST_DELAY_MS = 1_000

/**
 * Reads are by index, and how many calls are gathered is not known when they are planned. So plans must not hang on
 * statistics: one made while a table was small would be used long after, and planning anew for each would cost more.
 */
const READ_SETTINGS: Settings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  default_transaction_read_only: 'on',
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { schema, onProblem } = options
  const guardMs = options.statementTimeoutMs + GUARD_EXTRA_MS
  const settings = sessionSettings(options)
  const config: pg.ClientConfig = {
    ...options.connection,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: { getTypeParser: () => (value: string) => value },
  }
  const pool = new pg.Pool({
    ...config,
    query_timeout: guardMs,
    max: options.poolSize,
    min: 1,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    onConnect: async (client) => {
      await Promise.all([prepareSession(client, settings), prepareBegin(client)])
    },
  })
  // A client that is in use has no listener of the pool's, and an unheard 'error' would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', onProblem)

  const open = async (settings: Settings): Promise<pg.Client> => {
    const client = new pg.Client(config)
    client.on('error', () => {})
    try {
      await client.connect()
      await prepareSession(client, settings)
      return client
    } catch (error) {
      client.connection.stream.destroy()
      throw error
    }
  }
  const held: HeldConnection[] = []
  const holdWith =
    (extra: Settings): HoldConnection =>
    async (handlers) =>
      void held.push(await holdConnection(() => open({ ...settings, ...extra }), handlers, onProblem))
  const closeHeld = () => Promise.all(held.map((connection) => connection.close()))

  let lane: ReadLane
  let listener: Listener
  try {
    const hold = holdWith(READ_SETTINGS)
    lane = await openReadLane({ connections: options.readConnections, hold, guardMs, understandError })
    listener = await openListener({ channel: schema, hold: holdWith({}), onProblem })
  } catch (error) {
    await closeHeld()
    const sentence = `The database cannot be reached: ${(error as Error).message}.`
    throw new StartupError(`${sentence} Is it running, and are address and password right?`, { cause: error })
  }

  const takeClient = async (): Promise<pg.PoolClient> => {
    if (!lane.isAvailable()) throw fail('notReady')
    try {
      return await pool.connect()
    } catch (error) {
      throw notReady(error)
    }
  }

  const runAlone = async <P, R>(statement: Statement<P, R>, params: P): Promise<R[]> => {
    const client = await takeClient()
    try {
      const rows = await run(client, statement, params)
      client.release()
      return rows
    } catch (error) {
      client.release(error instanceof PlatformError)
      throw error
    }
  }

  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref())
    await Promise.all([lane.drain(CLOSE_TIMEOUT_MS), Promise.race([pool.end(), deadline])])
    await closeHeld()
  }

  const db: Db = {
    isTransaction: false,
    all: (statement, params) => (statement.lane === 'read' ? lane.all(statement, params) : runAlone(statement, params)),
    first: (statement, params) =>
      statement.lane === 'read' ? lane.first(statement, params) : runAlone(statement, params).then((rows) => rows[0]),
    transaction: (work) => runTransaction(takeClient, work, onProblem),
    afterCommit: (work) => runHook(work, onProblem),
  }
  return {
    ...db,
    schema,
    isAvailable: () => lane.isAvailable(),
    figures: () => ({
      poolTotal: pool.totalCount,
      poolIdle: pool.idleCount,
      poolWaiting: pool.waitingCount,
      ...lane.figures(),
    }),
    onMessage: listener.onMessage,
    onListening: listener.onListening,
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

type Settings = Record<string, string>

const sessionSettings = (options: DatabaseOptions): Settings => ({
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
async function prepareSession(client: pg.ClientBase, settings: Settings): Promise<void> {
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

interface HeldConnection {
  close(): Promise<void>
}

async function holdConnection(
  open: () => Promise<pg.Client>,
  { onUp, onDown }: Parameters<HoldConnection>[0],
  onProblem: DatabaseOptions['onProblem'],
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

async function run<P, R>(
  client: pg.PoolClient,
  statement: Statement<P, R>,
  params: P,
  isFirstOfTransaction = false,
): Promise<R[]> {
  const { name, text } = statement
  const values = statement.encodeParams(params)
  const result = await new Promise<pg.QueryArrayResult<(string | null)[]>>((resolve, reject) => {
    const config: pg.QueryArrayConfig = { name, text, values, rowMode: 'array' }
    const query = new pg.Query(config, (error, answer) => {
      if (error) reject(understandError(error))
      else resolve(answer as pg.QueryArrayResult)
    })
    if (isFirstOfTransaction) prependBegin(query)
    client.query(query)
  })
  return result.rows.map(statement.makeRowReader(result.fields.map((field) => field.name)))
}

/** BEGIN as a prepared statement, for `prependBegin`; there is no other way to prepare it than to run it. */
async function prepareBegin(client: pg.ClientBase): Promise<void> {
  await Promise.all([client.query({ name: 'begin', text: 'begin' }), client.query('rollback')])
}

/**
 * Sends BEGIN with the first statement, which saves a round trip. Both are one unit of the protocol: where BEGIN fails,
 * the server skips the statement. Two pipelined queries would not do, because then it would run outside a transaction.
 */
function prependBegin(query: pg.Query): void {
  const original = query as pg.Query & { handleCommandComplete(message: { text: string }, from: pg.Connection): void }
  const { submit, handleCommandComplete } = original
  original.submit = (connection) => {
    connection.stream.cork()
    connection.bind({ statement: 'begin' }, true)
    connection.execute({}, true)
    const error = submit.call(query, connection)
    connection.stream.uncork()
    return error
  }
  original.handleCommandComplete = (message, from) => {
    if (message.text !== 'BEGIN') handleCommandComplete.call(query, message, from)
  }
}

async function runTransaction<T>(
  takeClient: () => Promise<pg.PoolClient>,
  work: (tx: Db) => Promise<T>,
  onProblem: DatabaseOptions['onProblem'],
): Promise<T> {
  for (let triesLeft = RETRIES; ; triesLeft--) {
    const client = await takeClient()
    const attempt = beginTransaction(client)
    try {
      const result = await work(attempt.tx)
      await attempt.commit()
      client.release()
      for (const hook of attempt.hooks) runHook(hook, onProblem)
      return result
    } catch (error) {
      const isLost = !(await attempt.rollBack())
      client.release(isLost)
      if (isLost || !attempt.isRetryable() || triesLeft === 0) throw error
    }
    // Those that collided should not meet again at once.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  }
}

function beginTransaction(client: pg.PoolClient) {
  const hooks: (() => void)[] = []
  let state: 'new' | 'begun' | 'over' = 'new'
  let isRetryable = false

  const note = (error: unknown): never => {
    if (hasCode(error, '40001', '40P01')) isRetryable = true
    throw error
  }
  const all = <P, R>(statement: Statement<P, R>, params: P): Promise<R[]> => {
    if (state === 'over') return Promise.reject(new Error(`Statement '${statement.name}' came after its transaction`))
    const isFirst = state === 'new'
    state = 'begun'
    return run(client, statement, params, isFirst).catch(note)
  }
  const tx: Db = {
    isTransaction: true,
    all,
    first: async (statement, params) => (await all(statement, params))[0],
    transaction: (work) => work(tx),
    afterCommit: (work) => void hooks.push(work),
  }
  return {
    tx,
    hooks,
    isRetryable: () => isRetryable,
    commit: async (): Promise<void> => {
      const isEmpty = state === 'new'
      state = 'over'
      if (isEmpty) return
      const { command } = await client.query('commit').catch((error) => note(understandError(error)))
      // PostgreSQL answers so where an earlier statement had failed and the work went on regardless.
      if (command !== 'COMMIT') throw new Error('A statement of this transaction had failed, so it was rolled back')
    },
    /** Resolves to whether the connection can be used further. */
    rollBack: async (): Promise<boolean> => {
      const isEmpty = state === 'new'
      state = 'over'
      if (isEmpty) return true
      return client.query('rollback').then(
        () => true,
        () => false,
      )
    },
  }
}

function runHook(hook: () => void, onProblem: DatabaseOptions['onProblem']): void {
  try {
    hook()
  } catch (error) {
    onProblem(error as Error)
  }
}

/** Whether a statement failed with one of these SQLSTATEs. */
export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof pg.DatabaseError && codes.includes(error.code ?? '')

// 08 connection, 53 out of resources, 57P01 to 57P03 shutting down or starting, 57014 statement timeout.
const NOT_READY = /^(08|53|57P0[123]|57014)/

/** All errors that are not the server's answer come from the connection. */
function understandError(error: unknown): Error {
  if (!(error instanceof pg.DatabaseError) || NOT_READY.test(error.code ?? '')) return notReady(error)
  // These quote stored values, and errors are logged.
  error.detail = undefined
  error.where = undefined
  return error
}

const notReady = (cause: unknown): PlatformError => Object.assign(fail('notReady'), { cause })
