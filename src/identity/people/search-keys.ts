/**
 * The version of the search rules. Increment it whenever `searchKeys` returns different keys; the keys of all people
 * are then recomputed.
 */
export const SEARCH_VERSION = 2

/**
 * Letters that Unicode does not decompose into a base letter and an accent, with the letters that people type instead.
 */
const LETTERS: Record<string, string> = {
  ø: 'o',
  ł: 'l',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  þ: 'th',
  ħ: 'h',
  ŋ: 'n',
  ŧ: 't',
  ς: 'σ',
}
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')

/**
 * Characters that people may omit when typing. Marks of other scripts are not included, because they are vowels or
 * consonants there.
 */
const LEFT_OUT = [
  // Accents of Latin, Greek and Cyrillic letters.
  '\\u0300-\\u036f\\u0483-\\u0487\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f',
  // Hebrew points, Arabic vowel marks, and the dot below (nukta) of Devanagari.
  '\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u093c',
  // Invisible characters and apostrophes.
  "\\p{Variation_Selector}\\p{Cf}'’‘`´ʼ",
]
const ACCENTS = new RegExp(`[${LEFT_OUT.join('')}]`, 'gu')

/** Katakana syllables. Each is converted to the hiragana syllable with the same sound. */
const KATAKANA = /[\u30a1-\u30f6]/g
const toHiragana = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 0x60)

/** Removes differences of case, accents, apostrophes, invisible characters, and katakana versus hiragana. */
const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(KATAKANA, toHiragana)
    .toLowerCase()
    .replace(SPECIAL, (letter) => LETTERS[letter]!)

const MAX_WORD_LENGTH = 40

/** Splits a text into words: runs of letters, of digits, or of pictographs. */
export const splitWords = (text: string): string[] =>
  (fold(text).match(/\p{L}[\p{L}\p{M}]*|\p{N}+|\p{So}+/gu) ?? []).map((word) =>
    word.slice(0, MAX_WORD_LENGTH).toWellFormed(),
  )

/**
 * Maximum number of words that are combined into pairs. From a longer name, half of them are taken from its beginning
 * and half from its end.
 */
const MAX_PAIRED = 8
const MAX_WHOLE_LENGTH = 100

export const squeeze = (words: readonly string[]): string => words.join('').slice(0, MAX_WHOLE_LENGTH).toWellFormed()

/** The first character of a search key, which tells the kind of the key. */
export const KIND = { handle: '0', word: '1', pair: '2', name: '3' } as const

export interface SearchedNames {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

/** Returns all pairs of words in both orders, so that a search works while either word is still being typed. */
function pairsOf(words: readonly string[]): string[] {
  const all = [...new Set(words)]
  const some = all.length > MAX_PAIRED ? [...all.slice(0, MAX_PAIRED / 2), ...all.slice(-MAX_PAIRED / 2)] : all
  return some.flatMap((one) => some.filter((other) => other !== one).map((other) => `${one} ${other}`))
}

/** Matches scripts that are written without spaces, and in which the family name comes first. */
export const HAS_NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Whether the word is a number. Numbers are looked up exactly, without tolerance for typing errors. */
export const isNumber = (word: string): boolean => /^\p{N}/u.test(word)

/** Returns all keys by which a person can be found, without duplicates. */
export function searchKeys({ handle, firstName, lastName }: SearchedNames): string[] {
  const [ofFirst, ofLast, ofHandle] = [splitWords(firstName), splitWords(lastName), splitWords(handle)]
  const name = squeeze([...ofFirst, ...ofLast])
  const ofName = [...ofFirst, ...ofLast]
  const words = [...ofName, ...ofHandle.filter((word) => word.length > 1), ...joined(ofFirst), ...joined(ofLast)]
  // The words of the handle, joined, also count as one word, unless the handle is just the full name: otherwise every
  // full name would become a word.
  const letters = ofHandle.filter((word) => !isNumber(word))
  if (squeeze(letters) !== name) words.push(...joined(letters))
  const names = HAS_NO_SPACES.test(lastName) ? [name, squeeze([...ofLast, ...ofFirst])] : [name]
  return [
    ...new Set([
      KIND.handle + squeeze(ofHandle),
      ...words.filter((word) => !isNumber(word)).map((word) => KIND.word + word),
      ...[...pairsOf(ofName), ...pairsOf(ofHandle)].map((pair) => KIND.pair + pair),
      ...names.filter((one) => one !== '').map((one) => KIND.name + one),
    ]),
  ]
}

/** Joins several words into one, because people may type van der Berg as vanderberg. */
const joined = (words: readonly string[]): string[] =>
  words.length > 1 ? [words.join('').slice(0, MAX_WORD_LENGTH).toWellFormed()] : []
