import { type Static, Type } from 'typebox'
import { Id } from '../http/input/fields.ts'

export const SignInAsDemo = Type.Object({ handle: Id('Handle of a demo person, with or without @', 100) })
export type SignInAsDemo = Static<typeof SignInAsDemo>

export const DemoPerson = Type.Object(
  {
    handle: Type.String(),
    name: Type.String(),
    part: Type.Enum(['student', 'instructor', 'developer', 'administrator'], {
      description: 'What they show of the platform',
    }),
  },
  { title: 'DemoPerson' },
)
export type DemoPerson = Static<typeof DemoPerson>
