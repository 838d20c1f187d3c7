import { type TSchema, type TSchemaOptions, Type } from 'typebox'
import { isLine } from '../lines.ts'

/**
 * Fields of the import file. Every one says in `must` what it has to be: that is the end of the sentence when it is not, and what docs/import.md says about it.
 */
export interface Field extends TSchemaOptions {
  /** Ends the sentence "people[3].email must be …". */
  readonly must: string
  readonly about: string
}

/** No control characters and no half surrogates: the one cannot be kept, the other cannot be sent. */
export const PLAIN = '^[^\\p{Cc}\\p{Cs}]*$'

/** What people read, by the rule for what they say themselves; where there must be something, spaces alone are nothing. */
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
/** What a handle may be as long as it is only named: whether there is such a person is looked up. */
export const Handles = (maxItems: number, about: string) =>
  Texts(maxItems, 31, `a list of at most ${maxItems} handles`, about)
