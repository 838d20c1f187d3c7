import { type NewNotification, notify } from '../../identity/notifications/notifications.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import type { progressEvents } from './events.ts'
import * as store from './notifying-store.ts'

type ProgressEvent = EventOf<typeof progressEvents>
type NotifiedEvent = Extract<ProgressEvent, { kind: 'attempt.graded' | 'attempt.completed' | 'attempt.granted' }>

/**
 * Notifies students whose work was graded or evaluated, or who got another attempt, by somebody else, and of lessons
 * that are unlocked by the grade.
 */
export const progressNotifier: Consumer<Environment, NotifiedEvent> = {
  name: 'notifications of progress',
  kinds: ['attempt.graded', 'attempt.completed', 'attempt.granted'],
  start: 'end',
  handle: async (tx, events, { get, clock }) => {
    const byOthers = events.filter(({ payload }) => payload.by !== payload.person)
    if (byOthers.length === 0) return
    const wanted = byOthers.map(({ payload: { enrolment, lesson } }, n) => ({ n, enrolment, lesson }))
    const rows = await tx.all(store.listLessons, { rows: JSON.stringify(wanted) })
    const notifications = rows.map((row): NewNotification => {
      const event = byOthers[row.n]!
      return {
        personId: event.payload.person,
        ...(event.kind === 'attempt.granted' ? tellGranted(row) : tellGraded(row, event)),
        key: `progress:${event.id}`,
        link: lessonPath(row),
        scope: `class:${event.payload.class}`,
        at: event.at,
      }
    })
    const opened = await tx.all(store.listUnlocked, { rows: JSON.stringify(wanted), now: clock() })
    const unlocked = opened.map((row): NewNotification => {
      const { payload, at } = byOthers[row.n]!
      return {
        personId: payload.person,
        ...tellUnlocked(row),
        // A grade that is changed unlocks the lesson once.
        key: `passed:${payload.enrolment}:${row.lesson_id}`,
        link: lessonPath(row),
        scope: `class:${payload.class}`,
        at,
      }
    })
    await notify(tx, [...notifications, ...unlocked], get(messagePolicy))
  },
}

interface LessonName {
  readonly class: string
  readonly class_name: string
  readonly lesson: string
  readonly name: string
}

const tellGranted = ({ name, class_name }: LessonName) => ({
  kind: 'unlocked' as const,
  title: `Another attempt at ${name}`,
  text: `You can start ${name} once more, in the class ${class_name}.`,
})

const tellUnlocked = ({ name, class_name }: LessonName) => ({
  kind: 'unlocked' as const,
  title: `${name} is unlocked`,
  text: `You can start ${name} now, in the class ${class_name}.`,
})

function tellGraded(
  { name, class_name }: LessonName,
  { payload }: Exclude<NotifiedEvent, { kind: 'attempt.granted' }>,
) {
  const { pass, score } = payload
  const result = `${pass ? 'passed' : 'not passed'}${score === null ? '' : `, ${Math.round(score * 10) / 10}`}`
  return {
    kind: 'graded' as const,
    title: `${name} graded: ${result}`,
    text: `Your result in ${name}, in the class ${class_name}: ${result}.`,
  }
}

/** Path of the lesson's page or, without a lesson, of the class. */
export const lessonPath = (row: { readonly class: string; readonly lesson: string | null }): string =>
  `/dashboard/classes/${encodeURIComponent(row.class)}${row.lesson === null ? '' : `/lessons/${encodeURIComponent(row.lesson)}`}`
