import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { enqueue, growing, type JobKind, type JobName } from '../../kernel/jobs/jobs.ts'
import { sendAtMostOnce } from '../../kernel/messages/once.ts'
import { nameProblem, TRY_MS } from '../../kernel/messages/outbox.ts'
import { KINDS, type NotificationKind } from './kinds.ts'
import { writeDigest, writeLetter } from './letters.ts'
import { CROWD_MAIL, DAY_MS, NOTIFICATION_MAIL, type NotificationMailJob } from './notifications.ts'
import * as store from './store.ts'
import { type Unsubscribed, unsubscribeLinks } from './unsubscribe.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const ENTRIES_OF_DIGEST = 50
const PEOPLE_AT_ONCE = 500

/** Sends one notification, or a person's digest. */
const mailJob = (name: JobName<NotificationMailJob>): JobKind<Environment, NotificationMailJob> => ({
  ...name,
  atOnce: 5,
  leaseMs: 2 * TRY_MS,
  waits: growing(10_000, HOUR_MS),
  run: async ({ payload: { person, position } }, environment) => {
    if (position === null) await mailDigest(environment, person)
    else await mailOne(environment, person, position)
    return undefined
  },
  nameProblem,
  onGivenUp: async (tx, { payload: { person, position }, attempts }, problem, { clock }) => {
    if (position !== null) await tx.first(store.setMail, { person, position, mail: null })
    // The notifications of this digest wait for tomorrow's.
    else await tx.first(store.scheduleDigest, { person, now: clock() })
    return { fields: { position, attempts, problem }, text: 'the e-mail of a notification was given up' }
  },
})

const headersFor = (unsubscribeUrl: string | undefined): Record<string, string> =>
  unsubscribeUrl === undefined
    ? {}
    : { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }

function linksFor({ url, get }: Environment, person: number, what: Unsubscribed) {
  const isFixed = what !== 'digest' && KINDS[what].isFixed
  return { url, unsubscribeUrl: isFixed ? undefined : get(unsubscribeLinks).makeUrl(person, what) }
}

async function mailOne(environment: Environment, person: number, position: number): Promise<void> {
  const { clock, log } = environment
  await sendAtMostOnce(environment, {
    prepare: async (tx) => {
      const row = await tx.first(store.lockMail, { person, position })
      if (!row || row.is_mailed) return undefined
      if (row.is_tried) {
        log.warn({ position }, 'the e-mail of a notification may or may not have arrived; it is not sent again')
        return undefined
      }
      const kind = row.kind as NotificationKind
      const choice = KINDS[kind].isFixed ? 'now' : (row.choice ?? 'now')
      // Since the job was enqueued, the person may have left, or chosen otherwise.
      if (!row.may_mail || choice !== 'now') {
        const isDigest = row.may_mail && choice === 'digest'
        await tx.first(store.setMail, { person, position, mail: isDigest ? 'digest' : null })
        if (isDigest) await tx.first(store.scheduleDigest, { person, now: clock() })
        return undefined
      }
      await tx.first(store.setTried, { person, position, tried: clock() })
      const links = linksFor(environment, person, kind)
      const letter = writeLetter({ ...row, kind }, links)
      const headers = headersFor(links.unsubscribeUrl)
      return { personId: person, recipient: row.email!, kind: `notification-${kind}`, ...letter, headers }
    },
    settle: async (tx, outcome) => {
      if (outcome === 'sent') await tx.first(store.setMailed, { person, position, now: clock() })
      if (outcome === 'failed') await tx.first(store.setTried, { person, position, tried: null })
    },
  })
}

async function mailDigest(environment: Environment, person: number): Promise<void> {
  const { clock } = environment
  const tried = clock()
  await sendAtMostOnce(environment, {
    prepare: async (tx) => {
      await tx.all(store.cleanDigest, { person })
      const entries = await tx.all(store.tryDigest, { person, tried, limit: ENTRIES_OF_DIGEST })
      if (entries.length === 0) return undefined
      const { email, total } = entries[0]!
      const links = linksFor(environment, person, 'digest')
      const headers = headersFor(links.unsubscribeUrl)
      const letter = writeDigest({ entries, total }, links)
      return { personId: person, recipient: email!, kind: 'notification-digest', ...letter, headers }
    },
    settle: async (tx, outcome) => {
      if (outcome === 'unknown') return
      await tx.all(store.settleDigest, { person, tried, mailed: outcome === 'sent' ? clock() : null })
    },
  })
}

/** Enqueues the digests that are due. */
async function enqueueDigests(db: Db, now: Date): Promise<void> {
  const take = async (tx: Tx): Promise<number> => {
    const people = await tx.all(store.takeDigests, { now, limit: PEOPLE_AT_ONCE })
    const jobs = people.map(({ person_id: person }) => ({
      payload: { person, position: null },
      at: now,
      until: new Date(now.getTime() + DAY_MS),
      uniqueKey: `digest:${person}`,
    }))
    await enqueue(tx, CROWD_MAIL, ...jobs)
    return people.length
  }
  while ((await db.transaction(take)) === PEOPLE_AT_ONCE);
}

const digestJob: JobKind<Environment> = {
  name: 'notification-digests',
  atOnce: 1,
  leaseMs: 5 * MINUTE_MS,
  everyMs: MINUTE_MS,
  waits: growing(MINUTE_MS, HOUR_MS),
  run: async (_job, { db, clock }) => {
    await enqueueDigests(db, clock())
    return undefined
  },
}

export const notificationJobs: readonly JobKind<Environment>[] = [
  mailJob(NOTIFICATION_MAIL),
  mailJob(CROWD_MAIL),
  digestJob,
]
