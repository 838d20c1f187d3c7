import { notify } from '../../identity/notifications/notifications.ts'
import type { Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import type { classEvents } from './events.ts'
import * as store from './notifying-store.ts'

type ClassEvent = EventOf<typeof classEvents>
type Handler<Kind> = (tx: Tx, event: Extract<ClassEvent, { kind: Kind }>, environment: Environment) => Promise<void>

const STUDENTS_AT_ONCE = 1000

const tellEnrolled: Handler<'students.enrolled'> = async (tx, { id, payload, at }, { get }) => {
  const rows = await tx.all(store.listEnrolled, { enrolments: [...payload.enrolments], by: payload.by })
  const notifications = rows.map((row) => ({
    personId: row.person_id,
    kind: 'assigned' as const,
    key: `enrolled:${id}`,
    title: `You are enrolled in ${row.name}`,
    text: `${row.by_name ?? 'An administrator'} enrolled you in the class ${row.name}.`,
    link: `/dashboard/classes/${encodeURIComponent(row.class)}`,
    scope: `class:${payload.class}` as const,
    at,
  }))
  await notify(tx, notifications, get(messagePolicy))
}

const tellUnlocked: Handler<'lesson.unlocked'> = async (tx, { id, payload, at }, { get, clock }) => {
  const { class: classId, lesson, enrolment } = payload
  for (let after = 0; ; ) {
    const what = { class: classId, lesson, enrolment, after, limit: STUDENTS_AT_ONCE, now: clock() }
    const rows = await tx.all(store.listUnlocked, what)
    const notifications = rows.map((row) => ({
      personId: row.person_id,
      kind: 'unlocked' as const,
      key: `unlocked:${id}`,
      title: `${row.name} is unlocked`,
      text: `You can start ${row.name} now, in the class ${row.class_name}.`,
      link: `/dashboard/classes/${encodeURIComponent(row.class)}/lessons/${encodeURIComponent(row.lesson)}`,
      scope: `class:${classId}` as const,
      at,
    }))
    await notify(tx, notifications, get(messagePolicy))
    if (rows.length < STUDENTS_AT_ONCE) return
    after = rows.at(-1)!.id
  }
}

/** Notifies students who were enrolled by somebody else, or for whom a lesson was unlocked. */
export const classNotifier: Consumer<Environment, ClassEvent> = {
  name: 'notifications of classes',
  kinds: ['students.enrolled', 'lesson.unlocked'],
  start: 'end',
  most: 10,
  handle: async (tx, events, environment) => {
    for (const event of events)
      if (event.kind === 'students.enrolled') await tellEnrolled(tx, event, environment)
      else await tellUnlocked(tx, event, environment)
  },
}
