/** Where a typed word is, and the words that are one slip away from it. Pure. */

/** A letter that could be any; words have none. The database masks letters in the same way (migration 0012). */
const ANY = '*'
/** In shorter words a slip makes another word. */
const SHORTEST = 3

export interface Near {
  /** The word itself, and what was meant where a letter was typed too many, or two changed places. */
  readonly words: readonly string[]
  /** What was meant where a letter was left out, or taken for another: words with one letter masked. */
  readonly masks: readonly string[]
}

export function oneSlipFrom(typed: string): Near {
  // Where each letter starts; some take two places.
  const starts: number[] = []
  for (let at = 0; at < typed.length; at += typed.codePointAt(at)! > 0xffff ? 2 : 1) starts.push(at)
  const words = [typed]
  const masks: string[] = []
  if (starts.length < SHORTEST) return { words, masks }
  for (const [i, at] of starts.entries()) {
    const next = starts[i + 1] ?? typed.length
    const [before, letter, after] = [typed.slice(0, at), typed.slice(at, next), typed.slice(next)]
    words.push(before + after)
    masks.push(before + ANY + after, before + ANY + letter + after)
    if (i > 0) words.push(typed.slice(0, starts[i - 1]) + letter + typed.slice(starts[i - 1], at) + after)
  }
  masks.push(typed + ANY)
  return { words, masks }
}
