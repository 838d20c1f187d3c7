import { type Static, Type } from 'typebox'
import { DateTime, Flag, Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'
import { SCOPES } from '../../kernel/scopes.ts'
import { ALGORITHMS, AUTH_METHODS } from './algorithms.ts'
import { REVIEWED_FIELDS } from './rules.ts'

const STATUSES = ['pending', 'approved', 'suspended'] as const

const clientId = Id('Client ID of the app')
const organisation = Id('Key of the organisation')
const name = Text('Shown to users when they sign in', 200)
const redirectUris = IdList(
  'URLs to which sign-in can redirect: https, http on a loopback address, or a scheme of the app itself',
  20,
)
const launchUri = Text(
  'URL at which the app opens for lessons without a launch URL: one of its redirect URIs, with or without a query. Empty for none',
  2000,
)
const origins = IdList(
  'Origins of web pages that may call the platform from a browser, such as https://app.example.org',
  20,
)
const openIdFields = {
  postLogoutRedirectUris: Type.Optional(
    IdList('URLs to which the platform may send users after the app has signed them out, compared exactly', 10),
  ),
  backchannelLogoutUri: Type.Optional(
    Text(
      'URL of the app that receives a logout token when a user is signed out: https, or in the sandbox of a local platform http on a loopback address. Empty for none',
      2000,
    ),
  ),
  backchannelLogoutSessionRequired: Type.Optional(
    Flag('Whether the app needs `sid` in logout tokens; they always have it'),
  ),
  publicKeys: Type.Optional(
    Text(
      'Public keys of the app for `private_key_jwt`: a JWKS document, one JWK, or keys in PEM, also after a document; at most 10. They replace the stored ones; empty for none',
      20_000,
    ),
  ),
  tokenEndpointAuthMethod: Type.Optional({
    ...Id('How the app proves that it is the app: `client_secret`, or `private_key_jwt` (RFC 7523)'),
    enum: [...AUTH_METHODS],
  }),
  idTokenAlgorithm: Type.Optional({ ...Id('The algorithm of its ID tokens'), enum: [...ALGORITHMS] }),
}

const scopes = IdList(`The scopes that it may ask for: ${SCOPES.join(', ')}. Empty for all`, SCOPES.length)

export const RegisterApp = Type.Object({
  organisation,
  name,
  key: Type.Optional(Id('The client ID without its prefix; generated if left out', 60)),
  redirectUris: Type.Optional(redirectUris),
  launchUri: Type.Optional(launchUri),
  origins: Type.Optional(origins),
  ...openIdFields,
  scopes: Type.Optional(scopes),
  public: Type.Optional(
    Flag('Whether it is a public client (browser or mobile app), which has no secret and uses PKCE'),
  ),
})
export type RegisterApp = Static<typeof RegisterApp>
export const ChangeApp = Type.Object({
  clientId,
  name: Type.Optional(name),
  redirectUris: Type.Optional(redirectUris),
  launchUri: Type.Optional(launchUri),
  origins: Type.Optional(origins),
  ...openIdFields,
  scopes: Type.Optional(scopes),
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
export const ListAppUsers = Type.Object({ clientId, sort: sorting(['since'], '-since'), ...paging })
export type ListAppUsers = Static<typeof ListAppUsers>
export const SetAppStatus = Type.Object({
  clientId,
  status: { ...Id('`approved` or `suspended`'), enum: ['approved', 'suspended'] },
  reason: Type.Optional(
    Text('The reason, for the developers of the app and the audit log. Required to suspend an app', 250),
  ),
})
export type SetAppStatus = Static<typeof SetAppStatus>
export const ListChangedApps = Type.Object({ ...paging })
export type ListChangedApps = Static<typeof ListChangedApps>
export const ReviewApp = Type.Object({
  clientId,
  changedDate: DateTime('The `changedDate` of the app that was reviewed, so that later changes stay in the list'),
})
export type ReviewApp = Static<typeof ReviewApp>

const Moment = Type.String({ format: 'date-time' })
const fields = {
  clientId: Type.String(),
  name: Type.String(),
  organisation: Type.Union([Type.String(), Type.Null()], { description: 'Key of the organisation' }),
  organisationName: Type.Union([Type.String(), Type.Null()]),
  owner: Type.Union([Type.String(), Type.Null()], { description: 'Handle of the owner' }),
  status: Type.Enum([...STATUSES], {
    description:
      '`pending` until an administrator approves it (the sandbox approves it immediately), `approved` or `suspended`',
  }),
  statusReason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it is suspended, as long as the audit log has the entry; null for other apps',
  }),
  public: Type.Boolean({ description: 'Whether it is a public client, which has no secret' }),
  redirectUris: Type.Array(Type.String()),
  launchUri: Type.Union([Type.String(), Type.Null()], {
    description: 'URL at which it opens for lessons without a launch URL',
  }),
  origins: Type.Array(Type.String(), { description: 'Origins of web pages that may call the platform from a browser' }),
  postLogoutRedirectUris: Type.Array(Type.String(), {
    description: 'URLs to which the platform may send users after the app has signed them out',
  }),
  backchannelLogoutUri: Type.Union([Type.String(), Type.Null()], {
    description: 'URL that receives a logout token when a user is signed out',
  }),
  backchannelLogoutSessionRequired: Type.Boolean({ description: 'Whether the app needs `sid` in logout tokens' }),
  scopes: Type.Array(Type.Enum([...SCOPES]), { description: 'The scopes that it may ask for; empty for all' }),
  secrets: Type.Array(
    Type.Object({
      createdDate: Moment,
      lastUsedDate: Type.Union([Moment, Type.Null()], { description: 'When it was last used, to the minute' }),
    }),
    { description: 'Oldest first; the secrets themselves are never shown' },
  ),
  users: Type.Integer({ description: 'Number of users who have allowed it' }),
  storageUsed: Type.Integer({ description: 'Bytes that its buckets use' }),
  storageLimit: Type.Integer({ description: 'Storage limit of its buckets, in bytes' }),
  recordsUsed: Type.Integer({
    description:
      'Bytes of the notes, attempts, statements and documents that users stored through it; updated every minute',
  }),
  createdDate: Moment,
  tokenEndpointAuthMethod: Type.Enum([...AUTH_METHODS, 'none'], {
    description: '`client_secret`: HTTP Basic, or a field. `private_key_jwt`: a signed JWT. `none`: a public client',
  }),
  publicKeys: Type.Array(
    Type.Object(
      {
        kty: Type.String(),
        kid: Type.Optional(Type.String()),
        alg: Type.Optional(Type.String()),
        n: Type.Optional(Type.String()),
        e: Type.Optional(Type.String()),
        crv: Type.Optional(Type.String()),
        x: Type.Optional(Type.String()),
        y: Type.Optional(Type.String()),
      },
      { title: 'AppPublicKey' },
    ),
    { description: 'Public keys (RFC 7517) that its assertions are verified with' },
  ),
  idTokenAlgorithm: Type.Enum([...ALGORITHMS], { description: 'The algorithm of its ID tokens' }),
  may: Type.Object(
    { decide: Type.Boolean({ description: 'Can approve or suspend it' }) },
    { title: 'AppPermissions', description: 'Further permissions of the caller, besides updating it' },
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
          description: 'Handle of the user who changed it; null for an operator, and for a deleted user',
        }),
        field: Type.Enum([...REVIEWED_FIELDS]),
        before: Type.Array(Type.String()),
        after: Type.Array(Type.String()),
      }),
      {
        description:
          'Changes since an administrator last reviewed it, newest first; of the latest 50 changes, as long as the audit log has them',
      },
    ),
  },
  { title: 'ChangedApp' },
)
export type ChangedApp = Static<typeof ChangedApp>
export const ChangedAppPage = PageOf(ChangedApp, 'ChangedAppPage')

const clientSecret = Type.Union([Type.String(), Type.Null()], {
  description: 'Shown only once; null for a public client, and for one with `private_key_jwt`, which have none',
})
export const NewApp = Type.Object({ ...fields, clientSecret }, { title: 'NewApp' })
export type NewApp = Static<typeof NewApp>
export const NewAppSecret = Type.Object(
  { clientSecret: Type.String({ description: 'Shown only once' }) },
  { title: 'NewAppSecret' },
)
export type NewAppSecret = Static<typeof NewAppSecret>

export const AppUserRecord = Type.Object(
  {
    userId: Type.String({ description: "The user's id in this app; other apps have other ids" }),
    anonymous: Type.Boolean({ description: 'Whether the user has no account' }),
    sinceDate: Moment,
    lastSeenDate: Type.Union([Moment, Type.Null()], {
      description: 'When they last signed in to it, or it refreshed its token',
    }),
  },
  { title: 'UserOfApp' },
)
export type AppUserRecord = Static<typeof AppUserRecord>
export const AppUserPage = PageOf(AppUserRecord, 'UsersOfApp')
