import type { SearchedNames } from '../src/identity/people/search-keys.ts'
import { makeCast, makeRandom } from '../src/identity/search/testing.ts'

/** Generates search terms like those that people type: all different, and the same in every run. */

const SEED = 2
/** Maximum number of attempts per wanted term, because a generated term may repeat an earlier one. */
const MOST_TRIES = 50

interface Dice {
  below(n: number): number
  any<T>(list: readonly T[]): T
}

interface Kind {
  readonly percent: number
  readonly name: string
  make(person: SearchedNames, dice: Dice): string
}

const fullName = ({ firstName, lastName }: SearchedNames): string => `${firstName} ${lastName}`
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/**
 * Adds one typing error at any letter but the first: swaps it with the letter before, or omits, doubles or replaces it.
 */
function slipIn(word: string, { below, any }: Dice): string {
  const letters = [...word]
  const at = 1 + below(letters.length - 1)
  const letter = letters[at]!
  const put = (from: number, length: number, ...by: string[]) => letters.toSpliced(from, length, ...by).join('')
  return any([
    () => put(at - 1, 2, letter, letters[at - 1]!),
    () => put(at, 1),
    () => put(at, 0, letter),
    () => put(at, 1, any(LETTERS)),
  ])()
}

function slipInName(person: SearchedNames, dice: Dice): string {
  const words = fullName(person).split(' ')
  const longest = Math.max(...words.map((word) => word.length))
  const at = dice.any([...words.keys()].filter((index) => words[index]!.length >= Math.min(4, longest)))
  return words.with(at, slipIn(words[at]!, dice)).join(' ')
}

const listKinds = (commonNames: readonly string[]): readonly Kind[] => [
  { percent: 25, name: 'handles', make: ({ handle }) => handle },
  {
    percent: 15,
    name: 'first 3 to 6 letters of a handle or name',
    make: ({ handle, firstName, lastName }, { below, any }) =>
      [...any([handle.slice(1), firstName, lastName])].slice(0, 3 + below(4)).join(''),
  },
  { percent: 25, name: 'full names', make: fullName },
  {
    percent: 10,
    name: 'full names with the last name first',
    make: ({ firstName, lastName }) => `${lastName} ${firstName}`,
  },
  { percent: 15, name: 'full names with a slip', make: slipInName },
  { percent: 5, name: 'common first names alone', make: (_person, { any }) => any(commonNames) },
  {
    percent: 5,
    name: 'nonsense',
    make: (_person, { below, any }) => Array.from({ length: 5 + below(6) }, () => any(LETTERS)).join(''),
  },
]

/** Describes the kinds of search terms and their shares, for the report. */
export const describeMix = (): string =>
  listKinds([])
    .map(({ percent, name }) => `${percent} % ${name}`)
    .join(', ')

function listCommonNames(cast: readonly SearchedNames[], count: number): string[] {
  const bearers = new Map<string, number>()
  for (const { firstName } of cast) bearers.set(firstName, (bearers.get(firstName) ?? 0) + 1)
  return [...bearers.keys()].sort((one, other) => bearers.get(other)! - bearers.get(one)!).slice(0, count)
}

/**
 * Creates `count` search terms for the first `people` people of the generated population, who are the same at every
 * size.
 */
export function makeQueries(people: number, count: number): string[] {
  const random = makeRandom(SEED)
  const below = (n: number) => Math.floor(random() * n)
  const dice: Dice = { below, any: (list) => list[below(list.length)]! }
  const cast = [...makeCast(people)]
  const queries = new Set<string>()
  for (const { percent, name, make } of listKinds(listCommonNames(cast, count / 10))) {
    const wanted = queries.size + Math.round((count * percent) / 100)
    for (let tries = 0; queries.size < wanted; tries++) {
      if (tries > count * MOST_TRIES) throw new Error(`${people} people are too few for ${count} queries (${name})`)
      const person = dice.any(cast)
      const term = make(person, dice)
      // Skip terms of one letter, and typing errors that left the name unchanged.
      if ([...term].length >= 2 && !(make === slipInName && term === fullName(person))) queries.add(term)
    }
  }
  const shuffled = [...queries]
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = below(i + 1)
    ;[shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!]
  }
  return shuffled
}
