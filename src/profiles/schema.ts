import { type Static, Type } from 'typebox'
import { Flag, Id, Text } from '../http/input/fields.ts'
import { SERVICE_ABOUT, SERVICE_FIELDS } from '../people/service.ts'

const service = Object.fromEntries(
  SERVICE_FIELDS.map((name) => [
    name,
    Type.Optional(Type.String({ description: `${SERVICE_ABOUT[name]}; for some users` })),
  ]),
) as { [Field in keyof typeof SERVICE_ABOUT]: ReturnType<typeof Type.Optional<ReturnType<typeof Type.String>>> }

const ParentFlags = Type.Object(
  {
    cameraDisabled: Type.Boolean({ description: 'The child may not use a camera' }),
    proximityFriends: Type.Boolean({ description: 'The child may meet friends by being near them' }),
  },
  { description: 'For children: what a parent has decided' },
)

const entry = {
  userId: Type.String({ description: "The user's id in this app: all that an app may keep" }),
  handle: Type.String({ description: 'Starts with @' }),
  firstName: Type.String({ description: 'Given name; may be empty' }),
  lastName: Type.String({ description: 'Family name; may be empty' }),
  userType: Type.Enum(['child', 'teen-minor', 'adult'], { description: 'Under 13, 13 to 17, 18 and over' }),
  accountType: Type.Enum(['Parent', 'Kid', 'Adult', 'Character', 'Community'], {
    description: 'Kid: under 13. Parent: looks after a child. Character and Community are nobody in person',
  }),
  country: Type.String({ description: 'Two letters (ISO 3166): DEFAULT_COUNTRY where they have not said' }),
  profilePic: Type.String({ description: 'For `GET /image/v1/static/{id}`; another one after each change' }),
  coverPhoto: Type.String({ description: 'The same for the wide picture' }),
  anonymous: Type.Boolean({ description: 'Whether the app made this user up' }),
  parentFlags: Type.Optional(ParentFlags),
  ...service,
}

/** A user as other users of the app see them. */
export const Entry = Type.Object(entry, { title: 'UserEntry' })
export type Entry = Static<typeof Entry>

/** A user as they see themselves. */
export const OwnProfile = Type.Object(
  {
    ...entry,
    position: Type.String({ description: 'What they do, in their own words; may be empty' }),
    role: Type.Enum(['administrator', 'developer', 'user'], { description: 'On this platform' }),
    organizationRoles: Type.Record(Type.String(), Type.String(), {
      description: 'Role in each organisation, by its key',
    }),
    email: Type.String({ description: 'May be empty' }),
    gender: Type.String({ description: 'In their own words; may be empty' }),
    trainer: Type.Boolean({ description: 'Whether they teach in an organisation' }),
    trainee: Type.Boolean({ description: 'Whether they learn in an organisation' }),
  },
  { title: 'OwnProfile' },
)
export type OwnProfile = Static<typeof OwnProfile>

export const NameProfile = Type.Object({ id: Id("A user's id in this app") })

/** One's own settings, as they are outside of any app. */
export const Settings = Type.Object(
  {
    handle: entry.handle,
    firstName: entry.firstName,
    lastName: entry.lastName,
    userType: entry.userType,
    accountType: entry.accountType,
    country: Type.String({ description: 'Two letters (ISO 3166), or empty' }),
    gender: OwnProfile.properties.gender,
    position: OwnProfile.properties.position,
    email: OwnProfile.properties.email,
    dateOfBirth: Type.String({ description: 'A day, such as 2001-12-31, or empty' }),
    publicSearch: Type.Boolean({ description: 'Whether users of the apps that they use find them' }),
    hasPassword: Type.Boolean({ description: 'Whether they have a password; others sign in with passkeys' }),
    hasParent: Type.Boolean({ description: 'Whether a parent decides for them, until they are 13' }),
    hasPicture: Type.Boolean({ description: 'Whether they have sent a picture; else a generated one is shown' }),
    hasCover: Type.Boolean({ description: 'The same for the wide picture' }),
  },
  { title: 'Settings' },
)
export type Settings = Static<typeof Settings>

const LINE = 100

/** What is not given stays as it is; an empty text takes it away. */
export const ChangeSettings = Type.Object({
  firstName: Type.Optional(Text('Given name', LINE)),
  lastName: Type.Optional(Text('Family name', LINE)),
  country: Type.Optional(Text('Two letters (ISO 3166)', 2)),
  gender: Type.Optional(Text('In your own words', LINE)),
  position: Type.Optional(Text('What you do', LINE)),
  publicSearch: Type.Optional(Flag('Whether users of the apps that you use find you')),
})
export type ChangeSettings = Static<typeof ChangeSettings>

export const ChangeEmail = Type.Object({
  email: Text('Where messages go from now on; empty for nowhere', 254),
  password: Type.Optional(
    Text('The current password. People without one must have signed in within the last ten minutes', 1000),
  ),
})
