/** Combining marks, which are removed because searches ignore accents. */
const ACCENTS = /[\u0300-\u036f]/g
const MAX_WORDS = 8

/** Turns typed text into LIKE patterns, one per word, for `contains`. */
export const wordsIn = (typed: string | undefined): string[] =>
  (typed ?? '')
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map((word) => `%${word.replace(/[%_\\]/g, '\\$&')}%`)

/**
 * Returns an SQL condition: the text contains all words of `:words`, in any order. It scans every row, so use it only
 * for small sets, such as a class or the data of one person.
 */
export const contains = (text: string): string =>
  `regexp_replace(lower(normalize(${text}, NFKD)), '[\\u0300-\\u036f]', '', 'g') like all(:words)`
