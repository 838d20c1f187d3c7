import { KIND, splitWords, squeeze } from '../people/search-keys.ts'
import { type Candidate, rankWords } from './match.ts'

/**
 * A range of keys to look up, and the cost of a match. A group is a pair of typed words, or a single word; `groups` has
 * a bit for each group that the keys cover. A person who is found in more groups is a better match.
 */
export interface Probe {
  readonly first: string
  readonly last: string
  readonly cost: number
  readonly groups: number
}

export interface Probes {
  /** The probes, sorted by ascending cost. */
  readonly list: readonly Probe[]
  readonly groups: number
  /** The sets of groups that a person matches who has all the typed words or, if four words were typed, any three. */
  readonly wholes: readonly number[]
}

/** A character that sorts after every character in a key. */
const END = '\u{10fffd}'

const FIRST_GROUP = 1
/** The bits of all groups: four words make six pairs. */
const ALL_GROUPS = 2 ** 6 - 1
/** The groups of all four words, followed by the groups of every three of them. */
const WHOLES_OF_FOUR = [0b111111, 0b001011, 0b010101, 0b100110, 0b111000]

const exactly = (key: string, cost: number, groups = FIRST_GROUP): Probe => ({ first: key, last: key, cost, groups })
const beginningWith = (key: string, cost: number, groups = FIRST_GROUP): Probe => ({
  first: key,
  last: key + END,
  cost,
  groups,
})

/** The costs of exact matches of a handle, a name or a word. They rank above matches of only a part. */
export const HANDLE_COST = 0
const NAME_COST = 1
const WORD_COST = 5
/** The highest cost of a match of complete words, exactly as typed. */
export const AS_TYPED = WORD_COST
/** The cost of two typed words that match as one word, such as mac donald for MacDonald. */
const JOINED_COST = 8
const PREFIX_COST = 10
/**
 * The costs of a pair of words. If one is unfinished, it is usually the last; an earlier unfinished word costs more.
 */
const PAIR_COST = 2
const UNFINISHED_COST = 10
const UNFINISHED_BEFORE_COST = 25

/** Limits for the probes of pairs of words. */
interface ProbeLimits {
  readonly pairs: number
  readonly pairCost: number
  /**
   * Maximum number of words that one typed word may stand for, if the other typed word of the pair may be unfinished.
   */
  readonly besideUnfinished: number
}
/**
 * Limits of the first attempt. It tolerates slips in both words if neither exists, or in one existing word beside a
 * correct word.
 */
export const NEAR: ProbeLimits = { pairs: 24, pairCost: 54, besideUnfinished: 2 }
/**
 * Limits of the second attempt, made if hardly anybody was found. It also tolerates a slip in an existing word beside a
 * word that does not exist.
 */
export const FAR: ProbeLimits = { pairs: 48, pairCost: 65, besideUnfinished: 6 }

export const byCost = (one: { readonly cost: number }, other: { readonly cost: number }): number =>
  one.cost - other.cost

/** A search term: the words to look up, and all words joined. */
export interface SearchTerm {
  readonly words: readonly string[]
  readonly whole: string
}

const MAX_WORDS = 4

/** Parses a search term. Uses the four longest words, which are the most distinctive. */
export function readTerm(term: string): SearchTerm {
  const all = splitWords(term)
  const byLength = [...all.keys()].sort((one, other) => all[other]!.length - all[one]!.length || one - other)
  const longest = new Set(byLength.slice(0, MAX_WORDS))
  return { words: all.filter((_, i) => longest.has(i)), whole: squeeze(all) }
}

/** Makes the probes for a search term. `known` contains existing words for which the typed words may stand. */
export function makeProbes({ words, whole }: SearchTerm, known: readonly string[], reach: ProbeLimits): Probes {
  const ranked = rankAll(words, known)
  const list = [
    exactly(KIND.handle + whole, HANDLE_COST, ALL_GROUPS),
    exactly(KIND.name + whole, NAME_COST, ALL_GROUPS),
    beginningWith(KIND.handle + whole, PREFIX_COST, ALL_GROUPS),
    beginningWith(KIND.name + whole, PREFIX_COST, ALL_GROUPS),
    ...(words.length === 1
      ? [beginningWith(KIND.word + whole, PREFIX_COST), ...ofOne(ranked[0]!.candidates)]
      : [...ofJoined(words), ...ofNames(ranked), ...ofTurned(words, whole), ...ofPairs(ranked, reach)]),
  ]
  const groups = Math.max(1, (words.length * (words.length - 1)) / 2)
  return { list: list.sort(byCost), groups, wholes: words.length > 3 ? WHOLES_OF_FOUR : [2 ** groups - 1] }
}

/** Leaves out probes that are already known to find nobody. */
export function leaveOut(probes: Probes, vain: Probes): Probes {
  const keys = new Set(vain.list.map((probe) => probe.last))
  return { ...probes, list: probes.list.filter((probe) => !keys.has(probe.last)) }
}

