import type { Room } from '../../kernel/room.ts'
import { forgetUser } from './buckets.ts'
import { exportBucketFiles } from './export.ts'
import { bucketOperations } from './routes.ts'
import { bucketWatch } from './watch.ts'

export const buckets: Room = {
  name: 'buckets',
  areas: { Buckets: 'Small JSON documents of an app, shared by its users.' },
  operations: bucketOperations,
  gauges: [
    { name: 'groundschool_streams_open', help: 'Open change streams', value: ({ get }) => get(bucketWatch).size },
  ],
  personalTables: {
    buckets: { inExport: '`buckets/`', whenDeleted: 'deleted if nobody else is in it, otherwise without them' },
    bucket_members: { inExport: '`buckets/`', whenDeleted: 'gone' },
    user_storage: { inExport: 'no: a sum of what is in `buckets/`', whenDeleted: 'gone' },
    bucket_changes: {
      inExport: 'no: a copy of what is in `buckets/`',
      whenDeleted: 'stays in buckets shared with others: the user id, until 320 newer changes have been made',
    },
  },
  exports: [
    {
      file: 'buckets/',
      about: 'Your buckets, by app, a hundred in each file',
      readFiles: exportBucketFiles,
    },
  ],
  forget: { forgetUser },
}
