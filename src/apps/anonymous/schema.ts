import { Type } from 'typebox'
import { AnyJson, Day, Id } from '../../kernel/http/input/fields.ts'

export const NewAnonymous = Type.Object({
  anonymous: Type.Optional(AnyJson('Has to be `true`: only anonymous users are made here')),
  clientId: Type.Optional(Id("The app's client ID; it may be in the header instead")),
  dateOfBirth: Day('The day of birth, at most 150 years ago: it determines userType and accountType'),
  deviceToken: Type.Optional(Id('Where the app sends notifications to this device', 4096)),
})
