import { byCost, type Probe } from './probes.ts'

const MISSED_GROUP_COST = 30

export interface RankedPeople {
  /** Person ids, best match first. */
  readonly people: readonly number[]
  /** The cost of the best match. `isTied` is true if the second-best match has the same cost. */
  readonly best: number
  readonly isTied: boolean
}

export const NOBODY: RankedPeople = { people: [], best: Number.POSITIVE_INFINITY, isTied: false }

/** The people that a probe found. */
export interface ProbeMatches {
  readonly probe: Probe
  readonly people: readonly number[]
}

/** The groups in which a person was found, as bits, and the sum of the costs of the matches. */
export interface MatchedGroups {
  groups: number
  sum: number
}

/**
 * Adds to the match those groups of a probe in which the person was not found yet. Must be called with the cheapest
 * probes first, so that each group counts with its lowest cost.
 */
export function addProbe(match: MatchedGroups, { groups, cost }: Probe, wanted: number): void {
  const added = groups & wanted & ~match.groups
  if (added === 0) return
  match.sum += cost * countBits(added)
  match.groups |= added
}

/**
 * Finds the matched groups of each person. `found` must be sorted by cost; people are returned in the order in which
 * they were found.
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

/** Returns the mean cost of the groups in which a person was found, plus a penalty for each of the other groups. */
export function costOf(match: MatchedGroups, groups: number): number {
  const count = countBits(match.groups)
  return match.sum / count + MISSED_GROUP_COST * (groups - count)
}

/**
 * Ranks the people whom the probes found, each once. People of equal cost stay in the order of the probes and their
 * keys.
 */
export function rankPeople(
  found: readonly ProbeMatches[],
  { groups, most }: { groups: number; most: number },
): RankedPeople {
  if (groups === 1) return takeFirst(found, most)
  const ranked: { person: number; cost: number }[] = []
  for (const [person, match] of findMatchedGroups(found, groups)) ranked.push({ person, cost: costOf(match, groups) })
  return takeBest(ranked.sort(byCost), most)
}

/** Ranks people for a single group: the order in which they were found is already the order of their costs. */
function takeFirst(found: readonly ProbeMatches[], most: number): RankedPeople {
  const people = new Set<number>()
  const costs: number[] = []
  for (const { probe, people: some } of found) {
    for (const person of some) {
      if (people.size === most) break
      people.add(person)
      if (costs.length < people.size) costs.push(probe.cost)
    }
  }
  return { people: [...people], best: costs[0] ?? NOBODY.best, isTied: costs[0] === costs[1] }
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
