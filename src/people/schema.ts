import { Type } from 'typebox'
import { AnyJson, DateTime, Id, Text } from '../http/input/fields.ts'

export const NewAnonymous = Type.Object({
  anonymous: Type.Optional(AnyJson('Has to be `true`: only anonymous users are made here')),
  clientId: Type.Optional(Id("The app's client ID; it may be in the header instead")),
  dateOfBirth: DateTime('The day of birth, at most 150 years ago: it decides about userType and accountType'),
  deviceToken: Type.Optional(Id('Where the app sends notifications to this device', 4096)),
})

export const DeleteAccount = Type.Object({
  handle: Id('The own handle once more, so that nobody deletes an account by mistake', 100),
  password: Type.Optional(
    Text('The password. People without one must have signed in within the last ten minutes', 1000),
  ),
})
