import { type Static, Type } from 'typebox'
import { passkeyBoxes, removalFields } from '../../identity/passkeys/schema.ts'
import { ENVIRONMENTS } from '../../kernel/config.ts'
import { Day, Flag, Id, Text } from '../../kernel/http/input/fields.ts'

export const SignInAsDemo = Type.Object({ handle: Id('Handle of a demo person, with or without @', 100) })
export type SignInAsDemo = Static<typeof SignInAsDemo>

export const DemoPerson = Type.Object(
  {
    handle: Type.String(),
    name: Type.String(),
    part: Type.Enum(['student', 'instructor', 'developer', 'administrator'], {
      description: 'What they show of the platform',
    }),
  },
  { title: 'DemoPerson' },
)
export type DemoPerson = Static<typeof DemoPerson>

const MAX_HANDLE_LENGTH = 254
const MAX_PASSWORD_LENGTH = 1000

const handle = Id('The handle, with or without @; or the e-mail address, if it is confirmed', MAX_HANDLE_LENGTH)
const moment = (description: string) => Type.String({ format: 'date-time', description })

export const SignIn = Type.Object({
  handle,
  password: Text('The password', MAX_PASSWORD_LENGTH),
  keep: Type.Optional(
    Flag('Stay signed in for 30 days, even if the browser is closed. By default false: at most 12 hours'),
  ),
})
export const NameSession = Type.Object({ sessionId: Id('A session of an app, from GET /account/v1/apps') })
export const NameBrowser = Type.Object({ browserId: Id('A browser, from GET /account/v1/browsers') })
export const NameApp = Type.Object({ clientId: Id('The client ID of the app') })
const { removePasskeys } = removalFields('GET /account/v1/passkeys')
export const ChangePassword = Type.Object({
  password: Text('The current password', MAX_PASSWORD_LENGTH),
  newPassword: Text('The new password, of 8 to 1000 characters', MAX_PASSWORD_LENGTH),
  removePasskeys,
})
export const AskSignUp = Type.Object({ email: Text('Where the link is sent', 254) })
export const SignUp = Type.Object({
  code: Id('The code of the link that was sent'),
  handle: Id('The name that others see: letters, digits, and . _ - between them', 31),
  firstName: Text('Given name', 100),
  lastName: Text('Family name', 100),
  dateOfBirth: Day('People younger than 13 are refused'),
  password: Text('The password, of 8 to 1000 characters', MAX_PASSWORD_LENGTH),
})
export const AskReset = Type.Object({ handle })
export const ResetPassword = Type.Object({
  code: Id('The code of the link that was sent'),
  password: Text('The new password, of 8 to 1000 characters', MAX_PASSWORD_LENGTH),
  removePasskeys,
})

const AppSession = Type.Object(
  {
    sessionId: Type.String(),
    device: Type.String({ description: 'What the device called itself at sign-in' }),
    door: Type.String({ description: 'How the person signed in' }),
    createdDate: moment('When the person signed in'),
    lastUsedDate: moment('When the app last renewed its tokens'),
  },
  { title: 'AppSession' },
)
export const AccountApps = Type.Array(
  Type.Object(
    {
      clientId: Type.String(),
      name: Type.String(),
      owner: Type.Union([Type.String(), Type.Null()], { description: 'The organisation or the person behind the app' }),
      sinceDate: moment('Since when the person is a user of the app'),
      allowedDate: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'When the person allowed the app; null if they were enrolled and not asked yet',
      }),
      sessions: Type.Array(AppSession, { description: 'Open sessions, newest first, at most 50' }),
    },
    { title: 'AccountApp' },
  ),
)
const AREAS = ['dashboard', 'console', 'planner', 'admin'] as const
export const Here = Type.Object(
  {
    environment: Type.Enum([...ENVIRONMENTS], { description: 'Which environment this is' }),
    production: Type.String({ description: 'Address of production' }),
    sandbox: Type.String({ description: 'Address of the sandbox, which has a sign-in of its own' }),
    person: Type.Union(
      [
        Type.Object({
          handle: Type.String(),
          name: Type.String(),
          isTest: Type.Boolean({
            description: 'Whether it is a test person of the sandbox, whom a developer is for a while',
          }),
          areas: Type.Array(Type.Enum([...AREAS]), { description: 'The areas of pages that are for this person' }),
          may: Type.Object(
            {
              administer: Type.Boolean({ description: 'Administer this environment' }),
              createOrganisation: Type.Boolean(),
              createCourse: Type.Boolean({ description: 'In at least one organisation' }),
              lookAfterChildren: Type.Boolean(),
            },
            { title: 'PersonPermissions', description: 'What they may do here, whatever it is done to' },
          ),
        }),
        Type.Null(),
      ],
      { description: 'Who is signed in; null if nobody is' },
    ),
    signUp: Type.Boolean({ description: 'Whether anybody can make an account here' }),
    demoPeople: Type.Array(DemoPerson, {
      description: 'People you can sign in as with one click; empty without demo data',
    }),
  },
  { title: 'Here' },
)
export type Here = Static<typeof Here>
export const Browsers = Type.Array(
  Type.Object(
    {
      browserId: Type.String(),
      device: Type.String({ description: 'What the browser called itself at sign-in' }),
      address: Type.Union([Type.String(), Type.Null()], {
        description: 'Where it was last used: an IPv4 address or a /64 of IPv6; null where that is not known',
      }),
      createdDate: moment('When the person signed in'),
      lastUsedDate: moment('When it was last used, to ten minutes'),
      isCurrent: Type.Boolean({ description: 'Whether it is the calling browser' }),
    },
    { title: 'Browser' },
  ),
)

/**
 * A field of an HTML form. All fields are optional, because the page itself reports missing ones. The maximum length
 * only stops forged requests.
 */
const field = (description: string) => Type.Optional(Text(description, 4000))
const done = Type.Optional(Text('What was done just now, as one of a few codes', 100))

export const SignInQuery = Type.Object({
  next: field('Where to go on: a path of this platform'),
  again: Type.Optional(Flag('Whether to ask people who are signed in too: some things need a fresh sign-in')),
  done,
})
export const SignInFields = Type.Object({
  handle: field('The handle'),
  password: field('The password'),
  keep: SignIn.properties.keep,
})
export const ResetQuery = Type.Object({ code: field('The code of the link that was sent'), done })
export const ResetFields = Type.Object({
  ...passkeyBoxes,
  handle: field('The handle or the e-mail address, to ask for a link'),
  code: field('The code of the link, to set a new password'),
  new_password: field('The new password'),
  again: field('The new password again'),
})
export const SignUpQuery = Type.Object({ code: field('The code of the link that was sent'), done })
export const SignUpFields = Type.Object({
  email: field('The address, to ask for a link'),
  code: field('The code of the link, to make an account'),
  handle: field('The handle'),
  firstName: field('Given name'),
  lastName: field('Family name'),
  dateOfBirth: field('A day, such as 1999-04-02'),
  new_password: field('The new password'),
  again: field('The new password again'),
})
