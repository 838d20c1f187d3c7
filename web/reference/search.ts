import type { Section } from './article-types.ts'

/** More results than these would hide the operations below them. */
const MOST_SECTIONS = 10

export const wordsOf = (typed: string): string[] => typed.toLowerCase().split(/\s+/).filter(Boolean)

/** Returns 0 if the text lacks a word, 2 if the name has all of them, and 1 otherwise. */
export function rankOf(words: readonly string[], name: string, text: string): 0 | 1 | 2 {
  const hasAll = (where: string) => words.every((word) => where.includes(word))
  return hasAll(name) ? 2 : hasAll(`${name}\n${text}`) ? 1 : 0
}

/** Finds the sections of guides, and the errors, that contain every typed word. Matches in headings come first. */
export function findSections(sections: readonly Section[], typed: string): readonly Section[] {
  const words = wordsOf(typed)
  if (words.length === 0) return []
  const ranked = sections.map((section) => ({
    section,
    rank: rankOf(words, `${section.title} ${section.page}`.toLowerCase(), section.text.toLowerCase()),
  }))
  return ranked
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MOST_SECTIONS)
    .map(({ section }) => section)
}
