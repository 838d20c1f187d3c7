import { upkeepAt } from '../../kernel/caller.ts'
import { forgetting } from '../../kernel/forget.ts'
import type { Room } from '../../kernel/room.ts'
import { sweepAnonymous } from './anonymous.ts'
import { anonymousOperations } from './routes.ts'

export const anonymous: Room = {
  name: 'anonymous',
  operations: anonymousOperations,
  upkeep: [
    // Finds these users by their ended sessions, before retention deletes those.
    {
      name: 'anonymous users whose session is over',
      run: ({ db, clock, stopping, get }) =>
        sweepAnonymous(db, upkeepAt(clock()), { forget: get(forgetting) }, stopping),
    },
  ],
}
