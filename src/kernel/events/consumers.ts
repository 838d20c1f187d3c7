import type { Db } from '../database/database.ts'
import { growing, type JobParts } from '../jobs/jobs.ts'
import { Loop, waitAtMost } from '../jobs/loop.ts'
import { hear } from '../jobs/wake.ts'
import { EVENTS, type Event } from './events.ts'
import * as store from './store.ts'

// biome-ignore lint/suspicious/noExplicitAny: a list holds consumers of different events
export interface Consumer<Parts = JobParts, E extends Event = any> {
  readonly name: string
  readonly kinds: readonly E['kind'][]
  /** Where a consumer begins that was never there before. */
  readonly start: 'beginning' | 'end'
  /** Events at once: 100 where nothing is said. */
  readonly most?: number
  /** After so many failed tries an event is put aside: 8 where nothing is said, which is two minutes. */
  readonly tries?: number
  /**
   * Takes in some events, in their order, in the transaction that also moves the position: what it writes there happens once. It must be brief, and it does nothing outside of
   * the database: that is what jobs are for.
   */
  handle(tx: Db, events: readonly E[], parts: Parts): Promise<void>
}

/** Topic within one process: there is something to read. */
const PUBLISHED = 'events published'
/** In case nobody tells that there is something: one look for the publisher and all readers. */
const LOOK_MS = 1000
/** Those who emit at the same time are read together. */
const WAKE_MS = 20
const BUSY_MS = 100
const PUBLISHED_AT_ONCE = 1000
const SCANNED_AT_ONCE = 500
const TAKEN_AT_ONCE = 100
const TRIES = 8
const waits = growing(1000, 60_000)
const PROBLEM_LENGTH = 500

/** Publishes what was emitted, and lets consumers read it, for as long as the process runs. Several processes share the work. */
export function startConsumers<Parts extends JobParts>(
  parts: Parts,
  consumers: readonly Consumer<Parts>[],
): { stop(): Promise<void> } {
  const { db, log, stopping, config } = parts
  const readers = new Map(consumers.map((consumer) => [consumer.name, new Reader(parts, consumer)]))
  const publisher = new Loop({
    work: async () => {
      const result = await publishAll(db, () => publisher.isStopped)
      if (result === 'busy') publisher.wakeIn(WAKE_MS)
      // All readers of this process, whoever started them.
      if (result === 'published') db.tellHere(JSON.stringify({ topic: PUBLISHED }))
    },
    onProblem: ({ message }) => log.warn({ problem: message }, 'events cannot be published'),
  })
  const names = consumers.map(({ name }) => name)
  const fromEnd = consumers.filter(({ start }) => start === 'end').map(({ name }) => name)
  let areKnown = false
  const look = new Loop({
    everyMs: LOOK_MS,
    work: async () => {
      if (!areKnown) await db.all(store.insertConsumers, { names, fromEnd })
      areKnown = true
      const [found] = await db.all(store.look, { names })
      if (found!.is_emitted) publisher.wake()
      for (const name of found!.behind) readers.get(name)!.wake()
    },
    onProblem: ({ message }) => log.warn({ problem: message }, 'events cannot be looked for'),
  })
  db.onMessage(PUBLISHED, () => {
    for (const reader of readers.values()) reader.wake()
  })
  hear(db, EVENTS, () => publisher.wakeIn(WAKE_MS), stopping)
  look.wakeIn(WAKE_MS)
  return {
    stop: () => {
      const work = [look.stop(), publisher.stop(), ...readers.values().map((reader) => reader.stop())]
      return waitAtMost(config.STOP_SECONDS * 1000, Promise.all(work))
    },
  }
}

async function publishAll(db: Db, isOver: () => boolean): Promise<'busy' | 'published' | 'nothing'> {
  let result: 'published' | 'nothing' = 'nothing'
  while (!isOver()) {
    const count = await publish(db)
    if (count === undefined) return 'busy'
    if (count > 0) result = 'published'
    if (count < PUBLISHED_AT_ONCE) break
  }
  return result
}

/** Moves some events to the log and says how many; undefined while somebody else does. */
const publish = (db: Db): Promise<number | undefined> =>
  db.transaction(async (tx) => {
    if (!(await tx.first(store.takeTurn, {}))?.is_ours) return undefined
    return (await tx.all(store.publish, { limit: PUBLISHED_AT_ONCE })).length
  })

