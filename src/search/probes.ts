import { KIND, pairOf } from './keys.ts'
import { type Candidate, rankWords } from './match.ts'

/** A key to look up, and what it costs to be found by it. Who is found in more groups is found better. */
export interface Probe {
  readonly key: string
  readonly cost: number
  readonly group: number
}

export interface Probes {
  readonly keys: readonly Probe[]
  /** The same for all keys that begin so. */
  readonly prefixes: readonly Probe[]
  readonly groups: number
}

const MOST_KEYS = 96
const HANDLE_COST = 0
const NAME_COST = 5
const PREFIX_COST = 10
/** Two words are known to be two. */
const PAIR_COST = 2

/** What to look up for the words that were typed; `known` gives the words that each of them may stand for. */
export function makeProbes(words: readonly string[], known: readonly (readonly string[])[]): Probes {
  const whole = words.join('')
  const ranked = rankAll(words, known)
  const spread = words.length === 1 ? ofOne(ranked[0]!) : ofPairs(ranked)
  const keys = [
    { key: KIND.handle + whole, cost: HANDLE_COST, group: 0 },
    { key: KIND.name + whole, cost: NAME_COST, group: 0 },
    ...spread,
  ]
  const prefixes = [KIND.handle, KIND.name].map((kind) => ({ key: kind + whole, cost: PREFIX_COST, group: 0 }))
  if (words.length === 1) prefixes.push({ key: KIND.word + whole, cost: PREFIX_COST, group: 0 })
  return { keys, prefixes, groups: Math.max(1, (words.length * (words.length - 1)) / 2) }
}

const rankAll = (words: readonly string[], known: readonly (readonly string[])[]): Candidate[][] =>
  words.map((word, i) => rankWords({ word, isLast: i === words.length - 1 }, known[i] ?? []))

const ofOne = (candidates: readonly Candidate[]): Probe[] =>
  candidates.map(({ word, cost }) => ({ key: KIND.word + word, cost: cost + NAME_COST, group: 0 }))

/** Each two of the words that were typed, in whichever order. */
function ofPairs(ranked: readonly (readonly Candidate[])[]): Probe[] {
  const probes: Probe[] = []
  let group = 0
  for (const [i, ones] of ranked.entries()) {
    for (const others of ranked.slice(i + 1)) {
      for (const one of ones) {
        for (const other of others) {
          if (one.word === other.word) continue
          probes.push({
            key: KIND.pair + pairOf(one.word, other.word),
            cost: PAIR_COST + one.cost + other.cost,
            group,
          })
        }
      }
      group++
    }
  }
  return probes.sort((one, other) => one.cost - other.cost).slice(0, MOST_KEYS * Math.max(1, group))
}

const LONELY_COST = 100

/** Where nobody has two of the words: who has one. */
export const makeLonelyProbes = (words: readonly string[], known: readonly (readonly string[])[]): Probes => ({
  keys: rankAll(words, known).flatMap((candidates, group) =>
    candidates.map((candidate) => ({
      key: KIND.word + candidate.word,
      cost: LONELY_COST + candidate.cost,
      group,
    })),
  ),
  prefixes: [],
  groups: words.length,
})
