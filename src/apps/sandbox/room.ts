import type { Room } from '../../kernel/room.ts'
import { sweepTesters } from './people.ts'
import { sandboxOperations } from './routes.ts'

export const sandbox: Room = {
  name: 'sandbox',
  operations: sandboxOperations,
  personalTables: {
    test_people: {
      inExport: 'no: they are nobody; `GET /sandbox/v1/people` lists them',
      whenDeleted: 'gone, and the test people soon after their maker',
    },
  },
  upkeep: [{ name: 'deleting test people of deleted developers', run: sweepTesters }],
}
