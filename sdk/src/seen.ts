/** Remembers the ids of handled deliveries. */
export interface Seen {
  has(id: string): boolean | Promise<boolean>
  add(id: string): void | Promise<void>
}

/**
 * Remembers the newest ids in memory, until the process ends. If an event must not take effect twice, store its id
 * together with the change.
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
