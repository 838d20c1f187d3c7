/** Splits a list, so that no statement carries all of it. */
export function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}

/**
 * Splits a list into batches of about the same weight. An item that `isApart` from its neighbour starts a new batch.
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
