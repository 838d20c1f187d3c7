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
