/** In shorter words a slip makes another word. */
const SHORTEST = 3

/**
 * A word as it is, and without one letter after the other. Two words of which one is a slip of the other have one of these in common (symmetric deletion). The database
 * keeps words by the same (`search_near`, migration 0012). Pure.
 */
export function listNear(word: string): string[] {
  // Where each letter starts; some take two places.
  const starts: number[] = []
  for (let at = 0; at < word.length; at += word.codePointAt(at)! > 0xffff ? 2 : 1) starts.push(at)
  if (starts.length < SHORTEST) return [word]
  return [word, ...starts.map((at, i) => word.slice(0, at) + word.slice(starts[i + 1] ?? word.length))]
}
