import { Type } from 'typebox'
import { Flag, Text } from '../../kernel/http/input/fields.ts'

/** All fields are optional, because the pages themselves report missing ones. */
const field = (description: string, maxLength = 500) => Type.Optional(Text(description, maxLength))

const organisation = field('Key of the organisation')

export const ProviderFields = Type.Object({
  organisation,
  next: field('The path of this platform to continue at', 8000),
  proof: field('Who the person is, for the browser that has just proven it', 2000),
  connect: Type.Optional(Flag('Whether the signed-in person connects their account')),
  keep: Type.Optional(Flag('Stay signed in when the browser is closed')),
})
export const NameCallback = Type.Object({ organisation })
export const SignedOutQuery = Type.Object({
  offer: field('What the page offers, sealed by the platform', 20_000),
  state: field('Where to continue, sealed by the platform', 20_000),
})
