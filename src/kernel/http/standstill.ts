import { service } from '../environment.ts'
import { fail } from '../errors.ts'

/** Interval at which the process notes that it runs. */
const TICK_MS = 1_000
/** A process that has noted nothing for this long stood still: it was frozen, or its machine was. */
const STANDSTILL_MS = 3_000
/** Within this time, a process reads everything that arrived while it stood still. */
const WAKING_MS = 1_000

/**
 * Notices that the process stood still. The load balancer uses other processes by then, and clients have repeated their
 * requests there and gone on. If the process carried out what it finds when it wakes up, an old refresh token would
 * look stolen, for example, and end the session. So it refuses these requests.
 */
class Standstill {
  #seenAtMs = performance.now()
  #wokeAtMs = Number.NEGATIVE_INFINITY
  readonly #ticker: NodeJS.Timeout | undefined

  constructor(isOneOfSeveral: boolean) {
    if (isOneOfSeveral) this.#ticker = setInterval(() => this.isWaking(), TICK_MS).unref()
  }

  isWaking(): boolean {
    if (this.#ticker === undefined) return false
    const nowMs = performance.now()
    if (nowMs - this.#seenAtMs > STANDSTILL_MS) this.#wokeAtMs = nowMs
    this.#seenAtMs = nowMs
    return nowMs - this.#wokeAtMs < WAKING_MS
  }

  /** Throws if the process has just woken up. */
  check(): void {
    if (this.isWaking()) throw fail('notReady', 'This process stood still; try again shortly', 1)
  }

  close(): void {
    clearInterval(this.#ticker)
  }
}

/** Only processes behind a load balancer, which set DRAIN_SECONDS, refuse anything because of it. */
export const standstill = service(
  ({ config }) => new Standstill(config.DRAIN_SECONDS > 0),
  (opened) => opened.close(),
)
