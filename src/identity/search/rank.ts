import { byCost, type Probe } from './probes.ts'

const MISSED_GROUP_COST = 30

export interface RankedPeople {
  /** Person ids, best match first. */
  readonly people: readonly number[]
  /** Cost of the best match; `isTied` if a second one costs the same. */
  readonly best: number
  readonly isTied: boolean
}

export const NOBODY: RankedPeople = { people: [], best: Number.POSITIVE_INFINITY, isTied: false }

/** The people that a probe found. */
export interface ProbeMatches {
  readonly probe: Probe
  readonly people: readonly number[]
}

/** The groups that a person was found in, as bits, and the sum of their costs. */
export interface MatchedGroups {
  groups: number
  sum: number
}

/**
 * Adds the groups of a probe that the person is not in yet. Probes must come cheapest first, so each group counts its
 * lowest cost.
 */
export function addProbe(match: MatchedGroups, { groups, cost }: Probe, wanted: number): void {
  const added = groups & wanted & ~match.groups
  if (added === 0) return
  match.sum += cost * countBits(added)
  match.groups |= added
}

/**
 * The matched groups of each person. `found` must be sorted by cost; the result keeps the order in which people were
 * found.
 */
export function findMatchedGroups(found: readonly ProbeMatches[], groups: number): Map<number, MatchedGroups> {
  const wanted = 2 ** groups - 1
  const matched = new Map<number, MatchedGroups>()
  for (const { probe, people } of found) {
    const mask = probe.groups & wanted
    for (const person of people) {
      const match = matched.get(person)
      if (match === undefined) matched.set(person, { groups: mask, sum: probe.cost * countBits(mask) })
      else if ((match.groups & mask) !== mask) addProbe(match, probe, mask)
    }
  }
  return matched
}

/**
 * The mean cost of the groups that a person was found in, plus a penalty for each group that they were not found in.
 */
export function costOf(match: MatchedGroups, groups: number): number {
  const count = countBits(match.groups)
  return match.sum / count + MISSED_GROUP_COST * (groups - count)
}

/**
 * Ranks the people that probes found, each once. People of equal cost stay in the order of the probes and their keys.
 */
export function rankPeople(
  found: readonly ProbeMatches[],
  { groups, most }: { groups: number; most: number },
): RankedPeople {
  const ranked: { person: number; cost: number }[] = []
  for (const [person, match] of findMatchedGroups(found, groups)) ranked.push({ person, cost: costOf(match, groups) })
  if (groups > 1) ranked.sort(byCost)
  return takeBest(ranked, most)
}

export const takeBest = (ranked: readonly { person: number; cost: number }[], most: number): RankedPeople => ({
  people: ranked.slice(0, most).map(({ person }) => person),
  best: ranked[0]?.cost ?? NOBODY.best,
  isTied: ranked[0]?.cost === ranked[1]?.cost,
})

export function countBits(bits: number): number {
  let count = 0
  for (let left = bits; left > 0; left &= left - 1) count++
  return count
}
