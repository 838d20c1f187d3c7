import type { AnsweredRequest } from '../../kernel/answered.ts'
import type { Db } from '../../kernel/database/database.ts'
import { service } from '../../kernel/environment.ts'
import { isKept, type LoggedCounts } from './rules.ts'
import * as store from './store.ts'

/**
 * Buffers the requests of apps in memory until upkeep writes them to the database, so that no request waits for a
 * write. Requests beyond the limits are dropped and counted. If the process is killed, the requests of the last seconds
 * are lost.
 */
class RequestLog {
  readonly #db: Db
  #entries: AnsweredRequest[] = []
  #kept = new Map<number | string, LoggedCounts>()
  /** The number of requests dropped since the process started. */
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

  /**
   * Writes the buffered requests. If that fails, they are lost: buffering them for another attempt would take too much
   * memory.
   */
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

/** Closed before the database is, so that buffered requests can still be written. */
export const requestLog = service(
  ({ db }) => new RequestLog(db),
  (log) => log.write().catch(() => {}),
)
