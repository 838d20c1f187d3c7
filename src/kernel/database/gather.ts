import type { Db, Tx } from './db.ts'

/** An item to write, and the promise of its caller. */
interface Waiting<Item, Outcome> {
  readonly item: Item
  readonly weight: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

export interface GatherOptions<Item, Outcome> {
  /** Total weight that one transaction may write. A heavier item is written alone. */
  readonly most: number
  weigh(item: Item): number
  /**
   * Writes items in one transaction and returns their outcomes in order. An `Error` as an outcome refuses that item
   * alone; a thrown error rolls all of them back.
   */
  write(tx: Tx, items: readonly Item[]): Promise<readonly (Outcome | Error)[]>
}

/**
 * Batches writes: items that arrive while a transaction is running are written together by the next one, so they share
 * the flush to disk. There is no delay for batching: a single item is written immediately. If a transaction fails, each
 * of its items is written alone and keeps its own outcome.
 */
export class Gatherer<Item, Outcome> {
  readonly #options: GatherOptions<Item, Outcome>
  readonly #db: Pick<Db, 'transaction'>
  #queue: Waiting<Item, Outcome>[] = []
  #isRunning = false

  constructor(db: Pick<Db, 'transaction'>, options: GatherOptions<Item, Outcome>) {
    this.#db = db
    this.#options = options
  }

  add(item: Item): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    this.#queue.push({ item, weight: this.#options.weigh(item), resolve, reject })
    if (!this.#isRunning) {
      this.#isRunning = true
      // Starts after this turn's input, so requests that arrived together are written together.
      setImmediate(() => void this.#run())
    }
    return promise
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const some = this.#take()
      if (await this.#write(some)) continue
      for (const one of some) await this.#write([one])
    }
    this.#isRunning = false
  }

  #take(): Waiting<Item, Outcome>[] {
    let [count, weight] = [1, this.#queue[0]!.weight]
    while (count < this.#queue.length && weight + this.#queue[count]!.weight <= this.#options.most)
      weight += this.#queue[count++]!.weight
    return this.#queue.splice(0, count)
  }

  /** Returns whether every item has its outcome. */
  async #write(some: readonly Waiting<Item, Outcome>[]): Promise<boolean> {
    const { write } = this.#options
    try {
      const items = some.map(({ item }) => item)
      const outcomes = await this.#db.transaction((tx) => write(tx, items))
      for (const [i, { resolve, reject }] of some.entries()) {
        const outcome = outcomes[i]
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome as Outcome)
      }
      return true
    } catch (error) {
      if (some.length > 1) return false
      some[0]!.reject(error)
      return true
    }
  }
}
