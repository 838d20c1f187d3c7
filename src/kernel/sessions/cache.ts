import { LruCache } from '../bounds/lru-cache.ts'
import type { Database } from '../database/database.ts'
import { service } from '../environment.ts'
import { type Holder, REVOKED, type Revocation } from './sessions.ts'

/** A revocation whose session ids are a set, for fast look-up. */
type Revoked = Omit<Revocation, 'sessionIds'> & { readonly sessionIds: ReadonlySet<string> }

interface RevocationListener {
  revoked(revoked: Revoked): void
  /** Called when notifications arrive again after an interruption, because revocations may have been missed. */
  heardAgain(): void
}

/**
 * Caches the holders of access tokens. The key is the token itself and not its hash, because hashing took a sixth of a
 * request's time, and the token is in memory anyway. A revocation in any process removes the affected entries. While
 * revocations cannot be received, nothing is cached.
 */
class TokenCache {
  readonly #holders: LruCache<Holder>
  #isListening = false
  #revocations = 0
  readonly #listeners = new Set<RevocationListener>()

  constructor(database: Database, size: number) {
    this.#holders = new LruCache(size)
    database.onListening((isListening) => {
      this.#isListening = isListening
      this.#revocations++
      this.#holders.clear()
      if (isListening) for (const listener of this.#listeners) listener.heardAgain()
    })
    database.onMessage(REVOKED, (message) => {
      const revocation = message as Revocation
      this.#revoke({ ...revocation, sessionIds: new Set(revocation.sessionIds) })
    })
  }

  get(token: string): Holder | undefined {
    return this.#holders.get(token)
  }

  /**
   * Returns the current number of revocations. Call it before querying the database: `remember` then caches the result
   * only if nothing was revoked in between.
   */
  mark(): number {
    return this.#revocations
  }

  remember(token: string, holder: Holder, mark: number): void {
    if (this.#isListening && mark === this.#revocations) this.#holders.set(token, holder)
  }

  /**
   * Calls the listener on each revocation, for work that outlives a request, such as a change stream. Returns a
   * function that stops listening.
   */
  onRevoked(listener: RevocationListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get size(): number {
    return this.#holders.size
  }

  #revoke(revoked: Revoked): void {
    this.#revocations++
    this.#holders.deleteWhere((holder) => isConcerned(holder, revoked))
    for (const listener of this.#listeners) listener.revoked(revoked)
  }
}

export const isConcerned = (
  holder: Pick<Holder, 'sessionId' | 'personId' | 'appId'>,
  { sessionIds, personId, appId }: Revoked,
): boolean => sessionIds.has(holder.sessionId) || holder.personId === personId || holder.appId === appId

export const tokenCache = service(({ db, config }) => new TokenCache(db, config.TOKEN_CACHE_SIZE))
