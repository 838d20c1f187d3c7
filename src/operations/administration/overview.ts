import { deliveryFigures } from '../../extensions/deliveries/deliveries.ts'
import type { Disk } from '../../kernel/bounds/disk.ts'
import type { Environment } from '../../kernel/environment.ts'
import { eventFigures } from '../../kernel/events/events.ts'
import { jobFigures } from '../../kernel/jobs/jobs.ts'
import { messagePolicy, SEND_MESSAGE } from '../../kernel/messages/messages.ts'
import * as store from './overview-store.ts'
import type { Overview, OverviewProblem } from './schema.ts'

const DAY_MS = 24 * 60 * 60_000
/** Work that waits longer than this is late. Retries wait too, but are not due meanwhile. */
const LATE_SECONDS = 300
/** Below this multiple of the reserve the disk counts as almost full. Below the reserve itself, writes are refused. */
const LOW_RESERVES = 2

/** Reads what waits for an administrator, what grew, and what is wrong. */
export async function readOverview({ disk }: { readonly disk: Disk }, environment: Environment): Promise<Overview> {
  const { db, clock, config } = environment
  const now = clock()
  const [week, month] = [daysBefore(now, 7), daysBefore(now, 30)]
  const figures = db.as(undefined, true)
  const [waiting, growth, active, problems] = await Promise.all([
    db.first(store.readWaiting, { now }),
    figures.first(store.readGrowth, { week, month }),
    figures.first(store.readActive, { week, month, expiresAfter: daysBefore(month, -config.SESSION_DAYS) }),
    listProblems(environment, disk, now, week),
  ])
  const w = waiting!
  const g = growth!
  return {
    waiting: {
      apps: w.apps,
      changedApps: w.changed_apps,
      permissions: w.permissions,
      invited: w.invited,
      expired: w.expired,
      uninvited: w.uninvited,
    },
    growth: {
      people: { total: g.people, last7Days: g.people_week, last30Days: g.people_month },
      organisations: { total: g.organisations, last7Days: g.organisations_week, last30Days: g.organisations_month },
      classes: { total: g.classes, last7Days: g.classes_week, last30Days: g.classes_month },
      activePeople: { last7Days: active!.week, last30Days: active!.month },
    },
    problems,
  }
}

const daysBefore = (at: Date, days: number): Date => new Date(at.getTime() - days * DAY_MS)

async function listProblems({ db, get }: Environment, disk: Disk, now: Date, since: Date): Promise<OverviewProblem[]> {
  const [events, jobs, deliveries, failedJobs, failedDeliveries] = await Promise.all([
    eventFigures(db, now),
    jobFigures(db, now),
    deliveryFigures(db, now),
    db.all(store.listFailedJobs, { since }),
    db.all(store.listFailedDeliveries, { since }),
  ])
  const free = disk.freeBytes
  const late = (name: OverviewProblem['problem'], seconds: number) =>
    seconds > LATE_SECONDS ? [{ problem: name, value: Math.floor(seconds), name: null, clientId: null }] : []
  const skipped = events.consumers.filter(({ failed }) => failed > 0)
  return [
    ...(free !== undefined && free < disk.reserveBytes * LOW_RESERVES
      ? [{ problem: 'diskLow' as const, value: free, name: null, clientId: null }]
      : []),
    ...(get(messagePolicy).isOn ? [] : [{ problem: 'emailOff' as const, value: 0, name: null, clientId: null }]),
    ...failedJobs.map(({ kind, failed }) =>
      kind === SEND_MESSAGE.name
        ? { problem: 'emailFailed' as const, value: failed, name: null, clientId: null }
        : { problem: 'jobsFailed' as const, value: failed, name: kind, clientId: null },
    ),
    ...failedDeliveries.map((row) => ({
      problem: 'deliveriesFailed' as const,
      value: row.failed,
      name: row.name,
      clientId: row.client_id,
    })),
    ...skipped.map(({ name, failed }) => ({ problem: 'eventsSkipped' as const, value: failed, name, clientId: null })),
    ...late('jobsLate', Math.max(0, ...jobs.map(({ waitingSeconds }) => waitingSeconds))),
    ...late('deliveriesLate', deliveries.overdue_seconds),
    ...late('eventsLate', Math.max(events.unpublishedSeconds, ...events.consumers.map(({ seconds }) => seconds))),
  ]
}
