/** The rules by which people are found. Whoever changes what `searchKeys` gives raises the version: everybody's keys are then made anew. */
export const SEARCH_VERSION = 1

/** Letters that are no letter with an accent, and that many people have no key for. */
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

/** Case, accents, apostrophes and invisible marks make no difference. */
const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}'’‘`´ʼ]/gu, '')
    .toLowerCase()
    .replace(SPECIAL, (letter) => LETTERS[letter]!)

const MAX_WORD_LENGTH = 40

/** Runs of letters, of digits, or of pictures. */
export const splitWords = (text: string): string[] =>
  (fold(text).match(/\p{L}+|\p{N}+|\p{So}+/gu) ?? []).map((word) => word.slice(0, MAX_WORD_LENGTH).toWellFormed())

const MAX_WORDS = 6
const MAX_WHOLE_LENGTH = 100

const squeeze = (words: readonly string[]): string => words.join('').slice(0, MAX_WHOLE_LENGTH).toWellFormed()

/** What a key is of: these characters are its first. */
export const KIND = { handle: '0', word: '1', pair: '2', name: '3' } as const

export interface Named {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

/** Each two of the words, in both orders: so either of them may be unfinished when it is typed. */
const pairsOf = (words: readonly string[]): string[] =>
  words.flatMap((one) => words.filter((other) => other !== one).map((other) => `${one} ${other}`))

/** Written without a space, and then the family name first. */
const HAS_NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** A number is never mistyped for another: it is looked up as it is. */
export const isNumber = (word: string): boolean => /^\p{N}/u.test(word)

/** Everything that somebody can be found by, each once. */
export function searchKeys({ handle, firstName, lastName }: Named): string[] {
  const [ofFirst, ofLast, ofHandle] = [splitWords(firstName), splitWords(lastName), splitWords(handle)]
  const name = squeeze([...ofFirst, ...ofLast])
  const ofName = unique([...ofFirst, ...ofLast])
  const words = [...ofName, ...ofHandle.filter((word) => word.length > 1), ...joined(ofFirst), ...joined(ofLast)]
  // Not where the handle is just the name: that would make a word of every full name.
  const letters = ofHandle.filter((word) => !isNumber(word))
  if (squeeze(letters) !== name) words.push(...joined(letters))
  const names = HAS_NO_SPACES.test(lastName) ? [name, squeeze([...ofLast, ...ofFirst])] : [name]
  return [
    ...new Set([
      KIND.handle + squeeze(ofHandle),
      ...words.filter((word) => !isNumber(word)).map((word) => KIND.word + word),
      ...[...pairsOf(ofName), ...pairsOf(unique(ofHandle))].map((pair) => KIND.pair + pair),
      ...names.filter((one) => one !== '').map((one) => KIND.name + one),
    ]),
  ]
}

const unique = (words: readonly string[]): string[] => [...new Set(words)].slice(0, MAX_WORDS)

/** Several words, typed as if they were one: van der Berg, vanderberg. */
const joined = (words: readonly string[]): string[] =>
  words.length > 1 ? [words.join('').slice(0, MAX_WORD_LENGTH).toWellFormed()] : []
