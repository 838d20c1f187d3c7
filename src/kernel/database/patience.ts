import pg from 'pg'
import { PlatformError } from '../errors.ts'

/** Lets calls wait for a database that was lost, such as while a standby is promoted. */
export interface Patience {
  readonly isOn: boolean
  /** Returns the time at which a call that begins now gives up. */
  deadline(): number
  /** Waits until the database is available, or the deadline has passed. */
  untilAvailable(deadline: number): Promise<void>
  /** Runs work that changes nothing. If the connection is lost meanwhile, runs it again until the deadline. */
  rerun<T>(work: () => Promise<T>): Promise<T>
  /** How often calls have waited, and for how long together. */
  figures(): { waits: number; waitSeconds: number }
  /** Lets no call wait any longer. */
  end(): void
}

interface PatienceOptions {
  /** With 0, no call waits. */
  readonly waitMs: number
  isAvailable(): boolean
}

const LOOK_EVERY_MS = 50
/** Bounds the memory of waiting calls. Further calls are refused at once. */
const MOST_WAITING = 2_000

const pause = () => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))

export function makePatience({ waitMs, isAvailable }: PatienceOptions): Patience {
  let waiting = 0
  let waits = 0
  let waitedMs = 0
  let isOver = waitMs === 0
  const deadline = () => performance.now() + waitMs
  const mayWait = (until: number) => !isOver && performance.now() < until

  const untilAvailable = async (until: number): Promise<void> => {
    if (isAvailable() || !mayWait(until) || waiting >= MOST_WAITING) return
    const start = performance.now()
    waiting++
    waits++
    while (!isAvailable() && mayWait(until)) await pause()
    waiting--
    waitedMs += performance.now() - start
  }
  return {
    isOn: waitMs > 0,
    deadline,
    untilAvailable,
    rerun: async (work) => {
      const until = deadline()
      for (;;) {
        await untilAvailable(until)
        try {
          return await work()
        } catch (error) {
          if (!isConnectionLost(error) || !mayWait(until) || waiting >= MOST_WAITING) throw error
        }
        await pause()
      }
    },
    figures: () => ({ waits, waitSeconds: waitedMs / 1000 }),
    end: () => {
      isOver = true
    },
  }
}

// SQLSTATE codes: 08 connection problem, 25006 write to a standby, 57P01 to 57P03 shutting down or starting.
const LOST = /^(08...|25006|57P0[123])$/
const POOL_IS_BUSY = 'timeout exceeded when trying to connect'

/** Tells whether a call failed because its connection was lost, could not be opened, or leads to a standby. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.kind !== 'notReady') return false
  const { cause } = error
  if (cause instanceof pg.DatabaseError) return LOST.test(cause.code ?? '')
  return cause instanceof Error && cause.message !== POOL_IS_BUSY
}
