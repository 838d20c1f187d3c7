import type { Db, Tx } from './db.ts'

/** An item to write, with the functions that settle its caller's promise. */
interface Waiting<Item, Outcome> {
  readonly item: Item
  readonly weight: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

export interface GatherOptions<Item, Outcome> {
  /** Maximum total weight of the items in one transaction. An item that is heavier is written alone. */
  readonly most: number
  weigh(item: Item): number
  /**
   * Writes items in one transaction and returns an outcome for each, in order. If an outcome is an `Error`, only the
   * caller of that item gets an error; a thrown error rolls back all items.
   */
  write(tx: Tx, items: readonly Item[]): Promise<readonly (Outcome | Error)[]>
}

/**
 * Batches writes: items that arrive while a transaction is running are written together in the next one, so that they
 * share a flush to disk. No item is delayed for batching: a single item is written immediately. If a transaction fails,
 * each of its items is written alone and has its own outcome.
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
      // The write starts after all input of this turn of the event loop, so that requests that arrived together are
      // written together.
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

  /** Writes items in one transaction. Returns false if it failed and the items must be written one by one. */
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
