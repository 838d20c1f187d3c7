import { KIND } from '../people/search-keys.ts'
import { byCost, type Probe, type Probes } from './probes.ts'
import {
  addProbe,
  costOf,
  countBits,
  findMatchedGroups,
  type MatchedGroups,
  type ProbeMatches,
  type RankedPeople,
  takeBest,
} from './rank.ts'

/*
 * Ranking after some probes were cut off, because more people have a key than were read. A person whom such a probe did
 * not find may still have its key, and a person who has all the typed words may be beyond the limit of every probe.
 * Such people are looked up, and ranked by all of their keys. Pure functions.
 */

/**
 * Returns the probes that were cut off: those that reached the limit for one probe (`most`) and, if the limit for all
 * probes together (`enough`) was reached, the probe that reached it and all later ones.
 */
export function listCut(
  list: readonly Probe[],
  found: readonly ProbeMatches[],
  { most, enough }: Record<'most' | 'enough', number>,
) {
  let read = 0
  const cut = new Set<Probe>()
  for (const { probe, people } of found) {
    read += people.length
    if (people.length >= most) cut.add(probe)
  }
  if (read < enough) return [...cut]
  const end = list.indexOf(found.at(-1)!.probe)
  return list.filter((probe, i) => i >= end || cut.has(probe))
}

const isWhole = ({ first, last }: Probe): boolean => first === last

/** Maximum number of cut-off probes used per group; the costlier ones are unlikely to be what the searcher meant. */
const MOST_OF_A_GROUP = 3

/** Chooses the cheapest cut-off probes of a group. Once an exact probe is chosen, prefix probes are skipped. */
function chooseOfGroup(cut: readonly Probe[], group: number): Probe[] {
  const chosen: Probe[] = []
  for (const probe of cut) {
    if (probe.groups !== group || chosen.length === MOST_OF_A_GROUP) continue
    if (isWhole(probe) || !chosen.some(isWhole)) chosen.push(probe)
  }
  return chosen
}

/**
 * Finds the sets of groups in which every group has a cut-off probe: a person who is in all groups of such a set may
 * have been missed by every probe. Returns the probes of each set.
 */
export function listTogether(cut: readonly Probe[], { groups, wholes }: Probes): Probe[][] {
  const ofGroups = Array.from({ length: groups }, (_, i) => chooseOfGroup(cut, 2 ** i))
  const isCut = (whole: number) => ofGroups.every((probes, i) => probes.length > 0 || !(whole & (2 ** i)))
  const some = wholes.filter((whole) => countBits(whole) > 1 && isCut(whole))
  return some
    .filter((whole) => !some.some((other) => other > whole && (other & whole) === whole))
    .map((whole) => ofGroups.flatMap((probes, i) => (whole & (2 ** i) ? probes : [])))
}

/**
 * Chooses the people whose keys should be read, sorted by their lowest possible cost: people found in several groups,
 * and people who may have all the words, or all but one, although cut-off probes did not find them. Only people who
 * could then be among the best are chosen. A probe that was not cut off proves that the people it did not find lack its
 * key.
 */
export function choosePeopleToRead(
  found: readonly ProbeMatches[],
  cut: readonly Probe[],
  { groups, wholes, most, mostRead }: Pick<Probes, 'groups' | 'wholes'> & Record<'most' | 'mostRead', number>,
): number[] {
  const ofOne = cut.filter((probe) => countBits(probe.groups) === 1)
  const unsure = ofOne.reduce((mask, probe) => mask | probe.groups, 0)
  const people = [...findMatchedGroups(found, groups)].map(([person, match]) => {
    const [atMost, had] = [costOf(match, groups), match.groups]
    const whole = wholes.find((one) => (one & had) === had && (one & ~had & ~unsure) === 0) ?? had
    if (whole !== had) for (const probe of ofOne) addProbe(match, probe, whole)
    return { person, atMost, cost: costOf(match, groups), mayHaveMore: whole !== had, hasSome: countBits(had) > 1 }
  })
  const costs = people.map(({ atMost }) => atMost).sort((one, other) => one - other)
  const worst = costs[most - 1] ?? Number.POSITIVE_INFINITY
  const chosen = people.filter(({ cost, mayHaveMore, hasSome }) => (mayHaveMore || hasSome) && cost <= worst)
  // A single person whose groups are all known need not be compared with anybody.
  if (chosen.length === 1 && !chosen[0]!.mayHaveMore) return []
  return chosen
    .sort(byCost)
    .slice(0, mostRead)
    .map(({ person }) => person)
}

/** A person with all of their search keys. */
export interface PersonKeys {
  readonly person: number
  readonly keys: readonly string[]
}

/**
 * Like `rankPeople`, but uses all keys of the people whose keys were read. Of people with equal cost who were found in
 * several groups, the one with the shortest name comes first.
 */
export function rankByKeys(
  found: readonly ProbeMatches[],
  known: readonly PersonKeys[],
  { list, groups, most }: Pick<Probes, 'list' | 'groups'> & { most: number },
): RankedPeople {
  const matched = findMatchedGroups(found, groups)
  const lengths = new Map<number, number>()
  const matchKeys = makeMatcher(list, groups)
  for (const { person, keys } of known) {
    matched.set(person, matchKeys(keys))
    lengths.set(person, keys.find((key) => key.startsWith(KIND.name))?.length ?? 0)
  }
  const ranked: { person: number; cost: number; length: number }[] = []
  for (const [person, match] of matched) {
    if (match.groups === 0) continue
    const length = countBits(match.groups) > 1 ? (lengths.get(person) ?? Number.MAX_SAFE_INTEGER) : 0
    ranked.push({ person, cost: costOf(match, groups), length })
  }
  ranked.sort((one, other) => byCost(one, other) || one.length - other.length)
  return takeBest(ranked, most)
}

/** Returns a function that matches a person's keys against the probes. */
function makeMatcher(list: readonly Probe[], groups: number): (keys: readonly string[]) => MatchedGroups {
  const wholes = new Map<string, number[]>()
  const beginnings: { first: string; number: number }[] = []
  for (const [number, probe] of list.entries()) {
    if (!isWhole(probe)) beginnings.push({ first: probe.first, number })
    else wholes.set(probe.first, [...(wholes.get(probe.first) ?? []), number])
  }
  return (keys) => {
    const numbers: number[] = []
    for (const key of keys) {
      numbers.push(...(wholes.get(key) ?? []))
      for (const { first, number } of beginnings) if (key.startsWith(first)) numbers.push(number)
    }
    const match: MatchedGroups = { groups: 0, sum: 0 }
    for (const number of numbers.sort((one, other) => one - other)) addProbe(match, list[number]!, 2 ** groups - 1)
    return match
  }
}
