import { networkOf } from '../bounds/networks.ts'
import type { Caller, SignedIn } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { service } from '../environment.ts'
import * as store from './store.ts'

/** Precision of the stored time of last use: a browser that is used all day is written once per interval. */
const EVERY_MINUTES = 10
/**
 * Maximum number of browsers waiting to be written. Beyond it, the use of a further browser is not recorded until its
 * next request.
 */
const MOST = 10_000

/** Returns the part of an address that is stored: the whole IPv4 address, but only the network of an IPv6 address. */
export const placeOf = ({ address }: Caller): string | null => networkOf(address) || null

/**
 * Collects uses of browsers in memory and writes them later, so that requests do not wait. If a write fails, the
 * browser's next request is written instead.
 */
class BrowserUses {
  readonly #db: Db
  #waiting = new Map<string, { at: Date; address: string | null }>()

  constructor(db: Db) {
    this.#db = db
  }

  note(who: Caller, { browserId, lastUsedAt }: SignedIn): void {
    if (who.at.getTime() - lastUsedAt.getTime() < EVERY_MINUTES * 60_000) return
    if (this.#waiting.size < MOST) this.#waiting.set(browserId, { at: who.at, address: placeOf(who) })
  }

  async write(): Promise<void> {
    if (this.#waiting.size === 0) return
    const rows = Array.from(this.#waiting, ([id, use]) => ({ id, ...use }))
    this.#waiting = new Map()
    await this.#db.all(store.touchBrowsers, { rows: JSON.stringify(rows), everyMinutes: EVERY_MINUTES })
  }
}

/** Closed before the database, so that the collected uses can still be written. */
export const browserUses = service(
  ({ db }) => new BrowserUses(db),
  (uses) => uses.write().catch(() => {}),
)
