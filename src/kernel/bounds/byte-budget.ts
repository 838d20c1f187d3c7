/** How many bytes may be held at once for one purpose; one caller may have an eighth of them. */
export class ByteBudget {
  readonly #limit: number
  readonly #perKey: number
  readonly #usedBy = new Map<string, number>()
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#perKey = limit / 8
  }

  hold(key: string): Holding {
    let held = 0
    const add = (bytes: number) => {
      held += bytes
      this.#used += bytes
      const own = (this.#usedBy.get(key) ?? 0) + bytes
      if (own > 0) this.#usedBy.set(key, own)
      else this.#usedBy.delete(key)
    }
    return {
      growTo: (bytes) => {
        const more = bytes - held
        if (more > 0 && (this.#used + more > this.#limit || (this.#usedBy.get(key) ?? 0) + more > this.#perKey))
          return false
        add(more)
        return true
      },
      release: () => add(-held),
    }
  }
}

/** What one request holds of a budget: nothing at first. */
export interface Holding {
  /** False where there is no room; then it holds what it held before. */
  growTo(bytes: number): boolean
  release(): void
}
