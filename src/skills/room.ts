import type { Room } from '../room.ts'
import { skillOperations } from './routes.ts'
import { readSkills } from './skills.ts'

export const skills: Room = {
  name: 'skills',
  operations: skillOperations,
  personalTables: { skills: { inExport: '`skills.json`', whenDeleted: 'gone' } },
  exports: [{ file: 'skills.json', about: 'Your hobbies and skills', read: readSkills }],
}
