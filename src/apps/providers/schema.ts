import { type Static, Type } from 'typebox'
import { Flag, Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

const PROVIDER_MODES = ['off', 'allowed', 'enforced'] as const
export const GROUP_ROLES = ['owner', 'developer', 'instructor'] as const
const MAX_GROUPS = 50
export const MAX_DOMAINS = 50
const MAX_BREAK_GLASS = 10

const organisation = Id('Key of the organisation')
const moment = (description: string) => Type.String({ format: 'date-time', description })
const orNull = <T extends ReturnType<typeof Type.String>>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const NameProvider = Type.Object({ organisation })
export type NameProvider = Static<typeof NameProvider>

export const SetProvider = Type.Object({
  organisation,
  issuer: Type.Optional(
    Id(
      'Address of the provider, exactly as it names itself, such as https://login.example.org. Unchanged by default',
      500,
    ),
  ),
  clientId: Type.Optional(Id('The client ID that the provider has given to this platform. Unchanged by default', 500)),
  clientSecret: Type.Optional(Text('The client secret, which is never shown again. Unchanged by default', 1000)),
  createsAccounts: Type.Optional(
    Flag('Whether people without an account get one when they first sign in. Default for a new provider: false'),
  ),
  groupsClaim: Type.Optional(
    Text('The claim that lists the groups of a person, such as groups; empty for none. Unchanged by default', 200),
  ),
  groupRoles: Type.Optional(
    Type.Array(
      Type.Object(
        {
          group: Text('Name of the group, exactly as the provider sends it', 300),
          role: { ...Id('The role that the group gives in the organisation'), enum: GROUP_ROLES },
        },
        { title: 'GroupRole' },
      ),
      {
        maxItems: MAX_GROUPS,
        description: 'The first matching group decides; people in none of them are members. Unchanged by default',
      },
    ),
  ),
})
export type SetProvider = Static<typeof SetProvider>

/** Whether a mode asks more of people than another one. */
export const isHigher = (mode: string, than: string): boolean => {
  const ranks: readonly string[] = PROVIDER_MODES
  return ranks.indexOf(mode) > ranks.indexOf(than)
}

export const SetProviderMode = Type.Object({
  organisation,
  mode: {
    ...Id(
      '`off`: nobody can sign in with the provider; `allowed`: people choose; `enforced`: people of the organisation must use it, except break-glass accounts',
    ),
    enum: PROVIDER_MODES,
  },
  breakGlass: Type.Optional(
    IdList(
      'Handles of owners who can still sign in with their password or passkey; at least one for `enforced`. Unchanged by default',
      MAX_BREAK_GLASS,
    ),
  ),
})
export type SetProviderMode = Static<typeof SetProviderMode>

export const NameDomain = Type.Object({ organisation, domain: Id('The e-mail domain, such as example.org', 253) })
export type NameDomain = Static<typeof NameDomain>

export const ListFailures = Type.Object({ organisation, ...paging })
export type ListFailures = Static<typeof ListFailures>

export const NameIdentity = Type.Object({ organisation, handle: Id('Handle of the member', 100) })
export type NameIdentity = Static<typeof NameIdentity>

const ProviderDomain = Type.Object(
  {
    domain: Type.String(),
    record: Type.String({ description: 'Name of the TXT record that proves the domain' }),
    value: Type.String({ description: 'Value of the TXT record' }),
    provenDate: orNull(Type.String({ format: 'date-time' }), 'When the record was found; null if it has not been'),
  },
  { title: 'ProviderDomain' },
)

export const Provider = Type.Object(
  {
    organisation: Type.String({ description: 'Its key' }),
    issuer: orNull(Type.String(), 'Address of the provider; null if none is connected'),
    clientId: orNull(Type.String(), 'The client ID of this platform at the provider'),
    mode: Type.Enum([...PROVIDER_MODES]),
    createsAccounts: Type.Boolean(),
    groupsClaim: orNull(Type.String(), 'The claim that lists the groups of a person; null if roles are set by hand'),
    groupRoles: Type.Array(
      Type.Object({ group: Type.String(), role: Type.Enum([...GROUP_ROLES]) }, { title: 'GroupRoleOf' }),
    ),
    testedDate: orNull(
      Type.String({ format: 'date-time' }),
      'When the current settings were tested with an account; null if they were not, and the provider stays off',
    ),
    breakGlass: Type.Array(Type.String(), { description: 'Handles of the break-glass accounts' }),
    domains: Type.Array(ProviderDomain, { description: 'E-mail domains of the organisation' }),
    redirectUri: Type.String({ description: 'The redirect URI to register at the provider' }),
    logoutUri: Type.String({ description: 'The post-logout redirect URI to register at the provider' }),
    signInUrl: Type.String({ description: 'The page on which people of the organisation sign in' }),
    people: Type.Integer({ description: 'How many people have signed in with the provider' }),
  },
  { title: 'Provider' },
)
export type Provider = Static<typeof Provider>

export const ProviderFailure = Type.Object(
  {
    date: moment('When the sign-in failed'),
    reference: Type.String({ description: 'Code that the person was shown' }),
    problem: Type.String(),
    claim: orNull(Type.String(), 'The claim that was wrong'),
    found: orNull(Type.String(), 'What the provider sent'),
    expected: orNull(Type.String(), 'What was expected'),
  },
  { title: 'ProviderFailure' },
)
export type ProviderFailure = Static<typeof ProviderFailure>
export const ProviderFailures = PageOf(ProviderFailure, 'ProviderFailurePage')

/** A connection of the caller's account to the provider of an organisation. */
export const Connections = Type.Array(
  Type.Object(
    {
      organisation: Type.String({ description: 'Key of the organisation' }),
      name: Type.String({ description: 'Name of the organisation' }),
      issuer: Type.String({ description: 'Address of its provider' }),
      mode: Type.Enum([...PROVIDER_MODES]),
      linkedDate: orNull(Type.String({ format: 'date-time' }), 'When the account was connected; null if it is not'),
      lastUsedDate: orNull(Type.String({ format: 'date-time' }), 'When the caller last signed in this way'),
      isRequired: Type.Boolean({ description: 'Whether the caller must sign in this way' }),
    },
    { title: 'Connection' },
  ),
  { description: 'The organisations of the caller that have a provider' },
)
