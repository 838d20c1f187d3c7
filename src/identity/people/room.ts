import { upkeepAt } from '../../kernel/caller.ts'
import { forgetting } from '../../kernel/forget.ts'
import type { Room } from '../../kernel/room.ts'
import { renewSearchKeys } from './changes.ts'
import { peopleSection } from './import.ts'
import { exportPerson } from './people.ts'
import { removalRetention, sweepLeaving } from './removal.ts'
import { resetRetention } from './resets.ts'
import { peopleOperations } from './routes.ts'
import { signUpRetention } from './sign-up.ts'
import { estimatePeople } from './store.ts'

export const people: Room = {
  name: 'people',
  operations: peopleOperations,
  gauges: [
    {
      name: 'groundschool_people',
      help: 'Users, including anonymous users; estimated',
      value: async ({ db }) => (await db.first(estimatePeople, {}))?.rows ?? 0,
    },
  ],
  personalTables: {
    people: { inExport: '`profile.json`', whenDeleted: 'gone' },
    sign_ups: { inExport: 'no: kept for an hour, for somebody who has no account yet', whenDeleted: 'gone' },
    password_resets: { inExport: 'no: kept for half an hour', whenDeleted: 'gone' },
  },
  exports: [{ file: 'profile.json', about: 'Who you are, and your organisations', read: exportPerson }],
  importSections: [peopleSection],
  retention: () => [...resetRetention, ...signUpRetention, ...removalRetention],
  upkeep: [
    // Runs at once, because people with outdated search keys cannot be found until their keys are recomputed.
    {
      name: 'renewing search keys',
      everyMs: 5 * 60_000,
      isFirstAtOnce: true,
      run: ({ db, stopping }) => renewSearchKeys(db, stopping),
    },
    {
      name: 'interrupted removals',
      run: ({ db, clock, stopping, get }) => sweepLeaving(db, upkeepAt(clock()), { forget: get(forgetting) }, stopping),
    },
  ],
}
