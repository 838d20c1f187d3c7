import { Type } from 'typebox'
import { Text } from '../../kernel/http/input/fields.ts'

export const Export = Type.Object({
  password: Type.Optional(
    Text('The password. Users without one must have signed in within the last ten minutes', 1000),
  ),
})
