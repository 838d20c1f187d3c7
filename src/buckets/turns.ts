/** One at a time for each key, in the order of arrival; different keys do not wait for each other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const mine = before ? before.then(work, work) : work()
    this.#last.set(key, mine)
    const leave = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
    mine.then(leave, leave)
    return mine
  }
}
