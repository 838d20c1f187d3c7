import { ENVIRONMENTS } from '../../kernel/config.ts'
import { migrateAll } from '../platform/platform.ts'
import { command, print } from './command.ts'
import { withDatabase } from './database.ts'

export const migrate = command({
  about: 'Update the database to this version. `start` does this too.',
  args: [],
  options: {},
  notes: 'It is safe to run while other processes start: one does the work, the others wait.',
  examples: ['migrate'],
  run: () =>
    withDatabase(
      async (connection) => {
        const applied = await migrateAll(connection)
        for (const name of ENVIRONMENTS) {
          const list = applied[name]
          print(list.length === 0 ? `${name}: up to date` : `${name}: applied ${list.join(', ')}`)
        }
      },
      { mayMake: true },
    ),
})
