import { Type } from 'typebox'
import { Text } from '../../kernel/http/input/fields.ts'

const user_code = Type.Optional(Text('The code that the device shows', 100))
const decision = Type.Union([Type.Literal('allow'), Type.Literal('deny')], { description: "The user's choice" })

export const UserCode = Type.Object({ user_code })
export const Decision = Type.Object({ user_code, decision })
export const Decided = Type.Object({ decision })
