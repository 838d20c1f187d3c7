import { KIND, pairOf } from './keys.ts'
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
const beginningWith = (key: string, cost: number): Probe => ({ first: key, last: key + END, cost, group: 0 })

const MOST_PAIRS = 64
const NAME_COST = 5
const PREFIX_COST = 10
/** Two words are known to be two. */
const PAIR_COST = 2

const byCost = (one: Probe, other: Probe): number => one.cost - other.cost

/** What to look up for the words that were typed; `known` gives the words that each of them may stand for. */
export function makeProbes(words: readonly string[], known: readonly (readonly string[])[]): Probes {
  const whole = words.join('')
  const ranked = rankAll(words, known)
  const list = [
    exactly(KIND.handle + whole, 0),
    exactly(KIND.name + whole, NAME_COST),
    beginningWith(KIND.handle + whole, PREFIX_COST),
    beginningWith(KIND.name + whole, PREFIX_COST),
    ...(words.length === 1 ? [beginningWith(KIND.word + whole, PREFIX_COST), ...ofOne(ranked[0]!)] : ofPairs(ranked)),
  ]
  return { list: list.sort(byCost), groups: Math.max(1, (words.length * (words.length - 1)) / 2) }
}

const rankAll = (words: readonly string[], known: readonly (readonly string[])[]): Candidate[][] =>
  words.map((word, i) => rankWords({ word, isLast: i === words.length - 1 }, known[i] ?? []))

const ofOne = (candidates: readonly Candidate[]): Probe[] =>
  candidates.map(({ word, cost }) => exactly(KIND.word + word, cost + NAME_COST))

/** Each two of the words that were typed, in whichever order. */
function ofPairs(ranked: readonly (readonly Candidate[])[]): Probe[] {
  const probes: Probe[] = []
  let group = 0
  for (const [i, ones] of ranked.entries()) {
    for (const others of ranked.slice(i + 1)) {
      for (const one of ones) {
        for (const other of others) {
          if (one.word === other.word) continue
          probes.push(exactly(KIND.pair + pairOf(one.word, other.word), PAIR_COST + one.cost + other.cost, group))
        }
      }
      group++
    }
  }
  return probes.sort(byCost).slice(0, MOST_PAIRS * Math.max(1, group))
}

const LONELY_COST = 100

/** Where nobody has two of the words: who has one. */
export const makeLonelyProbes = (words: readonly string[], known: readonly (readonly string[])[]): Probes => ({
  list: rankAll(words, known)
    .flatMap((candidates, group) =>
      candidates.map(({ word, cost }) => exactly(KIND.word + word, LONELY_COST + cost, group)),
    )
    .sort(byCost),
  groups: words.length,
})
