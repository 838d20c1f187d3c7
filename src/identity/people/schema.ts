import { Type } from 'typebox'
import { Id, Text } from '../../kernel/http/input/fields.ts'

export const DeleteAccount = Type.Object({
  handle: Id('Your own handle, so that nobody deletes an account by mistake', 100),
  password: Type.Optional(
    Text('The password. Users without one must have signed in within the last ten minutes', 1000),
  ),
})
