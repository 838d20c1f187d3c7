import { hasExactNumbers, roundNumbers } from '../../../kernel/json.ts'

/** Extensions are the only opaque part of a statement: their numbers keep their text, all others are doubles. */
const OPAQUE: ReadonlySet<string> = new Set(['extensions'])

/** Rounds the numbers of a statement, in place, but not those of its extensions. */
export const roundStatement = <T>(statement: T): T => roundNumbers(statement, OPAQUE) as T

/** Does the same for what a JSON parser has just returned, which costs nothing if all numbers are doubles already. */
export const roundParsed = (value: unknown): unknown => (hasExactNumbers(value) ? roundStatement(value) : value)
