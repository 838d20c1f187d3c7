import { setTimeout as sleep } from 'node:timers/promises'

export interface LoopOptions {
  /** In case nobody wakes it; never where nothing is said. */
  readonly everyMs?: number
  work(): Promise<void>
  onProblem(error: Error): void
}

const jitter = (ms: number): number => ms * (0.75 + Math.random() * 0.5)

/** Does its work when it is woken, and now and then; never twice at once. */
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

  /** Once for all who ask for it meanwhile. */
  wakeIn(ms: number): void {
    if (this.#isStopped) return
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      this.wake()
    }, ms).unref()
  }

  /** Starts nothing any more, and resolves once nothing is under way. */
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

/** Waits for the work, but no longer than that. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: limit.signal }).catch(() => {})])
  limit.abort()
}
