import { networkOf } from '../../kernel/bounds/networks.ts'
import type { AppUser } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { service } from '../../kernel/environment.ts'
import { Feed, type FeedCount, type FeedSource } from '../../kernel/feeds/feed.ts'
import type { EventSink } from '../../kernel/feeds/sink.ts'
import { type BucketRecord, presentBucket } from './schema.ts'
import * as store from './store.ts'

const MAX_STREAMS_OF_USER = 50

/**
 * The maximum number of streams in this process: in total, for the anonymous users of one network, and for all
 * anonymous users.
 */
interface StreamLimits {
  readonly total: number
  readonly ofNetwork: number
  readonly ofAnonymous: number
}

/** The position at which a stream starts. */
export interface Position {
  readonly bucketNo: number
  readonly id: string
  readonly version: number
  /** The last version that the client has seen. */
  readonly seen: number
}

interface Member {
  readonly userId: string
  readonly bucketId: string
}

/** Streams the changes of buckets to their members. The event id of a change is the bucket's version after it. */
class BucketWatch extends Feed<Member> {
  readonly #limits: StreamLimits

  constructor(db: Db, limits: StreamLimits) {
    super(bucketSource(db), limits.total)
    this.#limits = limits
  }

  open(who: AppUser, { bucketNo, id, version, seen }: Position): (sink: EventSink) => void {
    const { userId } = who
    const first = { id: seen, event: 'ready', data: JSON.stringify({ id, version }) }
    return this.follow({
      key: bucketNo,
      follower: { userId, bucketId: id },
      counts: countsOf(who, this.#limits),
      seen,
      first,
    })
  }
}

/**
 * Returns the limits that apply to a user's streams. Any number of anonymous users can be created, so their streams are
 * also counted per network and for all anonymous users together.
 */
function countsOf({ userId, isAnonymous, address }: AppUser, { ofNetwork, ofAnonymous }: StreamLimits): FeedCount[] {
  const own = { key: userId, most: MAX_STREAMS_OF_USER, whose: 'A user' }
  if (!isAnonymous) return [own]
  const network = `network ${networkOf(address)}`
  return [
    own,
    { key: network, most: ofNetwork, whose: 'The anonymous users of one network' },
    { key: 'anonymous', most: ofAnonymous, whose: 'All anonymous users' },
  ]
}

const bucketSource = (db: Db): FeedSource<Member> => ({
  look: async (nos) => {
    const rows = await db.all(store.listVersions, { nos: [...nos] })
    return new Map(rows.map((row) => [row.bucket_no, row.version]))
  },
  readAccess: async (no) => {
    const members = await db.all(store.listMembers, { no })
    const since = new Map(members.map((member) => [member.user_id, member.since_version]))
    const event = members.length > 0 ? 'removed' : 'deleted'
    return {
      last: members[0]?.version ?? 0,
      accessOf: ({ userId, bucketId }) => since.get(userId) ?? { event, data: JSON.stringify({ id: bucketId }) },
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

/** Serialises a change. A large `value` is left out; the client must then read the bucket at `key`. */
function presentChange(change: RowOf<typeof store.listChanges>): string {
  const facts = JSON.stringify({
    id: change.bucket_id,
    version: change.version,
    kind: change.kind,
    ...(change.key === null ? {} : { key: change.key }),
    userId: change.user_id,
    changedDate: change.changed_at,
  })
  if (change.value === null) return facts
  return `${facts.slice(0, -1)},"${change.kind === 'users' ? 'users' : 'value'}":${change.value}}`
}

const toRecord = (row: RowOf<typeof store.findByNumber>): BucketRecord => ({
  id: row.id,
  users: row.users,
  isPublic: row.public,
  dataText: row.data,
  createdDate: row.created_at,
  version: row.version,
})

const shareOf = (total: number, percent: number): number => Math.ceil((total * percent) / 100)

export const bucketWatch = service(
  ({ db, config: { STREAM_LIMIT: total, STREAM_NETWORK_PERCENT, STREAM_ANONYMOUS_PERCENT } }) =>
    new BucketWatch(db, {
      total,
      ofNetwork: shareOf(total, STREAM_NETWORK_PERCENT),
      ofAnonymous: shareOf(total, STREAM_ANONYMOUS_PERCENT),
    }),
  (watch) => watch.close(),
)
