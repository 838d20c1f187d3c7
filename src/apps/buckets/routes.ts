import type { Environment } from '../../kernel/environment.ts'
import { appUser } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
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
import { examples } from './examples.ts'
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

const area = 'Buckets'
const path = '/app/v1/bucket'

/** What every operation that answers a bucket answers. */
const bucketOutput = json(Bucket, {
  present: presentBucket,
  headersOf: (bucket: BucketRecord) => ({ etag: `"${bucket.version}"` }),
  headers: { ETag: 'The version, for If-Match' },
})

const sharesOf = ({ config }: Environment): Shares => ({
  userPercent: config.STORAGE_USER_PERCENT,
  anonymousPercent: config.STORAGE_ANONYMOUS_PERCENT,
})

const onlyIfMatch = { 'If-Match': 'Only if the bucket is at this version; otherwise 409/4091' }
const ifMatch = (request: HttpRequest) => ({ ifMatch: request.headers['if-match'] })

export const bucketOperations: readonly Operation[] = [
  operation({
    who: appUser,
    name: 'readBucket',
    ...examples.readBucket,
    summary: 'Reads a bucket, or the part of it at a key',
    method: 'GET',
    path,
    area,
    input: ReadBucket,
    from: 'query',
    output: bucketOutput,
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => readBucket(db, who, input),
  }),
  operation({
    who: appUser,
    name: 'createBucket',
    ...examples.createBucket,
    hasLargeBody: true,
    summary: 'Creates a bucket; the caller becomes a member',
    method: 'PUT',
    path,
    area,
    input: CreateBucket,
    from: 'body',
    output: bucketOutput,
    errors: ['storageFull', 'conflict'],
    run: ({ db, who, environment }, input) => createBucket(db, who, input, sharesOf(environment)),
  }),
  operation({
    who: appUser,
    name: 'setBucketValue',
    ...examples.setBucketValue,
    hasLargeBody: true,
    summary: 'Sets a value at a key; members only, or every user where the app shares its public buckets',
    method: 'POST',
    path,
    area,
    input: SetValue,
    from: 'body',
    requestHeaders: onlyIfMatch,
    output: bucketOutput,
    errors: ['storageFull', 'forbidden', 'notFound', 'conflict'],
    run: ({ db, who, environment, request }, input) =>
      setBucketValue(db, who, { ...input, ...ifMatch(request) }, sharesOf(environment)),
  }),
  operation({
    who: appUser,
    name: 'deleteBucket',
    ...examples.deleteBucket,
    summary: 'Deletes a bucket; members only',
    method: 'DELETE',
    path,
    area,
    input: NameBucket,
    from: 'either',
    requestHeaders: onlyIfMatch,
    output: success(),
    errors: ['forbidden', 'notFound', 'conflict'],
    run: ({ db, who, request }, input) => deleteBucket(db, who, { ...input, ...ifMatch(request) }),
  }),
  operation({
    who: appUser,
    name: 'addBucketUser',
    ...examples.addBucketUser,
    summary: 'Gives a user of the app access; members only',
    method: 'POST',
    path: `${path}/user`,
    area,
    input: NameUser,
    from: 'body',
    requestHeaders: onlyIfMatch,
    output: bucketOutput,
    errors: ['forbidden', 'notFound', 'conflict'],
    run: ({ db, who, request }, input) => addBucketUser(db, who, { ...input, ...ifMatch(request) }),
  }),
  operation({
    who: appUser,
    name: 'removeBucketUser',
    ...examples.removeBucketUser,
    summary: "Removes a user's access; members only",
    method: 'POST',
    path: `${path}/user/remove`,
    area,
    input: NameUser,
    from: 'body',
    requestHeaders: onlyIfMatch,
    output: bucketOutput,
    errors: ['impossibleNow', 'storageFull', 'forbidden', 'notFound', 'conflict'],
    run: ({ db, who, environment, request }, input) =>
      removeBucketUser(db, who, { ...input, ...ifMatch(request) }, sharesOf(environment)),
  }),
  operation({
    who: appUser,
    name: 'listBuckets',
    ...examples.listBuckets,
    summary: 'Lists the ids of the buckets that the caller is in',
    method: 'GET',
    path: `${path}/list`,
    area,
    input: ListBuckets,
    from: 'query',
    output: json(BucketIds, { present: (ids: string) => ids }),
    errors: [],
    run: ({ db, who }, input) => listBuckets(db, who, input),
  }),
  operation({
    who: appUser,
    name: 'watchBucket',
    ...examples.watchBucket,
    summary: 'Streams the changes of a bucket as server-sent events; members only',
    method: 'GET',
    path: `${path}/events`,
    area,
    input: NameBucket,
    from: 'query',
    requestHeaders: { 'Last-Event-ID': 'The version that the client has seen: changes after it come first' },
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
