import pg from 'pg'
import {
  CONNECT_TIMEOUT_MS,
  type Connection,
  explainConnection,
  type HeldConnection,
  type HoldConnection,
  holdConnection,
  prepareSession,
  type Settings,
  sessionSettings,
} from './connection.ts'
import type { Lanes } from './db.ts'
import { LIST_CONNECTIONS, openListLane } from './list-lane.ts'
import { type Listener, openListener } from './listener.ts'
import { makePatience } from './patience.ts'
import { openPool } from './pool.ts'
import { openReadLane, type ReadLane } from './read-lane.ts'
import { openReportLane, REPORT_CONNECTIONS, type ReportLimits } from './report-lane.ts'
import { openStandby, type Standby } from './standby.ts'
import type { Report, Statement } from './statement.ts'
import { runHook, runTransaction } from './transaction.ts'

// Other rooms use the database through this file and `statement.ts`, whichever file declares a name.
export type { Connection } from './connection.ts'
export { hasCode } from './connection.ts'
export type { Db, Tx } from './db.ts'

export interface Database extends Lanes, Pick<Listener, 'onMessage' | 'onListening'> {
  readonly schema: string
  /**
   * Returns the same connections for work on behalf of one caller. Lists and reports of a caller wait for each other,
   * so that they do not delay those of others. Without this, they count as the platform's own. If `mayLag` is true,
   * lists and reports are read from a standby, and may miss the changes of the last seconds.
   */
  as(caller: string | undefined, mayLag?: boolean): Lanes
  isAvailable(): boolean
  /** Returns true if requests can be served, if need be after waiting for a database that was just lost. */
  canServe(): boolean
  /**
   * Figures for monitoring. `readsGathered`, `readStatements`, `waits`, `waitSeconds` and those of standbys count since
   * the start; the others are current values.
   */
  figures(): {
    poolTotal: number
    poolIdle: number
    poolWaiting: number
    readsQueued: number
    readsGathered: number
    readStatements: number
    listsRunning: number
    listsWaiting: number
    reportsRunning: number
    reportsWaiting: number
    standbyReads: number
    standbyRefusals: number
    waits: number
    waitSeconds: number
  }
  /** Returns how far a standby is behind (milliseconds); undefined if there is none, or none can be reached. */
  measureLag(): Promise<number | undefined>
  /** Refuses new work, and waits a few seconds for running work to end. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  connection: Connection
  schema: string
  poolSize: number
  readConnections: number
  statementTimeoutMs: number
  /** How long a call waits for a database that was lost; 0 by default. */
  waitMs?: number
  /** Standbys for reads that may be up to `lagMs` old. */
  standby?: { connection: Connection; lagMs: number } | undefined
  reports?: Partial<ReportLimits>
  applicationName?: string
  settings?: Settings
  onProblem(error: Error): void
}

/** Returns how many connections one open environment uses at most: on the primary, and on its standbys. */
export const countConnections = ({ poolSize, readConnections }: { poolSize: number; readConnections: number }) => {
  const standby = LIST_CONNECTIONS + REPORT_CONNECTIONS
  const listener = 1
  return { primary: poolSize + readConnections + standby + listener, standby }
}

const CLOSE_TIMEOUT_MS = 1_500
const IDLE_TIMEOUT_MS = 60_000
/** The server counts as hung if it does not respond within its own statement timeout plus this time. */
const GUARD_EXTRA_MS = 1_000

/**
 * Settings that make plans independent of table statistics. A plan is reused for a long time, because planning every
 * call would cost more, and a plan that suits a small table would be slow after the table has grown. The number of
 * combined calls is unknown at planning time too. A read never needs several processes: a plan for them may look cheap
 * only because the range that it reads is not known yet, and then it reads a whole table.
 */
