import { type TSchema, type TSchemaOptions, Type } from 'typebox'
import { isLine } from '../lines.ts'

/** A field of the import file. `must` states the rule for its value; error messages and docs/import.md show it. */
export interface Field extends TSchemaOptions {
  /** Completes the sentence "people[3].email must be …". */
  readonly must: string
  readonly about: string
}

/** Text without control characters, which cannot be stored, and without unpaired surrogates, which cannot be sent. */
export const PLAIN = '^[^\\p{Cc}\\p{Cs}]*$'

/**
 * Tells whether text that people will read follows the rules for text that users enter. Surrounding spaces do not count
 * towards the minimum length.
 */
const isSeen = (text: string, minLength: number) => isLine(text) && text.trim().length >= minLength
export const Seen = (minLength: number, maxLength: number, options: Partial<Field> = {}) =>
  Type.Refine(Type.String({ minLength, maxLength, ...options }), (text) => isSeen(text, minLength))
export const Line = (maxLength: number, about: string, { minLength = 0 } = {}) =>
  Seen(minLength, maxLength, {
    must: `one line of ${minLength} to ${maxLength} visible characters`,
    about,
  })
export const Flag = (about: string) => Type.Boolean({ must: 'true or false', about } satisfies Field)
export const Matching = (pattern: string, must: string, about: string, maxLength = 60) =>
  Type.String({ pattern, maxLength, must, about } satisfies Field)
export const Key = (about: string, must = '1 to 60 lower-case letters, digits or -, such as sandhills') =>
  Matching('^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$', must, about)
export const OrNull = <T extends TSchema>(schema: T) => {
  const { must, about } = schema as unknown as Field
  return Type.Union([schema, Type.Null()], { must: `${must}, or null for none`, about } satisfies Field)
}
export const Texts = (maxItems: number, maxLength: number, must: string, about: string) =>
  Type.Array(Type.String({ pattern: PLAIN, minLength: 1, maxLength }), { maxItems, must, about } satisfies Field)
/**
 * A list of handles of other people. The schema checks only the length of a handle; the references are resolved later.
 */
export const Handles = (maxItems: number, about: string) =>
  Texts(maxItems, 31, `a list of at most ${maxItems} handles`, about)
