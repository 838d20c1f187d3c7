import { disk } from '../http/input/disk.ts'
import type { Room } from '../room.ts'
import { countRecordBytes, shareUpkeep } from './shares.ts'

export const shares: Room = {
  name: 'shares',
  gauges: [
    {
      name: 'groundschool_records_bytes',
      help: 'Statements, notes, attempts, evaluations and documents that count for people and keys',
      value: ({ db }) => countRecordBytes(db),
    },
    {
      name: 'groundschool_disk_free_bytes',
      help: 'Free space on the disk of the database, if the platform knows that disk',
      value: ({ get }) => get(disk).freeBytes ?? {},
    },
    {
      name: 'groundschool_disk_reserve_bytes',
      help: 'Free space below which large writes are refused',
      value: ({ get }) => get(disk).reserveBytes,
    },
  ],
  personalTables: {
    shares: { inExport: 'no: a sum of what other files contain', whenDeleted: 'gone' },
  },
  upkeep: [shareUpkeep],
}
