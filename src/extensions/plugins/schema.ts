import { type Static, Type } from 'typebox'
import { Flag, Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

export const KINDS = ['ai', 'ato'] as const
export type PluginKind = (typeof KINDS)[number]

/** The purposes for which the platform calls plugins of each kind. */
export const PURPOSES = { ai: ['capabilities', 'candidates'], ato: ['request', 'distributions'] } as const
export type Purpose = (typeof PURPOSES)[PluginKind][number]
/** The permissions that plugins of each kind may have. */
export const PERMISSIONS = { ai: ['user-records', 'badges', 'skills', 'mission-planner'], ato: ['ato'] } as const
export type Permission = (typeof PERMISSIONS)[PluginKind][number]

const ALL_PURPOSES: readonly Purpose[] = [...PURPOSES.ai, ...PURPOSES.ato]
const ALL_PERMISSIONS: readonly Permission[] = [...PERMISSIONS.ai, ...PERMISSIONS.ato]

const clientId = Id('Client ID of the plugin')
const organisation = Id('Key of the organisation')
const name = Text('Name of the plugin', 200)
const description = Text('What it is for', 2000)
const OrNull = (text: string) =>
  Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 2000 }), Type.Null()], { description: text }))
const addresses = Type.Object(
  {
    request: OrNull('ATO: URL to which new requests are sent'),
    distributions: OrNull('ATO: URL to which the distributions of a request are sent when they change'),
    capabilities: OrNull('AI: URL of the capabilities search'),
    candidates: OrNull('AI: URL of the candidate search'),
  },
  {
    description:
      'URLs at which the plugin is called: https, and publicly reachable. Null deletes one; those that are left out stay the same',
  },
)
const redirectUris = IdList('URLs to which sign-in can redirect; an ATO plugin needs at least one', 20)
const permissions = IdList(
  `Permissions that the plugin requests: ${ALL_PERMISSIONS.join(', ')}; an administrator grants them`,
  10,
)

export const RegisterPlugin = Type.Object({
  kind: { ...Id('`ai` or `ato`'), enum: [...KINDS] },
  name,
  organisation,
  description: Type.Optional(description),
  key: Type.Optional(Id('The client ID without its prefix; generated if left out', 60)),
  addresses: Type.Optional(addresses),
  redirectUris: Type.Optional(redirectUris),
  permissions: Type.Optional(permissions),
})
export type RegisterPlugin = Static<typeof RegisterPlugin>

export const ChangePlugin = Type.Object({
  clientId,
  name: Type.Optional(name),
  description: Type.Optional(description),
  addresses: Type.Optional(addresses),
  redirectUris: Type.Optional(redirectUris),
  permissions: Type.Optional(permissions),
})
export type ChangePlugin = Static<typeof ChangePlugin>

export const NamePlugin = Type.Object({ clientId })
export type NamePlugin = Static<typeof NamePlugin>
export const ListPlugins = Type.Object({ organisation: Type.Optional(organisation), ...paging })
export type ListPlugins = Static<typeof ListPlugins>
export const ActivatePlugin = Type.Object({ clientId, active: Flag('Whether it is active') })
export type ActivatePlugin = Static<typeof ActivatePlugin>
export const GrantPermissions = Type.Object({
  clientId,
  permissions: IdList('All permissions of the plugin; those that are left out are revoked', 10),
})
export type GrantPermissions = Static<typeof GrantPermissions>
export const GiveOrganisation = Type.Object({
  clientId,
  organisation,
  given: Flag('Whether the plugin has access to the users of the organisation'),
})
export type GiveOrganisation = Static<typeof GiveOrganisation>

const Moment = Type.String({ format: 'date-time' })
const MomentOrNull = (text: string) => Type.Union([Moment, Type.Null()], { description: text })
const fields = {
  clientId: Type.String(),
  kind: Type.String({ enum: [...KINDS] }),
  name: Type.String(),
  description: Type.String(),
  organisation: Type.Union([Type.String(), Type.Null()], { description: 'Key of the organisation' }),
  organisationName: Type.Union([Type.String(), Type.Null()]),
  owner: Type.Union([Type.String(), Type.Null()], { description: 'Handle of the owner' }),
  status: Type.String({
    description: '`pending` until an administrator has granted a permission, then `approved`; or `suspended`',
  }),
  active: Type.Boolean(),
  addresses: Type.Array(
    Type.Object({
      purpose: Type.String({ enum: [...ALL_PURPOSES] }),
      uri: Type.String(),
      failingSince: MomentOrNull('Since when every delivery to it has failed'),
      offDate: MomentOrNull('When the platform disabled it; setting it again enables it'),
      offReason: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
  redirectUris: Type.Array(Type.String()),
  permissions: Type.Array(
    Type.Object({
      permission: Type.String({ enum: [...ALL_PERMISSIONS] }),
      askedDate: Moment,
      grantedDate: MomentOrNull('Null until an administrator grants it'),
    }),
  ),
  organisations: Type.Array(Type.String(), {
    description: 'Keys of the organisations that it has access to; a list has the first 100 of each plugin',
  }),
  secrets: Type.Array(
    Type.Object({ createdDate: Moment, lastUsedDate: MomentOrNull('When it was last used, to the minute') }),
    {
      description: 'Oldest first; the platform sends the older of two',
    },
  ),
  createdDate: Moment,
}
export const Plugin = Type.Object(fields, { title: 'Plugin' })
export type Plugin = Static<typeof Plugin>
export const PluginPage = PageOf(Plugin, 'PluginPage')

const clientSecret = Type.String({ description: 'Shown only once' })
export const NewPlugin = Type.Object({ ...fields, clientSecret }, { title: 'NewPlugin' })
export type NewPlugin = Static<typeof NewPlugin>
export const NewPluginSecret = Type.Object({ clientSecret }, { title: 'NewPluginSecret' })
export type NewPluginSecret = Static<typeof NewPluginSecret>
