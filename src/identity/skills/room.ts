import type { ImportTie } from '../../kernel/imports/section.ts'
import type { Room } from '../../kernel/room.ts'
import { skillTie } from './import.ts'
import { skillOperations } from './routes.ts'
import { readSkills } from './skills.ts'

export const skills: Room = {
  name: 'skills',
  operations: skillOperations,
  personalTables: { skills: { inExport: '`skills.json`', whenDeleted: 'gone' } },
  exports: [{ file: 'skills.json', about: 'Your hobbies, skills and education', read: readSkills }],
  importTies: { people: [skillTie as ImportTie] },
}
