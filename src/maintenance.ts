import type { Environment } from './environment.ts'
import { deleteOldKeys } from './idempotency/store.ts'
import { deleteOldFailures } from './people/store.ts'
import { deleteOldSessions, deleteOldTokens } from './sessions/store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const EVERY_MS = 5 * MINUTE_MS

/** What grows old, how old it gets, and the statement that removes a thousand at a time. */
const RULES = [
  { statement: deleteOldTokens, afterMs: 30 * DAY_MS },
  { statement: deleteOldSessions, afterMs: 30 * DAY_MS },
  { statement: deleteOldKeys, afterMs: DAY_MS },
  { statement: deleteOldFailures, afterMs: DAY_MS },
] as const

/** Removes what is no longer needed, a little at a time. Several processes may do so at once. */
export function keepTidy(environment: Environment): { stop(): void } {
  const timer = setInterval(
    () => {
      tidy(environment).catch((error: Error) => environment.log.warn({ problem: error.message }, 'tidying up failed'))
    },
    EVERY_MS * (0.8 + Math.random() * 0.4),
  )
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

export async function tidy({ db, clock, stopping }: Environment): Promise<void> {
  for (const { statement, afterMs } of RULES) {
    const before = new Date(clock().getTime() - afterMs)
    while (
      !stopping.aborted &&
      (await db.all<{ before: Date }, unknown>(statement as never, { before })).length === 1000
    );
  }
}
