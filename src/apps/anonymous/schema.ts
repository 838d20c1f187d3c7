import { Type } from 'typebox'
import { AnyJson, Day, Id } from '../../kernel/http/input/fields.ts'

export const NewAnonymous = Type.Object({
  anonymous: Type.Optional(AnyJson('Must be `true`: only anonymous users are created here')),
  clientId: Type.Optional(Id("The app's client ID; it can be in the header instead")),
  dateOfBirth: Day('The date of birth, at most 150 years ago: it determines userType and accountType'),
  deviceToken: Type.Optional(Id('Push notification token of this device', 4096)),
})
