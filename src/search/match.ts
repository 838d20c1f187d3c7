/** How a word that was typed can stand for a word that somebody is found by, and how well. Pure. */

/** Letters that have to be typed otherwise, where two that changed places are one slip (optimal string alignment); more than `most` is told as such. */
export function countSlips(typed: string, word: string, most: number): number {
  if (Math.abs(typed.length - word.length) > most) return most + 1
  let [before, last] = [[] as number[], Array.from({ length: word.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= typed.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= word.length; j++) {
      const isSame = typed[i - 1] === word[j - 1]
      let slips = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1])
        slips = Math.min(slips, before[j - 2]! + 1)
      row.push(slips)
      if (slips < least) least = slips
    }
    if (least > most) return most + 1
    ;[before, last] = [last, row]
  }
  return last[word.length]!
}

/** In short words a slip makes another word. */
export const slipsAllowed = (typed: string): number => (typed.length < 3 ? 0 : typed.length < 8 ? 1 : 2)

/** What a way to match costs; the cheapest is the best. The last word may be unfinished, others hardly ever; a slip in the first letter is rare. */
const COST = { unfinished: 10, unfinishedBefore: 25, slip: 20, otherLetter: 3, firstLetter: 8, letter: 1 } as const

export interface Candidate {
  readonly word: string
  readonly cost: number
}

export interface Typed {
  readonly word: string
  readonly isLast: boolean
}

/** What it costs that the word is the beginning of another; undefined where it is not, and with a slip more where it is one with a slip. */
function costOfBeginning({ word: typed, isLast }: Typed, word: string): number | undefined {
  const cost =
    (isLast ? COST.unfinished : COST.unfinishedBefore) + Math.min(word.length - typed.length, 9) * COST.letter
  if (word.startsWith(typed)) return cost
  if (typed.length < 4 || word.length <= typed.length) return undefined
  const hasSlip = [0, -1, 1].some((more) => countSlips(typed, word.slice(0, typed.length + more), 1) <= 1)
  return hasSlip ? cost + COST.slip + costOfFirst(typed, word) : undefined
}

/** What it costs that it is the word, with slips; undefined where there are more than anybody makes. */
function costOfSlips({ word: typed }: Typed, word: string): number | undefined {
  const most = slipsAllowed(typed)
  const slips = countSlips(typed, word, most)
  if (slips > most) return undefined
  const isOther = typed.length === word.length && sortLetters(typed) !== sortLetters(word)
  return COST.slip * slips + costOfFirst(typed, word) + (isOther ? COST.otherLetter : 0)
}

/** Letters are left out, doubled or swapped more often than taken for others. */
const sortLetters = (word: string): string => [...word].sort().join('')

const costOfFirst = (typed: string, word: string): number => (typed[0] === word[0] ? 0 : COST.firstLetter)

const MOST_OF_A_KIND = 10

/** The words that a typed one may stand for, the likeliest first: itself in any case, and the best of those with slips and of those that it is the beginning of. */
export function rankWords(typed: Typed, words: readonly string[]): Candidate[] {
  const best = (costOf: (typed: Typed, word: string) => number | undefined): Candidate[] =>
    words
      .flatMap((word): Candidate[] => {
        const cost = word === typed.word ? undefined : costOf(typed, word)
        return cost === undefined ? [] : [{ word, cost }]
      })
      .sort(byCost)
      .slice(0, MOST_OF_A_KIND)
  const slips = best(costOfSlips)
  const taken = new Set(slips.map(({ word }) => word))
  const beginnings = best(costOfBeginning).filter(({ word }) => !taken.has(word))
  return [{ word: typed.word, cost: 0 }, ...slips, ...beginnings].sort(byCost)
}

const byCost = (one: Candidate, other: Candidate): number => one.cost - other.cost || (one.word < other.word ? -1 : 1)
