/** A store of the ids of handled deliveries. */
export interface Seen {
  has(id: string): boolean | Promise<boolean>
  add(id: string): void | Promise<void>
}

/**
 * Stores the newest `limit` ids in memory, so they are lost when the process ends. If an event must never take effect
 * twice, store its id in the same transaction as its effect.
 */
export function rememberIds(limit = 10_000): Seen {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id)
      for (const oldest of ids) {
        if (ids.size <= limit) return
        ids.delete(oldest)
      }
    },
  }
}
