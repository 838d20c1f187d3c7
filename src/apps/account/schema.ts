import { type Static, Type } from 'typebox'
import { passkeyBoxes, removalFields } from '../../identity/passkeys/schema.ts'
import { ENVIRONMENTS } from '../../kernel/config.ts'
import { Day, Flag, Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { SCOPES } from '../../kernel/scopes.ts'

export const SignInAsDemo = Type.Object({ handle: Id('Handle of a demo user, with or without @', 100) })
export type SignInAsDemo = Static<typeof SignInAsDemo>

export const DemoPerson = Type.Object(
  {
    handle: Type.String(),
    name: Type.String(),
    part: Type.Enum(['student', 'instructor', 'developer', 'administrator'], {
      description: 'The part of the platform that this user shows',
    }),
  },
  { title: 'DemoPerson' },
)
export type DemoPerson = Static<typeof DemoPerson>

const MAX_HANDLE_LENGTH = 254
const MAX_PASSWORD_LENGTH = 1000

const handle = Id('The handle, with or without @, or the confirmed e-mail address', MAX_HANDLE_LENGTH)
const moment = (description: string) => Type.String({ format: 'date-time', description })

export const SignIn = Type.Object({
  handle,
  password: Text('The password', MAX_PASSWORD_LENGTH),
  keep: Type.Optional(
    Flag('Stay signed in for 30 days, even if the browser is closed. Default: false, at most 12 hours'),
  ),
})
export const SignedOut = Type.Object(
  {
    success: Type.Literal(true),
    next: Type.Optional(
      Type.String({ description: 'Path of a page that offers to sign out at the provider of the organisation too' }),
    ),
  },
  { title: 'SignedOut' },
)
export const NameSession = Type.Object({ sessionId: Id('Id of an app session, from GET /account/v1/apps') })
export const NameBrowser = Type.Object({ browserId: Id('Id of a browser, from GET /account/v1/browsers') })
export const NameApp = Type.Object({ clientId: Id('The client ID of the app') })
export const WithdrawScopes = Type.Object({
  clientId: Id('The client ID of the app'),
  scopes: IdList('The scopes that the app loses, such as `notes`', SCOPES.length),
})
export const AccessQuery = Type.Object({ done: Type.Optional(Id('Code of the notice to show', 100)) })
export const AccessFields = Type.Object({
  clientId: Type.Optional(Id('The client ID of the app')),
  scope: Type.Optional(Id('The scope that the app loses', 100)),
})
const { removePasskeys } = removalFields('GET /account/v1/passkeys')
export const ChangePassword = Type.Object({
  password: Text('The current password', MAX_PASSWORD_LENGTH),
  newPassword: Text('The new password, of 8 to 1000 characters', MAX_PASSWORD_LENGTH),
  removePasskeys,
})
export const AskSignUp = Type.Object({ email: Text('The address to which the link is sent', 254) })
export const SignUp = Type.Object({
  code: Id('The code in the link'),
  handle: Id('The name that other users see: letters, digits, and . _ - between them', 31),
  firstName: Text('Given name', 100),
  lastName: Text('Family name', 100),
  dateOfBirth: Day('Date of birth; users under 13 are refused'),
  password: Text('The password, of 8 to 1000 characters', MAX_PASSWORD_LENGTH),
})
export const JoinWithLink = Type.Object({ code: Id('The code in the link') })
export const AskReset = Type.Object({ handle })
export const ResetPassword = Type.Object({
  code: Id('The code in the link'),
  password: Text('The new password, of 8 to 1000 characters', MAX_PASSWORD_LENGTH),
  removePasskeys,
})

const AppSession = Type.Object(
  {
    sessionId: Type.String(),
    device: Type.String({ description: 'Name of the device, as it was sent at sign-in' }),
    door: Type.String({ description: 'How the user signed in' }),
    createdDate: moment('When the user signed in'),
    lastUsedDate: moment('When the app last refreshed its tokens'),
  },
  { title: 'AppSession' },
)
export const AccountApps = Type.Array(
  Type.Object(
    {
      clientId: Type.String(),
      name: Type.String(),
      owner: Type.Union([Type.String(), Type.Null()], {
        description: 'The organisation or the user that owns the app',
      }),
      sinceDate: moment('When the user started to use the app'),
      allowedDate: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'When the user allowed the app; null if they were enrolled and not asked yet',
      }),
      scopes: Type.Array(Type.Enum([...SCOPES]), {
        description: 'What the app may do; a user can withdraw each of them. Empty if the user was not asked yet',
      }),
      sessions: Type.Array(AppSession, { description: 'Open sessions, newest first, at most 50' }),
    },
    { title: 'AccountApp' },
  ),
)
const AREAS = ['dashboard', 'organisations', 'console', 'planner', 'admin'] as const
export const Here = Type.Object(
  {
    environment: Type.Enum([...ENVIRONMENTS], { description: 'Name of this environment' }),
    production: Type.String({ description: 'URL of production' }),
    sandbox: Type.String({ description: 'URL of the sandbox, which has its own sign-in' }),
    person: Type.Union(
      [
        Type.Object({
          handle: Type.String(),
          name: Type.String(),
          isTest: Type.Boolean({
            description: 'Whether the signed-in user is a test user of the sandbox, as whom a developer signed in',
          }),
          areas: Type.Array(Type.Enum([...AREAS]), { description: 'The areas of the site that this user can open' }),
          may: Type.Object(
            {
              administer: Type.Boolean({ description: 'Can administer this environment' }),
              createOrganisation: Type.Boolean(),
              createCourse: Type.Boolean({ description: 'Can create courses in at least one organisation' }),
              lookAfterChildren: Type.Boolean(),
            },
            { title: 'PersonPermissions', description: 'Permissions that do not depend on an object' },
          ),
        }),
        Type.Null(),
      ],
      { description: 'The signed-in user; null if nobody is signed in' },
    ),
    signUp: Type.Boolean({ description: 'Whether everybody can create an account here' }),
    demoPeople: Type.Array(DemoPerson, {
      description: 'Users that you can sign in as with one click; empty without demo data',
    }),
  },
  { title: 'Here' },
)
export type Here = Static<typeof Here>
export const Browsers = Type.Array(
  Type.Object(
    {
      browserId: Type.String(),
      device: Type.String({ description: 'Name of the browser, as it was sent at sign-in' }),
      address: Type.Union([Type.String(), Type.Null()], {
        description: 'Where it was last used: an IPv4 address or an IPv6 /64 network; null if unknown',
      }),
      createdDate: moment('When the user signed in'),
      lastUsedDate: moment('When it was last used, within ten minutes'),
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
const done = Type.Optional(Text('The last action, as one of a few codes', 100))

export const SignInQuery = Type.Object({
  next: field('The path of this platform to continue at'),
  again: Type.Optional(Flag('Whether to ask a signed-in user too: some actions need a recent sign-in')),
  done,
})
export const SignInFields = Type.Object({
  handle: field('The handle'),
  password: field('The password'),
  keep: SignIn.properties.keep,
  way: field('`organisation` to sign in with the provider of an organisation'),
})
const invitation = field('`true` if the link is that of an invitation')
export const ResetQuery = Type.Object({ code: field('The code in the link'), invitation, done })
export const ResetFields = Type.Object({
  ...passkeyBoxes,
  handle: field('The handle or the e-mail address, to request a link'),
  code: field('The code in the link, to set a new password'),
  invitation,
  new_password: field('The new password'),
  again: field('The new password again'),
})
export const SignUpQuery = Type.Object({ code: field('The code in the link'), done })
export const JoinQuery = Type.Object({ organisation: field('Key of the organisation'), done })
export const JoinFields = Type.Object({
  organisation: field('Key of the organisation'),
  email: field('The e-mail address, to request a link'),
  organisationCode: field('The sign-up code of the organisation'),
  link: field('The code in the link, to join with it'),
})
export const SignUpFields = Type.Object({
  email: field('The e-mail address, to request a link'),
  code: field('The code in the link, to create an account'),
  handle: field('The handle'),
  firstName: field('Given name'),
  lastName: field('Family name'),
  dateOfBirth: field('A day, such as 1999-04-02'),
  new_password: field('The new password'),
  again: field('The new password again'),
})
