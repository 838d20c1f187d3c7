import { type Static, Type } from 'typebox'
import { Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

const ROLES = ['owner', 'developer', 'instructor', 'member'] as const
export const KEY_PATTERN = '^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$'
export const KEY_MUST = '1 to 60 lower-case letters, digits or -, such as sandhills'

const organisation = Id('Key of the organisation')
const name = Text('As people read it', 200)
const handle = Id('Of the person')

export const CreateOrganisation = Type.Object({
  organisation: Id(`Key of the new organisation, which never changes: ${KEY_MUST}`),
  name,
  owner: Type.Optional(Id('Handle of its first owner; none by default')),
})
export type CreateOrganisation = Static<typeof CreateOrganisation>
export const RenameOrganisation = Type.Object({ organisation, name })
export type RenameOrganisation = Static<typeof RenameOrganisation>
export const NameOrganisation = Type.Object({ organisation })
export type NameOrganisation = Static<typeof NameOrganisation>
export const ListOrganisations = Type.Object({
  query: Type.Optional(Text('Only those whose name or key has these words', 200)),
  organisations: Type.Optional(IdList('Only those with these keys', 100)),
  role: Type.Optional({
    ...Id(
      'Only where the caller may do what this role does: owners do what developers do, administrators do everything',
    ),
    enum: ['owner', 'developer'],
  }),
  ...paging,
})
export type ListOrganisations = Static<typeof ListOrganisations>
export const ListMembers = Type.Object({ organisation, ...paging })
export type ListMembers = Static<typeof ListMembers>
export const SetMember = Type.Object({
  organisation,
  handle,
  role: { ...Id('Their new role'), enum: ROLES },
})
export type SetMember = Static<typeof SetMember>
export const RemoveMember = Type.Object({ organisation, handle })
export type RemoveMember = Static<typeof RemoveMember>

export const Organisation = Type.Object(
  {
    organisation: Type.String({ description: 'Its key' }),
    name: Type.String(),
    role: Type.Union([Type.String(), Type.Null()], {
      description: 'The caller’s role in it; null for an administrator who is not a member',
    }),
    may: Type.Object(
      {
        manage: Type.Boolean({ description: 'Rename it, and invite, change and remove its members' }),
        leave: Type.Boolean({ description: 'Leave it, unless the caller is the last owner' }),
      },
      { title: 'OrganisationPermissions', description: 'What the caller may do with it' },
    ),
  },
  { title: 'Organisation' },
)
export type Organisation = Static<typeof Organisation>
export const OrganisationPage = PageOf(Organisation, 'OrganisationPage')

export const OrganisationMember = Type.Object(
  {
    handle: Type.String(),
    firstName: Type.String(),
    lastName: Type.String(),
    role: Type.String({ description: 'owner, developer, instructor or member; or what an import file said' }),
  },
  { title: 'OrganisationMember' },
)
export type OrganisationMember = Static<typeof OrganisationMember>
export const MemberPage = PageOf(OrganisationMember, 'OrganisationMemberPage')
