import { Gate } from '../bounds/gate.ts'
import { openPool, type PoolOptions } from './pool.ts'
import type { Statement } from './statement.ts'

/**
 * Runs lists, whose results can be large, on dedicated connections. Turns are given out by caller, so a person with
 * many requests waits for their own requests and nobody else does.
 */
export interface ListLane {
  all<P, R>(statement: Statement<P, R>, params: P, caller: string | undefined): Promise<R[]>
  abandon(error: Error): void
  figures(): { listsRunning: number; listsWaiting: number }
  /** Refuses new work, and waits for running work until the deadline. */
  close(deadlineMs: number): Promise<void>
}

export const LIST_CONNECTIONS = 4
/** Between two lists of one caller the event loop is free for others, because the database is working. */
const PER_CALLER = 1
/** A page may ask for several lists at once, and one operation may read several. */
const WAITING_PER_CALLER = 500
const WAIT_MS = 20_000
const IDLE_MS = 60_000
/** The key of lists that the platform reads for itself. */
const PLATFORM = 'platform'

export function openListLane(options: Omit<PoolOptions, 'max' | 'min' | 'idleMs'> & { min?: number }): ListLane {
  const pool = openPool({ min: 1, ...options, max: LIST_CONNECTIONS, idleMs: IDLE_MS })
  const gate = new Gate({
    atOnce: LIST_CONNECTIONS,
    perKey: PER_CALLER,
    waiting: 2_000,
    waitingPerKey: WAITING_PER_CALLER,
    waitMs: WAIT_MS,
  })
  return {
    all: (statement, params, caller = PLATFORM) => gate.run(caller, () => pool.all(statement, params)),
    abandon: pool.abandon,
    figures: () => ({ listsRunning: gate.working, listsWaiting: gate.waiting }),
    close: pool.close,
  }
}
