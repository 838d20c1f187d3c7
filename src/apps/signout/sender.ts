import { randomUUID } from 'node:crypto'
import { upkeepAt } from '../../kernel/caller.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { Loop, waitAtMost } from '../../kernel/jobs/loop.ts'
import { hear } from '../../kernel/jobs/wake.ts'
import {
  claimLogouts,
  completeLogout,
  failLogout,
  LOGOUTS,
  type LogoutMessage,
  releaseLogout,
} from '../../kernel/logouts/logouts.ts'
import { outbound, send } from '../../kernel/outbound/outbound.ts'
import type { Algorithm } from '../apps/algorithms.ts'
import { signToken } from '../signing/signing.ts'
import { isTooLate, judge, logoutClaims, pauseAfter, waitAfter } from './rules.ts'

/** Polling interval in milliseconds. Polling finds retries that are due, and messages whose notification was lost. */
const POLL_MS = 1000
/** Another process sends a message that was not settled by then. It is longer than an attempt can take. */
const LEASE_MS = 30_000
const SEND_MS = 10_000
/** Maximum number of parallel messages per process, and per app. */
const MAX_RUNNING = 128
const MAX_RUNNING_PER_APP = 8
/** The response says nothing but its status, so more of it is not read. */
const MAX_ANSWER_BYTES = 1024

/** Sends logout tokens to apps while the process runs. The senders of several processes share the work. */
class Sender {
  readonly #environment: Environment
  readonly #loop: Loop
  readonly #running = new Set<Promise<void>>()
  /** By app: the number of messages that are being sent. */
  readonly #busy = new Map<number, number>()
  /** By app: how often its receiver failed in a row, and until when it is left alone. */
  readonly #down = new Map<number, { readonly failures: number; readonly until: number }>()
  readonly #cut = new AbortController()
  #closing: Promise<void> | undefined

  constructor(environment: Environment) {
    this.#environment = environment
    // Open the HTTP client before the sender: services close in reverse order, and the client must outlive the sender.
    environment.get(outbound)
    this.#loop = new Loop({
      everyMs: POLL_MS,
      work: () => this.#claimAll(),
      onProblem: (error) => this.#warn('claiming due logout messages failed', error),
    })
    hear(environment.db, LOGOUTS, () => this.#loop.wake(), environment.stopping)
    environment.stopping.addEventListener('abort', () => void this.close())
    this.#loop.wake()
  }

  /** Lets running messages finish for up to STOP_SECONDS, then aborts those still running. */
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

  #warn(text: string, { message }: Error): void {
    this.#environment.log.warn({ problem: message }, text)
  }

  async #claimAll(): Promise<void> {
    const { db, clock } = this.#environment
    for (;;) {
      const limit = MAX_RUNNING - this.#running.size
      if (limit === 0 || this.#loop.isStopped) return
      const now = clock()
      const paused = [...this.#down].filter(([, { until }]) => until > now.getTime()).map(([app]) => app)
      const messages = await claimLogouts(db, {
        // An app gets its next messages when the last ones are settled, so a slow receiver never has more than its share.
        full: [...this.#busy.keys(), ...paused],
        now,
        lease: new Date(now.getTime() + LEASE_MS),
        most: MAX_RUNNING_PER_APP,
        limit,
      })
      if (messages.length === 0) return
      for (const message of messages) this.#launch(message)
    }
  }

  #launch(message: LogoutMessage): void {
    const { app_id: app } = message
    this.#busy.set(app, (this.#busy.get(app) ?? 0) + 1)
    const done = this.#deliver(message)
      .catch((error: Error) => this.#warn('sending a logout message failed; it will be sent again', error))
      .finally(() => {
        const left = this.#busy.get(app)! - 1
        if (left === 0) this.#busy.delete(app)
        else this.#busy.set(app, left)
        this.#running.delete(done)
        if (left === 0) this.#loop.wake()
      })
    this.#running.add(done)
  }

  async #deliver(message: LogoutMessage): Promise<void> {
    const environment = this.#environment
    const { db, clock } = environment
    // The app has removed its receiver.
    if (message.uri === null) return void (await completeLogout(db, message))
    const outcome = await send(
      {
        uri: message.uri,
        headers: { 'cache-control': 'no-store' },
        contentType: 'application/x-www-form-urlencoded',
        body: `logout_token=${await this.#sign(message)}`,
        timeoutMs: SEND_MS,
        maxAnswerBytes: MAX_ANSWER_BYTES,
        signal: this.#cut.signal,
      },
      environment,
    )
    if (outcome.failure === 'stopped') return void (await releaseLogout(db, message, clock()))
    const { isTaken, isDown, problem, status } = judge(outcome)
    if (isDown) this.#noteFailure(message.app_id)
    else this.#down.delete(message.app_id)
    if (isTaken) return void (await completeLogout(db, message))
    const now = clock()
    const due = new Date(now.getTime() + waitAfter(message.attempts, Math.random()))
    const failed = isTooLate(message.created_at, due) ? now : null
    await failLogout(db, message, { due, problem, status, failed })
    if (failed)
      environment.log.warn(
        { clientId: message.client_id, problem },
        'an app could not be told that a user was signed out',
      )
  }

  /** Signs the token of one attempt. Each has its own `jti`, so an app that checks it does not refuse a retry. */
  #sign({ client_id: clientId, user_id: userId, sid, algorithm }: LogoutMessage): Promise<string> {
    const environment = this.#environment
    const at = environment.clock()
    return signToken(environment, upkeepAt(at), {
      algorithm: (algorithm as Algorithm | null) ?? undefined,
      type: 'logout+jwt',
      claims: logoutClaims({ issuer: environment.url, clientId, userId, sid, jti: randomUUID(), at }),
    })
  }

  #noteFailure(app: number): void {
    const now = this.#environment.clock().getTime()
    const before = this.#down.get(app)
    // Messages that were sent together fail together, and count once.
    if (before && before.until > now) return
    const failures = (before?.failures ?? 0) + 1
    this.#down.set(app, { failures, until: now + pauseAfter(failures) })
  }
}

export const logoutSender = service(
  (environment) => new Sender(environment),
  (sender) => sender.close(),
)
