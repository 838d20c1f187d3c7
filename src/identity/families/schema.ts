import { type Static, Type } from 'typebox'
import { Day, Flag, Id, Text } from '../../kernel/http/input/fields.ts'
import { removalFields } from '../passkeys/schema.ts'
import { Settings, UserEntry } from '../profiles/schema.ts'

const { handle, firstName, lastName, userType, country, email, publicSearch } = Settings.properties

export const Child = Type.Object(
  {
    handle,
    firstName,
    lastName,
    dateOfBirth: Type.String({ format: 'date', description: 'A date, such as 2019-12-31' }),
    userType,
    country,
    email,
    publicSearch,
    parentFlags: Type.Object(UserEntry.properties.parentFlags.properties, {
      description: "The parent's settings for apps",
    }),
    friendRequests: Type.Integer({
      description: 'Number of friend requests to the child that a parent has to accept or decline',
    }),
  },
  { title: 'Child' },
)
export type Child = Static<typeof Child>
export const Children = Type.Array(Child)

const LINE = 100
const MAX_PASSWORD_LENGTH = 1000
const child = Id("The child's handle, with or without @", LINE)
const ownPassword = Type.Optional(
  Text(
    "The parent's own current password. Parents without one must have signed in within the last ten minutes",
    MAX_PASSWORD_LENGTH,
  ),
)

export const NameChild = Type.Object({ handle: child })

export const AddChild = Type.Object({
  handle: Id('1 to 30 letters, digits, . _ or -, with or without @', LINE),
  firstName: Text('Given name; may be empty', LINE),
  lastName: Text('Family name; may be empty', LINE),
  dateOfBirth: Day('Less than 13 years ago'),
  password: Type.Optional(
    Text('8 to 1000 characters; without a password the child cannot sign in yet', MAX_PASSWORD_LENGTH),
  ),
})
export type AddChild = Static<typeof AddChild>

/** Omitted fields keep their value; an empty text clears the value. */
export const ChangeChild = Type.Object({
  handle: child,
  publicSearch: Type.Optional(Flag("Whether users of the child's apps can find the child")),
  cameraDisabled: Type.Optional(Flag('Whether apps keep the camera off')),
  proximityFriends: Type.Optional(Flag('Whether apps let the child meet friends who are nearby')),
  firstName: Type.Optional(Text('Given name', LINE)),
  lastName: Type.Optional(Text('Family name', LINE)),
  country: Type.Optional(Text('Two letters (ISO 3166)', 2)),
  email: Type.Optional(Text('The new e-mail address, also for password reset links; the old one gets a message', 254)),
  password: Type.Optional(
    Text(
      "For a new e-mail address: the parent's own current password. Parents without one must have signed in within the last ten minutes",
      MAX_PASSWORD_LENGTH,
    ),
  ),
})
export type ChangeChild = Static<typeof ChangeChild>

export const ChildPassword = Type.Object({
  handle: child,
  password: ownPassword,
  newPassword: Text("The child's new password, of 8 to 1000 characters", MAX_PASSWORD_LENGTH),
  ...removalFields('the response'),
})
export type ChildPassword = Static<typeof ChildPassword>
export const DeleteChild = Type.Object({ handle: child, password: ownPassword })
export const ChildFriend = Type.Object({
  handle: child,
  friend: Id('The handle of the other user, with or without @', LINE),
})
