import { type NewNotification, notify } from '../../identity/notifications/notifications.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { growing, type JobKind } from '../../kernel/jobs/jobs.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { lessonPath } from './notifying.ts'
import * as store from './notifying-store.ts'

const MINUTE_MS = 60_000
const STUDENTS_AT_ONCE = 500

type Row = RowOf<typeof store.listDueSoon>
type Words = Pick<NewNotification, 'kind' | 'title' | 'text'>

interface DueJob {
  /** The time up to which dates were handled, in ISO 8601; absent before the first run. */
  readonly since?: string
}

/** Notifies students of lessons that are due within a day, overdue, or have opened. */
const dueJob: JobKind<Environment, DueJob> = {
  name: 'progress.due',
  atOnce: 1,
  leaseMs: 5 * MINUTE_MS,
  everyMs: MINUTE_MS,
  waits: growing(MINUTE_MS, 10 * MINUTE_MS),
  run: async ({ payload }, environment) => {
    const now = environment.clock()
    await tellDue(environment, payload.since === undefined ? now : new Date(payload.since), now)
    return { againInMs: MINUTE_MS, payload: { since: now.toISOString() } }
  },
}
export const dueJobs: readonly JobKind<Environment>[] = [dueJob]

/** Handles the dates between two times. Students who were notified of a date are not notified again. */
export async function tellDue({ db, get }: Environment, since: Date, now: Date): Promise<void> {
  const found = (await db.first(store.findDates, { since, now }))!
  const steps: [isFound: boolean, typeof store.listDueSoon, (row: Row) => Words][] = [
    [found.due_soon, store.listDueSoon, (row) => sayDue(row, now)],
    [found.overdue, store.listOverdue, sayOverdue],
    [found.opened, store.listOpened, sayOpened],
  ]
  for (const [, statement, say] of steps.filter(([isFound]) => isFound))
    for (let after = 0; ; ) {
      const rows = await db.all(statement, { since, now, after, limit: STUDENTS_AT_ONCE })
      const notifications = rows.map((row): NewNotification => {
        const words = say(row)
        return {
          personId: row.person_id,
          ...words,
          key: `${words.kind}:${row.enrolment}:${row.lesson_id ?? 'class'}:${row.at.toISOString()}`,
          link: lessonPath(row),
          scope: `class:${row.class_id}`,
          at: now,
        }
      })
      for (let i = 0; i < notifications.length; i += 1000)
        await db.transaction((tx) => notify(tx, notifications.slice(i, i + 1000), get(messagePolicy)))
      if (rows.length < STUDENTS_AT_ONCE) break
      after = rows.at(-1)!.enrolment
    }
}

const subject = ({ name, lessons, class_name }: Row): string => name ?? `${lessons} lessons of ${class_name}`
const verb = ({ name }: Row): string => (name === null ? 'are' : 'is')

const sayDue = (row: Row, now: Date): Words => ({
  kind: 'due-soon',
  title: `${subject(row)} ${verb(row)} due ${sayDay(row, now)} at ${sayTime(row)}`,
  text: `${subject(row)} ${verb(row)} due on ${sayDate(row)}, in the class ${row.class_name}.`,
})

const sayOverdue = (row: Row): Words => ({
  kind: 'overdue',
  title: `${subject(row)} ${verb(row)} overdue`,
  text: `${subject(row)} ${row.name === null ? 'were' : 'was'} due on ${sayDate(row)}, in the class ${row.class_name}.`,
})

const sayOpened = (row: Row): Words => ({
  kind: 'unlocked',
  title: `${subject(row)} ${verb(row)} open`,
  text: `You can start ${subject(row)} now, in the class ${row.class_name}.`,
})

const format = ({ at, zone: timeZone }: Pick<Row, 'at' | 'zone'>, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(at)
const sayTime = (row: Row): string => format(row, { hour: '2-digit', minute: '2-digit' })
const sayDate = (row: Row): string => `${format(row, { dateStyle: 'long', timeStyle: 'short' })} (${row.zone})`
const sayDay = (row: Row, now: Date): string =>
  format(row, { dateStyle: 'short' }) === format({ ...row, at: now }, { dateStyle: 'short' }) ? 'today' : 'tomorrow'
