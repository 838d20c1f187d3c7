/** In shorter words, slips (typing errors) are not considered, because they make a different word. */
const SHORTEST = 3

/**
 * Returns the word itself, and the word without each of its letters in turn. Two words that are one slip apart have one
 * of these texts in common (symmetric deletion). The database indexes words in the same way (`search_near`, migration
 * 0012). Pure.
 */
export function listNear(word: string): string[] {
  // The index at which each letter starts; some letters take two UTF-16 units.
  const starts: number[] = []
  for (let at = 0; at < word.length; at += word.codePointAt(at)! > 0xffff ? 2 : 1) starts.push(at)
  if (starts.length < SHORTEST) return [word]
  return [word, ...starts.map((at, i) => word.slice(0, at) + word.slice(starts[i + 1] ?? word.length))]
}
