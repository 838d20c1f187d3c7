import type { Room } from '../../kernel/room.ts'
import { sweepTesters } from './people.ts'
import { sandboxOperations } from './routes.ts'

export const sandbox: Room = {
  name: 'sandbox',
  operations: sandboxOperations,
  personalTables: {
    test_people: {
      inExport: 'no: test users are not real; `GET /sandbox/v1/people` lists them',
      whenDeleted: 'deleted; the test users are deleted soon after their developer',
    },
  },
  upkeep: [{ name: 'deleting test people of deleted developers', run: sweepTesters }],
}
