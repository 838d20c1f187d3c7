import { fail } from '../errors.ts'
import type { EventSink } from './sink.ts'

/**
 * Polling interval, and so the longest delay before a change is seen. A poll is one small statement, and only runs
 * while there are followers.
 */
const LOOK_EVERY_MS = 100

type SinkEvent = Parameters<EventSink['send']>[0]

/** An event with its position in a sequence. */
export interface FeedEvent extends SinkEvent {
  readonly id: number
  /** True if nothing is sent to the follower; only its position advances. */
  readonly isSilent?: boolean
}

/** The access rights of the followers of one sequence, as of one moment. */
interface FeedAccess<F> {
  /** The latest position that this result covers. */
  readonly last: number
  /**
   * Returns the position up to which changes are hidden from this follower, or the event that ends the follower's
   * stream.
   */
  accessOf(follower: F): number | SinkEvent
}

/**
 * Gives access to sequences of events with increasing positions. Each sequence has a numeric key. `F` describes a
 * follower.
 */
export interface FeedSource<F> {
  /** Interval at which access is checked again, because access can change without a new event in the sequence. */
  readonly recheckMs?: number
  /** Delay before the next page for followers that have more to read, if shorter than the polling interval. */
  readonly catchUpMs?: number
  /** Reads the newest position of each sequence in one statement. The result has no entry for a deleted sequence. */
  look(keys: readonly number[]): Promise<ReadonlyMap<number, number>>
  readAccess(key: number, followers: readonly F[]): Promise<FeedAccess<F>>
  /** Reads a page of events after this position, in order; undefined if some of those events are no longer stored. */
  read(key: number, after: number, last: number): Promise<readonly FeedEvent[] | undefined>
  /**
   * Reads the current state, for followers that have missed events which are no longer stored. The returned function
   * gives undefined for a follower that may not see the state.
   */
  readWhole(key: number): Promise<(follower: F) => FeedEvent | undefined>
}

/** A limit in addition to the total: at most `most` streams with the same key. */
export interface FeedCount {
  readonly key: string
  readonly most: number
  /** The owner of the streams, as the subject of an error message: "A user". */
  readonly whose: string
}

/** The sequence that a new stream follows, and the position at which it starts. */
export interface FollowOptions<F> {
  readonly key: number
  readonly follower: F
  readonly counts: readonly FeedCount[]
  /** The last position that the follower has seen (Last-Event-ID). */
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
 * Sends new events to the followers of sequences, whichever process wrote the events. It polls the newest positions of
 * all followed sequences at once, and then reads the sequences that have advanced. Clients send their position as
 * Last-Event-ID, so nothing is lost when a connection or a process ends.
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

  /** Reserves a stream immediately, or throws if a limit is reached. The returned function starts the stream. */
  follow({ key, follower, counts, seen, first }: FollowOptions<F>): (sink: EventSink) => void {
    if (this.#size >= this.#total) throw fail('tooManyRequests', 'Too many streams are open; try again later', 5)
    for (const { key, most, whose } of counts)
      if ((this.#countOf.get(key) ?? 0) >= most)
        throw fail('tooManyRequests', `${whose} can have at most ${most} open streams`, 5)
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
      // Ignores database outages, because the next poll catches up.
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
    // Followers at the same position share one read. Nearly all followers are at the same position.
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
      // An undefined event means that access has changed since; the next poll handles that.
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
