/** Splits a list into batches, so that a single statement does not carry the whole list. */
export function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}

/**
 * Splits a list into batches of about equal weight. If `isApart` is true for two neighbours, a new batch starts between
 * them.
 */
export function* gather<T>(
  items: readonly T[],
  most: number,
  weigh: (item: T) => number,
  isApart: (item: T, neighbour: T) => boolean = () => false,
): Generator<readonly T[]> {
  let part: T[] = []
  let weight = 0
  for (const item of items) {
    const neighbour = part.at(-1)
    if (neighbour !== undefined && (weight + weigh(item) > most || isApart(item, neighbour))) {
      yield part
      part = []
      weight = 0
    }
    part.push(item)
    weight += weigh(item)
  }
  if (part.length > 0) yield part
}