/** Makes probes for two adjacent words joined into one, together with the third word if there is one. */
function ofJoined([one = '', two = '', three, ...more]: readonly string[]): Probe[] {
  if (more.length > 0) return []
  if (three === undefined) return [exactly(KIND.word + one + two, JOINED_COST)]
  return [`${one}${two} ${three}`, `${one} ${two}${three}`].map((pair) =>
    exactly(KIND.pair + pair, JOINED_COST, ALL_GROUPS),
  )
}

const MOST_NAMES = 3

/**
 * Makes probes for two words as a complete name, in either order and with slips. Probes of pairs may be cut off before
 * they reach the person with exactly this name.
 */
function ofNames([one, two, ...more]: readonly RankedWord[]): Probe[] {
  if (more.length > 0) return []
  return one!.candidates
    .flatMap((first) => two!.candidates.map((last) => ({ first, last, cost: NAME_COST + first.cost + last.cost })))
    .sort(byCost)
    .slice(0, MOST_NAMES)
    .flatMap(({ first, last, cost }) => [
      exactly(KIND.name + squeeze([first.word, last.word]), cost),
      exactly(KIND.name + squeeze([last.word, first.word]), cost),
    ])
}

/** Makes probes for three or more words as a complete name in rotated order, such as van der Berg, Tom. */
const ofTurned = (words: readonly string[], whole: string): Probe[] =>
  words.length > 2 && squeeze(words) === whole
    ? words
        .slice(1)
        .map((_, i) => squeeze([...words.slice(i + 1), ...words.slice(0, i + 1)]))
        .map((name) => exactly(KIND.name + name, NAME_COST, ALL_GROUPS))
    : []

interface RankedWord {
  readonly typed: string
  readonly isLast: boolean
  readonly candidates: readonly Candidate[]
}

const rankAll = (words: readonly string[], known: readonly string[]): RankedWord[] =>
  words.map((typed, i) => ({
    typed,
    isLast: i === words.length - 1,
    candidates: rankWords(typed, known),
  }))

const ofOne = (candidates: readonly Candidate[]): Probe[] =>
  candidates.map(({ word, cost }) => exactly(KIND.word + word, cost + WORD_COST))

/** Makes probes for every pair of typed words: both complete, with or without slips, or one of them unfinished. */
function ofPairs(ranked: readonly RankedWord[], reach: ProbeLimits): Probe[] {
  const probes: Probe[] = []
  let group = FIRST_GROUP
  for (const [i, one] of ranked.entries()) {
    for (const other of ranked.slice(i + 1)) {
      probes.push(...besideUnfinished(one, other, group, reach), ...besideUnfinished(other, one, group, reach))
      probes.push(...ofWhole(one, other, group, reach))
      group *= 2
    }
  }
  return probes
}

const ofWhole = (one: RankedWord, other: RankedWord, group: number, reach: ProbeLimits): Probe[] =>
  one.candidates
    .flatMap(({ word, cost }) =>
      other.candidates.map((second) =>
        exactly(`${KIND.pair}${word} ${second.word}`, PAIR_COST + cost + second.cost, group),
      ),
    )
    .filter(({ cost }) => cost <= reach.pairCost)
    .sort(byCost)
    .slice(0, reach.pairs)

const besideUnfinished = (whole: RankedWord, unfinished: RankedWord, group: number, reach: ProbeLimits): Probe[] =>
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

/** Makes probes for single words, used if nobody has two of the typed words. */
export const makeLonelyProbes = ({ words }: SearchTerm, known: readonly string[]): Probes => ({
  list: rankAll(words, known)
    .flatMap(({ candidates }, i) =>
      candidates.map(({ word, cost }) => exactly(KIND.word + word, LONELY_COST + cost, 2 ** i)),
    )
    .sort(byCost),
  groups: words.length,
  wholes: [2 ** words.length - 1],
})

/** Makes probes for guessed pairs of words, with slips. */
export const makePairProbes = (pairs: readonly (readonly [string, string])[], known: readonly string[]): Probes => ({
  list: pairs
    .flatMap((pair) => {
      const [one, other] = rankAll(pair, known)
      return ofWhole(one!, other!, FIRST_GROUP, FAR)
    })
    .sort(byCost),
  groups: 1,
  wholes: [],
})

const SLIPPED_COST = 35

/** Makes probes for an exact word together with a word that has one of these beginnings. */
export const makeBegunProbes = (word: string, beginnings: readonly string[]): Probes => ({
  list: beginnings.map((beginning) => beginningWith(`${KIND.pair}${word} ${beginning}`, SLIPPED_COST)),
  groups: 1,
  wholes: [],
})

/** Makes a probe for names with this beginning, which is shorter than what was typed. */
export const makeNameProbes = (beginning: string): Probes => ({
  list: [beginningWith(KIND.name + beginning, SLIPPED_COST)],
  groups: 1,
  wholes: [],
})
