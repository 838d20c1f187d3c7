import { type NewNotification, notify } from '../../identity/notifications/notifications.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import type { progressEvents } from './events.ts'
import * as store from './notifying-store.ts'

type ProgressEvent = EventOf<typeof progressEvents>
type NotifiedEvent = Extract<ProgressEvent, { kind: 'attempt.graded' | 'attempt.completed' | 'attempt.granted' }>

/** Notifies students whose work was graded or evaluated, or who got another attempt, by somebody else. */
export const progressNotifier: Consumer<Environment, NotifiedEvent> = {
  name: 'notifications of progress',
  kinds: ['attempt.graded', 'attempt.completed', 'attempt.granted'],
  start: 'end',
  handle: async (tx, events, { get }) => {
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
    await notify(tx, notifications, get(messagePolicy))
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
