/** Accents make no difference to whoever looks for something. */
const ACCENTS = /[\u0300-\u036f]/g
const MAX_WORDS = 8

/** What somebody typed, as patterns of which `contains` wants all. */
export const wordsIn = (typed: string | undefined): string[] =>
  (typed ?? '')
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS)
    .map((word) => `%${word.replace(/[%_\\]/g, '\\$&')}%`)

/** SQL: whether a text has all words of `:words`, in any order. It reads every row, so the rows must be few: those of a class, of a person. */
export const contains = (text: string): string =>
  `regexp_replace(lower(normalize(${text}, NFKD)), '[\\u0300-\\u036f]', '', 'g') like all(:words)`
