import { type Static, Type } from 'typebox'
import { Id, Text } from '../../../kernel/http/input/fields.ts'

export const NameVerb = Type.Object({ verbId: Id('The IRI of the verb', 2000) })
export type NameVerb = Static<typeof NameVerb>
export const AddVerb = Type.Object({ ...NameVerb.properties, name: Text('Display name of the verb', 100) })
export type AddVerb = Static<typeof AddVerb>
export const LibraryVerb = Type.Object(
  {
    verbId: Type.String(),
    name: Type.String(),
    standard: Type.Boolean({ description: 'Whether it is built-in and cannot be deleted' }),
  },
  { title: 'Verb' },
)
export type LibraryVerb = Static<typeof LibraryVerb>
export const Verbs = Type.Array(LibraryVerb, { title: 'Verbs' })
