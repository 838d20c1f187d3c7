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
const PREFIX_COST = 10
/** Two words are known to be two. The last may be unfinished, others hardly ever. */
const PAIR_COST = 2
const UNFINISHED_COST = 10
const UNFINISHED_BEFORE_COST = 25
const MOST_PAIRS = 48
const MOST_BESIDE_UNFINISHED = 6

const byCost = (one: { readonly cost: number }, other: { readonly cost: number }): number => one.cost - other.cost

/** What to look up for the words that were typed; `known` gives the words that each of them may stand for. */
export function makeProbes(words: readonly string[], known: readonly (readonly string[])[]): Probes {
  const whole = words.join('')
  const ranked = rankAll(words, known)
  const list = [
    exactly(KIND.handle + whole, 0),
    exactly(KIND.name + whole, NAME_COST),
    beginningWith(KIND.handle + whole, PREFIX_COST),
    beginningWith(KIND.name + whole, PREFIX_COST),
    ...(words.length === 1
      ? [beginningWith(KIND.word + whole, PREFIX_COST), ...ofOne(ranked[0]!.candidates)]
      : ofPairs(ranked)),
  ]
  return { list: list.sort(byCost), groups: Math.max(1, (words.length * (words.length - 1)) / 2) }
}

interface Ranked {
  readonly typed: string
  readonly isLast: boolean
  readonly candidates: readonly Candidate[]
}

const rankAll = (words: readonly string[], known: readonly (readonly string[])[]): Ranked[] =>
  words.map((typed, i) => ({
    typed,
    isLast: i === words.length - 1,
    candidates: rankWords(typed, known[i] ?? []),
  }))

const ofOne = (candidates: readonly Candidate[]): Probe[] =>
  candidates.map(({ word, cost }) => exactly(KIND.word + word, cost + NAME_COST))

/** Each two of the words that were typed: both as they are or with slips, or one of them unfinished. */
function ofPairs(ranked: readonly Ranked[]): Probe[] {
  const probes: Probe[] = []
  let group = 0
  for (const [i, one] of ranked.entries()) {
    for (const other of ranked.slice(i + 1)) {
      probes.push(...besideUnfinished(one, other, group), ...besideUnfinished(other, one, group))
      probes.push(...ofWhole(one, other, group))
      group++
    }
  }
  return probes
}

const ofWhole = (one: Ranked, other: Ranked, group: number): Probe[] =>
  one.candidates
    .flatMap(({ word, cost }) =>
      other.candidates.map((second) =>
        exactly(`${KIND.pair}${word} ${second.word}`, PAIR_COST + cost + second.cost, group),
      ),
    )
    .sort(byCost)
    .slice(0, MOST_PAIRS)

const besideUnfinished = (whole: Ranked, unfinished: Ranked, group: number): Probe[] =>
  whole.candidates
    .slice(0, MOST_BESIDE_UNFINISHED)
    .map(({ word, cost }) =>
      beginningWith(
        `${KIND.pair}${word} ${unfinished.typed}`,
        PAIR_COST + cost + (unfinished.isLast ? UNFINISHED_COST : UNFINISHED_BEFORE_COST),
        group,
      ),
    )

const LONELY_COST = 100

/** Where nobody has two of the words: who has one. */
export const makeLonelyProbes = (words: readonly string[], known: readonly (readonly string[])[]): Probes => ({
  list: rankAll(words, known)
    .flatMap(({ candidates }, group) =>
      candidates.map(({ word, cost }) => exactly(KIND.word + word, LONELY_COST + cost, group)),
    )
    .sort(byCost),
  groups: words.length,
})
