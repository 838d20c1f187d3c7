import { Type } from 'typebox'
import { AnyJson, Day, Id } from '../http/input/fields.ts'

export const NewAnonymous = Type.Object({
  anonymous: Type.Optional(AnyJson('Has to be `true`: only anonymous users are made here')),
  clientId: Type.Optional(Id("The app's client ID; it may be in the header instead")),
  dateOfBirth: Day('The day of birth, at most 150 years ago: it decides about userType and accountType'),
  deviceToken: Type.Optional(Id('Where the app sends notifications to this device', 4096)),
})

export const AnonymousProfile = Type.Object(
  {
    userId: Type.String({ description: "The user's id in this app" }),
    handle: Type.String({ description: 'Made up, and nobody can sign in with it' }),
    userType: Type.Enum(['child', 'teen-minor', 'adult'], { description: 'Under 13, 13 to 17, 18 and over' }),
    accountType: Type.Enum(['Kid', 'Adult'], { description: 'Under 13, 13 and over' }),
    anonymous: Type.Literal(true),
    trainer: Type.Literal(false),
    trainee: Type.Literal(false),
  },
  { title: 'AnonymousProfile' },
)
