import type { Db } from './db.ts'

/** What waits to be written, and who waits for it. */
interface Waiting<Item, Outcome> {
  readonly item: Item
  readonly weight: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

export interface GatherOptions<Item, Outcome> {
  /** So much is written by one transaction, by weight; what weighs more goes alone. */
  readonly most: number
  weigh(item: Item): number
  /** Writes some in one transaction, and gives the outcome of each, in their order. An `Error` refuses that one alone; what is thrown undoes all of them. */
  write(tx: Db, items: readonly Item[]): Promise<readonly (Outcome | Error)[]>
}

/**
 * The write lane that gathers: what arrives while a transaction is under way is written together by the next, so that many share the wait for the disk. Nothing waits
 * for company: who comes alone goes at once. Where a transaction fails, each of its items is written by itself and keeps its own outcome.
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
      // After this turn's input, so that requests which arrived together are written together.
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

  /** Whether everybody has an outcome. */
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
