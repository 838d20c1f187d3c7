import { randomUUID } from 'node:crypto'
import { upkeepAt } from '../../kernel/caller.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import type { progressEvents } from '../../learning/progress/events.ts'
import { abandonSessions, storeOwn } from './registrations.ts'
import * as store from './store.ts'

type ResetEvent = Extract<EventOf<typeof progressEvents>, { kind: 'attempt.reset' }>

/**
 * Restarts the registration when an instructor resets a lesson of a package. cmi5 allows one `completed` and one
 * `passed` in a registration (9.3.0), so the student needs a new one to take the unit again. Other units keep their
 * state.
 */
export const registrationRestarter: Consumer<Environment, ResetEvent> = {
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
      const open = await tx.all(store.listOpen, { registration })
      await storeOwn(tx, who, await abandonSessions(tx, who, open, environment), environment)
      await tx.first(store.restart, { registration, position, code: randomUUID() })
    }
  },
}
