import type { Room } from '../room.ts'
import { storeFailures } from './storage.ts'

export const files: Room = {
  name: 'files',
  gauges: [
    {
      name: 'groundschool_file_store_failures_total',
      help: 'Requests to the S3-compatible store that have failed',
      isCounter: true,
      value: ({ get }) => get(storeFailures).count,
    },
  ],
}
