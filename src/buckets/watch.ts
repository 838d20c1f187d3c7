import type { AppUser } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { fail } from '../errors.ts'
import type { EventSink } from '../http/operation.ts'
import { type BucketRecord, presentBucket } from './schema.ts'
import * as store from './store.ts'

/** How long a change may take to be seen; one small statement each time, and only while somebody watches. */
const LOOK_EVERY_MS = 100
const MAX_STREAMS_OF_USER = 50

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

  /** Refuses before a stream is opened. */
  checkRoom(who: AppUser): void {
    if (this.#size >= this.#most) throw fail('tooManyRequests', 'Too many streams are open here; try again later', 5)
    let own = 0
    for (const watchers of this.#watchers.values())
      for (const watcher of watchers) if (watcher.userId === who.userId) own++
    if (own >= MAX_STREAMS_OF_USER)
      throw fail('tooManyRequests', `A user may have ${MAX_STREAMS_OF_USER} streams open`, 5)
  }

  add(sink: EventSink, who: AppUser, bucket: { bucketNo: number; id: string; seen: number }): void {
    const watcher: Watcher = {
      sink,
      bucketNo: bucket.bucketNo,
      bucketId: bucket.id,
      userId: who.userId,
      seen: bucket.seen,
    }
    const watchers = this.#watchers.get(bucket.bucketNo) ?? new Set()
    this.#watchers.set(bucket.bucketNo, watchers.add(watcher))
    this.#size++
    sink.onClose(() => this.#remove(watcher))
    this.#schedule()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #remove(watcher: Watcher): void {
    const watchers = this.#watchers.get(watcher.bucketNo)
    if (!watchers?.delete(watcher)) return
    this.#size--
    if (watchers.size === 0) this.#watchers.delete(watcher.bucketNo)
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
    const after = Math.min(...watchers.map((watcher) => watcher.seen))
    const [changes, row] = await Promise.all([
      this.#db.all(store.listChanges, { no, after }),
      this.#db.first(store.readByNumber, { no }),
    ])
    for (const watcher of watchers) {
      if (!row) finish(watcher, 'deleted')
      else if (!row.users.includes(watcher.userId)) finish(watcher, 'removed')
      else sendChanges(watcher, changes, row)
    }
  }
}

type Change = RowOf<typeof store.listChanges>

/** Each change in turn; where some are no longer kept, the whole bucket as it is now. */
function sendChanges(watcher: Watcher, changes: Change[], row: RowOf<typeof store.readByNumber>): void {
  const unseen = changes.filter((change) => change.version > watcher.seen)
  const isWhole = unseen.length > 0 && unseen[0]?.version === watcher.seen + 1
  if (isWhole) {
    for (const change of unseen) {
      watcher.sink.send({ id: change.version, event: 'change', data: presentChange(watcher.bucketId, change) })
      watcher.seen = change.version
    }
  } else if (row.version !== watcher.seen) {
    watcher.sink.send({ id: row.version, event: 'reset', data: presentBucket(toRecord(row)) })
    watcher.seen = row.version
  }
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

const toRecord = (row: RowOf<typeof store.readByNumber>): BucketRecord => ({
  id: row.id,
  users: row.users,
  isPublic: row.public,
  dataText: row.data,
  createdAt: row.created_at,
  version: row.version,
})