const READ_SETTINGS: Settings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  max_parallel_workers_per_gather: '0',
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
  let reads: ReadLane
  let isStalled = false
  let lostAt: number | undefined
  const isAvailable = () => {
    const is = !isStalled && reads.isAvailable()
    if (is) lostAt = undefined
    else lostAt ??= performance.now()
    return is
  }
  const { waitMs = 0 } = options
  const patience = makePatience({ waitMs, isAvailable })
  const shared = { config, settings, isAvailable, onProblem }
  const pool = openPool({ ...shared, patience, max: options.poolSize, min: 1, idleMs: IDLE_TIMEOUT_MS, guardMs })
  const lists = openListLane({ ...shared, settings: { ...settings, ...READ_SETTINGS }, guardMs })
  const reports = openReportLane({ ...shared, limits: options.reports, guardExtraMs: GUARD_EXTRA_MS })
  let standby: Standby | undefined

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

  let listener: Listener
  try {
    const hold = holdWith(READ_SETTINGS)
    reads = await openReadLane({ connections: options.readConnections, hold, guardMs })
    listener = await openListener({
      channel: schema,
      hold: holdWith({}),
      onProblem,
      onStall: () => abandon(),
      ...(options.standby && { onPosition: (lsn: string) => standby?.notePosition(lsn) }),
    })
  } catch (error) {
    await closeHeld()
    throw explainConnection(error)
  }

  const lanes = { read: reads, write: pool, list: lists, report: reports }
  const runHere = <P, R>(statement: Statement<P, R>, params: P, caller: string | undefined): Promise<R[]> =>
    lanes[statement.lane].all(statement, params, caller)
  /** Repeats a read whose connection was lost. A write may have been carried out, so only its caller can repeat it. */
  const runPatiently: typeof runHere = (statement, params, caller) =>
    statement.lane === 'write'
      ? runHere(statement, params, caller)
      : patience.rerun(() => runHere(statement, params, caller))
  const streamPatiently: typeof reports.stream = async function* (statement, params, caller) {
    await patience.untilAvailable(patience.deadline())
    yield* reports.stream(statement, params, caller)
  }
  const primary = patience.isOn
    ? { lagMs: 0, all: runPatiently, stream: streamPatiently }
    : { lagMs: 0, all: runHere, stream: reports.stream }
  if (options.standby)
    standby = openStandby({
      pool: { config: { ...config, ...options.standby.connection }, settings, onProblem },
      listSettings: READ_SETTINGS,
      reports: options.reports,
      lagMs: options.standby.lagMs,
      guardMs,
      guardExtraMs: GUARD_EXTRA_MS,
      primary,
    })
  listener.onListening((isListening) => {
    if (isListening) isStalled = false
  })
  /**
   * Fails pending work now, and refuses new work until the heartbeat succeeds again. Called when the database is
   * connected but does not respond.
   */
  function abandon(): void {
    isStalled = true
    const silence = new Error('The database does not respond')
    for (const lane of Object.values(lanes)) lane.abandon(silence)
  }

  let closed: Promise<void> | undefined
  const close = async (): Promise<void> => {
    patience.end()
    await Promise.all([...Object.values(lanes), standby].map((lane) => lane?.close(CLOSE_TIMEOUT_MS)))
    await closeHeld()
  }

  const forAll: Pick<Lanes, 'isTransaction' | 'owner' | 'transaction' | 'afterCommit' | 'tellHere'> = {
    isTransaction: false,
    owner: lanes,
    transaction: (work) => runTransaction(pool.take, work, listener.dispatch, onProblem, patience),
    afterCommit: (work) => runHook(work, onProblem),
    tellHere: listener.dispatch,
  }
  /** Hot path: this runs once per request. */
  const lanesFor = (caller: string | undefined, mayLag = false): Lanes => {
    const from = mayLag && standby ? standby : primary
    const all = <P, R>(statement: Statement<P, R>, params: P): Promise<R[]> =>
      (statement.lane === 'list' || statement.lane === 'report' ? from : primary).all(statement, params, caller)
    return {
      ...forAll,
      lagMs: from.lagMs,
      all,
      first: (statement, params) =>
        statement.lane === 'read' && !patience.isOn
          ? reads.first(statement, params)
          : all(statement, params).then((rows) => rows[0]),
      stream: <P, R>(statement: Report<P, R>, params: P) => from.stream(statement, params, caller),
    }
  }
  return {
    ...lanesFor(undefined),
    schema,
    isAvailable,
    as: lanesFor,
    canServe: () => isAvailable() || performance.now() - (lostAt ?? 0) < waitMs,
    figures: () => ({
      ...pool.figures(),
      ...reads.figures(),
      ...lists.figures(),
      ...reports.figures(),
      ...(standby?.figures() ?? { standbyReads: 0, standbyRefusals: 0 }),
      ...patience.figures(),
    }),
    measureLag: async () => standby?.measureLag(),
    onMessage: listener.onMessage,
    onListening: listener.onListening,
    close: () => {
      closed ??= close()
      return closed
    },
  }
}
