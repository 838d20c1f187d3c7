import { byCost, type Probe } from './probes.ts'

const MISSED_GROUP_COST = 30

export interface RankedPeople {
  /** The best first. */
  readonly people: readonly number[]
  /** What the best costs. */
  readonly best: number
}

export const NOBODY: RankedPeople = { people: [], best: Number.POSITIVE_INFINITY }

/**
 * The people that probes found, the cheapest of these first; each person once. Who costs the same is in the order of the probes and of their keys. Somebody costs what the
 * groups cost in the mean that they were found in, each as cheaply as it may be, and more for each that they were not.
 */
export function rankPeople(
  found: readonly { readonly probe: Probe; readonly people: readonly number[] }[],
  { groups, most }: { groups: number; most: number },
): RankedPeople {
  const wanted = 2 ** groups - 1
  const costs = new Map<number, { groups: number; sum: number }>()
  for (const { probe, people } of found) {
    const mask = probe.groups & wanted
    for (const person of people) {
      const known = costs.get(person)
      if (known === undefined) costs.set(person, { groups: mask, sum: probe.cost * countBits(mask) })
      else if ((known.groups & mask) !== mask) {
        known.sum += probe.cost * countBits(mask & ~known.groups)
        known.groups |= mask
      }
    }
  }
  const ranked: { person: number; cost: number }[] = []
  for (const [person, known] of costs) {
    const count = countBits(known.groups)
    ranked.push({ person, cost: known.sum / count + MISSED_GROUP_COST * (groups - count) })
  }
  if (groups > 1) ranked.sort(byCost)
  return {
    people: ranked.slice(0, most).map(({ person }) => person),
    best: ranked[0]?.cost ?? Number.POSITIVE_INFINITY,
  }
}

function countBits(bits: number): number {
  let count = 0
  for (let left = bits; left > 0; left &= left - 1) count++
  return count
}
