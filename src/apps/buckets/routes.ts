import type { Environment } from '../../kernel/environment.ts'
import { appUser } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { USER_IDS } from '../../kernel/samples.ts'
import {
  addBucketUser,
  createBucket,
  deleteBucket,
  listBuckets,
  readBucket,
  readPosition,
  removeBucketUser,
  type Shares,
  setBucketValue,
} from './buckets.ts'
import {
  Bucket,
  BucketEvents,
  BucketIds,
  type BucketRecord,
  CreateBucket,
  ListBuckets,
  NameBucket,
  NameUser,
  presentBucket,
  ReadBucket,
  SetValue,
} from './schema.ts'
import { bucketWatch } from './watch.ts'

const op = operationsIn({ area: 'Buckets', who: appUser, scope: 'buckets' })

/** The output shared by all operations that return a bucket. */
const bucketOutput = json(Bucket, {
  present: presentBucket,
  headersOf: (bucket: BucketRecord) => ({ etag: `"${bucket.version}"` }),
  headers: { ETag: 'The version, for If-Match' },
})

const sharesOf = ({ config }: Environment): Shares => ({
  userPercent: config.STORAGE_USER_PERCENT,
  anonymousPercent: config.STORAGE_ANONYMOUS_PERCENT,
})

const onlyIfMatch = { 'If-Match': 'Write only if the bucket is at this version; otherwise 409/4091' }
const ifMatch = (request: HttpRequest) => ({ ifMatch: request.headers['if-match'] })

export const bucketOperations: readonly Operation[] = [
  op('GET /app/v1/bucket', {
    name: 'readBucket',
    summary: 'Get a bucket',
    description:
      'Returns a bucket, or with `key` only the part of its data at that key, still inside its objects. Members can read a bucket; if it is public, every user of the app can. `version` is also the `ETag`, for a later `If-Match`.',
    example: { request: { id: 'flight-plan', key: 'route.to' }, after: 'createBucket' },
    roles: ['bucketMember', 'everyoneIfPublic'],
    input: ReadBucket,
    output: bucketOutput,
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => readBucket(db, who, input),
  }),
  op('PUT /app/v1/bucket', {
    name: 'createBucket',
    summary: 'Create a bucket',
    description:
      'Creates a bucket: a JSON document that your app shares between some of its users. Your app chooses the id, which must be unique in the app; the data can have at most 1 MiB. The caller is always a member, and all members have the same rights.',
    example: {
      request: { id: 'flight-plan', users: [USER_IDS.blake], data: { route: { from: 'ESSA', to: 'LFPG' }, fuel: 120 } },
    },
    hasLargeBody: true,
    input: CreateBucket,
    output: bucketOutput,
    errors: ['storageFull', 'conflict'],
    run: ({ db, who, environment }, input) => createBucket(db, who, input, sharesOf(environment)),
  }),
  op('POST /app/v1/bucket', {
    name: 'setBucketValue',
    summary: 'Update a bucket',
    description:
      'Sets the value at a key and leaves the rest of the data unchanged, so that two users can write to different keys at the same time; missing objects on the way are created. Members can do this, and all users of the app if the bucket is public and the app lets all users write to such buckets. Send `If-Match` to avoid overwriting a newer version; the response is the whole bucket.',
    example: { after: 'createBucket', request: { id: 'flight-plan', key: 'route.to', value: 'LFPO' } },
    hasLargeBody: true,
    roles: ['bucketMember', 'everyoneIfShared'],
    input: SetValue,
    requestHeaders: onlyIfMatch,
    output: bucketOutput,
    errors: ['storageFull', 'forbidden', 'notFound', 'conflict'],
    run: ({ db, who, environment, request }, input) =>
      setBucketValue(db, who, { ...input, ...ifMatch(request) }, sharesOf(environment)),
  }),
  op('DELETE /app/v1/bucket', {
    name: 'deleteBucket',
    summary: 'Delete a bucket',
    description:
      'Deletes the data and the history of a bucket for all members, and frees its storage. Open change streams end. This cannot be undone; the id can be used again.',
    example: { request: { id: 'flight-plan' }, after: 'createBucket' },
    roles: ['bucketMember'],
    input: NameBucket,
    from: 'either',
    requestHeaders: onlyIfMatch,
    output: success(),
    errors: ['forbidden', 'notFound', 'conflict'],
    run: ({ db, who, request }, input) => deleteBucket(db, who, { ...input, ...ifMatch(request) }),
  }),
  op('POST /app/v1/bucket/user', {
    name: 'addBucketUser',
    summary: 'Add a bucket member',
    description:
      'Gives a user of the app access to a bucket. The new member can read, write, add and remove like all others; a bucket has at most 1000 members. Adding a member again changes nothing.',
    example: { after: 'createBucket', request: { id: 'flight-plan', userId: USER_IDS.casey } },
    roles: ['bucketMember'],
    input: NameUser,
    requestHeaders: onlyIfMatch,
    output: bucketOutput,
    errors: ['forbidden', 'notFound', 'conflict'],
    run: ({ db, who, request }, input) => addBucketUser(db, who, { ...input, ...ifMatch(request) }),
  }),
  op('POST /app/v1/bucket/user/remove', {
    name: 'removeBucketUser',
    summary: 'Remove a bucket member',
    description:
      "Removes a user's access to a bucket immediately and ends their change streams. Members can remove themselves and each other, but the last one cannot leave: delete the bucket instead. Removing a user who is not a member changes nothing.",
    example: { request: { id: 'flight-plan', userId: USER_IDS.blake }, after: 'createBucket' },
    roles: ['bucketMember'],
    input: NameUser,
    requestHeaders: onlyIfMatch,
    output: bucketOutput,
    errors: ['impossibleNow', 'storageFull', 'forbidden', 'notFound', 'conflict'],
    run: ({ db, who, environment, request }, input) =>
      removeBucketUser(db, who, { ...input, ...ifMatch(request) }, sharesOf(environment)),
  }),
  op('GET /app/v1/bucket/list', {
    name: 'listBuckets',
    summary: 'List your buckets',
    description:
      'Returns the ids of the buckets that the caller is a member of, as a sorted array. Public buckets of other users are not included. A page has up to 1000 ids, and a page past the end is empty.',
    example: { request: { page: 1, limit: 100 }, after: 'createBucket' },
    roles: ['bucketMember'],
    input: ListBuckets,
    output: json(BucketIds, { present: (ids: string) => ids }),
    run: ({ db, who }, input) => listBuckets(db, who, input),
  }),
  op('GET /app/v1/bucket/events', {
    name: 'watchBucket',
    summary: 'Stream bucket changes',
    description:
      'Streams the changes of a bucket to its members as server-sent events, within a fraction of a second. Open the stream first, then read the bucket, so that you miss nothing in between. After a disconnect, `Last-Event-ID` brings the changes that you missed; a user can have 50 open streams per process.',
    example: { request: { id: 'flight-plan' }, after: 'createBucket' },
    roles: ['bucketMember'],
    input: NameBucket,
    requestHeaders: { 'Last-Event-ID': 'The last version that the client has seen; later changes are sent first' },
    output: {
      kind: 'events',
      about: 'Events `ready`, `change`, `reset`, `removed` and `deleted`',
      events: BucketEvents,
    },
    errors: ['forbidden', 'notFound'],
    run: async ({ db, who, environment, request }, input) => {
      const position = await readPosition(db, who, { ...input, lastEventId: String(request.headers['last-event-id']) })
      return environment.get(bucketWatch).open(who, position)
    },
  }),
]
