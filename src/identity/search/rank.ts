import { byCost, type Probe } from './probes.ts'

const MISSED_GROUP_COST = 30

export interface RankedPeople {
  /** The best first. */
  readonly people: readonly number[]
  /** What the best costs, and whether another costs the same. */
  readonly best: number
  readonly isTied: boolean
}

export const NOBODY: RankedPeople = { people: [], best: Number.POSITIVE_INFINITY, isTied: false }

export interface Found {
  readonly probe: Probe
  readonly people: readonly number[]
}

/** The groups that somebody was found in, and what these cost together. */
export interface Standing {
  groups: number
  sum: number
}

/** Where probes found somebody that are cheaper than the next one. */
export function addProbe(standing: Standing, { groups, cost }: Probe, wanted: number): void {
  const added = groups & wanted & ~standing.groups
  if (added === 0) return
  standing.sum += cost * countBits(added)
  standing.groups |= added
}

/** Where each of the people stands whom probes found, the cheapest of these first. Who comes first was found first. */
export function findStandings(found: readonly Found[], groups: number): Map<number, Standing> {
  const wanted = 2 ** groups - 1
  const standings = new Map<number, Standing>()
  for (const { probe, people } of found) {
    const mask = probe.groups & wanted
    for (const person of people) {
      const standing = standings.get(person)
      if (standing === undefined) standings.set(person, { groups: mask, sum: probe.cost * countBits(mask) })
      else if ((standing.groups & mask) !== mask) addProbe(standing, probe, mask)
    }
  }
  return standings
}

/** What the groups cost in the mean that somebody was found in, each as cheaply as it may be, and more for each that they were not. */
export function costOf(standing: Standing, groups: number): number {
  const count = countBits(standing.groups)
  return standing.sum / count + MISSED_GROUP_COST * (groups - count)
}

/** The people that probes found, each once. Who costs the same is in the order of the probes and of their keys. */
export function rankPeople(found: readonly Found[], { groups, most }: { groups: number; most: number }): RankedPeople {
  const ranked: { person: number; cost: number }[] = []
  for (const [person, standing] of findStandings(found, groups)) ranked.push({ person, cost: costOf(standing, groups) })
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
