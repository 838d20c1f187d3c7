/**
 * Version of the search rules. Raise it whenever `searchKeys` gives different keys; everybody's keys are then rebuilt.
 */
export const SEARCH_VERSION = 2

/** Letters that do not decompose into a base letter and an accent, and that many keyboards lack. */
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

/** Marks that writers may leave out. In other scripts marks are vowels and consonants in their own right. */
const LEFT_OUT = [
  // Accents of Latin, Greek and Cyrillic letters.
  '\\u0300-\\u036f\\u0483-\\u0487\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f',
  // The points of Hebrew and Arabic, and the dot below of Devanagari.
  '\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u093c',
  // Invisible characters and apostrophes.
  "\\p{Variation_Selector}\\p{Cf}'’‘`´ʼ",
]
const ACCENTS = new RegExp(`[${LEFT_OUT.join('')}]`, 'gu')

/** Katakana syllables, which have the same sounds as hiragana. */
const KATAKANA = /[\u30a1-\u30f6]/g
const toHiragana = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 0x60)

/** Removes differences of case, accents, apostrophes, invisible marks and kind of kana. */
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

/** Splits into runs of letters, of digits, or of pictographs. */
export const splitWords = (text: string): string[] =>
  (fold(text).match(/\p{L}[\p{L}\p{M}]*|\p{N}+|\p{So}+/gu) ?? []).map((word) =>
    word.slice(0, MAX_WORD_LENGTH).toWellFormed(),
  )

/** Of a longer name, only the first and last words make pairs: this many in all. */
const MAX_PAIRED = 8
const MAX_WHOLE_LENGTH = 100

export const squeeze = (words: readonly string[]): string => words.join('').slice(0, MAX_WHOLE_LENGTH).toWellFormed()

/** The first character of a key tells its kind. */
export const KIND = { handle: '0', word: '1', pair: '2', name: '3' } as const

export interface SearchedNames {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

/** All pairs of words in both orders, so that the search works while either word is still being typed. */
function pairsOf(words: readonly string[]): string[] {
  const all = [...new Set(words)]
  const some = all.length > MAX_PAIRED ? [...all.slice(0, MAX_PAIRED / 2), ...all.slice(-MAX_PAIRED / 2)] : all
  return some.flatMap((one) => some.filter((other) => other !== one).map((other) => `${one} ${other}`))
}

/** Scripts written without spaces, in which the family name comes first. */
export const HAS_NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** Numbers are looked up exactly, without tolerance for typing errors. */
export const isNumber = (word: string): boolean => /^\p{N}/u.test(word)

/** All keys by which a person can be found, without duplicates. */
export function searchKeys({ handle, firstName, lastName }: SearchedNames): string[] {
  const [ofFirst, ofLast, ofHandle] = [splitWords(firstName), splitWords(lastName), splitWords(handle)]
  const name = squeeze([...ofFirst, ...ofLast])
  const ofName = [...ofFirst, ...ofLast]
  const words = [...ofName, ...ofHandle.filter((word) => word.length > 1), ...joined(ofFirst), ...joined(ofLast)]
  // Skipped if the handle is just the name, which would make every full name a word.
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

/** Several words typed as one: van der Berg as vanderberg. */
const joined = (words: readonly string[]): string[] =>
  words.length > 1 ? [words.join('').slice(0, MAX_WORD_LENGTH).toWellFormed()] : []
