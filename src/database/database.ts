import pg from 'pg'
import { PlatformError } from '../errors.ts'
import {
  CONNECT_TIMEOUT_MS,
  type Connection,
  explainConnection,
  type HeldConnection,
  type HoldConnection,
  holdConnection,
  notReady,
  prepareSession,
  type Settings,
  sessionSettings,
  understandError,
} from './connection.ts'
import type { Db } from './db.ts'
import { type Listener, openListener } from './listener.ts'
import { openReadLane, type ReadLane } from './read-lane.ts'
import type { Statement } from './statement.ts'
import { prepareBegin, run, runHook, runTransaction } from './transaction.ts'

export type { Connection } from './connection.ts'
export { hasCode } from './connection.ts'
export type { Db } from './db.ts'

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

export interface DatabaseOptions {
  connection: Connection
  schema: string
  poolSize: number
  readConnections: number
  statementTimeoutMs: number
  applicationName?: string
  onProblem(error: Error): void
}

const CLOSE_TIMEOUT_MS = 1_500
const IDLE_TIMEOUT_MS = 60_000
/** How much longer than the server's own limit an answer may take before the server counts as hung. */
const GUARD_EXTRA_MS = 1_000

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
    listener = await openListener({ channel: schema, hold: holdWith({}), onProblem, onStall: () => abandon() })
  } catch (error) {
    await closeHeld()
    throw explainConnection(error)
  }

  const busy = new Set<pg.PoolClient>()
  pool.on('acquire', (client) => busy.add(client as pg.PoolClient))
  pool.on('release', (_error, client) => busy.delete(client as pg.PoolClient))
  pool.on('remove', (client) => busy.delete(client as pg.PoolClient))

  /** Those who wait for a connection; the pool itself would let them wait for a silent server until its own limit. */
  const waiting = new Set<(problem: Error) => void>()
  let isStalled = false
  listener.onListening((isListening) => {
    if (isListening) isStalled = false
  })
  /** A database that is silent, not gone: nothing waits for it any longer, and nothing asks it until its pulse is back. */
  function abandon(): void {
    isStalled = true
    const silence = new Error('The database does not answer')
    lane.abandon(silence)
    for (const client of busy) client.connection.stream.destroy(silence)
    for (const refuse of waiting) refuse(notReady(silence))
    waiting.clear()
  }
  const isAvailable = () => !isStalled && lane.isAvailable()

  const takeClient = (): Promise<pg.PoolClient> =>
    new Promise((resolve, reject) => {
      if (!isAvailable()) return reject(notReady(undefined))
      waiting.add(reject)
      pool.connect((error, client) => {
        const isAwaited = waiting.delete(reject)
        if (!client) reject(notReady(error))
        else if (isAwaited) resolve(client)
        else client.release()
      })
    })

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
    transaction: (work) => runTransaction(takeClient, work, listener.dispatch, onProblem),
    afterCommit: (work) => runHook(work, onProblem),
    tellHere: listener.dispatch,
  }
  return {
    ...db,
    schema,
    isAvailable,
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
