/** Limits the bytes held in memory for one purpose. One caller may hold at most an eighth of the limit. */
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

/** The share of a budget that one request holds; initially 0 bytes. */
export interface Holding {
  /** Sets the share to this size. Returns false, and changes nothing, if the budget does not allow it. */
  growTo(bytes: number): boolean
  release(): void
}