/** What a failed transaction was about. */
interface Taken {
  readonly position: number
  readonly attempts: number
  readonly events: readonly Event[]
}

class Reader<Parts extends JobParts> {
  readonly #parts: Parts
  readonly #consumer: Consumer<Parts>
  readonly #loop: Loop
  /** Where several together have failed, they are taken one by one, so that only the one which fails waits. */
  #oneByOneUntil = 0

  constructor(parts: Parts, consumer: Consumer<Parts>) {
    this.#parts = parts
    this.#consumer = consumer
    this.#loop = new Loop({
      work: () => this.#readOn(),
      onProblem: ({ message }) =>
        parts.log.warn({ consumer: consumer.name, problem: message }, 'events cannot be read for now'),
    })
  }

  wake(): void {
    this.#loop.wake()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  async #readOn(): Promise<void> {
    while (!this.#loop.isStopped) {
      const result = await this.#advance()
      // Who reads on elsewhere may have looked before the last events came.
      if (result === 'busy') this.#loop.wakeIn(BUSY_MS)
      if (result !== 'more') return
    }
  }

  async #advance(): Promise<'more' | 'nothing' | 'busy' | 'waiting'> {
    const { db, clock } = this.#parts
    const { name, kinds, most = TAKEN_AT_ONCE } = this.#consumer
    let taken: Taken | undefined
    try {
      return await db.transaction(async (tx) => {
        taken = undefined
        const own = await tx.first(store.lockConsumer, { name })
        if (!own) return 'busy'
        const { position, attempts, retry_at } = own
        if (retry_at && retry_at > clock()) return 'waiting'
        const limit = attempts > 0 || position < this.#oneByOneUntil ? 1 : most
        const what = { after: position, kinds: [...kinds], most: limit, scan: SCANNED_AT_ONCE }
        const rows = await tx.all(store.readNext, what)
        const { scanned } = rows[0]!
        if (scanned === null) return 'nothing'
        const events = rows.flatMap(({ id, kind, subject, payload, at }) =>
          id === null ? [] : [{ id, kind: kind!, subject: subject!, payload: JSON.parse(payload!), at: at! }],
        )
        taken = { position, attempts, events }
        if (events.length > 0) await this.#consumer.handle(tx, events, this.#parts)
        // Where there may be more of its kinds among those that were looked at, it goes on after the last that it took.
        await tx.first(store.moveConsumer, { name, position: events.length === limit ? events.at(-1)!.id : scanned })
        return 'more'
      })
    } catch (error) {
      if (!taken || taken.events.length === 0) throw error
      if (taken.events.length === 1) return this.#fail(taken, error as Error)
      this.#oneByOneUntil = taken.events.at(-1)!.id
      return 'more'
    }
  }

  /** Fails itself where the database is what failed, and then nothing is counted. */
  async #fail({ position, attempts: before, events }: Taken, error: Error): Promise<'more' | 'waiting'> {
    const { db, clock, log } = this.#parts
    const { name, tries = TRIES } = this.#consumer
    const event = events[0]!
    const { id, kind } = event
    const attempts = before + 1
    const problem = error.message.slice(0, PROBLEM_LENGTH)
    const line = { consumer: name, event: id, kind, attempts, problem }
    if (attempts >= tries) {
      if (await this.#putAside(position, event, problem)) log.error(line, 'an event was put aside')
      return 'more'
    }
    const retry = new Date(clock().getTime() + waits(attempts))
    if (await db.first(store.noteProblem, { name, position, attempts, retry, problem }))
      log.warn(line, 'an event could not be taken in and will be tried again')
    return 'waiting'
  }

  #putAside(position: number, event: Event, problem: string): Promise<boolean> {
    const { db, clock } = this.#parts
    const { name } = this.#consumer
    const { id, kind, subject, payload, at } = event
    const failure = { kind, subject, payload: JSON.stringify(payload), at, problem, now: clock() }
    return db.transaction(async (tx) => {
      const own = await tx.first(store.lockConsumer, { name })
      if (own?.position !== position) return false
      await tx.first(store.insertFailure, { consumer: name, event: id, ...failure })
      await tx.first(store.moveConsumer, { name, position: id })
      return true
    })
  }
}
