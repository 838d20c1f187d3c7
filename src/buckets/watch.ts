import type { AppUser } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { service } from '../environment.ts'
import { fail } from '../errors.ts'
import type { EventSink } from '../feeds/sink.ts'
import { type BucketRecord, presentBucket } from './schema.ts'
import * as store from './store.ts'

/** How long a change may take to be seen; one small statement each time, and only while somebody watches. */
const LOOK_EVERY_MS = 100
const MAX_STREAMS_OF_USER = 50

/** Where a stream starts. */
export interface Position {
  readonly bucketNo: number
  readonly id: string
  readonly version: number
  /** The version up to which the client has seen the changes. */
  readonly seen: number
}

interface Watcher {
  readonly sink: EventSink
  readonly bucketNo: number
  readonly bucketId: string
  readonly userId: string
  /** The version that this watcher has seen. */
  seen: number
}

/**
 * Tells watchers what changed in their buckets, whichever process changed it: it looks at the versions of all watched buckets at once, and then reads the changes of
 * those that moved.
 */
export class BucketWatch {
  readonly #db: Db
  readonly #most: number
  readonly #watchers = new Map<number, Set<Watcher>>()
  readonly #streamsOf = new Map<string, number>()
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(db: Db, most: number) {
    this.#db = db
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  /** Takes a place for the stream at once, or refuses; what it returns starts the stream. */
  open({ userId }: AppUser, { bucketNo, id, version, seen }: Position): (sink: EventSink) => void {
    const own = this.#streamsOf.get(userId) ?? 0
    if (this.#size >= this.#most) throw fail('tooManyRequests', 'Too many streams are open here; try again later', 5)
    if (own >= MAX_STREAMS_OF_USER)
      throw fail('tooManyRequests', `A user may have ${MAX_STREAMS_OF_USER} streams open`, 5)
    this.#size++
    this.#streamsOf.set(userId, own + 1)
    return (sink) => {
      const watcher: Watcher = { sink, bucketNo, bucketId: id, userId, seen }
      this.#watchers.set(bucketNo, (this.#watchers.get(bucketNo) ?? new Set()).add(watcher))
      sink.onClose(() => this.#remove(watcher))
      sink.send({ id: seen, event: 'ready', data: JSON.stringify({ id, version }) })
      this.#schedule()
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #remove(watcher: Watcher): void {
    const watchers = this.#watchers.get(watcher.bucketNo)
    if (!watchers?.delete(watcher)) return
    if (watchers.size === 0) this.#watchers.delete(watcher.bucketNo)
    const left = (this.#streamsOf.get(watcher.userId) ?? 0) - 1
    if (left > 0) this.#streamsOf.set(watcher.userId, left)
    else this.#streamsOf.delete(watcher.userId)
    this.#size--
  }

  #schedule(): void {
    if (this.#timer || this.#isClosed || this.#size === 0) return
    this.#timer = setTimeout(async () => {
      // A database that is away is somebody else's worry: the next look catches up.
      await this.#look().catch(() => {})
      this.#timer = undefined
      this.#schedule()
    }, LOOK_EVERY_MS)
  }

  async #look(): Promise<void> {
    const rows = await this.#db.all(store.listVersions, { nos: [...this.#watchers.keys()] })
    const versions = new Map(rows.map((row) => [row.bucket_no, row.version]))
    const moved = [...this.#watchers].filter(([no, watchers]) => {
      const version = versions.get(no)
      return version === undefined || [...watchers].some((watcher) => watcher.seen !== version)
    })
    await Promise.all(moved.map(([no, watchers]) => this.#tell(no, [...watchers])))
  }

  async #tell(no: number, watchers: Watcher[]): Promise<void> {
    const members = await this.#db.all(store.listMembers, { no })
    const since = new Map(members.map((member) => [member.user_id, member.since_version]))
    const present = watchers.filter((watcher) => {
      const isMember = since.has(watcher.userId)
      if (!isMember) finish(watcher, members.length > 0 ? 'removed' : 'deleted')
      return isMember
    })
    if (present.length === 0) return
    // Nothing past the moment for which membership is known, and nothing from before it began.
    const last = members[0]!.version
    const after = Math.min(...present.map((watcher) => watcher.seen))
    const changes = await this.#db.all(store.listChanges, { no, after, last })
    const lost = present.filter((watcher) => {
      if (watcher.seen === last) return false
      return watcher.seen < since.get(watcher.userId)! || !sendChanges(watcher, changes)
    })
    if (lost.length > 0) await this.#reset(no, lost)
  }

  /** For those who have missed changes that are no longer kept: the whole bucket as it is now. */
  async #reset(no: number, watchers: Watcher[]): Promise<void> {
    const row = await this.#db.first(store.findByNumber, { no })
    for (const watcher of watchers) {
      // The next look has the reason.
      if (!row?.users.includes(watcher.userId)) continue
      watcher.sink.send({ id: row.version, event: 'reset', data: presentBucket(toRecord(row)) })
      watcher.seen = row.version
    }
  }
}

type Change = RowOf<typeof store.listChanges>

/** Sends each change in turn; false where the first that this watcher needs is missing. */
function sendChanges(watcher: Watcher, changes: Change[]): boolean {
  const unseen = changes.filter((change) => change.version > watcher.seen)
  if (unseen[0]?.version !== watcher.seen + 1) return false
  for (const change of unseen) {
    watcher.sink.send({ id: change.version, event: 'change', data: presentChange(watcher.bucketId, change) })
    watcher.seen = change.version
  }
  return true
}

function finish({ sink, bucketId }: Watcher, event: 'deleted' | 'removed'): void {
  sink.send({ event, data: JSON.stringify({ id: bucketId }) })
  sink.close()
}

/** `value` is there where it is small; otherwise read the bucket at `key`. */
function presentChange(id: string, change: Change): string {
  const facts = JSON.stringify({
    id,
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
