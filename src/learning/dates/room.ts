import type { ImportTie } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { dateTie } from './import.ts'
import { dateOperations } from './routes.ts'

export const dates: Room = {
  name: 'dates',
  operations: dateOperations,
  areas: { Dates: 'When classes and lessons open, are due and close.' },
  importTies: { classes: [dateTie as ImportTie] },
  personalTables: {
    lesson_dates: {
      inExport: 'no: a setting of the class',
      whenDeleted: 'overrides for them are gone; the reference to who set a date is deleted',
    },
  },
}
