import { KIND } from '../people/search-keys.ts'
import { byCost, type Probe, type Probes } from './probes.ts'
import {
  addProbe,
  costOf,
  countBits,
  type Found,
  findStandings,
  type RankedPeople,
  type Standing,
  takeBest,
} from './rank.ts'

/*
 * Where more people have a key than are read of it. Who was not found by it may have it all the same, and whoever has all the words may be behind the last of each. So these are looked
 * for, and people are judged by all the keys that they have. Pure.
 */

/** Those of the probes that have people who were not read: as many as are read of one were found, or enough were before it. */
export function listCut(
  list: readonly Probe[],
  found: readonly Found[],
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

/** So many of a group: others are hardly meant. */
const MOST_OF_A_GROUP = 3

/** The cheapest of a group; what somebody is called before what that is the beginning of. */
function chooseOfGroup(cut: readonly Probe[], group: number): Probe[] {
  const chosen: Probe[] = []
  for (const probe of cut) {
    if (probe.groups !== group || chosen.length === MOST_OF_A_GROUP) continue
    if (isWhole(probe) || !chosen.some(isWhole)) chosen.push(probe)
  }
  return chosen
}

/** Probes of each of some groups, where whoever is in all of these groups may be behind the last of each. */
export function listTogether(cut: readonly Probe[], { groups, wholes }: Probes): Probe[][] {
  const ofGroups = Array.from({ length: groups }, (_, i) => chooseOfGroup(cut, 2 ** i))
  const isCut = (whole: number) => ofGroups.every((probes, i) => probes.length > 0 || !(whole & (2 ** i)))
  const some = wholes.filter((whole) => countBits(whole) > 1 && isCut(whole))
  return some
    .filter((whole) => !some.some((other) => other > whole && (other & whole) === whole))
    .map((whole) => ofGroups.flatMap((probes, i) => (whole & (2 ** i) ? probes : [])))
}

/**
 * The people of whom it should be known what they have: who may have all the words, or all but one, though they were not found by each two of them, if they would be among the best then;
 * and who was found by several. The best of them first, as if they had what they may have. Who was not found by a pair that was read to its end does not have it.
 */
export function chooseJudged(
  found: readonly Found[],
  cut: readonly Probe[],
  { groups, wholes, most, mostJudged }: Pick<Probes, 'groups' | 'wholes'> & Record<'most' | 'mostJudged', number>,
): number[] {
  const ofOne = cut.filter((probe) => countBits(probe.groups) === 1)
  const unsure = ofOne.reduce((mask, probe) => mask | probe.groups, 0)
  const people = [...findStandings(found, groups)].map(([person, standing]) => {
    const [atMost, had] = [costOf(standing, groups), standing.groups]
    const whole = wholes.find((one) => (one & had) === had && (one & ~had & ~unsure) === 0) ?? had
    if (whole !== had) for (const probe of ofOne) addProbe(standing, probe, whole)
    return { person, atMost, cost: costOf(standing, groups), mayHaveMore: whole !== had, hasSome: countBits(had) > 1 }
  })
  const costs = people.map(({ atMost }) => atMost).sort((one, other) => one - other)
  const worst = costs[most - 1] ?? Number.POSITIVE_INFINITY
  const chosen = people.filter(({ cost, mayHaveMore, hasSome }) => (mayHaveMore || hasSome) && cost <= worst)
  // Nobody to compare the only one with.
  if (chosen.length === 1 && !chosen[0]!.mayHaveMore) return []
  return chosen
    .sort(byCost)
    .slice(0, mostJudged)
    .map(({ person }) => person)
}

export interface Judged {
  readonly person: number
  readonly keys: readonly string[]
}

/** Like `rankPeople`, but who was judged stands where their keys say. Of those who were found by several and cost the same, whoever has the fewest other words comes first. */
export function rankJudged(
  found: readonly Found[],
  judged: readonly Judged[],
  { list, groups, most }: Pick<Probes, 'list' | 'groups'> & { most: number },
): RankedPeople {
  const standings = findStandings(found, groups)
  const lengths = new Map<number, number>()
  const judge = makeJudge(list, groups)
  for (const { person, keys } of judged) {
    standings.set(person, judge(keys))
    lengths.set(person, keys.find((key) => key.startsWith(KIND.name))?.length ?? 0)
  }
  const ranked: { person: number; cost: number; length: number }[] = []
  for (const [person, standing] of standings) {
    if (standing.groups === 0) continue
    const length = countBits(standing.groups) > 1 ? (lengths.get(person) ?? Number.MAX_SAFE_INTEGER) : 0
    ranked.push({ person, cost: costOf(standing, groups), length })
  }
  ranked.sort((one, other) => byCost(one, other) || one.length - other.length)
  return takeBest(ranked, most)
}

/** Says where somebody stands who has these keys. */
function makeJudge(list: readonly Probe[], groups: number): (keys: readonly string[]) => Standing {
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
    const standing: Standing = { groups: 0, sum: 0 }
    for (const number of numbers.sort((one, other) => one - other)) addProbe(standing, list[number]!, 2 ** groups - 1)
    return standing
  }
}
