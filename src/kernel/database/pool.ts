import pg from 'pg'
import { PlatformError } from '../errors.ts'
import { notReady, prepareSession, type Settings, unavailable } from './connection.ts'
import { Gatherer, type GatherOptions } from './gather.ts'
import { isConnectionLost, type Patience } from './patience.ts'
import type { Encoded, Statement } from './statement.ts'
import { prepareEnds, run } from './transaction.ts'

/** A pool of connections, which are opened on demand and closed when idle. */
export interface Pool {
  take(): Promise<pg.PoolClient>
  all<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  /** Closes the connections in use, and rejects callers that wait for a connection. */
  abandon(error: Error): void
  figures(): { poolTotal: number; poolIdle: number; poolWaiting: number }
  /** Refuses new work, and waits for running work until the deadline. */
  close(deadlineMs: number): Promise<void>
}

export interface PoolOptions {
  config: pg.ClientConfig
  settings: Settings
  max: number
  /** Number of connections that stay open while idle. */
  min: number
  /** Idle time after which a connection beyond `min` is closed. */
  idleMs: number
  /** If a response takes longer than this, the server counts as hung. */
  guardMs: number
  isAvailable(): boolean
  /** Lets calls wait for a database that was lost. Without it, they are refused at once. */
  patience?: Patience
  /** Throws if a connection must not be used. */
  check?(client: pg.PoolClient): Promise<void>
  onProblem(error: Error): void
}

/** Bounds the memory of a batch, in characters of its parameters. */
const MOST_CHARACTERS = 1024 * 1024
/** Counted for each call in addition to its texts, so that a batch has at most 256 calls. */
const CHARACTERS_A_CALL = 4096

/** Runs the calls of a batched statement together, and gives each call its own rows. */
const batchOptions = (
  statement: Statement,
  runOnce: (statement: Statement, values: Encoded[]) => Promise<unknown[]>,
): GatherOptions<unknown, unknown[]> => ({
  most: MOST_CHARACTERS,
  weigh: (params) =>
    Object.values(params as object).reduce(
      (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
      CHARACTERS_A_CALL,
    ),
  write: async (calls) => {
    const values = statement.encodeCalls(calls.map((params) => ({ params })))
    const rows = (await runOnce(statement, values)) as { call: number }[]
    const rowsOf = calls.map((): unknown[] => [])
    for (const row of rows) rowsOf[row.call - 1]!.push(row)
    return rowsOf
  },
})

export function openPool(options: PoolOptions): Pool {
  const { config, settings, max, min, idleMs, guardMs, isAvailable, patience, check, onProblem } = options
  const pool = new pg.Pool({
    ...config,
    query_timeout: guardMs,
    max,
    min,
    idleTimeoutMillis: idleMs,
    onConnect: async (client) => {
      await Promise.all([prepareSession(client, settings), prepareEnds(client)])
    },
  })
  // The pool does not listen to errors of clients in use, and an unhandled 'error' event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', onProblem)

  const busy = new Set<pg.PoolClient>()
  pool.on('acquire', (client) => busy.add(client as pg.PoolClient))
  pool.on('release', (_error, client) => busy.delete(client as pg.PoolClient))
  pool.on('remove', (client) => busy.delete(client as pg.PoolClient))

  /**
   * Functions that reject the callers waiting for a connection. If the server is silent, the pool itself would let them
   * wait until its own timeout.
   */
  const waiting = new Set<(problem: Error) => void>()

  const takeNow = (): Promise<pg.PoolClient> =>
    new Promise((resolve, reject) => {
      if (!isAvailable()) return reject(unavailable())
      waiting.add(reject)
      pool.connect((error, client) => {
        const isAwaited = waiting.delete(reject)
        if (!client) reject(notReady(error))
        else if (isAwaited) resolve(client)
        else client.release()
      })
    })

  /** Waits for a database that was lost. Nothing has been sent yet, so writes may wait too. */
  const takeAvailable = patience?.isOn ? () => patience.rerun(takeNow) : takeNow
  const take = check
    ? async () => {
        const client = await takeAvailable()
        try {
          await check(client)
          return client
        } catch (error) {
          client.release(isConnectionLost(error))
          throw error
        }
      }
    : takeAvailable

  const runOnce = async <R>(statement: Statement<never, R>, values: Encoded[]): Promise<R[]> => {
    const client = await take()
    try {
      const rows = await run(client, statement, values)
      client.release()
      return rows
    } catch (error) {
      client.release(error instanceof PlatformError)
      throw error
    }
  }
  const batches = new Map<Statement, Gatherer<unknown, unknown[]>>()
  const batchOf = (statement: Statement): Gatherer<unknown, unknown[]> => {
    const batch = batches.get(statement) ?? new Gatherer(batchOptions(statement, runOnce))
    batches.set(statement, batch)
    return batch
  }

  return {
    take,
    all: (statement, params) =>
      statement.isBatched
        ? (batchOf(statement as Statement).add(params) as Promise<never>)
        : runOnce(statement, statement.encodeParams(params)),
    abandon: (error) => {
      for (const client of busy) client.connection.stream.destroy(error)
      for (const refuse of waiting) refuse(notReady(error))
      waiting.clear()
    },
    figures: () => ({ poolTotal: pool.totalCount, poolIdle: pool.idleCount, poolWaiting: pool.waitingCount }),
    close: async (deadlineMs) => {
      const deadline = new Promise<void>((resolve) => setTimeout(resolve, deadlineMs).unref())
      await Promise.race([pool.end(), deadline])
    },
  }
}
