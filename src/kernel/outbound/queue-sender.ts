import type { Environment } from '../environment.ts'
import { Loop, waitAtMost } from '../jobs/loop.ts'
import { hear } from '../jobs/wake.ts'
import { outbound } from './outbound.ts'

/** Polling interval in milliseconds. Polling finds retries that are due, and messages whose notification was lost. */
const POLL_MS = 1000

export interface QueueSenderOptions {
  /** Name of the notification that wakes the senders of all processes when a message is queued. */
  readonly topic: string
  /** Maximum number of parallel messages per process. */
  readonly most: number
  /** Claims at most `limit` due messages and launches them. Returns whether more may be due. */
  claim(limit: number): Promise<boolean>
  /** What the log says if claiming fails. */
  readonly claimProblem: string
}

/**
 * Sends queued messages to other servers while the process runs, in parallel up to a limit. The senders of several
 * processes share the work: the claim leases each message to one of them.
 */
export class QueueSender {
  readonly #environment: Environment
  readonly #options: QueueSenderOptions
  readonly #loop: Loop
  readonly #running = new Set<Promise<void>>()
  readonly #cut = new AbortController()
  #closing: Promise<void> | undefined

  constructor(environment: Environment, options: QueueSenderOptions) {
    this.#environment = environment
    this.#options = options
    // Open the HTTP client before the sender: services close in reverse order, and the client must outlive the sender.
    environment.get(outbound)
    this.#loop = new Loop({
      everyMs: POLL_MS,
      work: () => this.#claimAll(),
      onProblem: (error) => this.warn(options.claimProblem, error),
    })
    hear(environment.db, options.topic, () => this.#loop.wake(), environment.stopping)
    environment.stopping.addEventListener('abort', () => void this.close())
    this.#loop.wake()
  }

  /** Aborted when the sender must not wait for responses any longer. */
  get signal(): AbortSignal {
    return this.#cut.signal
  }

  /** Looks for due messages now. */
  wake(): void {
    this.#loop.wake()
  }

  warn(text: string, { message }: Error): void {
    this.#environment.log.warn({ problem: message }, text)
  }

  /** Runs the work on a claimed message. If it fails, another process sends the message again when the lease ends. */
  launch(work: Promise<void>, problem: string, onEnd: () => void): void {
    const done = work
      .catch((error: Error) => this.warn(problem, error))
      .finally(() => {
        this.#running.delete(done)
        onEnd()
      })
    this.#running.add(done)
  }

  /**
   * Lets running messages finish for up to STOP_SECONDS, then aborts those still running; another process will send
   * them again.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#loop.stop()
    await waitAtMost(this.#environment.config.STOP_SECONDS * 1000, Promise.all(this.#running))
    this.#cut.abort()
    await Promise.all(this.#running)
  }

  async #claimAll(): Promise<void> {
    for (;;) {
      const limit = this.#options.most - this.#running.size
      if (limit === 0 || this.#loop.isStopped) return
      if (!(await this.#options.claim(limit))) return
    }
  }
}
