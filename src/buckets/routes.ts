import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type Operation, streamOperation, userOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/output/success.ts'
import {
  addBucketUser,
  createBucket,
  deleteBucket,
  listBuckets,
  readBucket,
  readPosition,
  removeBucketUser,
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

const area = 'Buckets'
const path = '/app/v1/bucket'

const headersOf = (bucket: BucketRecord) => ({ etag: `"${bucket.version}"` })
/** What every operation that answers a bucket has in common. */
const bucketAnswer = {
  answer: Bucket,
  present: presentBucket,
  headersOf,
  answerHeaders: { ETag: 'The version, for If-Match' },
}

const onlyIfMatch = { 'If-Match': 'Only if the bucket is at this version; otherwise 409/4091' }
const ifMatch = (request: FastifyRequest) => ({ ifMatch: request.headers['if-match'] })

export const bucketOperations: readonly Operation[] = [
  userOperation({
    name: 'readBucket',
    summary: 'Reads a bucket, or the part of it at a key',
    method: 'GET',
    path,
    area,
    input: ReadBucket,
    place: 'query',
    ...bucketAnswer,
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => readBucket(db, who, input),
  }),
  userOperation({
    name: 'createBucket',
    hasLargeBody: true,
    summary: 'Makes a bucket; the caller becomes a member',
    method: 'PUT',
    path,
    area,
    input: CreateBucket,
    place: 'body',
    ...bucketAnswer,
    errors: ['storageFull', 'conflict'],
    run: ({ db, who }, input) => createBucket(db, who, input),
  }),
  userOperation({
    name: 'setBucketValue',
    hasLargeBody: true,
    summary: 'Sets a value at a key; members only',
    method: 'POST',
    path,
    area,
    input: SetValue,
    place: 'body',
    requestHeaders: onlyIfMatch,
    ...bucketAnswer,
    errors: ['storageFull', 'forbidden', 'notFound', 'conflict'],
    run: ({ db, who, request }, input) => setBucketValue(db, who, { ...input, ...ifMatch(request) }),
  }),
  userOperation({
    name: 'deleteBucket',
    summary: 'Deletes a bucket; members only',
    method: 'DELETE',
    path,
    area,
    input: NameBucket,
    place: 'either',
    requestHeaders: onlyIfMatch,
    answer: Success,
    errors: ['forbidden', 'notFound', 'conflict'],
    run: async ({ db, who, request }, input) => {
      await deleteBucket(db, who, { ...input, ...ifMatch(request) })
      return SUCCESS
    },
  }),
  userOperation({
    name: 'addBucketUser',
    summary: 'Gives a user of the app access; members only',
    method: 'POST',
    path: `${path}/user`,
    area,
    input: NameUser,
    place: 'body',
    requestHeaders: onlyIfMatch,
    ...bucketAnswer,
    errors: ['forbidden', 'notFound', 'conflict'],
    run: ({ db, who, request }, input) => addBucketUser(db, who, { ...input, ...ifMatch(request) }),
  }),
  userOperation({
    name: 'removeBucketUser',
    summary: "Takes a user's access away; members only",
    method: 'POST',
    path: `${path}/user/remove`,
    area,
    input: NameUser,
    place: 'body',
    requestHeaders: onlyIfMatch,
    ...bucketAnswer,
    errors: ['impossibleNow', 'forbidden', 'notFound', 'conflict'],
    run: ({ db, who, request }, input) => removeBucketUser(db, who, { ...input, ...ifMatch(request) }),
  }),
  userOperation({
    name: 'listBuckets',
    summary: 'Lists the ids of the buckets that the caller is in',
    method: 'GET',
    path: `${path}/list`,
    area,
    input: ListBuckets,
    place: 'query',
    answer: BucketIds,
    present: (ids: string) => ids,
    errors: [],
    run: ({ db, who }, input) => listBuckets(db, who, input),
  }),
  streamOperation({
    name: 'watchBucket',
    summary: 'Streams the changes of a bucket as server-sent events; members only',
    method: 'GET',
    path: `${path}/events`,
    area,
    input: NameBucket,
    place: 'query',
    requestHeaders: { 'Last-Event-ID': 'The version that the client has seen: changes after it come first' },
    answer: Type.String({ description: 'Events `ready`, `change`, `reset`, `removed` and `deleted`' }),
    events: BucketEvents,
    errors: ['forbidden', 'notFound'],
    run: async ({ db, who, environment, request }, input) => {
      const position = await readPosition(db, who, { ...input, lastEventId: String(request.headers['last-event-id']) })
      return environment.bucketWatch.open(who, position)
    },
  }),
]
