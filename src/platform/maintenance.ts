import { auditRetention } from '../audit/audit.ts'
import { browserRetention } from '../browsers/browsers.ts'
import { isFullBatch, type Retention } from '../database/retention.ts'
import { deviceRetention } from '../devices/devices.ts'
import type { Environment } from '../environment.ts'
import { eventRetention } from '../events/events.ts'
import { friendRetention } from '../friends/friends.ts'
import { idempotencyRetention } from '../idempotency/idempotency.ts'
import { jobRetention } from '../jobs/jobs.ts'
import type { Task } from '../jobs/tasks.ts'
import { lockoutRetention } from '../lockouts/lockouts.ts'
import { forgetFiles } from '../messages/files.ts'
import { messageRetention } from '../messages/messages.ts'
import { oauthRetention } from '../oauth/codes.ts'
import { passkeyRetention } from '../passkeys/passkeys.ts'
import { sweepAnonymous } from '../people/anonymous.ts'
import { removalRetention, sweepLeaving } from '../people/removal.ts'
import { resetRetention } from '../people/resets.ts'
import { settleDraws } from '../search/draws.ts'
import { forgetWords, renewSearchKeys } from '../search/search.ts'
import { sessionRetention } from '../sessions/sessions.ts'

const EVERY_MS = 5 * 60_000
const SETTLE_EVERY_MS = 2000
const DAY_MS = 24 * 60 * 60_000

const RETENTION: readonly Retention[] = [
  ...sessionRetention,
  ...oauthRetention,
  ...deviceRetention,
  ...browserRetention,
  ...idempotencyRetention,
  ...lockoutRetention,
  ...passkeyRetention,
  ...resetRetention,
  ...removalRetention,
  ...messageRetention,
  ...friendRetention,
  ...eventRetention,
  ...jobRetention,
]

/** Removes what is no longer needed, a little at a time. Several processes may do so at once. */
export const maintenanceTasks: readonly Task<Environment>[] = [
  { name: 'tidying up', everyMs: EVERY_MS, run: tidy },
  // Until then some people cannot be found.
  {
    name: 'renewing search keys',
    everyMs: EVERY_MS,
    isFirstAtOnce: true,
    run: ({ db, stopping }) => renewSearchKeys(db, stopping),
  },
  // Who came is drawn from a list of changes until they have a place, and the list should be short.
  {
    name: 'giving places for random draws',
    everyMs: SETTLE_EVERY_MS,
    run: ({ db, stopping }) => settleDraws(db, stopping),
  },
  // While words are left of whom nobody finds any more, each search has to make sure that somebody whom it may show has them.
  {
    name: 'forgetting words that nobody has',
    everyMs: SETTLE_EVERY_MS,
    run: ({ db, stopping }) => forgetWords(db, stopping),
  },
]

export async function tidy(environment: Environment): Promise<void> {
  const { db, clock, config, stopping } = environment
  const work = [
    // First, because it goes by sessions, and old ones are removed below.
    () => sweepAnonymous(db, { at: clock(), requestId: 'tidying', address: 'tidying' }, stopping),
    () => sweepLeaving(db, { at: clock(), requestId: 'tidying', address: 'tidying' }, stopping),
    () => forgetWords(db, stopping),
    () => renewSearchKeys(db, stopping),
    () => settleDraws(db, stopping),
    ...[...RETENTION, ...auditRetention(config)].map(({ days, remove }) => async () => {
      const before = new Date(clock().getTime() - days * DAY_MS)
      while (!stopping.aborted && isFullBatch(await db.all(remove, { before })));
    }),
    // Last, because it goes by what is left.
    () => forgetFiles(environment),
  ]
  const problems: unknown[] = []
  // What fails in one place must not keep the rest from being tidied.
  for (const part of work) await part().catch((problem: unknown) => problems.push(problem))
  if (problems.length > 0) throw problems[0]
}
