import { service } from '../environment.ts'
import type { Room } from '../room.ts'
import { watchImports } from './imports.ts'

const finishing = service((environment) => watchImports(environment, environment.stopping))

export const imports: Room = {
  name: 'imports',
  upkeep: [{ name: 'imports that were left behind', everyMs: 5000, run: ({ get }) => get(finishing)() }],
}
