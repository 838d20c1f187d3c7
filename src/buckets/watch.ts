import type { AppUser } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { service } from '../environment.ts'
import { Feed, type FeedSource } from '../feeds/feed.ts'
import type { EventSink } from '../feeds/sink.ts'
import { type BucketRecord, presentBucket } from './schema.ts'
import * as store from './store.ts'

const MAX_STREAMS_OF_USER = 50

/** Where a stream starts. */
export interface Position {
  readonly bucketNo: number
  readonly id: string
  readonly version: number
  /** The version up to which the client has seen the changes. */
  readonly seen: number
}

interface Member {
  readonly userId: string
  readonly bucketId: string
}

/** Tells members what changed in their buckets: the number of a change is the bucket's version. */
export class BucketWatch extends Feed<Member> {
  constructor(db: Db, total: number) {
    super(bucketSource(db), { total, ofOwner: MAX_STREAMS_OF_USER })
  }

  open({ userId }: AppUser, { bucketNo, id, version, seen }: Position): (sink: EventSink) => void {
    const first = { id: seen, event: 'ready', data: JSON.stringify({ id, version }) }
    return this.follow({ key: bucketNo, follower: { userId, bucketId: id }, owner: userId, seen, first })
  }
}

const bucketSource = (db: Db): FeedSource<Member> => ({
  look: async (nos) => {
    const rows = await db.all(store.listVersions, { nos: [...nos] })
    return new Map(rows.map((row) => [row.bucket_no, row.version]))
  },
  findStanding: async (no) => {
    const members = await db.all(store.listMembers, { no })
    const since = new Map(members.map((member) => [member.user_id, member.since_version]))
    const event = members.length > 0 ? 'removed' : 'deleted'
    return {
      last: members[0]?.version ?? 0,
      standingOf: ({ userId, bucketId }) => since.get(userId) ?? { event, data: JSON.stringify({ id: bucketId }) },
    }
  },
  read: async (no, after, last) => {
    const changes = await db.all(store.listChanges, { no, after, last })
    if (changes[0]?.version !== after + 1) return undefined
    return changes.map((change) => ({ id: change.version, event: 'change', data: presentChange(change) }))
  },
  readWhole: async (no) => {
    const row = await db.first(store.findByNumber, { no })
    if (!row) return () => undefined
    const whole = { id: row.version, event: 'reset', data: presentBucket(toRecord(row)) }
    return ({ userId }) => (row.users.includes(userId) ? whole : undefined)
  },
})

/** `value` is there where it is small; otherwise read the bucket at `key`. */
function presentChange(change: RowOf<typeof store.listChanges>): string {
  const facts = JSON.stringify({
    id: change.bucket_id,
    version: change.version,
    kind: change.kind,
    ...(change.key === null ? {} : { key: change.key }),
    userId: change.user_id,
    changedDate: change.changed_at.toISOString(),
  })
  if (change.value === null) return facts
  return `${facts.slice(0, -1)},"${change.kind === 'users' ? 'users' : 'value'}":${change.value}}`
}

const toRecord = (row: RowOf<typeof store.findByNumber>): BucketRecord => ({
  id: row.id,
  users: row.users,
  isPublic: row.public,
  dataText: row.data,
  createdAt: row.created_at,
  version: row.version,
})

export const bucketWatch = service(
  ({ db, config }) => new BucketWatch(db, config.STREAM_LIMIT),
  (watch) => watch.close(),
)
