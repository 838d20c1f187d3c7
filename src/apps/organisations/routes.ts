import { Type } from 'typebox'
import { person } from '../../kernel/http/callers/callers.ts'
import { administrator } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { SentInvitation } from '../invitations/schema.ts'
import { invitationPolicy } from '../invitations/sending.ts'
import {
  createOrganisation,
  listMembers,
  listOrganisations,
  readOrganisation,
  removeMember,
  renameOrganisation,
  setMember,
} from './organisations.ts'
import { MANAGERS } from './roles.ts'
import {
  CreateOrganisation,
  ListMembers,
  ListOrganisations,
  MemberPage,
  NameOrganisation,
  Organisation,
  OrganisationMember,
  OrganisationPage,
  RemoveMember,
  RenameOrganisation,
  SetMember,
} from './schema.ts'

const op = operationsIn({ area: 'Courses and classes', who: person })

export const organisationOperations: readonly Operation[] = [
  op('PUT /edu/v1/organisation', {
    name: 'createOrganisation',
    summary: 'Creates an organisation',
    description:
      'Administrators create organisations, and invite a first owner or members afterwards. An owner manages the organisation, its courses and its classes.',
    example: { request: { organisation: 'harbour', name: 'Harbour Seaplanes', owner: '@casey' }, as: 'ellis' },
    needs: [administrator],
    input: CreateOrganisation,
    output: json(Organisation),
    errors: ['impossibleNow', 'conflict'],
    run: ({ db, who, environment }, input) => createOrganisation(db, who, input, environment.get(invitationPolicy)),
  }),
  op('POST /edu/v1/organisation', {
    name: 'renameOrganisation',
    summary: 'Renames an organisation',
    description: 'The name is what people read. The key stays as it is, because files and courses refer to it.',
    example: { request: { organisation: 'sandhills', name: 'Sandhills School of Aviation' }, as: 'ellis' },
    roles: MANAGERS,
    input: RenameOrganisation,
    output: json(Organisation),
    run: ({ db, who }, input) => renameOrganisation(db, who, input),
  }),
  op('GET /edu/v1/organisation', {
    name: 'readOrganisation',
    summary: 'Reads an organisation',
    description:
      'The name of the organisation, and the role of the caller in it. Its members and administrators can read it.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis' },
    roles: ['member', 'owner', 'administrator'],
    input: NameOrganisation,
    output: json(Organisation),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readOrganisation(db, who, input),
  }),
  op('GET /edu/v1/organisation/list', {
    name: 'listOrganisations',
    summary: "Lists the caller's organisations, or all of them for an administrator",
    description:
      'Everybody sees the organisations that they belong to, with their role. Administrators see all of them, by name.',
    example: { request: { limit: 1, page: 2 }, as: 'ellis' },
    input: ListOrganisations,
    output: json(OrganisationPage),
    run: ({ db, who }, input) => listOrganisations(db, who, input),
  }),
  op('GET /edu/v1/organisation/members', {
    name: 'listOrganisationMembers',
    summary: 'Lists the members of an organisation',
    description: 'All members, ordered by handle. Owners and administrators can see them.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis', after: 'setOrganisationMember' },
    roles: MANAGERS,
    input: ListMembers,
    output: json(MemberPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listMembers(db, who, input),
  }),
  op('POST /edu/v1/organisation/member', {
    name: 'setOrganisationMember',
    summary: 'Invites somebody to an organisation, or changes the role of a member',
    description:
      'Gives a member another role; the last owner keeps that role until there is another one. Anybody else is invited, and joins by accepting: the answer is the same whether or not somebody has the handle. Owners manage the organisation with its courses and classes, developers its apps.',
    example: { request: { organisation: 'sandhills', handle: '@drew', role: 'instructor' }, as: 'ellis' },
    roles: MANAGERS,
    input: SetMember,
    output: json(Type.Union([OrganisationMember, SentInvitation])),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }, input) => setMember(db, who, input, environment.get(invitationPolicy)),
  }),
  op('POST /edu/v1/organisation/member/remove', {
    name: 'removeOrganisationMember',
    summary: 'Removes a member from an organisation',
    description:
      'The person no longer belongs to the organisation. Their roles in classes stay. The last owner cannot be removed by an owner.',
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
