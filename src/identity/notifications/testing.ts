import { until } from '../../kernel/database/test-database.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import type { TestApp } from '../../operations/testing/testing.ts'
import { type NewNotification, notify } from './notifications.ts'

export const findPersonId = async (app: TestApp, handle: string): Promise<number> =>
  Number((await app.sql(`select id::int as id from people where handle_key = '${handle}'`))[0]!.id)

/** Confirms people's e-mail addresses, such as avery@example.org, because e-mail is sent to confirmed ones only. */
export const giveMailboxes = (app: TestApp) =>
  app.sql(`update people set email = handle_key || '@example.org', email_confirmed_at = now() where not anonymous`)

/** Notifies a person, with values that matter little to the test. */
export async function notifyPerson(
  app: TestApp,
  handle: string,
  ...notifications: readonly Partial<NewNotification>[]
): Promise<void> {
  const { db, clock, get } = app.environment()
  const personId = await findPersonId(app, handle)
  const all = notifications.map((more, n) => ({
    personId,
    kind: 'graded' as const,
    key: `test:${n}`,
    title: 'Check ride graded: passed, 87',
    text: 'Casey has graded your check ride.',
    link: '/dashboard',
    at: clock(),
    ...more,
  }))
  await db.transaction((tx) => notify(tx, all, get(messagePolicy)))
}

/** Lists the titles of a person's notifications, oldest first. */
export const titlesOf = async (app: TestApp, handle: string): Promise<string[]> =>
  (
    await app.sql(
      `select n.title from notifications n join people p on p.id = n.person_id where p.handle_key = '${handle}' order by n.position`,
    )
  ).map(({ title }) => String(title))

/** Waits until consumers have read all events, and then lets them read all events once more. */
export async function settleTwice(app: TestApp): Promise<void> {
  const isRead = async () => {
    const [row] = await app.sql(`
      select not exists (select from event_outbox) and not exists (
        select from event_consumers c where c.position < (select coalesce(max(id), 0) from events)) as is_read`)
    return row!.is_read === true
  }
  await until('all events are read', isRead)
  await app.sql(`update event_consumers set position = 0 where name like 'notifications of %'`)
  await until('all events are read again', isRead)
}
