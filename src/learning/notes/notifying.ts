import { notify } from '../../identity/notifications/notifications.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import type { noteEvents } from './events.ts'
import * as store from './store.ts'

/** Notifies people about whom somebody else has written a note. They can read all notes about themselves. */
export const noteNotifier: Consumer<Environment, EventOf<typeof noteEvents>> = {
  name: 'notifications of notes',
  kinds: ['note.written'],
  start: 'end',
  handle: async (tx, events, { get }) => {
    const rows = await tx.all(store.listWritten, { notes: events.map(({ payload }) => payload.note) })
    const notifications = rows.map((row) => {
      const classPath = row.class === null ? '' : `/classes/${encodeURIComponent(row.class)}`
      const lessonPath = row.class === null || row.lesson === null ? '' : `/lessons/${encodeURIComponent(row.lesson)}`
      return {
        personId: row.person_id!,
        kind: 'note' as const,
        key: `note:${row.id}`,
        title: `New note from ${row.author}`,
        text: row.text,
        link: `/dashboard${classPath}${lessonPath}`,
        ...(row.class_id === null ? {} : { scope: `class:${row.class_id}` as const }),
        at: row.created_at,
      }
    })
    await notify(tx, notifications, get(messagePolicy))
  },
}
