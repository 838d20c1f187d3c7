/** Guesses what a search that found nobody was meant to find. Pure functions. */

const SHORTEST_PART = 2

/** Returns all ways to split a word into two, because a space may be missing. */
export function listSplits(word: string): (readonly [string, string])[] {
  const letters = [...word]
  const splits: (readonly [string, string])[] = []
  for (let at = SHORTEST_PART; at <= letters.length - SHORTEST_PART; at++)
    splits.push([letters.slice(0, at).join(''), letters.slice(at).join('')])
  return splits
}

const ALPHABETS = ['abcdefghijklmnopqrstuvwxyz', 'αβγδεζηθικλμνξοπρστυφχψω', 'абвгдежзийклмнопрстуфхцчшщъыьэюяєіґ'].map(
  (letters) => [...letters],
)
/** Shorter beginnings match too many words; for longer ones `findAlike` is used. */
const SHORTEST_BEGINNING = 4
const LONGEST_BEGINNING = 10

/**
 * Returns every beginning that is one slip (typing error) away. Slips in the first letter are too rare to be included.
 */
export function listSlipped(beginning: string): string[] {
  const letters = [...beginning]
  if (letters.length < SHORTEST_BEGINNING || letters.length > LONGEST_BEGINNING) return []
  const alphabet = ALPHABETS.find((one) => one.includes(letters[0]!)) ?? []
  const slipped = new Set<string>()
  for (let at = 1; at <= letters.length; at++) {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at).join('')]
    const rest = letters.slice(at + 1).join('')
    for (const letter of alphabet) slipped.add(before + letter + after)
    if (at === letters.length) break
    slipped.add(before + rest)
    for (const letter of alphabet) slipped.add(before + letter + rest)
    slipped.add(letters.slice(0, at - 1).join('') + letters[at] + letters[at - 1] + rest)
  }
  return [...slipped].filter((one) => !one.startsWith(beginning))
}
