import { createHmac } from 'node:crypto'
import { LruCache } from '../../kernel/bounds/lru-cache.ts'
import type { Database } from '../../kernel/database/database.ts'
import { service } from '../../kernel/environment.ts'
import type { KeyHolder } from './authenticate.ts'

/** Topic of the message that every process hears when a key was changed, suspended or revoked. */
export const CREDENTIALS_CHANGED = 'credentials-changed'

/** More right pairs of key and secret are hardly ever in use at once; wrong ones are not kept. */
const SIZE = 1000
/** Whatever else may fail, no process goes on for longer by what it remembers. */
const KEPT_MS = 5 * 60_000

interface Kept {
  readonly holder: KeyHolder
  readonly untilMs: number
}

/**
 * Remembers which keys have proved themselves, by a keyed hash of key and secret. A change on any process empties what it concerns; while no change could be heard,
 * nothing is remembered.
 */
class CredentialCache {
  readonly #hashKey: Buffer
  readonly #kept = new LruCache<Kept>(SIZE)
  #isListening = false
  #changes = 0

  constructor(database: Database, hashKey: Buffer) {
    this.#hashKey = hashKey
    database.onListening((isListening) => {
      this.#isListening = isListening
      this.#changes++
      this.#kept.clear()
    })
    database.onMessage(CREDENTIALS_CHANGED, ({ credentialId }) => {
      this.#changes++
      this.#kept.deleteWhere(({ holder }) => holder.credentialId === credentialId)
    })
  }

  hash(pair: string): string {
    return createHmac('sha256', this.#hashKey).update(pair).digest('base64')
  }

  get(hash: string, now: Date): KeyHolder | undefined {
    const kept = this.#kept.get(hash)
    return kept && now.getTime() < kept.untilMs ? kept.holder : undefined
  }

  /** Taken before the database is asked; `remember` then keeps the answer only if nothing was changed in between. */
  mark(): number {
    return this.#changes
  }

  remember(hash: string, holder: KeyHolder, now: Date, mark: number): void {
    if (this.#isListening && mark === this.#changes) this.#kept.set(hash, { holder, untilMs: now.getTime() + KEPT_MS })
  }
}

export const credentialCache = service(({ db, keyFor }) => new CredentialCache(db, keyFor('credential-cache')))
