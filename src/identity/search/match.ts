import { isNumber } from '../people/search-keys.ts'

/**
 * Matches typed words against the words by which people are found, allowing for slips (typing errors). Pure functions.
 */

/**
 * Edit distances between the typed word and a word. Two swapped letters count as one slip (optimal string alignment).
 */
interface Slips {
  /** The distance to the whole word, capped at one more than the requested maximum. */
  readonly whole: number
  /** The distance to the beginning of the word that has the typed length, or is one letter longer or shorter. */
  readonly beginning: number
}

const LONGEST = 64
/** Three rows of the distance table, shared by all calls, which is safe because `countSlips` is synchronous. */
let before = new Uint8Array(LONGEST + 2)
let last = new Uint8Array(LONGEST + 2)
let row = new Uint8Array(LONGEST + 2)

/**
 * Counts the slips between two words, up to `most`. Computes only the diagonal band of the table within `most`, because
 * the distance outside of it is larger anyway.
 */
export function countSlips(typed: string, word: string, most: number): Slips {
  const length = Math.min(word.length, typed.length + most + 1)
  const beyond = most + 1
  if (typed.length > LONGEST || length > LONGEST) return { whole: beyond, beginning: beyond }
  for (let j = 0; j <= length; j++) last[j] = Math.min(j, beyond)
  for (let i = 1; i <= typed.length; i++) {
    const from = Math.max(1, i - most)
    const to = Math.min(length, i + most)
    row[from - 1] = from === 1 ? Math.min(i, beyond) : beyond
    let least = row[from - 1]!
    const letter = typed.charCodeAt(i - 1)
    for (let j = from; j <= to; j++) {
      const isSame = letter === word.charCodeAt(j - 1)
      let slips = Math.min(last[j - 1]! + (isSame ? 0 : 1), row[j - 1]! + 1, j > i + most - 1 ? beyond : last[j]! + 1)
      if (
        i > 1 &&
        j > 1 &&
        letter === word.charCodeAt(j - 2) &&
        typed.charCodeAt(i - 2) === word.charCodeAt(j - 1) &&
        before[j - 2]! + 1 < slips
      )
        slips = before[j - 2]! + 1
      row[j] = slips
      if (slips < least) least = slips
    }
    if (least > most) return { whole: beyond, beginning: beyond }
    ;[before, last, row] = [last, row, before]
  }
  const at = (j: number): number => (j >= 0 && j <= length && Math.abs(j - typed.length) <= most ? last[j]! : beyond)
  const n = typed.length
  return {
    whole: word.length === length ? at(length) : beyond,
    beginning: Math.min(at(n - 1), at(n), at(n + 1)),
  }
}

/** Returns the maximum number of slips. In short words, none are allowed, because a slip makes a different word. */
const slipsAllowed = (typed: string): number => (typed.length < 3 ? 0 : typed.length < 8 ? 1 : 2)

/**
 * The costs of deviations; the match with the lowest total is the best. Slips in the first letter are rare, and so are
 * slips that produce an existing word.
 */
const COST = { slip: 20, otherLetter: 3, firstLetter: 8, begun: 25, knownAsTyped: 15 } as const

export interface Candidate {
  readonly word: string
  /** Whether the typed word exists as well, so that the searcher probably did not mean this candidate. */
  readonly isDoubtful?: boolean
  readonly cost: number
}

const MOST_SLIPPED = 10
const MOST_SLIPPED_KNOWN = 4
const MOST_BEGUN = 6

/** Whether the word is matched only exactly as typed, because numbers and single letters are not stored as words. */
export const isLiteral = (typed: string): boolean => typed.length < 2 || isNumber(typed)

/**
 * Returns the words that a typed word may stand for, likeliest first: the typed word if it exists, the best matches
 * with slips, and the best words that begin with the typed word, with at most one slip.
 */
export function rankWords(typed: string, words: readonly string[]): Candidate[] {
  const most = slipsAllowed(typed)
  const isKnown = isLiteral(typed) || words.includes(typed)
  const doubt = isKnown ? COST.knownAsTyped : 0
  const slipped: Candidate[] = []
  const begun: Candidate[] = []
  for (const word of words) {
    if (word === typed) continue
    const begunCost = COST.begun + Math.min(word.length - typed.length, 9)
    if (word.startsWith(typed)) begun.push({ word, cost: begunCost })
    else if (most > 0) {
      const { whole, beginning } = countSlips(typed, word, most)
      const first = typed[0] === word[0] ? 0 : COST.firstLetter
      if (whole <= most)
        slipped.push({ word, cost: COST.slip * whole + first + doubt + costOfOther(typed, word), isDoubtful: isKnown })
      else if (beginning === 1 && typed.length > 3 && word.length > typed.length)
        begun.push({ word, cost: begunCost + COST.slip + first })
    }
  }
  const best = (candidates: Candidate[], count: number) => candidates.sort(byCost).slice(0, count)
  return [
    ...(isKnown ? [{ word: typed, cost: 0 }] : []),
    ...best(slipped, isKnown ? MOST_SLIPPED_KNOWN : MOST_SLIPPED),
    ...best(begun, MOST_BEGUN),
  ].sort(byCost)
}

/** The extra cost of a replaced letter, which is a rarer slip than an omitted, doubled or swapped letter. */
const costOfOther = (typed: string, word: string): number =>
  typed.length === word.length && !isSwapped(typed, word) ? COST.otherLetter : 0

/** Whether the words first differ by two swapped letters. */
function isSwapped(typed: string, word: string): boolean {
  let at = 0
  while (typed[at] === word[at] && at < typed.length) at++
  return typed[at] === word[at + 1] && typed[at + 1] === word[at]
}

const byCost = (one: Candidate, other: Candidate): number => one.cost - other.cost || (one.word < other.word ? -1 : 1)
