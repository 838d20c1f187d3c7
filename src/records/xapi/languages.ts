import type { LanguageMap } from '../statements/model/statement.ts'

const MOST_RANGES = 50

/**
 * Parses Accept-Language into language ranges, most preferred first (RFC 9110 §12.5.4). Malformed ranges and ranges
 * with q=0 are left out.
 */
export function parseLanguages(header: string | undefined): string[] {
  return (header ?? '')
    .split(',', MOST_RANGES)
    .map((part) => /^\s*([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i.exec(part))
    .filter((found) => found !== null)
    .map(([, range = '', quality = '1']) => ({ range, quality: Number(quality) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ range }) => range)
}

/** Reduces a language map to the entry that fits the languages best, or to its first entry if none fits. */
export function pickLanguage(map: LanguageMap, languages: readonly string[]): LanguageMap {
  const tags = Object.keys(map)
  const [first] = tags
  if (first === undefined || tags.length === 1) return map
  const tag = findTag(tags, languages) ?? first
  return { [tag]: map[tag]! }
}

/**
 * Finds the tag for the most preferred range that has a match. A range matches the tag itself, else a narrower tag
 * ("en" finds "en-GB"), else a wider tag ("en-GB" finds "en"; RFC 4647 §3.4).
 */
function findTag(tags: readonly string[], languages: readonly string[]): string | undefined {
  const lowered = tags.map((tag) => tag.toLowerCase())
  for (const language of languages) {
    if (language === '*') return tags[0]
    for (
      let range = language.toLowerCase();
      range !== '';
      range = range.slice(0, Math.max(0, range.lastIndexOf('-')))
    ) {
      let at = lowered.indexOf(range)
      if (at < 0) at = lowered.findIndex((tag) => tag.startsWith(`${range}-`))
      if (at >= 0) return tags[at]
    }
  }
  return undefined
}
