import { type Static, Type } from 'typebox'
import { Flag, Id, Text } from '../../kernel/http/input/fields.ts'
import { SERVICE_ABOUT, SERVICE_FIELDS } from '../people/service.ts'

const service = Object.fromEntries(
  SERVICE_FIELDS.map((name) => [
    name,
    Type.Optional(Type.String({ description: `${SERVICE_ABOUT[name]}; only for some users` })),
  ]),
) as { [Field in keyof typeof SERVICE_ABOUT]: ReturnType<typeof Type.Optional<ReturnType<typeof Type.String>>> }

const ParentFlags = Type.Object(
  {
    cameraDisabled: Type.Boolean({ description: 'Whether apps must keep the camera off' }),
    proximityFriends: Type.Boolean({ description: 'Whether apps let the child meet friends who are nearby' }),
  },
  { description: "For children: the parent's settings" },
)

const entry = {
  userId: Type.String({ description: "The user's id in this app: the only user data that an app may store" }),
  handle: Type.String({ description: 'Starts with @' }),
  firstName: Type.String({ description: 'Given name; may be empty' }),
  lastName: Type.String({ description: 'Family name; may be empty' }),
  userType: Type.Enum(['child', 'teen-minor', 'adult'], {
    description: 'The age group: under 13, 13 to 17, or 18 and over',
  }),
  accountType: Type.Enum(['Parent', 'Kid', 'Adult', 'Character', 'Community'], {
    description: 'Kid: under 13. Parent: has a child account. Character and Community are not individual people',
  }),
  country: Type.String({ description: 'Two letters (ISO 3166); DEFAULT_COUNTRY if not set' }),
  profilePic: Type.String({ description: 'For `GET /image/v1/static/{id}`; it changes with each new image' }),
  coverPhoto: Type.String({ description: 'Image id of the cover, like `profilePic`' }),
  anonymous: Type.Boolean({ description: 'Whether this is an anonymous user' }),
  parentFlags: Type.Optional(ParentFlags),
  ...service,
}

/** A user as other users of the app see them. */
export const UserEntry = Type.Object(entry, { title: 'UserEntry' })
export type UserEntry = Static<typeof UserEntry>

/** A user as they see themselves. */
export const OwnProfile = Type.Object(
  {
    ...entry,
    position: Type.String({ description: 'What the user does, in their own words; may be empty' }),
    role: Type.Enum(['administrator', 'developer', 'user'], { description: "The user's role on this platform" }),
    organizationRoles: Type.Record(Type.String(), Type.String(), {
      description: "The user's role in each organisation, by its key",
    }),
    email: Type.String({ description: 'May be empty; always empty without the scope `email`' }),
    gender: Type.String({ description: 'In their own words; may be empty' }),
    trainer: Type.Boolean({ description: 'Whether the user teaches in an organisation' }),
    trainee: Type.Boolean({ description: 'Whether the user learns in an organisation' }),
  },
  { title: 'OwnProfile' },
)
export type OwnProfile = Static<typeof OwnProfile>

export const NameProfile = Type.Object({ id: Id("A user's id in this app") })

/** The person's own settings, independent of any app. */
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
    dateOfBirth: Type.String({ description: 'A date, such as 2001-12-31, or empty' }),
    publicSearch: Type.Boolean({ description: 'Whether users of the same apps can find the user' }),
    hasPassword: Type.Boolean({
      description: 'Whether the user has a password; without one they sign in with passkeys',
    }),
    hasParent: Type.Boolean({ description: 'Whether a parent decides for the user, until they are 13' }),
    hasPicture: Type.Boolean({
      description: 'Whether the user has uploaded a picture; otherwise a generated one is shown',
    }),
    hasCover: Type.Boolean({
      description: 'Whether the user has uploaded a cover; otherwise a generated one is shown',
    }),
    storage: Type.Object(
      {
        usedBytes: Type.Integer({
          description: 'Size of the statements, notes, attempts and documents charged to them',
        }),
        limitBytes: Type.Union([Type.Integer(), Type.Null()], { description: 'Null if there is no limit' }),
      },
      { title: 'PersonStorage', description: 'How much of their storage for records the user uses, in all apps' },
    ),
    may: Type.Object(
      {
        changeNames: Type.Boolean({ description: 'Can change their names and their country' }),
        changePublicSearch: Type.Boolean(),
        changeEmail: Type.Boolean(),
        decideFriends: Type.Boolean({ description: 'Can send, accept and decline friend requests, and unblock users' }),
        lookAfterChildren: Type.Boolean(),
      },
      { title: 'SettingsPermissions', description: 'Permissions of the user; a parent decides the rest' },
    ),
  },
  { title: 'Settings' },
)
export type Settings = Static<typeof Settings>

const LINE = 100

/** Omitted fields keep their value; an empty text clears the value. */
export const ChangeSettings = Type.Object({
  firstName: Type.Optional(Text('Given name', LINE)),
  lastName: Type.Optional(Text('Family name', LINE)),
  country: Type.Optional(Text('Two letters (ISO 3166)', 2)),
  gender: Type.Optional(Text('In your own words', LINE)),
  position: Type.Optional(Text('What you do', LINE)),
  publicSearch: Type.Optional(Flag('Whether users of the same apps can find you')),
})
export type ChangeSettings = Static<typeof ChangeSettings>

export const ChangeEmail = Type.Object({
  email: Text('The new e-mail address; empty for none', 254),
  password: Type.Optional(
    Text('The current password. Users without one must have signed in within the last ten minutes', 1000),
  ),
})
