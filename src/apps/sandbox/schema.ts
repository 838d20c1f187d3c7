import { type Static, Type } from 'typebox'
import { Id } from '../../kernel/http/input/fields.ts'

export const SignInAsTester = Type.Object({ handle: Id('Handle of one of your test users') })
export type SignInAsTester = Static<typeof SignInAsTester>

const Tester = Type.Object(
  {
    handle: Type.String(),
    name: Type.String(),
    createdDate: Type.String({ format: 'date-time' }),
    apps: Type.Integer({ description: 'Number of apps that they use' }),
  },
  { title: 'TestPerson' },
)
export const Testers = Type.Object({ docs: Type.Array(Tester) }, { title: 'TestPeople' })
export type Testers = Static<typeof Testers>
