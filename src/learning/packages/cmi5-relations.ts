interface Relations {
  readonly items: ReadonlyMap<string, unknown>
  /** The block of each item that has one. */
  readonly parents: ReadonlyMap<string, string>
  readonly references: readonly { readonly from: string; readonly to: string; readonly kind: string }[]
}

/**
 * Finds an item that can never be started, because it requires itself, directly or through others. Whatever a block
 * requires, its items require too.
 */
export function findCycle({ items, parents, references }: Relations): string | undefined {
  const waitsFor = new Map<string, string[]>()
  const add = (from: string, to: string) => {
    const known = waitsFor.get(from)
    if (known) known.push(to)
    else waitsFor.set(from, [to])
  }
  for (const [item, block] of parents) add(item, block)
  for (const { from, to, kind } of references) if (kind === 'requires') add(from, to)
  const done = new Set<string>()
  for (const start of items.keys()) {
    // Depth first, without recursion: a chain can be as long as the course.
    const path: { readonly id: string; next: number }[] = [{ id: start, next: 0 }]
    const onPath = new Set([start])
    while (path.length > 0 && !done.has(start)) {
      const top = path.at(-1)!
      const to = waitsFor.get(top.id)?.[top.next++]
      if (to === undefined) {
        done.add(top.id)
        onPath.delete(top.id)
        path.pop()
      } else if (onPath.has(to)) return to
      else if (!done.has(to)) {
        path.push({ id: to, next: 0 })
        onPath.add(to)
      }
    }
  }
  return undefined
}
