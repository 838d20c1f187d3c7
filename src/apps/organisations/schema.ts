import { type Static, Type } from 'typebox'
import { Id, IdList, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'

export const MEMBER_ROLES = ['owner', 'developer', 'instructor', 'member'] as const
export const KEY_PATTERN = '^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$'
export const KEY_MUST = '1 to 60 lower-case letters, digits or -, such as sandhills'

const organisation = Id('Key of the organisation')
const name = Text('Name of the organisation', 200)
const handle = Id('Handle of the user')

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
  query: Type.Optional(Text('Only organisations whose name or key has these words', 200)),
  organisations: Type.Optional(IdList('Only organisations with these keys', 100)),
  role: Type.Optional({
    ...Id(
      'Only organisations in which the caller can do what this role can: owners can do what developers can, administrators everything',
    ),
    enum: ['owner', 'developer'],
  }),
  ...paging,
})
export type ListOrganisations = Static<typeof ListOrganisations>
export const ListMembers = Type.Object({
  organisation,
  sort: sorting(['handle', 'name', 'role'], 'handle'),
  ...paging,
})
export type ListMembers = Static<typeof ListMembers>
export const SetMember = Type.Object({
  organisation,
  handle,
  role: { ...Id('The new role'), enum: MEMBER_ROLES },
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
        manage: Type.Boolean({ description: 'Can rename it, and invite, update and remove its members' }),
        leave: Type.Boolean({ description: 'Can leave it: false for the last owner' }),
      },
      { title: 'OrganisationPermissions', description: 'Permissions of the caller' },
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
    role: Type.String({ description: 'owner, developer, instructor or member, or the role in an import file' }),
  },
  { title: 'OrganisationMember' },
)
export type OrganisationMember = Static<typeof OrganisationMember>
export const MemberPage = PageOf(OrganisationMember, 'OrganisationMemberPage')
