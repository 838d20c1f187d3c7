import { dropFact } from '../../kernel/installation/installation.ts'
import type { Room } from '../../kernel/room.ts'
import { demoTie, markOf } from './import.ts'

export const demo: Room = {
  name: 'demo',
  importTies: { people: [demoTie] },
  forget: { forgetPerson: async (tx, _who, personId) => void (await dropFact(tx, markOf(personId))) },
}
