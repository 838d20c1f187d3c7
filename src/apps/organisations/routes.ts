import { Type } from 'typebox'
import { person } from '../../kernel/http/callers/callers.ts'
import { administrator } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { SentInvitation } from '../invitations/schema.ts'
import { invitationPolicy } from '../invitations/sending.ts'
import {
  createOrganisation,
  listMembers,
  listOrganisations,
  listOwners,
  readOrganisation,
  removeMember,
  renameOrganisation,
  setCourseAuthors,
  setMember,
  setTimeZone,
} from './organisations.ts'
import { importPeople } from './people-import.ts'
import { MANAGERS } from './roles.ts'
import {
  CreateOrganisation,
  ImportPeople,
  ListMembers,
  ListOrganisations,
  ListOwners,
  MemberPage,
  NameOrganisation,
  Organisation,
  OrganisationMember,
  OrganisationPage,
  OrganisationSignUp,
  OwnerPage,
  PeopleReport,
  RemoveMember,
  RenameOrganisation,
  SetCourseAuthors,
  SetMember,
  SetSignUp,
  SetTimeZone,
} from './schema.ts'
import { readSignUpSettings, setSignUpSettings } from './sign-up.ts'

const op = operationsIn({ area: 'Courses and classes', who: person })

export const organisationOperations: readonly Operation[] = [
  op('PUT /edu/v1/organisation', {
    name: 'createOrganisation',
    summary: 'Create an organisation',
    description:
      'Creates an organisation, to which administrators then invite a first owner and members. An owner manages the organisation, its courses and its classes.',
    example: { request: { organisation: 'harbour', name: 'Harbour Seaplanes', owner: '@casey' }, as: 'ellis' },
    needs: [administrator],
    input: CreateOrganisation,
    output: json(Organisation),
    errors: ['impossibleNow', 'conflict'],
    run: ({ db, who, environment }, input) => createOrganisation(db, who, input, environment.get(invitationPolicy)),
  }),
  op('POST /edu/v1/organisation', {
    name: 'renameOrganisation',
    summary: 'Rename an organisation',
    description: 'Changes the name of an organisation. The key stays the same, because files and courses refer to it.',
    example: { request: { organisation: 'sandhills', name: 'Sandhills School of Aviation' }, as: 'ellis' },
    roles: MANAGERS,
    input: RenameOrganisation,
    output: json(Organisation),
    run: ({ db, who }, input) => renameOrganisation(db, who, input),
  }),
  op('GET /edu/v1/organisation', {
    name: 'readOrganisation',
    summary: 'Get an organisation',
    description:
      "Returns the name of an organisation and the caller's role in it. Members and administrators can read it.",
    example: { request: { organisation: 'sandhills' }, as: 'ellis' },
    roles: ['member', 'owner', 'administrator'],
    input: NameOrganisation,
    output: json(Organisation),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readOrganisation(db, who, input),
  }),
  op('POST /edu/v1/organisation/course-authors', {
    name: 'setCourseAuthors',
    summary: 'Set who can create courses',
    description:
      'Decides whether instructors of an organisation can create courses and edit those that they created. Owners can always create and edit all of its courses.',
    example: { request: { organisation: 'sandhills', courseAuthors: 'instructors' }, as: 'ellis' },
    roles: MANAGERS,
    input: SetCourseAuthors,
    output: json(Organisation),
    run: ({ db, who }, input) => setCourseAuthors(db, who, input),
  }),
  op('POST /edu/v1/organisation/time-zone', {
    name: 'setTimeZone',
    summary: 'Set the time zone of an organisation',
    description:
      'Sets the zone in which dates of classes are entered: a time without an offset is read in it. Dates that are already set stay the same instants.',
    example: { request: { organisation: 'sandhills', timeZone: 'Europe/Berlin' }, as: 'ellis' },
    roles: MANAGERS,
    input: SetTimeZone,
    output: json(Organisation),
    run: ({ db, who }, input) => setTimeZone(db, who, input),
  }),
  op('GET /edu/v1/organisation/owners', {
    name: 'listOrganisationOwners',
    summary: 'List owners of an organisation',
    description:
      'Returns the owners of an organisation, sorted by handle. Its members can read the list, so that they know whom to ask.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis' },
    roles: ['member', 'owner', 'administrator'],
    input: ListOwners,
    output: json(OwnerPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listOwners(db, who, input),
  }),
  op('GET /edu/v1/organisation/list', {
    name: 'listOrganisations',
    summary: 'List organisations',
    description:
      "Returns the organisations that the caller belongs to, with the caller's role in each. Administrators see all organisations, sorted by name.",
    example: { request: { limit: 1, page: 2 }, as: 'ellis' },
    input: ListOrganisations,
    output: json(OrganisationPage),
    run: ({ db, who }, input) => listOrganisations(db, who, input),
  }),
  op('GET /edu/v1/organisation/members', {
    name: 'listOrganisationMembers',
    summary: 'List organisation members',
    description:
      'Returns the members of an organisation and, with `pending`, the people who have not accepted an invitation yet. Of the latter it has only what the inviter typed. Owners and administrators can read the list.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis', after: 'setOrganisationMember' },
    roles: MANAGERS,
    input: ListMembers,
    output: json(MemberPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listMembers(db, who, input),
  }),
  op('POST /edu/v1/organisation/member', {
    name: 'setOrganisationMember',
    summary: 'Invite or update a member',
    description:
      'Changes the role of a member, or invites a user who is not a member yet and joins by accepting. If nobody has the e-mail address, an account is created, which the organisation manages; the response is the same whether or not the handle or address exists. The last owner keeps that role until there is another one.',
    example: { request: { organisation: 'sandhills', handle: '@drew', role: 'instructor' }, as: 'ellis' },
    roles: MANAGERS,
    input: SetMember,
    output: json(Type.Union([SentInvitation, OrganisationMember])),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }, input) => setMember(db, who, input, environment.get(invitationPolicy)),
  }),
  op('POST /edu/v1/organisation/people', {
    name: 'importPeople',
    summary: 'Import people into an organisation',
    description:
      'Invites people and changes the roles of members with a CSV file of up to 2 MiB and 20,000 rows; an account is created for an e-mail address that has none. Each row gets its own result; with `allOrNothing` nothing is written if a row has an error, and with `dryRun` nothing is written at all. Sending the same file again changes nothing.',
    example: {
      as: 'ellis',
      request: {
        organisation: 'sandhills',
        dryRun: true,
        people:
          'email,givenName,familyName,role\r\nnoor@example.org,Noor,Haddad,instructor\r\nsam@example.org,Sam,Lee,\r\nnobody,,,\r\n',
      },
    },
    roles: MANAGERS,
    input: ImportPeople,
    from: 'csv',
    output: json(PeopleReport),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) =>
      importPeople(db, who, input, {
        invitations: environment.get(invitationPolicy),
        messages: environment.get(messagePolicy),
      }),
  }),
  op('GET /edu/v1/organisation/signup', {
    name: 'readSignUpSettings',
    summary: 'Get the sign-up settings',
    description:
      'Returns how users can join an organisation without an invitation: with an e-mail address in one of the domains, or with the code. It is closed for sign-up if it has neither.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis' },
    roles: MANAGERS,
    input: NameOrganisation,
    output: json(OrganisationSignUp),
    errors: ['forbidden'],
    run: ({ db, who, environment }, input) => readSignUpSettings(db, who, input, environment.get(messagePolicy)),
  }),
  op('POST /edu/v1/organisation/signup', {
    name: 'setSignUpSettings',
    summary: 'Change the sign-up settings',
    description:
      'Opens an organisation for sign-up by e-mail domain or by code, or closes it; users who join become members. Fields that are left out stay the same. Links that were sent for an old code or a removed domain stop working.',
    example: { request: { organisation: 'sandhills', domains: ['sandhills.example'], code: 'none' }, as: 'ellis' },
    roles: MANAGERS,
    input: SetSignUp,
    output: json(OrganisationSignUp),
    errors: ['forbidden'],
    run: ({ db, who, environment }, input) => setSignUpSettings(db, who, input, environment.get(messagePolicy)),
  }),
  op('POST /edu/v1/organisation/member/remove', {
    name: 'removeOrganisationMember',
    summary: 'Remove an organisation member',
    description:
      'Removes a member from an organisation. Their roles in classes stay. An owner cannot remove the last owner.',
    example: {
      request: { organisation: 'sandhills', handle: '@drew' },
      as: 'ellis',
      after: 'setOrganisationMember',
      fill: { handle: 'A member of the organisation. @drew is one after accepting the invitation' },
    },
    roles: MANAGERS,
    input: RemoveMember,
    output: success(),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who }, input) => removeMember(db, who, input),
  }),
]
