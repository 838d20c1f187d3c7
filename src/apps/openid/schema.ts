import { Type } from 'typebox'
import { Id } from '../../kernel/http/input/fields.ts'

export const UserInfoFields = Type.Object({
  access_token: Type.Optional(Id('The access token, unless it is sent as a Bearer token', 500)),
})

const claim = (description: string) => Type.Optional(Type.String({ description }))

export const UserInfo = Type.Object(
  {
    sub: Type.String({ description: "The user's id in this app, the same as in the ID token" }),
    name: claim('Scope `profile`: given and family name'),
    given_name: claim('Scope `profile`'),
    family_name: claim('Scope `profile`'),
    preferred_username: claim('Scope `profile`: the handle, which starts with @ and may change'),
    email: claim('Scope `email`'),
    email_verified: Type.Optional(
      Type.Boolean({ description: 'Scope `email`: whether the user has opened a link that was sent to the address' }),
    ),
  },
  { title: 'UserInfo' },
)
