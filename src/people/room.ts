import { upkeepAt } from '../caller.ts'
import type { Room } from '../room.ts'
import { sweepAnonymous } from './anonymous.ts'
import { exportPerson } from './people.ts'
import { removalRetention, sweepLeaving } from './removal.ts'
import { resetRetention } from './resets.ts'
import { peopleOperations } from './routes.ts'

export const people: Room = {
  name: 'people',
  operations: peopleOperations,
  personalTables: {
    people: { inExport: '`profile.json`', whenDeleted: 'gone' },
    organisation_members: { inExport: '`profile.json`', whenDeleted: 'gone' },
    password_resets: { inExport: 'no: half an hour', whenDeleted: 'gone' },
  },
  exports: [{ file: 'profile.json', about: 'Who you are, and your organisations', read: exportPerson }],
  retention: () => [...resetRetention, ...removalRetention],
  upkeep: [
    // Goes by sessions, of which old ones are removed elsewhere.
    {
      name: 'anonymous users whose session is over',
      run: ({ db, clock, stopping }) => sweepAnonymous(db, upkeepAt(clock()), stopping),
    },
    {
      name: 'people who leave',
      run: ({ db, clock, stopping }) => sweepLeaving(db, upkeepAt(clock()), stopping),
    },
  ],
}
