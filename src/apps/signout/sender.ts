import { randomUUID } from 'node:crypto'
import { upkeepAt } from '../../kernel/caller.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import {
  claimLogouts,
  completeLogout,
  failLogout,
  LOGOUTS,
  type LogoutMessage,
  releaseLogout,
} from '../../kernel/logouts/logouts.ts'
import { send } from '../../kernel/outbound/outbound.ts'
import { QueueSender } from '../../kernel/outbound/queue-sender.ts'
import type { Algorithm } from '../apps/algorithms.ts'
import { signToken } from '../signing/signing.ts'
import { isTooLate, judge, logoutClaims, pauseAfter, waitAfter } from './rules.ts'

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
  readonly #sender: QueueSender
  /** By app: the number of messages that are being sent. */
  readonly #busy = new Map<number, number>()
  /** By app: how often its receiver failed in a row, and until when it is left alone. */
  readonly #down = new Map<number, { readonly failures: number; readonly until: number }>()

  constructor(environment: Environment) {
    this.#environment = environment
    this.#sender = new QueueSender(environment, {
      topic: LOGOUTS,
      most: MAX_RUNNING,
      claim: (limit) => this.#claim(limit),
      claimProblem: 'claiming due logout messages failed',
    })
  }

  close(): Promise<void> {
    return this.#sender.close()
  }

  async #claim(limit: number): Promise<boolean> {
    const { db, clock } = this.#environment
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
    for (const message of messages) this.#launch(message)
    return messages.length > 0
  }

  #launch(message: LogoutMessage): void {
    const { app_id: app } = message
    this.#busy.set(app, (this.#busy.get(app) ?? 0) + 1)
    this.#sender.launch(this.#deliver(message), 'sending a logout message failed; it will be sent again', () => {
      const left = this.#busy.get(app)! - 1
      if (left > 0) return void this.#busy.set(app, left)
      this.#busy.delete(app)
      this.#sender.wake()
    })
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
        signal: this.#sender.signal,
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
