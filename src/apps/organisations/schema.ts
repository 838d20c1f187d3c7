import { type Static, Type } from 'typebox'
import { PERSON_STATUSES, STATUS_MEANING } from '../../identity/people/status.ts'
import { File, Flag, Id, IdList, Text } from '../../kernel/http/input/fields.ts'
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
/** The people who can create courses. Those who manage the organisation always can. */
const COURSE_AUTHORS = ['owners', 'instructors'] as const
export const SetCourseAuthors = Type.Object({
  organisation,
  courseAuthors: {
    ...Id('Who can create courses: only owners, or also all instructors of the organisation'),
    enum: COURSE_AUTHORS,
  },
})
export type SetCourseAuthors = Static<typeof SetCourseAuthors>
export const SetTimeZone = Type.Object({
  organisation,
  timeZone: Id('An IANA name, such as Europe/Berlin, or UTC'),
})
export type SetTimeZone = Static<typeof SetTimeZone>
export const ListOwners = Type.Object({ organisation, ...paging })
export type ListOwners = Static<typeof ListOwners>
export const NameOrganisation = Type.Object({ organisation })
export type NameOrganisation = Static<typeof NameOrganisation>
export const ListOrganisations = Type.Object({
  query: Type.Optional(Text('Only organisations whose name or key has these words', 200)),
  organisations: Type.Optional(IdList('Only organisations with these keys', 100)),
  role: Type.Optional({
    ...Id(
      'Only organisations in which the caller can do what this role can: owners can do what developers and course authors can, administrators everything',
    ),
    enum: ['owner', 'developer', 'courseAuthor'],
  }),
  ...paging,
})
export type ListOrganisations = Static<typeof ListOrganisations>
export const ListMembers = Type.Object({
  organisation,
  query: Type.Optional(Text('Only people whose name, handle or visible e-mail address has these words', 200)),
  status: Type.Optional({ ...Id('Only people with this status; all by default'), enum: PERSON_STATUSES }),
  role: Type.Optional({ ...Id('Only people with this role; all by default'), enum: MEMBER_ROLES }),
  pending: Type.Optional(Flag('Whether to include people who have not accepted an invitation; false by default')),
  sort: sorting(['handle', 'name', 'role', 'status'], 'handle'),
  ...paging,
})
export type ListMembers = Static<typeof ListMembers>
export const SetMember = Type.Object({
  organisation,
  handle: Id('Handle or e-mail address of the user', 254),
  role: { ...Id('The new role'), enum: MEMBER_ROLES },
  firstName: Type.Optional(Text('Given name, if an account is created for the e-mail address', 100)),
  lastName: Type.Optional(Text('Family name, if an account is created for the e-mail address', 100)),
  wantedHandle: Type.Optional(Id('Handle of a created account, if it is free; derived from the name by default')),
})
export type SetMember = Static<typeof SetMember>
export const RemoveMember = Type.Object({ organisation, handle })
export type RemoveMember = Static<typeof RemoveMember>

export const SetSignUp = Type.Object({
  organisation,
  domains: Type.Optional(
    IdList('Domains whose e-mail addresses may join, such as example.org; empty for none. Unchanged by default', 20),
  ),
  code: Type.Optional({
    ...Id('`new` generates a code and ends the old one, `none` deletes it; unchanged by default'),
    enum: ['new', 'none'] as const,
  }),
})
export type SetSignUp = Static<typeof SetSignUp>
export const AskToJoin = Type.Object({
  organisation,
  email: Text('The address to which the link is sent', 254),
  code: Type.Optional(Text('The sign-up code of the organisation, unless the domain of the address is enough', 100)),
})
export type AskToJoin = Static<typeof AskToJoin>
export const JoinOrganisation = Type.Object({
  organisation,
  code: Type.Optional(Text("The sign-up code, unless the domain of the user's confirmed address is enough", 100)),
})
export type JoinOrganisation = Static<typeof JoinOrganisation>

