import { hash } from 'node:crypto'
import { LruCache } from '../../kernel/bounds/lru-cache.ts'
import type { Database } from '../../kernel/database/database.ts'
import { service } from '../../kernel/environment.ts'
import type { KeyHolder } from './authenticate.ts'

/** The topic of the message that tells all processes that a key was changed, suspended or revoked. */
export const CREDENTIALS_CHANGED = 'credentials-changed'

/** The maximum number of cached pairs of key and secret. Pairs with a wrong secret are not cached. */
const SIZE = 1000
/** How long an entry is valid. */
const VALID_MS = 5 * 60_000

interface CachedHolder {
  readonly holder: KeyHolder
  readonly untilMs: number
}

/**
 * Caches verified keys under a keyed hash of key and secret. When a key is changed, all processes are notified and
 * remove its entries. Nothing is cached while this process cannot receive these notifications.
 */
class CredentialCache {
  readonly #hashKey: string
  readonly #cached = new LruCache<CachedHolder>(SIZE)
  #isListening = false
  #changes = 0

  constructor(database: Database, hashKey: Buffer) {
    this.#hashKey = hashKey.toString('base64')
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

  /**
   * Hashes a pair with a secret prefix, which costs a fiftieth of an HMAC from a raw key. The hash never leaves the
   * process, so nobody can use the weakness of a prefix, that a known hash can be extended.
   */
  hash(pair: string): string {
    return hash('sha256', this.#hashKey + pair, 'base64')
  }

  get(hash: string, now: Date): KeyHolder | undefined {
    const cached = this.#cached.get(hash)
    return cached && now.getTime() < cached.untilMs ? cached.holder : undefined
  }

  /**
   * Returns a mark to pass to `remember`. Call this before the query: `remember` caches the result only if no key was
   * changed since.
   */
  mark(): number {
    return this.#changes
  }

  remember(hash: string, holder: KeyHolder, now: Date, mark: number): void {
    if (this.#isListening && mark === this.#changes)
      this.#cached.set(hash, { holder, untilMs: now.getTime() + VALID_MS })
  }
}

export const credentialCache = service(({ db, keyFor }) => new CredentialCache(db, keyFor('credential-cache')))
