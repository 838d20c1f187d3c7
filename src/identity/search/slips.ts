/** In shorter words a slip makes a different word. */
const SHORTEST = 3

/**
 * The word itself, and the word without each of its letters in turn. Two words that are one slip apart share one of
 * these (symmetric deletion). The database indexes words in the same way (`search_near`, migration 0012). Pure.
 */
export function listNear(word: string): string[] {
  // Start of each letter; some take two UTF-16 units.
  const starts: number[] = []
  for (let at = 0; at < word.length; at += word.codePointAt(at)! > 0xffff ? 2 : 1) starts.push(at)
  if (starts.length < SHORTEST) return [word]
  return [word, ...starts.map((at, i) => word.slice(0, at) + word.slice(starts[i + 1] ?? word.length))]
}
