import { type Static, Type } from 'typebox'
import { AnyJson, Flag, Id, IdList, Text, Whole } from '../../kernel/http/input/fields.ts'

/** Maximum number of members. Larger groups can use a public bucket, or several buckets. */
export const MAX_USERS = 1000
const MAX_KEY_LENGTH = 4096
export const MAX_LISTED = 1000

const bucketId = Id('Id of the bucket, which the app chose')
const userId = Id('userId of a user of this app')

export const ReadBucket = Type.Object({
  id: bucketId,
  key: Type.Optional(Text('The key to read, in dot notation: `a.b`, or `list.0`. Empty: all data', MAX_KEY_LENGTH)),
})
export const CreateBucket = Type.Object({
  id: bucketId,
  public: Type.Optional(Flag('Whether every user of the app can read it. Default: false')),
  data: Type.Optional(AnyJson('Any JSON value. Default: {}')),
  users: Type.Optional(IdList('userIds of the members besides the creator', MAX_USERS)),
})
export const SetValue = Type.Object({
  id: bucketId,
  key: Text('The key to write, in dot notation. Empty: replaces all data', MAX_KEY_LENGTH),
  value: AnyJson('Any JSON value'),
})
export const NameBucket = Type.Object({ id: bucketId })
export const NameUser = Type.Object({ id: bucketId, userId })
export const ListBuckets = Type.Object({
  page: Type.Optional(Whole('From 1', 1, 1_000_000)),
  limit: Type.Optional(Whole('Ids per page. Default: 1000', 1, MAX_LISTED)),
})

export const Bucket = Type.Object(
  {
    id: Type.String(),
    users: Type.Array(Type.String(), { description: 'userIds of the members' }),
    public: Type.Boolean(),
    data: Type.Unknown({ description: 'Any JSON value' }),
    createdDate: Type.String({ format: 'date-time' }),
    version: Type.Integer({ description: 'Incremented with each write; also the ETag' }),
  },
  { title: 'Bucket' },
)
export const BucketIds = Type.Array(Type.String())

const BucketChange = Type.Object(
  {
    id: Type.String(),
    version: Type.Integer(),
    kind: Type.Enum(['set', 'users']),
    key: Type.Optional(Type.String({ description: 'The key, if the data changed' })),
    userId: Type.String({ description: 'The user who made the change' }),
    changedDate: Type.String({ format: 'date-time' }),
    value: Type.Optional(Type.Unknown({ description: 'The new value; left out if it is large: read it by its key' })),
    users: Type.Optional(Type.Array(Type.String(), { description: 'All members, if they changed' })),
  },
  { title: 'BucketChange' },
)
export const BucketEvents = {
  ready: {
    about: 'The stream has started; the bucket is at this version',
    data: Type.Object({ id: Type.String(), version: Type.Integer() }),
  },
  change: { about: 'One change; its id is the version', data: BucketChange },
  reset: { about: 'Missed changes are no longer stored: the whole bucket as it is now', data: Bucket },
  removed: { about: 'The user is no longer a member; the stream ends', data: NameBucket },
  deleted: { about: 'The bucket was deleted; the stream ends', data: NameBucket },
}

export type ReadBucket = Static<typeof ReadBucket>
export type CreateBucket = Static<typeof CreateBucket>
export type SetValue = Static<typeof SetValue>
export type NameBucket = Static<typeof NameBucket>
export type NameUser = Static<typeof NameUser>
export type ListBuckets = Static<typeof ListBuckets>

/** A bucket as operations return it. `dataText` is the stored JSON text, which is never parsed. */
export interface BucketRecord {
  readonly id: string
  readonly users: readonly string[]
  readonly isPublic: boolean
  readonly dataText: string
  readonly createdDate: string
  readonly version: number
}

/** Writes the JSON by hand, so that the stored JSON text need not be parsed and serialised again. */
export const presentBucket = (bucket: BucketRecord): string =>
  `{"id":${JSON.stringify(bucket.id)},"users":${JSON.stringify(bucket.users)},"public":${bucket.isPublic},"data":${bucket.dataText},"createdDate":"${bucket.createdDate}","version":${bucket.version}}`
