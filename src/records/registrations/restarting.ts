import { randomUUID } from 'node:crypto'
import { upkeepAt } from '../../kernel/caller.ts'
import type { Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import type { progressEvents } from '../../learning/progress/events.ts'
import { abandonSessions, storeOwn } from './registrations.ts'
import * as store from './store.ts'

type ResetEvent = Extract<EventOf<typeof progressEvents>, { kind: 'attempt.reset' }>

/**
 * Returns the consumer that restarts the registration when an instructor resets a lesson of a package. cmi5 allows one
 * `completed` and one `passed` in a registration (9.3.0), so the student needs a new one to take the unit again. Other
 * units keep their state. `forget` deletes what else was saved about the unit.
 */
export const registrationRestarter = (
  forget: (tx: Tx, registration: number, position: number) => Promise<void>,
): Consumer<Environment, ResetEvent> => ({
  name: 'restarts of registrations',
  kinds: ['attempt.reset'],
  start: 'end',
  handle: async (tx, events, environment) => {
    const who = upkeepAt(environment.clock())
    const found = await tx.all(store.listOfLessons, {
      enrolments: events.map(({ payload }) => payload.enrolment),
      lessons: events.map(({ payload }) => payload.lesson),
    })
    for (const { registration, position } of found) {
      await tx.first(store.lockRegistration, { registration })
      const sessions = await tx.all(store.listOpen, { registration })
      // The abandoned session of the unit is not judged by its reports from before the reset.
      const open = sessions.map((row) =>
        row.position === position ? { ...row, completed_at: null, failed_at: null } : row,
      )
      await storeOwn(tx, who, await abandonSessions(tx, who, open, environment), environment)
      await tx.first(store.restart, { registration, position, code: randomUUID() })
      await forget(tx, registration, position)
    }
  },
})
