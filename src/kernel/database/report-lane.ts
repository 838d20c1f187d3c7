import type pg from 'pg'
import { Gate } from '../bounds/gate.ts'
import { fail, type PlatformError } from '../errors.ts'
import { classifyError, hasCode, notReady, type Settings } from './connection.ts'
import { fetchBatches } from './cursor.ts'
import { openPool, type PoolOptions } from './pool.ts'
import type { Report, Statement } from './statement.ts'
import { rollBack } from './transaction.ts'

/** Runs heavy reads on dedicated connections: only a few at once, each with a time limit. */
export interface ReportLane {
  all<P, R>(statement: Statement<P, R>, params: P, caller: string | undefined): Promise<R[]>
  stream<P, R>(statement: Report<P, R>, params: P, caller: string | undefined): AsyncGenerator<R, void, undefined>
  abandon(error: Error): void
  figures(): { reportsRunning: number; reportsWaiting: number }
  /** Refuses new work, waits for running work until the deadline, and then aborts it. */
  close(deadlineMs: number): Promise<void>
}

export interface ReportLimits {
  connections: number
  /** Idle time after which a connection is closed. */
  idleMs: number
  waiting: number
  waitMs: number
  /** Time limit for a statement, or for one batch of a stream. */
  timeoutMs: number
  /** Time limit for a whole stream, because its snapshot keeps the server from vacuuming dead rows. */
  streamTimeoutMs: number
  /** A stream that is not read for this long is ended. */
  unreadMs: number
}

export const REPORT_CONNECTIONS = 3

const DEFAULT_LIMITS: ReportLimits = {
  connections: REPORT_CONNECTIONS,
  idleMs: 10_000,
  waiting: 50,
  waitMs: 10_000,
  timeoutMs: 30_000,
  streamTimeoutMs: 600_000,
  unreadMs: 60_000,
}

const RETRY_AFTER_SECONDS = 5
/** A page may ask for several reports at once. */
const WAITING_PER_CALLER = 50
/** Additional time after this process's own timeout before the server ends the session. */
const SERVER_EXTRA_MS = 5_000

/**
 * Returns the session settings. Each call is planned with its actual values, because planning is cheap compared with
 * running a report.
 */
const reportSettings = ({ timeoutMs, unreadMs }: ReportLimits): Settings => ({
  statement_timeout: String(timeoutMs),
  idle_in_transaction_session_timeout: String(unreadMs + SERVER_EXTRA_MS),
  plan_cache_mode: 'force_custom_plan',
  default_transaction_read_only: 'on',
  default_transaction_isolation: 'repeatable read',
  // A stream is normally read to its end, so plans must not favour the first rows.
  cursor_tuple_fraction: '1',
})

export function openReportLane(
  options: Omit<PoolOptions, 'max' | 'min' | 'idleMs' | 'guardMs'> & {
    limits: Partial<ReportLimits> | undefined
    guardExtraMs: number
  },
): ReportLane {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const { connections, idleMs, waiting, waitMs, timeoutMs, streamTimeoutMs, unreadMs } = limits
  const pool = openPool({
    ...options,
    settings: { ...options.settings, ...reportSettings(limits) },
    max: connections,
    min: 0,
    idleMs,
    guardMs: timeoutMs + options.guardExtraMs,
  })
  /**
   * Streams and reports are separate keys of the gate, so each of them always has one connection that the other cannot
   * take.
   */
  const gate = new Gate({
    atOnce: connections,
    perKey: Math.max(connections - 1, 1),
    waiting,
    waitMs,
    refusal: () => fail('notReady', 'Too many reports are running; try again shortly', RETRY_AFTER_SECONDS),
  })
  /** A caller has one report and one stream at a time in `gate`, so nobody waits there behind another's queue. */
  const callers = new Gate({
    atOnce: Number.POSITIVE_INFINITY,
    perKey: 1,
    waitingPerKey: WAITING_PER_CALLER,
    waitMs,
    refusal: () =>
      fail('tooManyRequests', 'Several of your reports are running already; try again shortly', RETRY_AFTER_SECONDS),
  })
  const enter = async (kind: 'report' | 'stream', caller: string | undefined): Promise<() => void> => {
    if (caller === undefined) return gate.enter(kind)
    const leaveCallers = await callers.enter(`${kind} ${caller}`)
    try {
      const leave = await gate.enter(kind)
      return () => {
        leave()
        leaveCallers()
      }
    } catch (error) {
      leaveCallers()
      throw error
    }
  }

  const explain = (error: unknown): unknown =>
    hasCode((error as Error).cause, '57014')
      ? notReady((error as Error).cause, `This report took longer than ${timeoutMs / 1000} s; request less at once`)
      : error

  const all = async <P, R>(statement: Statement<P, R>, params: P, caller: string | undefined): Promise<R[]> => {
    const leave = await enter('report', caller)
    try {
      return await pool.all(statement, params)
    } catch (error) {
      throw explain(error)
    } finally {
      leave()
    }
  }

  async function* stream<P, R>(
    statement: Report<P, R>,
    params: P,
    caller: string | undefined,
  ): AsyncGenerator<R, void, undefined> {
    const leave = await enter('stream', caller)
    const client = await pool.take().catch((error) => {
      leave()
      throw error
    })
    let problem: PlatformError | undefined
    let isFetching = false
    const stopTimers = () => {
      clearTimeout(total)
      clearTimeout(unread)
    }
    const giveBack = (isLost: boolean) => {
      client.release(isLost)
      leave()
    }
    /** Ends the stream. Called from a timer, because a generator that nobody reads never reaches its `finally`. */
    const end = (why: string) => {
      problem = fail('notReady', why)
      stopTimers()
      client.connection.stream.destroy()
      giveBack(true)
    }
    const total = setTimeout(
      () => end(`This stream took longer than ${streamTimeoutMs / 1000} s`),
      streamTimeoutMs,
    ).unref()
    const unread = setTimeout(() => {
      if (isFetching) unread.refresh()
      else end(`This stream was not read for ${unreadMs / 1000} s`)
    }, unreadMs).unref()
    const ask = async (query: pg.QueryArrayConfig) => {
      isFetching = true
      try {
        return await client.query<(string | null)[]>(query)
      } catch (error) {
        throw problem ?? explain(classifyError(error))
      } finally {
        isFetching = false
        if (!problem) unread.refresh()
      }
    }
    try {
      await ask({ text: 'begin', rowMode: 'array' })
      for await (const batch of fetchBatches(ask, statement, params)) {
        for (const row of batch) {
          yield row
          if (problem) throw problem
          unread.refresh()
        }
      }
    } finally {
      if (!problem) {
        stopTimers()
        giveBack(!(await rollBack(client)))
      }
    }
  }

  return {
    all,
    stream,
    abandon: pool.abandon,
    figures: () => ({ reportsRunning: gate.working, reportsWaiting: gate.waiting }),
    close: async (deadlineMs) => {
      for (const one of [callers, gate]) one.refuseWaiting(undefined, notReady(undefined))
      await pool.close(deadlineMs)
      pool.abandon(new Error('The database was closed'))
    },
  }
}
