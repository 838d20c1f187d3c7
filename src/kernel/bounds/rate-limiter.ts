import { LruCache } from './lru-cache.ts'

export interface Allowance {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Seconds until another request is allowed; 0 if a request is allowed now. */
  readonly waitSeconds: number
}

/**
 * A token bucket per key with room for `burst` tokens, refilled at `perSecond`. The buckets are in the memory of this
 * process.
 */
export class RateLimiter {
  readonly #levels = new LruCache<{ level: number; atMs: number }>(100_000)
  readonly #name: string
  readonly #perSecond: number
  readonly #burst: number
  /** Value of the `RateLimit-Policy` header. */
  readonly policy: string

  constructor(name: string, perSecond: number, burst: number) {
    this.#name = name
    this.#perSecond = perSecond
    this.#burst = burst
    this.policy = `"${name}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`
  }

  /**
   * Takes `count` tokens from the key's bucket. A `count` above the burst is lowered to the burst, so that such a
   * request can pass when the bucket is full.
   */
  take(key: string, nowMs: number, count = 1): Allowance {
    const cost = Math.min(count, this.#burst)
    let entry = this.#levels.get(key)
    if (!entry) {
      entry = { level: this.#burst, atMs: nowMs }
      this.#levels.set(key, entry)
    }
    // The clock may be set back, which neither refills a bucket nor drains it.
    const elapsedMs = Math.max(0, nowMs - entry.atMs)
    entry.level = Math.min(this.#burst, entry.level + (elapsedMs / 1000) * this.#perSecond)
    entry.atMs = nowMs
    if (entry.level < cost) {
      const waitSeconds = Math.ceil((cost - entry.level) / this.#perSecond)
      return { isAllowed: false, remaining: Math.floor(entry.level), waitSeconds }
    }
    entry.level -= cost
    return { isAllowed: true, remaining: Math.floor(entry.level), waitSeconds: 0 }
  }

  /** Returns one token that was taken in advance and not used. */
  giveBack(key: string): void {
    const entry = this.#levels.get(key)
    if (entry) entry.level = Math.min(this.#burst, entry.level + 1)
  }

  /** Formats the value of `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  describe(allowance: Allowance): string {
    return `"${this.#name}";r=${allowance.remaining};t=${allowance.waitSeconds}`
  }
}
