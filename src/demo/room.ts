import { dropFact } from '../installation/installation.ts'
import type { Room } from '../room.ts'
import { demoTie, markOf } from './import.ts'
import { demoOperations } from './routes.ts'

export const demo: Room = {
  name: 'demo',
  operations: demoOperations,
  importTies: { people: [demoTie] },
  forget: { forgetPerson: async (tx, _who, personId) => void (await dropFact(tx, markOf(personId))) },
}
