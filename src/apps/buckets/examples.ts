import { DONE, MOMENT, USER_IDS } from '../../kernel/samples.ts'

const { avery, blake, casey } = USER_IDS
const ID = 'flight-plan'
const DATA = { route: { from: 'ESSA', to: 'LFPG' }, fuel: 120 }
const after = 'createBucket'
const BUCKET = { id: ID, users: [avery, blake], public: false, data: DATA, createdDate: MOMENT, version: 1 }

/** What people read about these operations. */
export const examples = {
  readBucket: {
    description:
      'Members may read a bucket; if it is public, every user of the app may. With a `key` the answer has only that part of the data, still inside its objects. The `version` is also the `ETag`, for a later `If-Match`.',
    example: { request: { id: ID, key: 'route.to' }, answer: { ...BUCKET, data: { route: { to: 'LFPG' } } }, after },
  },
  createBucket: {
    description:
      'A bucket is a JSON document that your app shares between some of its users. Your app chooses the id, which must be free in this app; the data has at most 1 MiB. The caller is always a member, and all members have the same rights.',
    example: { request: { id: ID, users: [blake], data: DATA }, answer: BUCKET },
  },
  setBucketValue: {
    description:
      'Changes one place in the data and leaves the rest as it is, so two users can write to different keys at once. Missing objects along the way are created. Send `If-Match` if the write must not overwrite a newer version; the answer is the whole bucket.',
    example: {
      after,
      request: { id: ID, key: 'route.to', value: 'LFPO' },
      answer: { ...BUCKET, data: { route: { from: 'ESSA', to: 'LFPO' }, fuel: 120 }, version: 2 },
    },
  },
  deleteBucket: {
    description:
      'Removes the data and the history for all members, and frees its storage. Open change streams end. This cannot be undone; the id can be used again.',
    example: { request: { id: ID }, answer: DONE, after },
  },
  addBucketUser: {
    description:
      'The new member may read, write, add and remove like all others. It must be a user of your app; a bucket has at most 1000 members. Adding a member again changes nothing.',
    example: {
      after,
      request: { id: ID, userId: casey },
      answer: { ...BUCKET, users: [avery, blake, casey], version: 2 },
    },
  },
  removeBucketUser: {
    description:
      'The user loses access at once, and their change streams end. Members may remove themselves and each other, but the last one cannot leave: delete the bucket instead. Removing a user who is not a member changes nothing.',
    example: { request: { id: ID, userId: blake }, answer: { ...BUCKET, users: [avery], version: 2 }, after },
  },
  listBuckets: {
    description:
      'The answer is a plain array of ids, sorted. Public buckets of others are not included. A page has up to 1000 ids, and a page past the end is empty.',
    example: { request: { page: 1, limit: 100 }, answer: [ID], after },
  },
  watchBucket: {
    description:
      'Keeps the connection open and sends every change within a fraction of a second. Open the stream first, then read the bucket, so that you miss nothing in between. After a break, `Last-Event-ID` brings what you missed; a user can have 50 open streams per process.',
    example: { request: { id: ID }, after },
  },
}
