import type { Db, Tx } from '../database/database.ts'
import { growing, type JobEnvironment } from '../jobs/jobs.ts'
import { Loop, waitAtMost } from '../jobs/loop.ts'
import { hear } from '../jobs/wake.ts'
import { EVENTS, type Event } from './events.ts'
import * as store from './store.ts'

// biome-ignore lint/suspicious/noExplicitAny: a list holds consumers of different events
export interface Consumer<Context = JobEnvironment, E extends Event = any> {
  readonly name: string
  readonly kinds: readonly E['kind'][]
  /** The position in the log at which a new consumer starts to read. */
  readonly start: 'beginning' | 'end'
  /** Maximum number of events per call of `handle`; 100 by default. */
  readonly most?: number
  /** Number of failed tries after which an event is skipped; 8 by default, which takes two minutes. */
  readonly tries?: number
  /**
   * Handles a batch of events, in order. It runs in the transaction that also advances the consumer's position, so its
   * writes take effect exactly once. It must be brief and must not have effects outside the database: enqueue a job for
   * those.
   */
  handle(tx: Tx, events: readonly E[], context: Context): Promise<void>
}

/** Topic on which the publisher tells the consumers of the same process that events were published. */
const PUBLISHED = 'events published'
/** Polling interval in case a notification is lost: one query for the publisher and all consumers. */
const LOOK_MS = 1000
/** Delay after a wake-up, so that events emitted at about the same time are read together. */
const WAKE_MS = 20
const BUSY_MS = 100
const PUBLISHED_AT_ONCE = 1000
const SCANNED_AT_ONCE = 500
const TAKEN_AT_ONCE = 100
const TRIES = 8
const waits = growing(1000, 60_000)
const PROBLEM_LENGTH = 500

/** Publishes emitted events and runs consumers until the process stops. Several processes share the work. */
export function startConsumers<Context extends JobEnvironment>(
  context: Context,
  consumers: readonly Consumer<Context>[],
): { stop(): Promise<void> } {
  const { db, log, stopping, config } = context
  const readers = new Map(consumers.map((consumer) => [consumer.name, new Reader(context, consumer)]))
  const publisher = new Loop({
    work: async () => {
      const result = await publishAll(db, () => publisher.isStopped)
      if (result === 'busy') publisher.wakeIn(WAKE_MS)
      // Wakes all consumers in this process, including those that other calls of this function started.
      if (result === 'published') db.tellHere(JSON.stringify({ topic: PUBLISHED }))
    },
    onProblem: ({ message }) => log.warn({ problem: message }, 'publishing events failed'),
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
    onProblem: ({ message }) => log.warn({ problem: message }, 'polling for new events failed'),
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

/** Moves a batch of events to the log and returns its size; undefined if another process is publishing. */
const publish = (db: Db): Promise<number | undefined> =>
  db.transaction(async (tx) => {
    if (!(await tx.first(store.takeTurn, {}))?.is_ours) return undefined
    return (await tx.all(store.publish, { limit: PUBLISHED_AT_ONCE })).length
  })

/** The batch that was being handled when its transaction failed. */
interface FailedBatch {
  readonly position: number
  readonly attempts: number
  readonly events: readonly Event[]
}

class Reader<Context extends JobEnvironment> {
  readonly #context: Context
  readonly #consumer: Consumer<Context>
  readonly #loop: Loop
  /**
   * After a batch has failed, events up to this id are handled one by one, so that only the failing event is delayed.
   */
  #oneByOneUntil = 0

  constructor(context: Context, consumer: Consumer<Context>) {
    this.#context = context
    this.#consumer = consumer
    this.#loop = new Loop({
      work: () => this.#readOn(),
      onProblem: ({ message }) =>
        context.log.warn({ consumer: consumer.name, problem: message }, 'reading events failed'),
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
      // Another process is reading for this consumer and may have missed the latest events, so look again soon.
      if (result === 'busy') this.#loop.wakeIn(BUSY_MS)
      if (result !== 'more') return
    }
  }

  async #advance(): Promise<'more' | 'nothing' | 'busy' | 'waiting'> {
    const { db, clock } = this.#context
    const { name, kinds, most = TAKEN_AT_ONCE } = this.#consumer
    let taken: FailedBatch | undefined
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
        if (events.length > 0) await this.#consumer.handle(tx, events, this.#context)
        // If the batch is full, the scanned range may contain more matching events, so the position only advances to
        // the last event of the batch.
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

  /**
   * Counts a failed try, or skips the event after too many. Throws if the database itself fails, so that an outage does
   * not count as a try.
   */
  async #fail({ position, attempts: before, events }: FailedBatch, error: Error): Promise<'more' | 'waiting'> {
    const { db, clock, log } = this.#context
    const { name, tries = TRIES } = this.#consumer
    const event = events[0]!
    const { id, kind } = event
    const attempts = before + 1
    const problem = error.message.slice(0, PROBLEM_LENGTH)
    const line = { consumer: name, event: id, kind, attempts, problem }
    if (attempts >= tries) {
      if (await this.#putAside(position, event, problem)) log.error(line, 'event skipped after too many tries')
      return 'more'
    }
    const retry = new Date(clock().getTime() + waits(attempts))
    if (await db.first(store.noteProblem, { name, position, attempts, retry, problem }))
      log.warn(line, 'handling an event failed; it will be retried')
    return 'waiting'
  }

  #putAside(position: number, event: Event, problem: string): Promise<boolean> {
    const { db, clock } = this.#context
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
