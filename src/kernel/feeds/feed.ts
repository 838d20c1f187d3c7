import { fail } from '../errors.ts'
import type { EventSink } from './sink.ts'

/** How long news may take to be seen; one small statement each time, and only while somebody follows. */
const LOOK_EVERY_MS = 100

type SinkEvent = Parameters<EventSink['send']>[0]

/** An event with its number in the sequence. */
export interface FeedEvent extends SinkEvent {
  readonly id: number
  /** Nothing is told; a follower stands there all the same. */
  readonly isSilent?: boolean
}

/** Who may be told what about one sequence, as of one moment. */
interface Standing<F> {
  /** Nothing past this number is known to be for them. */
  readonly last: number
  /** Changes up to this number are not for this follower; or the event that ends their stream. */
  standingOf(follower: F): number | SinkEvent
}

/** The sequences that a feed follows, by their keys; numbers in a sequence grow. `F` is what a source has to know about a follower. */
export interface FeedSource<F> {
  /** Who may follow can change without news in the sequence: then it is looked at so often, too. */
  readonly recheckMs?: number
  /** How soon those are looked after who have more to read, where that is sooner than the next look. */
  readonly catchUpMs?: number
  /** The newest number of each sequence, in one statement for all; nothing for one that is gone. */
  look(keys: readonly number[]): Promise<ReadonlyMap<number, number>>
  findStanding(key: number, followers: readonly F[]): Promise<Standing<F>>
  /** A page of what came after that number, in order; undefined where some of it is no longer kept. */
  read(key: number, after: number, last: number): Promise<readonly FeedEvent[] | undefined>
  /** All of it as it is now, for those who have missed something that is no longer kept; undefined for those who may not see it. */
  readWhole(key: number): Promise<(follower: F) => FeedEvent | undefined>
}

/** What a stream counts for, beside the total: so many at most under one key. */
export interface FeedCount {
  readonly key: string
  readonly most: number
  /** Whose streams those are, as the beginning of a sentence: "A user". */
  readonly whose: string
}

/** Where a follower begins. */
export interface Following<F> {
  readonly key: number
  readonly follower: F
  readonly counts: readonly FeedCount[]
  /** Up to which number everything is known: Last-Event-ID. */
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
 * Tells followers what is new in their sequences, whichever process wrote it: it looks at the newest numbers of all that are followed here at once, and then reads those
 * that moved. Where somebody stands is in the database and in Last-Event-ID, so nothing is lost with a connection or a process.
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

  /** Takes a place at once, or refuses; what it returns starts the stream. */
  follow({ key, follower, counts, seen, first }: Following<F>): (sink: EventSink) => void {
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
      // A database that is away is somebody else's worry: the next look catches up.
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
    const { last, standingOf } = await this.#source.findStanding(
      key,
      listeners.map(({ follower }) => follower),
    )
    const lost: Listener<F>[] = []
    // Those who stand at the same number, as nearly all do, share what is read.
    const groups = new Map<number, Listener<F>[]>()
    for (const listener of listeners) {
      const { sink, follower, seen } = listener
      const since = standingOf(follower)
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
      // Where there is none, the next look has the reason.
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
