import { LruCache } from './lru-cache.ts'

export interface Allowance {
  readonly isAllowed: boolean
  readonly remaining: number
  /** Seconds until another request is allowed; 0 if a request is allowed now. */
  readonly waitSeconds: number
}

/** The processes that apply the same limits together. */
export interface Fleet {
  /** Number of processes, including this one. */
  readonly processes: number
  /** Tells the other processes what this one has taken from a bucket. A negative count was given back. */
  tell(limiter: string, key: string, count: number): void
}

const ALONE: Fleet = { processes: 1, tell: () => {} }

/**
 * All processes together may keep an eighth of each limit to themselves. So only callers who use a noticeable part of
 * their limit cause messages.
 */
const UNTOLD_SHARE = 1 / 8

interface Bucket {
  /** Tokens left. Negative if several processes have admitted too much at the same moment. */
  level: number
  atMs: number
  /** Tokens taken here that the other processes do not know of. */
  untold: number
}

/**
 * A token bucket per key with room for `burst` tokens, refilled at `perSecond`. Each process of a fleet has a copy of
 * every bucket, and takes from it what the others report, so requests need no query (decision 92).
 */
export class RateLimiter {
  readonly #buckets = new LruCache<Bucket>(100_000)
  readonly #name: string
  readonly #perSecond: number
  readonly #fleet: Fleet
  readonly burst: number
  /** Value of the `RateLimit-Policy` header. */
  readonly policy: string

  constructor(name: string, perSecond: number, burst: number, fleet: Fleet = ALONE) {
    this.#name = name
    this.#perSecond = perSecond
    this.#fleet = fleet
    this.burst = burst
    this.policy = `"${name}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`
  }

  /**
   * Takes `count` tokens from the key's bucket. A `count` above the burst is lowered to the burst, so that such a
   * request can pass when the bucket is full.
   */
  take(key: string, nowMs: number, count = 1): Allowance {
    const cost = Math.min(count, this.burst)
    const bucket = this.#refill(key, nowMs)
    if (bucket.level < cost) {
      const waitSeconds = Math.ceil((cost - bucket.level) / this.#perSecond)
      return { isAllowed: false, remaining: Math.max(0, Math.floor(bucket.level)), waitSeconds }
    }
    bucket.level -= cost
    // Hot path: a process that is alone keeps no account of this.
    if (this.#fleet.processes > 1) this.#note(key, bucket, cost)
    return { isAllowed: true, remaining: Math.floor(bucket.level), waitSeconds: 0 }
  }

  /** Returns one token that was taken in advance and not used. */
  giveBack(key: string): void {
    const bucket = this.#buckets.get(key)
    if (!bucket) return
    bucket.level = Math.min(this.burst, bucket.level + 1)
    if (this.#fleet.processes > 1) this.#note(key, bucket, -1)
  }

  /**
   * Takes what another process has admitted. Too much is paid back: the bucket may be overdrawn by as much as the other
   * processes can have admitted before they knew of each other.
   */
  takeElsewhere(key: string, nowMs: number, count: number): void {
    const bucket = this.#refill(key, nowMs)
    const lowest = -this.burst * (this.#fleet.processes - 1)
    bucket.level = Math.min(this.burst, Math.max(lowest, bucket.level - count))
  }

  /** Formats the value of `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  describe(allowance: Allowance): string {
    return `"${this.#name}";r=${allowance.remaining};t=${allowance.waitSeconds}`
  }

  #refill(key: string, nowMs: number): Bucket {
    let bucket = this.#buckets.get(key)
    if (!bucket) {
      bucket = { level: this.burst, atMs: nowMs, untold: 0 }
      this.#buckets.set(key, bucket)
    }
    // The clock may be set back, which neither refills a bucket nor drains it.
    const tokens = (Math.max(0, nowMs - bucket.atMs) / 1000) * this.#perSecond
    bucket.level = Math.min(this.burst, bucket.level + tokens)
    if (bucket.untold > 0) bucket.untold = Math.max(0, bucket.untold - tokens * this.#untoldShare)
    bucket.atMs = nowMs
    return bucket
  }

  /** Notes what was taken or given back, and tells the others once it exceeds this process's share of what is untold. */
  #note(key: string, bucket: Bucket, count: number): void {
    bucket.untold += count
    if (bucket.untold >= 0 && bucket.untold < Math.max(1, this.burst * this.#untoldShare)) return
    this.#fleet.tell(this.#name, key, bucket.untold)
    bucket.untold = 0
  }

  get #untoldShare(): number {
    return UNTOLD_SHARE / this.#fleet.processes
  }
}
