import { setTimeout as sleep } from 'node:timers/promises'

export interface LoopOptions {
  /** Interval at which the work also runs if nothing wakes the loop; none by default. */
  readonly everyMs?: number
  work(): Promise<void>
  onProblem(error: Error): void
}

const jitter = (ms: number): number => ms * (0.75 + Math.random() * 0.5)

/** Runs its work when woken and at an interval, but never concurrently. */
export class Loop {
  readonly #options: LoopOptions
  readonly #poll: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #isAsked = false
  #isStopped = false
  #running: Promise<void> | undefined

  constructor(options: LoopOptions) {
    this.#options = options
    const { everyMs } = options
    if (everyMs !== undefined) this.#poll = setInterval(() => this.wake(), jitter(everyMs)).unref()
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
    clearInterval(this.#poll)
    clearTimeout(this.#soon)
    await this.#running
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
