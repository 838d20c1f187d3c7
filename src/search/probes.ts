import { KIND } from './keys.ts'
import { type Candidate, rankWords } from './match.ts'

/** Keys to look up, from the first to the last, and what it costs to be found by them. Who is found in more groups is found better. */
export interface Probe {
  readonly first: string
  readonly last: string
  readonly cost: number
  readonly group: number
}

export interface Probes {
  /** The cheapest first. */
  readonly list: readonly Probe[]
  readonly groups: number
}

/** Above every character that a key has. */
const END = '\u{10fffd}'

const exactly = (key: string, cost: number, group = 0): Probe => ({ first: key, last: key, cost, group })
const beginningWith = (key: string, cost: number, group = 0): Probe => ({ first: key, last: key + END, cost, group })

const NAME_COST = 5
/** Who costs more is not called what was typed. */
export const AS_TYPED = NAME_COST
const PREFIX_COST = 10
/** Two words are known to be two. The last may be unfinished, others hardly ever. */
const PAIR_COST = 2
const UNFINISHED_COST = 10
const UNFINISHED_BEFORE_COST = 25

/** How far to go. */
interface Reach {
  readonly pairs: number
  readonly pairCost: number
  /** Words that another stands beside unfinished. */
  readonly besideUnfinished: number
}
/** At first: two words that do not exist are both mistyped, or one that does beside one that is not. */
export const NEAR: Reach = { pairs: 24, pairCost: 54, besideUnfinished: 2 }
/** Where hardly anybody was found: one that exists is mistyped beside one that does not. */
export const FAR: Reach = { pairs: 48, pairCost: 65, besideUnfinished: 6 }

const byCost = (one: { readonly cost: number }, other: { readonly cost: number }): number => one.cost - other.cost

/** What to look up for the words that were typed; `known` are the words that they may stand for. */
export function makeProbes(words: readonly string[], known: readonly string[], reach: Reach): Probes {
  const whole = words.join('')
  const ranked = rankAll(words, known)
  const list = [
    exactly(KIND.handle + whole, 0),
    exactly(KIND.name + whole, NAME_COST),
    beginningWith(KIND.handle + whole, PREFIX_COST),
    beginningWith(KIND.name + whole, PREFIX_COST),
    ...(words.length === 1
      ? [beginningWith(KIND.word + whole, PREFIX_COST), ...ofOne(ranked[0]!.candidates)]
      : ofPairs(ranked, reach)),
  ]
  return { list: list.sort(byCost), groups: Math.max(1, (words.length * (words.length - 1)) / 2) }
}

interface Ranked {
  readonly typed: string
  readonly isLast: boolean
  readonly candidates: readonly Candidate[]
}

const rankAll = (words: readonly string[], known: readonly string[]): Ranked[] =>
  words.map((typed, i) => ({
    typed,
    isLast: i === words.length - 1,
    candidates: rankWords(typed, known),
  }))

const ofOne = (candidates: readonly Candidate[]): Probe[] =>
  candidates.map(({ word, cost }) => exactly(KIND.word + word, cost + NAME_COST))

/** Each two of the words that were typed: both as they are or with slips, or one of them unfinished. */
function ofPairs(ranked: readonly Ranked[], reach: Reach): Probe[] {
  const probes: Probe[] = []
  let group = 0
  for (const [i, one] of ranked.entries()) {
    for (const other of ranked.slice(i + 1)) {
      probes.push(...besideUnfinished(one, other, group, reach), ...besideUnfinished(other, one, group, reach))
      probes.push(...ofWhole(one, other, group, reach))
      group++
    }
  }
  return probes
}

const ofWhole = (one: Ranked, other: Ranked, group: number, reach: Reach): Probe[] =>
  one.candidates
    .flatMap(({ word, cost }) =>
      other.candidates.map((second) =>
        exactly(`${KIND.pair}${word} ${second.word}`, PAIR_COST + cost + second.cost, group),
      ),
    )
    .filter(({ cost }) => cost <= reach.pairCost)
    .sort(byCost)
    .slice(0, reach.pairs)

const besideUnfinished = (whole: Ranked, unfinished: Ranked, group: number, reach: Reach): Probe[] =>
  whole.candidates
    .filter(({ isDoubtful }) => !isDoubtful)
    .slice(0, reach.besideUnfinished)
    .map(({ word, cost }) =>
      beginningWith(
        `${KIND.pair}${word} ${unfinished.typed}`,
        PAIR_COST + cost + (unfinished.isLast ? UNFINISHED_COST : UNFINISHED_BEFORE_COST),
        group,
      ),
    )

const LONELY_COST = 100

/** Where nobody has two of the words: who has one. */
export const makeLonelyProbes = (words: readonly string[], known: readonly string[]): Probes => ({
  list: rankAll(words, known)
    .flatMap(({ candidates }, group) =>
      candidates.map(({ word, cost }) => exactly(KIND.word + word, LONELY_COST + cost, group)),
    )
    .sort(byCost),
  groups: words.length,
})

const MISSED_GROUP_COST = 30
/** Four words make six groups. */
const GROUPS = 2 ** 6

export interface RankedPeople {
  /** The best first. */
  readonly people: readonly number[]
  /** What the best costs. */
  readonly best: number
}

/** The people that probes found, the cheapest of these first; each person once. Who costs the same is in the order of the probes and of their keys. */
export function rankPeople(
  found: readonly { readonly probe: Probe; readonly people: readonly number[] }[],
  { groups, most }: { groups: number; most: number },
): RankedPeople {
  // What a person costs at least, and behind it a bit for each group that they were found in.
  const costs = new Map<number, number>()
  for (const { probe, people } of found) {
    const group = 1 << probe.group
    const cost = probe.cost * GROUPS + group
    for (const person of people) {
      const known = costs.get(person)
      if (known === undefined) costs.set(person, cost)
      else if ((known & group) === 0) costs.set(person, known + group)
    }
  }
  const ranked: { person: number; cost: number }[] = []
  for (const [person, known] of costs) {
    const missed = groups - countBits(known % GROUPS)
    ranked.push({ person, cost: Math.floor(known / GROUPS) + MISSED_GROUP_COST * missed })
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
