import { type Static, Type } from 'typebox'
import { Id } from '../../kernel/http/input/fields.ts'

export const FindAnything = Type.Object({
  text: Id('Words of a name, a handle or a key, or parts of them; all of them must match'),
})
export type FindAnything = Static<typeof FindAnything>

/** The kinds of results, in the order in which they are shown. */
export const KINDS = [
  'class',
  'lesson',
  'course',
  'student',
  'friend',
  'plan',
  'app',
  'plugin',
  'organisation',
  'person',
] as const

const FoundItem = Type.Object(
  {
    kind: Type.Enum([...KINDS]),
    id: Type.String({ description: 'Its id, key, client ID or handle, for other operations' }),
    within: Type.Union([Type.String(), Type.Null()], { description: 'The class of a lesson or a student' }),
    name: Type.String(),
    about: Type.String({ description: 'Distinguishes results with the same name' }),
  },
  { title: 'Found' },
)
export const Findings = Type.Array(FoundItem, { title: 'Findings' })
export type Findings = Static<typeof Findings>
