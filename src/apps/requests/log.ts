import type { AnsweredRequest } from '../../kernel/answered.ts'
import type { Db } from '../../kernel/database/database.ts'
import { service } from '../../kernel/environment.ts'
import { isKept, type Kept } from './rules.ts'
import * as store from './store.ts'

/**
 * Gathers what apps ask for, in memory, until it is written: a request waits for nothing. What does not fit is not kept, and counted. A process that is killed loses
 * the last seconds.
 */
class RequestLog {
  readonly #db: Db
  #entries: AnsweredRequest[] = []
  #kept = new Map<number | string, Kept>()
  /** Since the process started. */
  leftOut = 0

  constructor(db: Db) {
    this.#db = db
  }

  note(answered: AnsweredRequest): void {
    const { app, status } = answered
    let kept = this.#kept.get(app)
    if (!kept) {
      kept = { refusals: 0, successes: 0 }
      this.#kept.set(app, kept)
    }
    if (!isKept(kept, status, this.#entries.length, Math.random())) {
      this.leftOut++
      return
    }
    if (status >= 400) kept.refusals++
    else kept.successes++
    this.#entries.push(answered)
  }

  /** Writes what has gathered. What cannot be written is lost: it is not worth holding up memory for. */
  async write(): Promise<void> {
    const entries = this.#entries
    this.#kept = new Map()
    if (entries.length === 0) return
    this.#entries = []
    const rows = entries.map(({ app, at, requestId, ms, ...rest }) => ({
      ...rest,
      ...(typeof app === 'number' ? { app_id: app } : { client_id: app }),
      at: at.toISOString(),
      ms: Math.round(ms),
      request_id: requestId,
    }))
    await this.#db.all(store.insertRequests, { rows: JSON.stringify(rows) })
  }
}

/** Closed before the database is: what has gathered is still written. */
export const requestLog = service(
  ({ db }) => new RequestLog(db),
  (log) => log.write().catch(() => {}),
)
