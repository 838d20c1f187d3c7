/** One at a time for each key of an owner, in the order of arrival; different keys do not wait for each other. */
export class Turns {
  readonly #owners = new WeakMap<object, Map<string, Promise<unknown>>>()

  take<T>(owner: object, key: string, work: () => Promise<T>): Promise<T> {
    const last = this.#owners.get(owner) ?? new Map<string, Promise<unknown>>()
    this.#owners.set(owner, last)
    const before = last.get(key)
    const mine = before ? before.then(work, work) : work()
    last.set(key, mine)
    const leave = () => {
      if (last.get(key) === mine) last.delete(key)
    }
    mine.then(leave, leave)
    return mine
  }
}
