/**
 * A bounded cache that approximates LRU with two generations: when the recent one is full, it replaces the older one.
 * So a hit need not reorder entries and usually costs one look-up.
 */
export class LruCache<V> {
  #recent = new Map<string, V>()
  #older = new Map<string, V>()
  readonly #half: number

  constructor(size: number) {
    this.#half = Math.ceil(size / 2)
  }

  get(key: string): V | undefined {
    const value = this.#recent.get(key)
    if (value !== undefined) return value
    const old = this.#older.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: V): void {
    if (this.#half === 0) return
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  deleteWhere(isConcerned: (value: V) => boolean): void {
    for (const generation of [this.#recent, this.#older]) {
      for (const [key, value] of generation) if (isConcerned(value)) generation.delete(key)
    }
  }

  clear(): void {
    this.#recent.clear()
    this.#older.clear()
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }
}
