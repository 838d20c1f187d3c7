import { Type } from 'typebox'
import { Text } from '../../kernel/http/input/fields.ts'

const user_code = Type.Optional(Text('The code that the device shows', 100))
const decision = Type.Union([Type.Literal('allow'), Type.Literal('deny')], { description: "The user's choice" })

export const UserCode = Type.Object({ user_code })
const shown = Type.Optional(Text('The scopes that the page listed', 1000))
export const Decision = Type.Object({ user_code, shown, decision })
export const Decided = Type.Object({ decision })
