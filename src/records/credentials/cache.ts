import { createHmac } from 'node:crypto'
import { LruCache } from '../../kernel/bounds/lru-cache.ts'
import type { Database } from '../../kernel/database/database.ts'
import { service } from '../../kernel/environment.ts'
import type { KeyHolder } from './authenticate.ts'

/** Topic of the message to all processes that a key was changed, suspended or revoked. */
export const CREDENTIALS_CHANGED = 'credentials-changed'

/** The number of cached pairs of key and secret. Wrong pairs are not cached. */
const SIZE = 1000
/** The longest time that a process trusts an entry. */
const VALID_MS = 5 * 60_000

interface CachedHolder {
  readonly holder: KeyHolder
  readonly untilMs: number
}

/**
 * Caches keys that have proved themselves, by a keyed hash of key and secret. A change on any process removes the
 * entries of that key. While this process cannot hear of changes, nothing is cached.
 */
class CredentialCache {
  readonly #hashKey: Buffer
  readonly #cached = new LruCache<CachedHolder>(SIZE)
  #isListening = false
  #changes = 0

  constructor(database: Database, hashKey: Buffer) {
    this.#hashKey = hashKey
    database.onListening((isListening) => {
      this.#isListening = isListening
      this.#changes++
      this.#cached.clear()
    })
    database.onMessage(CREDENTIALS_CHANGED, ({ credentialId }) => {
      this.#changes++
      this.#cached.deleteWhere(({ holder }) => holder.credentialId === credentialId)
    })
  }

  hash(pair: string): string {
    return createHmac('sha256', this.#hashKey).update(pair).digest('base64')
  }

  get(hash: string, now: Date): KeyHolder | undefined {
    const cached = this.#cached.get(hash)
    return cached && now.getTime() < cached.untilMs ? cached.holder : undefined
  }

  /** Call it before the query: `remember` caches the result only if no key was changed in between. */
  mark(): number {
    return this.#changes
  }

  remember(hash: string, holder: KeyHolder, now: Date, mark: number): void {
    if (this.#isListening && mark === this.#changes)
      this.#cached.set(hash, { holder, untilMs: now.getTime() + VALID_MS })
  }
}

export const credentialCache = service(({ db, keyFor }) => new CredentialCache(db, keyFor('credential-cache')))
