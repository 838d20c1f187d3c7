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

const MAX_WORDS = 8
const MAX_WHOLE_LENGTH = 100

const squeeze = (words: readonly string[]): string => words.join('').slice(0, MAX_WHOLE_LENGTH).toWellFormed()

/** What a key is of: these characters are its first. */
export const KIND = { handle: '0', word: '1', pair: '2', name: '3' } as const

/** Two words, whichever comes first. */
export const pairOf = (one: string, other: string): string => (one < other ? `${one} ${other}` : `${other} ${one}`)

export interface Named {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

const pairsOf = (words: readonly string[]): string[] =>
  words.flatMap((one, i) => words.slice(i + 1).map((other) => pairOf(one, other)))

/** Written without a space, and then the family name first. */
const HAS_NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** A number is never mistyped for another: it is looked up as it is. */
export const isNumber = (word: string): boolean => /^\p{N}/u.test(word)

/** Everything that somebody can be found by, each once. */
export function searchKeys({ handle, firstName, lastName }: Named): string[] {
  const [ofFirst, ofLast] = [splitWords(firstName), splitWords(lastName)]
  const ofName = [...new Set([...ofFirst, ...ofLast])].slice(0, MAX_WORDS)
  const ofHandle = [...new Set(splitWords(handle))].slice(0, MAX_WORDS)
  const words = [...ofName, ...ofHandle.filter((word) => word.length > 1)].filter((word) => !isNumber(word))
  const names = [squeeze([...ofFirst, ...ofLast])]
  if (HAS_NO_SPACES.test(lastName)) names.push(squeeze([...ofLast, ...ofFirst]))
  return [
    ...new Set([
      KIND.handle + squeeze(splitWords(handle)),
      ...words.map((word) => KIND.word + word),
      ...[...pairsOf(ofName), ...pairsOf(ofHandle)].map((pair) => KIND.pair + pair),
      ...names.filter((name) => name !== '').map((name) => KIND.name + name),
    ]),
  ]
}
