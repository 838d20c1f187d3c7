import type pg from 'pg'
import { PlatformError } from '../errors.ts'
import { classifyError, hasCode, notReady } from './connection.ts'
import { openListLane } from './list-lane.ts'
import { isConnectionLost } from './patience.ts'
import type { PoolOptions } from './pool.ts'
import { openReportLane, type ReportLimits } from './report-lane.ts'
import { serverState } from './server-state.ts'
import type { Report, Statement } from './statement.ts'

/** Reads lists and reports from standbys, and from the primary while no standby is recent enough. */
export interface Standby {
  readonly lagMs: number
  all<P, R>(statement: Statement<P, R>, params: P, caller: string | undefined): Promise<R[]>
  stream<P, R>(statement: Report<P, R>, params: P, caller: string | undefined): AsyncGenerator<R, void, undefined>
  /** Takes note of the position up to which the primary has written its log. */
  notePosition(lsn: string): void
  /** Returns how far a standby is behind (milliseconds); undefined if none can be reached. */
  measureLag(): Promise<number | undefined>
  figures(): { standbyReads: number; standbyRefusals: number }
  close(deadlineMs: number): Promise<void>
}

interface StandbyOptions {
  readonly pool: Omit<PoolOptions, 'max' | 'min' | 'idleMs' | 'guardMs' | 'isAvailable' | 'patience' | 'check'>
  readonly listSettings: Record<string, string>
  readonly reports: Partial<ReportLimits> | undefined
  readonly lagMs: number
  readonly guardMs: number
  readonly guardExtraMs: number
  /** The lanes of the primary. */
  readonly primary: {
    all: Standby['all']
    stream: Standby['stream']
  }
}

/** Time during which the primary is read after a standby was too far behind or could not be reached. */
const AVOID_BEHIND_MS = 1_000
const AVOID_LOST_MS = 5_000

/** Positions of this time are kept, so that no longer lag is measured. */
const KEPT_MS = 600_000

/** A position in the log as a number, from its text `HIGH/LOW` in hexadecimal. */
const parseLsn = (lsn: string): number => {
  const [high, low] = lsn.split('/').map((part) => Number.parseInt(part, 16))
  return high! * 2 ** 32 + low!
}

/** Raised by a check of a connection whose server must not be read. It never reaches a caller. */
const BEHIND = new Error('The standby is too far behind')

export function openStandby(options: StandbyOptions): Standby {
  const { primary, lagMs } = options
  const positions: { readonly at: number; readonly lsn: number }[] = []
  let measuredLagMs: number | undefined
  let avoidUntil = 0
  let reads = 0
  let refusals = 0

  const forgetOld = () => {
    const oldest = performance.now() - Math.max(lagMs, KEPT_MS)
    while (positions.length > 0 && positions[0]!.at < oldest) positions.shift()
  }
  /**
   * Returns a position that a standby must have replayed to be recent enough: then it has every change that was
   * committed before the position was noted. Clocks of other machines do not matter.
   */
  const requiredPosition = (): number | undefined => {
    const oldest = performance.now() - lagMs
    return positions.find(({ at }) => at >= oldest)?.lsn
  }
  /** Returns how long the first position that a standby has not replayed is known. */
  const lagAt = (replayed: number): number => {
    const missing = positions.find(({ lsn }) => lsn > replayed)
    return missing ? performance.now() - missing.at : 0
  }

  /** Runs for each use of a connection, because the connections may lead to several standbys. */
  const check = async (client: pg.PoolClient): Promise<void> => {
    const required = requiredPosition()
    if (required === undefined) throw notReady(BEHIND)
    const { rows } = await client
      .query<[string | null]>({
        text: 'select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end',
        rowMode: 'array',
      })
      .catch((error) => {
        throw classifyError(error)
      })
    const replayed = rows[0]?.[0] ? parseLsn(rows[0][0]) : undefined
    measuredLagMs = replayed === undefined ? undefined : lagAt(replayed)
    if (replayed === undefined || replayed < required) throw notReady(BEHIND)
  }

  const pool = {
    ...options.pool,
    isAvailable: () => true,
    check,
  }
  const lists = openListLane({
    ...pool,
    settings: { ...pool.settings, ...options.listSettings },
    guardMs: options.guardMs,
    min: 0,
  })
  const reports = openReportLane({ ...pool, limits: options.reports, guardExtraMs: options.guardExtraMs })
  const lanes = { list: lists, report: reports }

  /** Tells whether a call that failed on a standby should be sent to the primary, and avoids the standby for a while. */
  const isForPrimary = (error: unknown): boolean => {
    const isBehind = error instanceof PlatformError && error.cause === BEHIND
    // A standby cancels queries that delay its replay for too long.
    const isConflict = hasCode(error, '40001', '40P01')
    if (!isBehind && !isConflict && !isConnectionLost(error)) return false
    refusals++
    if (!isConflict) avoidUntil = performance.now() + (isBehind ? AVOID_BEHIND_MS : AVOID_LOST_MS)
    return true
  }
  const isAvoided = () => performance.now() < avoidUntil

  return {
    lagMs,
    all: async (statement, params, caller) => {
      const lane = lanes[statement.lane as keyof typeof lanes]
      if (isAvoided()) return primary.all(statement, params, caller)
      try {
        const rows = await lane.all(statement, params, caller)
        reads++
        return rows
      } catch (error) {
        if (!isForPrimary(error)) throw error
        return primary.all(statement, params, caller)
      }
    },
    stream: async function* (statement, params, caller) {
      let hasBegun = false
      if (!isAvoided())
        try {
          for await (const row of reports.stream(statement, params, caller)) {
            hasBegun = true
            yield row
          }
          reads++
          return
        } catch (error) {
          if (hasBegun || !isForPrimary(error)) throw error
        }
      yield* primary.stream(statement, params, caller)
    },
    notePosition: (lsn) => {
      forgetOld()
      positions.push({ at: performance.now(), lsn: parseLsn(lsn) })
    },
    measureLag: async () => {
      measuredLagMs = undefined
      // The check measures the lag, also if it then refuses the connection.
      await lists.all(serverState, {}, undefined).catch(() => {})
      return measuredLagMs
    },
    figures: () => ({ standbyReads: reads, standbyRefusals: refusals }),
    close: async (deadlineMs) => void (await Promise.all([lists.close(deadlineMs), reports.close(deadlineMs)])),
  }
}
