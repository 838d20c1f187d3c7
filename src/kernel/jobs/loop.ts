import { setTimeout as sleep } from 'node:timers/promises'

export interface LoopOptions {
  /** Interval at which the work also runs if nothing wakes the loop; none by default. */
  readonly everyMs?: number
  work(): Promise<void>
  onProblem(error: Error): void
}

/**
 * Returns the time until the next common tick of all loops with this interval. An idle process then wakes up once for
 * all of them. Ticks count from the start of the process, so processes do not poll in step. A timer that fires a moment
 * early still counts for its tick.
 */
function untilTick(everyMs: number): number {
  const moment = everyMs / 10
  return everyMs + moment - ((performance.now() + moment) % everyMs)
}

/** Runs its work when woken and at an interval, but never concurrently. */
export class Loop {
  readonly #options: LoopOptions
  #poll: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #isAsked = false
  #isStopped = false
  #running: Promise<void> | undefined

  constructor(options: LoopOptions) {
    this.#options = options
    if (options.everyMs !== undefined) this.#pollEvery(options.everyMs)
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  wake(): void {
    if (this.#isStopped) return
    this.#isAsked = true
    this.#running ??= this.#work()
  }

  /** Wakes the loop after a delay. Further calls before the wake-up have no effect. */
  wakeIn(ms: number): void {
    if (this.#isStopped) return
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      this.wake()
    }, ms).unref()
  }

  /** Starts no more work. Resolves when the running work has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#poll)
    clearTimeout(this.#soon)
    await this.#running
  }

  #pollEvery(everyMs: number): void {
    this.#poll = setTimeout(() => {
      this.#pollEvery(everyMs)
      this.wake()
    }, untilTick(everyMs)).unref()
  }

  async #work(): Promise<void> {
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false
      await this.#options.work().catch(this.#options.onProblem)
    }
    this.#running = undefined
  }
}

/** Waits until the work ends, but no longer than `ms`. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: limit.signal }).catch(() => {})])
  limit.abort()
}
