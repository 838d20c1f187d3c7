import { upkeepAt } from '../../kernel/caller.ts'
import { forgetting } from '../../kernel/forget.ts'
import type { Room } from '../../kernel/room.ts'
import { sweepAnonymous } from './anonymous.ts'
import { anonymousOperations } from './routes.ts'

export const anonymous: Room = {
  name: 'anonymous',
  operations: anonymousOperations,
  upkeep: [
    // Finds the users by their ended sessions, so it must run before those are deleted, which is 30 days later.
    {
      name: 'deleting anonymous users whose session has ended',
      run: ({ db, clock, stopping, get }) =>
        sweepAnonymous(db, upkeepAt(clock()), { forget: get(forgetting) }, stopping),
    },
  ],
}
