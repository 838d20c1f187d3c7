import { type Static, Type } from 'typebox'
import { DateTime, Flag, Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

const STATUSES = ['pending', 'approved', 'suspended'] as const

const clientId = Id('Client ID of the app')
const organisation = Id('Key of the organisation')
const name = Text('Shown to people when they sign in', 200)
const redirectUris = IdList(
  'Where sign-in may send people back to: https, http on a loopback address, or a scheme of the app itself',
  20,
)
const launchUri = Text(
  'Where the app is opened for lessons without an address of their own: one of its redirect URIs, with or without a query. Empty for none',
  2000,
)
const origins = IdList('Web pages that may call the platform from a browser, such as https://app.example.org', 20)

export const RegisterApp = Type.Object({
  organisation,
  name,
  key: Type.Optional(Id('The client ID without its prefix; generated if left out', 60)),
  redirectUris: Type.Optional(redirectUris),
  launchUri: Type.Optional(launchUri),
  origins: Type.Optional(origins),
  public: Type.Optional(
    Flag('Whether it cannot keep a secret, because it runs in a browser or on a phone: it has none, and uses PKCE'),
  ),
})
export type RegisterApp = Static<typeof RegisterApp>
export const ChangeApp = Type.Object({
  clientId,
  name: Type.Optional(name),
  redirectUris: Type.Optional(redirectUris),
  launchUri: Type.Optional(launchUri),
  origins: Type.Optional(origins),
})
export type ChangeApp = Static<typeof ChangeApp>
export const NameApp = Type.Object({ clientId })
export type NameApp = Static<typeof NameApp>
export const ListApps = Type.Object({
  organisation: Type.Optional(organisation),
  status: Type.Optional({ ...Id('Only apps with this status; all by default'), enum: [...STATUSES] }),
  ...paging,
})
export type ListApps = Static<typeof ListApps>
export const ListAppUsers = Type.Object({ clientId, ...paging })
export type ListAppUsers = Static<typeof ListAppUsers>
export const SetAppStatus = Type.Object({
  clientId,
  status: { ...Id('`approved` or `suspended`'), enum: ['approved', 'suspended'] },
  reason: Type.Optional(
    Text('Why, for the developers of the app and the audit log. An app cannot be suspended without one', 250),
  ),
})
export type SetAppStatus = Static<typeof SetAppStatus>
export const ListChangedApps = Type.Object({ ...paging })
export type ListChangedApps = Static<typeof ListChangedApps>
export const ReviewApp = Type.Object({
  clientId,
  changedDate: DateTime('The `changedDate` of the app that was looked at, so that later changes stay in the list'),
})
export type ReviewApp = Static<typeof ReviewApp>

const Moment = Type.String({ format: 'date-time' })
const fields = {
  clientId: Type.String(),
  name: Type.String(),
  organisation: Type.Union([Type.String(), Type.Null()], { description: 'Key of the organisation' }),
  organisationName: Type.Union([Type.String(), Type.Null()]),
  owner: Type.Union([Type.String(), Type.Null()], { description: 'Handle of the person responsible for it' }),
  status: Type.Enum([...STATUSES], {
    description: '`pending` until an administrator approves it, which the sandbox does at once; or `suspended`',
  }),
  statusReason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it is suspended, as long as the audit log has the decision; null for other apps',
  }),
  public: Type.Boolean({ description: 'Whether it has no secret' }),
  redirectUris: Type.Array(Type.String()),
  launchUri: Type.Union([Type.String(), Type.Null()], {
    description: 'Where it is opened for lessons without an address of their own',
  }),
  origins: Type.Array(Type.String(), { description: 'Web pages that may call the platform from a browser' }),
  secrets: Type.Array(
    Type.Object({
      createdDate: Moment,
      lastUsedDate: Type.Union([Moment, Type.Null()], { description: 'Known to the minute' }),
    }),
    { description: 'Oldest first; the secrets themselves are never shown' },
  ),
  users: Type.Integer({ description: 'How many people have allowed it' }),
  storageUsed: Type.Integer({ description: 'Bytes that its buckets use' }),
  storageLimit: Type.Integer({ description: 'Bytes that its buckets may use' }),
  recordsUsed: Type.Integer({
    description:
      'Bytes of the notes, attempts, statements and documents that people stored through it; updated every minute',
  }),
  createdDate: Moment,
  may: Type.Object(
    { decide: Type.Boolean({ description: 'Approve it or suspend it' }) },
    { title: 'AppPermissions', description: 'What the caller may do with it besides changing it' },
  ),
}
export const AppRecord = Type.Object(fields, { title: 'App' })
export type AppRecord = Static<typeof AppRecord>
export const AppPage = PageOf(AppRecord, 'AppPage')

export const ChangedApp = Type.Object(
  {
    clientId: fields.clientId,
    name: fields.name,
    organisationName: fields.organisationName,
    owner: fields.owner,
    changedDate: Type.String({ format: 'date-time', description: 'When a developer last changed it' }),
    changes: Type.Array(
      Type.Object({
        date: Moment,
        by: Type.Union([Type.String(), Type.Null()], {
          description: 'Handle of the person who did it; null for an operator, and for a person who has left',
        }),
        field: Type.Enum(['name', 'redirectUris', 'launchUri', 'origins']),
        before: Type.Array(Type.String()),
        after: Type.Array(Type.String()),
      }),
      {
        description:
          'Since an administrator last decided about it or looked at it, the latest first; of the latest 50 changes, while the audit log has them',
      },
    ),
  },
  { title: 'ChangedApp' },
)
export type ChangedApp = Static<typeof ChangedApp>
export const ChangedAppPage = PageOf(ChangedApp, 'ChangedAppPage')

const clientSecret = Type.Union([Type.String(), Type.Null()], {
  description: 'Shown only once; null for a public app, which has none',
})
export const NewApp = Type.Object({ ...fields, clientSecret }, { title: 'NewApp' })
export type NewApp = Static<typeof NewApp>
export const NewAppSecret = Type.Object(
  { clientSecret: Type.String({ description: 'Shown this once' }) },
  { title: 'NewAppSecret' },
)
export type NewAppSecret = Static<typeof NewAppSecret>

export const AppUserRecord = Type.Object(
  {
    userId: Type.String({ description: 'Their id in this app; other apps have other ids' }),
    anonymous: Type.Boolean({ description: 'Whether they have no account' }),
    sinceDate: Moment,
    lastSeenDate: Type.Union([Moment, Type.Null()], {
      description: 'When they last signed in to it, or it renewed its token',
    }),
  },
  { title: 'UserOfApp' },
)
export type AppUserRecord = Static<typeof AppUserRecord>
export const AppUserPage = PageOf(AppUserRecord, 'UsersOfApp')