export const ImportPeople = Type.Object({
  organisation,
  dryRun: Type.Optional(Flag('Whether to only report what would happen, without writing anything')),
  allOrNothing: Type.Optional(Flag('Whether nothing is written if a row has an error')),
  people: File(
    'CSV (RFC 4180) in UTF-8, with or without a byte order mark. Its first line lists the columns: `email` or `handle`, and optionally `givenName`, `familyName` and `role` (owner, developer, instructor or member; member if empty)',
  ),
})
export type ImportPeople = Static<typeof ImportPeople>
export const PeopleReport = Type.Object(
  {
    written: Type.Boolean({ description: 'False for a dry run, and if a row has an error with `allOrNothing`' }),
    counts: Type.Object({
      invited: Type.Integer(),
      updated: Type.Integer(),
      unchanged: Type.Integer(),
      refused: Type.Integer(),
    }),
    rows: Type.Array(
      Type.Object({
        row: Type.Integer({ description: 'Number of the record in the file; the first one names the columns' }),
        name: Type.String({ description: 'The e-mail address or handle as the file has it' }),
        role: Type.String(),
        result: Type.Enum(['invited', 'updated', 'unchanged', 'refused']),
        reason: Type.Union([Type.String(), Type.Null()], { description: 'Why the row is refused' }),
      }),
    ),
  },
  { title: 'PeopleReport' },
)
export type PeopleReport = Static<typeof PeopleReport>

export const Organisation = Type.Object(
  {
    organisation: Type.String({ description: 'Its key' }),
    name: Type.String(),
    role: Type.Union([Type.String(), Type.Null()], {
      description: 'The caller’s role in it; null for an administrator who is not a member',
    }),
    courseAuthors: Type.Enum([...COURSE_AUTHORS], {
      description: 'Who can create courses: only owners, or also all instructors of the organisation',
    }),
    timeZone: Type.String({
      description: 'The time zone of its dates, such as Europe/Berlin: times without an offset are read in it',
    }),
    may: Type.Object(
      {
        manage: Type.Boolean({ description: 'Can rename it, and invite, update and remove its members' }),
        leave: Type.Boolean({ description: 'Can leave it: false for the last owner' }),
        createCourses: Type.Boolean({ description: 'Can create courses of the organisation' }),
      },
      { title: 'OrganisationPermissions', description: 'Permissions of the caller' },
    ),
  },
  { title: 'Organisation' },
)
export type Organisation = Static<typeof Organisation>
export const OrganisationPage = PageOf(Organisation, 'OrganisationPage')

export const OrganisationSignUp = Type.Object(
  {
    organisation: Type.String({ description: 'Its key' }),
    domains: Type.Array(Type.String(), { description: 'Users with a confirmed address in one of them can join' }),
    code: Type.Union([Type.String(), Type.Null()], { description: 'Users who know it can join; null for none' }),
    url: Type.String({ description: 'The page on which users join' }),
    canSend: Type.Boolean({ description: 'False if e-mail is off, so that nobody can sign up' }),
  },
  { title: 'OrganisationSignUp' },
)
export type OrganisationSignUp = Static<typeof OrganisationSignUp>

const role = Type.String({ description: 'owner, developer, instructor or member, or the role in an import file' })
export const OrganisationMember = Type.Object(
  { handle: Type.String(), firstName: Type.String(), lastName: Type.String(), role },
  { title: 'OrganisationMember' },
)
export type OrganisationMember = Static<typeof OrganisationMember>

export const OwnerPage = PageOf(
  Type.Object(
    { handle: Type.String(), firstName: Type.String(), lastName: Type.String() },
    { title: 'OrganisationOwner' },
  ),
  'OrganisationOwnerPage',
)

const orNull = (schema: ReturnType<typeof Type.String>, description: string) =>
  Type.Union([schema, Type.Null()], { description })
/** A member, or somebody who was invited and has not accepted. */
export const OrganisationPerson = Type.Object(
  {
    handle: orNull(Type.String(), 'Null for somebody who was invited by e-mail address and has not accepted'),
    firstName: Type.String(),
    lastName: Type.String(),
    role,
    email: orNull(Type.String(), 'E-mail address, if the caller can change the account or typed the address'),
    status: Type.Enum(PERSON_STATUSES, { description: STATUS_MEANING }),
    invitationId: orNull(Type.String(), 'Id of the invitation, for somebody who has not accepted it'),
    invitationExpiresDate: orNull(Type.String({ format: 'date-time' }), 'When the invitation expires or has expired'),
    managed: Type.Boolean({ description: 'Whether the caller can change the account' }),
  },
  { title: 'OrganisationPerson' },
)
export type OrganisationPerson = Static<typeof OrganisationPerson>
export const MemberPage = PageOf(OrganisationPerson, 'OrganisationMemberPage')
