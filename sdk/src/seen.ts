/** What remembers ids of deliveries that were dealt with. */
export interface Seen {
  has(id: string): boolean | Promise<boolean>
  add(id: string): void | Promise<void>
}

/** Remembers the newest ids in memory. It forgets them with the process: keep them where the change is kept if an event must not have its effect twice. */
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
