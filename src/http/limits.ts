/** A bounded memory that forgets what was not used for longest, in two generations: a hit costs one look-up. */
export class BoundedMap<V> {
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

export interface Allowance {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Seconds until another request is allowed; 0 where one is allowed now. */
  readonly waitSeconds: number
}

/** A token bucket for each key: `burst` at once, refilled with `perSecond`. Kept in this process. */
export class RateLimiter {
  readonly #levels = new BoundedMap<{ level: number; atMs: number }>(100_000)
  readonly #name: string
  readonly #perSecond: number
  readonly #burst: number
  /** The value of `RateLimit-Policy`. */
  readonly policy: string

  constructor(name: string, perSecond: number, burst: number) {
    this.#name = name
    this.#perSecond = perSecond
    this.#burst = burst
    this.policy = `"${name}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`
  }

  take(key: string, nowMs: number): Allowance {
    let entry = this.#levels.get(key)
    if (!entry) {
      entry = { level: this.#burst, atMs: nowMs }
      this.#levels.set(key, entry)
    }
    const refilled = entry.level + ((nowMs - entry.atMs) / 1000) * this.#perSecond
    entry.level = Math.min(this.#burst, Math.max(0, refilled))
    entry.atMs = nowMs
    if (entry.level < 1)
      return { isAllowed: false, remaining: 0, waitSeconds: Math.ceil((1 - entry.level) / this.#perSecond) }
    entry.level -= 1
    return { isAllowed: true, remaining: Math.floor(entry.level), waitSeconds: 0 }
  }

  /** The value of `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  describe(allowance: Allowance): string {
    return `"${this.#name}";r=${allowance.remaining};t=${allowance.waitSeconds}`
  }
}
