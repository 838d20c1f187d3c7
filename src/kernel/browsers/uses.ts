import { networkOf } from '../bounds/networks.ts'
import type { Caller, SignedIn } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { service } from '../environment.ts'
import * as store from './store.ts'

/** As exactly as a last use is kept: a browser that is used all day is written once in this time. */
const EVERY_MINUTES = 10
/** Browsers that wait to be written. Who finds no room is noted by their next request. */
const MOST = 10_000

/** What is kept of an address: what a person recognises, and of IPv6 no more than the network. */
export const placeOf = ({ address }: Caller): string | null => networkOf(address) || null

/** Gathers which browsers are in use, in memory, until it is written: a request waits for nothing. What cannot be written is noted by the next request. */
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

/** Closed before the database is: what has gathered is still written. */
export const browserUses = service(
  ({ db }) => new BrowserUses(db),
  (uses) => uses.write().catch(() => {}),
)
