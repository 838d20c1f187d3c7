import { fail } from '../errors.ts'
import type { EventSink } from './sink.ts'

/** Longest delay before news is seen. Each poll is one small statement, and only while there are followers. */
const LOOK_EVERY_MS = 100

type SinkEvent = Parameters<EventSink['send']>[0]

/** An event with its number in its sequence. */
export interface FeedEvent extends SinkEvent {
  readonly id: number
  /** Advances the follower without sending anything. */
  readonly isSilent?: boolean
}

/** Read access of the followers of one sequence, as of one moment. */
interface FeedAccess<F> {
  /** The latest number covered by this answer. */
  readonly last: number
  /** Returns the number up to which changes are hidden from this follower, or the event that ends their stream. */
  accessOf(follower: F): number | SinkEvent
}

/** Sequences of growing numbers, by key. `F` is what the source must know about a follower. */
export interface FeedSource<F> {
  /** Interval for checking access again, because it can change without news in the sequence. */
  readonly recheckMs?: number
  /** Delay before followers with more to read get their next page, if sooner than the next poll. */
  readonly catchUpMs?: number
  /** Reads the newest number of each sequence in one statement. A deleted sequence has none. */
  look(keys: readonly number[]): Promise<ReadonlyMap<number, number>>
  readAccess(key: number, followers: readonly F[]): Promise<FeedAccess<F>>
  /** Reads a page of events after that number, in order; undefined if some of them are no longer stored. */
  read(key: number, after: number, last: number): Promise<readonly FeedEvent[] | undefined>
  /**
   * Reads the current state, for followers that missed events no longer stored; undefined for followers that may not
   * see it.
   */
  readWhole(key: number): Promise<(follower: F) => FeedEvent | undefined>
}

/** A limit that a stream counts against, beside the total: at most `most` streams per key. */
export interface FeedCount {
  readonly key: string
  readonly most: number
  /** Owner of the streams, as the subject of a sentence: "A user". */
  readonly whose: string
}

/** A new stream and its start position. */
export interface FollowOptions<F> {
  readonly key: number
  readonly follower: F
  readonly counts: readonly FeedCount[]
  /** Last number that the follower has seen: Last-Event-ID. */
  readonly seen: number
  readonly first: SinkEvent
}

interface Listener<F> {
  readonly sink: EventSink
  readonly key: number
  readonly follower: F
  readonly counts: readonly FeedCount[]
  seen: number
}

/**
 * Sends followers the news of their sequences, whichever process wrote it. It polls the newest numbers of all followed
 * sequences at once, and then reads those that moved. A follower's position is in Last-Event-ID, so nothing is lost
 * with a connection or a process.
 */
export class Feed<F> {
  readonly #source: FeedSource<F>
  readonly #total: number
  readonly #listeners = new Map<number, Set<Listener<F>>>()
  readonly #countOf = new Map<string, number>()
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #recheckAt = 0
  #isBehind = false
  #isClosed = false

  constructor(source: FeedSource<F>, total: number) {
    this.#source = source
    this.#total = total
  }

  get size(): number {
    return this.#size
  }

  /** Reserves a stream immediately, or refuses. The returned function starts the stream. */
  follow({ key, follower, counts, seen, first }: FollowOptions<F>): (sink: EventSink) => void {
    if (this.#size >= this.#total) throw fail('tooManyRequests', 'Too many streams are open here; try again later', 5)
    for (const { key, most, whose } of counts)
      if ((this.#countOf.get(key) ?? 0) >= most)
        throw fail('tooManyRequests', `${whose} may have ${most} streams open`, 5)
    this.#size++
    for (const { key } of counts) this.#countOf.set(key, (this.#countOf.get(key) ?? 0) + 1)
    return (sink) => {
      const listener = { sink, key, follower, counts, seen }
      this.#listeners.set(key, (this.#listeners.get(key) ?? new Set()).add(listener))
      sink.onClose(() => this.#remove(listener))
      sink.send(first)
      this.#schedule()
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #remove(listener: Listener<F>): void {
    const listeners = this.#listeners.get(listener.key)
    if (!listeners?.delete(listener)) return
    if (listeners.size === 0) this.#listeners.delete(listener.key)
    for (const { key } of listener.counts) {
      const left = (this.#countOf.get(key) ?? 0) - 1
      if (left > 0) this.#countOf.set(key, left)
      else this.#countOf.delete(key)
    }
    this.#size--
  }

  #schedule(): void {
    if (this.#timer || this.#isClosed || this.#size === 0) return
    const { catchUpMs = LOOK_EVERY_MS } = this.#source
    const waitMs = this.#isBehind ? catchUpMs : LOOK_EVERY_MS
    this.#timer = setTimeout(async () => {
      this.#isBehind = false
      // Ignores database outages: the next poll catches up.
      await this.#look().catch(() => {})
      this.#timer = undefined
      this.#schedule()
    }, waitMs)
  }

  async #look(): Promise<void> {
    const newest = await this.#source.look([...this.#listeners.keys()])
    const { recheckMs } = this.#source
    const isRecheck = recheckMs !== undefined && performance.now() >= this.#recheckAt
    if (isRecheck) this.#recheckAt = performance.now() + recheckMs
    const moved = [...this.#listeners].filter(([key, listeners]) => {
      const last = newest.get(key)
      return isRecheck || last === undefined || [...listeners].some(({ seen }) => seen !== last)
    })
    await Promise.all(moved.map(([key, listeners]) => this.#tell(key, [...listeners])))
  }

  async #tell(key: number, listeners: readonly Listener<F>[]): Promise<void> {
    const { last, accessOf } = await this.#source.readAccess(
      key,
      listeners.map(({ follower }) => follower),
    )
    const lost: Listener<F>[] = []
    // Followers at the same number, as nearly all are, share one read.
    const groups = new Map<number, Listener<F>[]>()
    for (const listener of listeners) {
      const { sink, follower, seen } = listener
      const since = accessOf(follower)
      if (typeof since === 'object') {
        sink.send(since)
        sink.close()
      } else if (sink.isBusy?.()) continue
      else if (seen < since || seen > last) lost.push(listener)
      else if (seen < last) groups.set(seen, [...(groups.get(seen) ?? []), listener])
    }
    const read = async ([seen, group]: [number, Listener<F>[]]): Promise<void> => {
      const events = await this.#source.read(key, seen, last)
      if (!events) return void lost.push(...group)
      for (const listener of group) sendAll(listener, events)
      if (group.some((listener) => listener.seen < last)) this.#isBehind = true
    }
    await Promise.all([...groups].map(read))
    if (lost.length === 0) return
    const wholeFor = await this.#source.readWhole(key)
    for (const listener of lost) {
      const event = wholeFor(listener.follower)
      // If there is none, the next poll finds the reason.
      if (event) sendAll(listener, [event])
    }
  }
}

function sendAll(listener: Listener<unknown>, events: readonly FeedEvent[]): void {
  for (const event of events) {
    if (!event.isSilent) listener.sink.send(event)
    listener.seen = event.id
  }
}
