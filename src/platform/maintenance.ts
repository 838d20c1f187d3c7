import { sweepAnonymous } from '../anonymous/anonymous.ts'
import { auditRetention } from '../audit/audit.ts'
import { browserRetention } from '../browsers/browsers.ts'
import { isFullBatch, type Retention } from '../database/retention.ts'
import { deviceRetention } from '../devices/devices.ts'
import type { Environment } from '../environment.ts'
import { friendRetention } from '../friends/friends.ts'
import { idempotencyRetention } from '../idempotency/idempotency.ts'
import { watchImports } from '../imports/imports.ts'
import { lockoutRetention } from '../lockouts/lockouts.ts'
import { forgetFiles } from '../messages/files.ts'
import { messageRetention } from '../messages/messages.ts'
import { oauthRetention } from '../oauth/codes.ts'
import { passkeyRetention } from '../passkeys/passkeys.ts'
import { renewSearchKeys } from '../people/changes.ts'
import { removalRetention, sweepLeaving } from '../people/removal.ts'
import { resetRetention } from '../people/resets.ts'
import { settleDraws } from '../search/draws.ts'
import { forgetWords } from '../search/search.ts'
import { sessionRetention } from '../sessions/sessions.ts'

const EVERY_MS = 5 * 60_000
const SETTLE_EVERY_MS = 2000
const WATCH_EVERY_MS = 5000
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
]

/** Removes what is no longer needed, a little at a time. Several processes may do so at once. */
export function keepTidy(environment: Environment): { stop(): void } {
  const { db, log, stopping } = environment
  const timer = setInterval(
    () => {
      tidy(environment).catch((error: Error) => log.warn({ problem: error.message }, 'tidying up failed'))
    },
    EVERY_MS * (0.8 + Math.random() * 0.4),
  )
  timer.unref()
  renewSearchKeys(db, stopping).catch((error: Error) =>
    log.warn({ problem: error.message }, 'some people cannot be found yet: their search keys are outdated'),
  )
  const finishImports = watchImports(environment, stopping)
  const timers = [
    timer,
    // Who came is drawn from a list of changes until they have a place, and the list should be short.
    keepDoing(SETTLE_EVERY_MS, () =>
      settleDraws(db, stopping).catch((error: Error) =>
        log.warn({ problem: error.message }, 'giving places for random draws failed'),
      ),
    ),
    // While words are left of whom nobody finds any more, each search has to make sure that somebody whom it may show has them.
    keepDoing(SETTLE_EVERY_MS, () =>
      forgetWords(db, stopping).catch((error: Error) =>
        log.warn({ problem: error.message }, 'forgetting words that nobody has failed'),
      ),
    ),
    keepDoing(WATCH_EVERY_MS, () =>
      finishImports().catch((error: Error) =>
        log.warn({ problem: error.message }, 'an import that was left behind cannot be finished yet'),
      ),
    ),
  ]
  return { stop: () => timers.forEach(clearInterval) }
}

/** Again and again, and never twice at once. */
function keepDoing(everyMs: number, work: () => Promise<unknown>): NodeJS.Timeout {
  let isBusy = false
  const timer = setInterval(async () => {
    if (isBusy) return
    isBusy = true
    await work()
    isBusy = false
  }, everyMs)
  return timer.unref()
}

export async function tidy(environment: Environment): Promise<void> {
  const { db, clock, config, stopping } = environment
  const work = [
    // First, because it goes by sessions, and old ones are removed below.
    () => sweepAnonymous(db, { at: clock(), requestId: 'tidying', address: 'tidying' }, environment, stopping),
    () => sweepLeaving(db, { at: clock(), requestId: 'tidying', address: 'tidying' }, environment, stopping),
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
