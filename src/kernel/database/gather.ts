import { PlatformError } from '../errors.ts'

/** An item to write, with the functions that settle its caller's promise. */
interface Waiting<Item, Outcome> {
  readonly item: Item
  readonly weight: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

export interface GatherOptions<Item, Outcome> {
  /** Maximum total weight of the items that are written together. An item that is heavier is written alone. */
  readonly most: number
  weigh(item: Item): number
  /**
   * Writes items in a transaction and returns an outcome for each, in order. If an outcome is an `Error`, only the
   * caller of that item gets an error; if an error is thrown, no item has been written.
   */
  write(items: readonly Item[]): Promise<readonly (Outcome | Error)[]>
}

/**
 * Batches writes: items that arrive while others are being written are written together afterwards, so that they share
 * a flush to disk. No item is delayed for batching: a single item is written immediately. If a write fails, each of its
 * items is written alone and has its own outcome, unless the database is unavailable.
 */
export class Gatherer<Item, Outcome> {
  readonly #options: GatherOptions<Item, Outcome>
  #queue: Waiting<Item, Outcome>[] = []
  #isRunning = false

  constructor(options: GatherOptions<Item, Outcome>) {
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

  /** Writes items together. Returns false if that failed and the items must be written one by one. */
  async #write(some: readonly Waiting<Item, Outcome>[]): Promise<boolean> {
    try {
      const outcomes = await this.#options.write(some.map(({ item }) => item))
      for (const [i, { resolve, reject }] of some.entries()) {
        const outcome = outcomes[i]
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome as Outcome)
      }
      return true
    } catch (error) {
      const isUnavailable = error instanceof PlatformError && error.kind === 'notReady'
      if (some.length > 1 && !isUnavailable) return false
      for (const { reject } of some) reject(error)
      return true
    }
  }
}
