import type { ImportTie } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { noteTie } from './import.ts'
import { exportNotes } from './notes.ts'
import { noteNotifier } from './notifying.ts'
import { noteOperations } from './routes.ts'

export const notes: Room = {
  name: 'notes',
  operations: noteOperations,
  areas: { Notes: 'Notes of instructors and students about a student, a lesson, a class or a course.' },
  personalTables: {
    notes: { inExport: '`notes.json`', whenDeleted: 'deleted, both those by them and those about them' },
  },
  consumers: [noteNotifier],
  importTies: { classes: [noteTie as ImportTie] },
  exports: [{ file: 'notes.json', about: 'Notes by you, and about you', read: exportNotes }],
}
