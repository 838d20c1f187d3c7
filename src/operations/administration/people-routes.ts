import { MANAGERS } from '../../apps/organisations/roles.ts'
import { leavingPolicy } from '../../identity/people/deletion.ts'
import { forgetting } from '../../kernel/forget.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { administrator, recentSignIn } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import {
  changeAdministrator,
  correctPerson,
  createPerson,
  deletePerson,
  readDeletion,
  resendPersonInvitation,
  setDisabled,
  withdrawPersonInvitation,
} from './managing.ts'
import {
  CorrectPerson,
  CreatePerson,
  DecideAboutPerson,
  Deletion,
  FoundPerson,
  NamePerson,
  SetAdministrator,
} from './schema.ts'

const op = operationsIn({ area: 'Administration', who: person })

const NOOR = '@noor.haddad'
const after = 'createPerson'

/** Operations that change other people's accounts. Owners may change those that their organisation manages. */
export const managingOperations: readonly Operation[] = [
  op('PUT /admin/v1/person', {
    name: 'createPerson',
    summary: 'Create a user',
    description:
      'Creates an account for somebody and sends them a link, with which they set a password within 7 days. With `organisation` they also get a role there, and its owners manage the account. Owners of an organisation invite people with `setOrganisationMember` instead.',
    example: {
      request: {
        firstName: 'Noor',
        lastName: 'Haddad',
        email: 'noor@example.org',
        organisation: 'sandhills',
        role: 'instructor',
      },
      as: 'ellis',
    },
    needs: [recentSignIn, administrator],
    input: CreatePerson,
    output: json(FoundPerson),
    errors: ['notFound', 'duplicate', 'conflict', 'impossibleNow'],
    run: ({ db, who, environment }, input) => createPerson(db, who, input, environment.get(messagePolicy)),
  }),
  op('POST /admin/v1/person', {
    name: 'correctPerson',
    summary: 'Update names or address of a user',
    description:
      'Changes the names, the handle or the e-mail address of a user; what is left out stays. A new address ends open reset links and an open invitation, and the old address is told. Owners can do this for accounts that their organisation manages.',
    example: { request: { handle: NOOR, lastName: 'Haddad-Berg' }, as: 'ellis', after },
    needs: [recentSignIn],
    roles: MANAGERS,
    input: CorrectPerson,
    output: json(FoundPerson),
    errors: ['notFound', 'forbidden', 'duplicate', 'conflict', 'impossibleNow'],
    run: ({ db, who, environment }, input) => correctPerson(db, who, input, environment.get(messagePolicy)),
  }),
  op('POST /admin/v1/person/administrator', {
    name: 'setAdministrator',
    summary: 'Set whether a user is administrator',
    description:
      'Makes a user an administrator of the platform, or takes the role back. Nobody can change their own role, so there is always an administrator left.',
    example: { request: { handle: '@blake', administrator: true, reason: 'Runs the school office' }, as: 'ellis' },
    needs: [recentSignIn, administrator],
    input: SetAdministrator,
    output: json(FoundPerson),
    errors: ['notFound', 'impossibleNow', 'forbidden'],
    run: ({ db, who }, input) => changeAdministrator(db, who, input),
  }),
  op('POST /admin/v1/person/invitation/resend', {
    name: 'resendPersonInvitation',
    summary: 'Resend the invitation of a user',
    description:
      'Sends a new link to a user who has set no password; earlier links stop working. A second request within a minute sends nothing.',
    example: { request: { handle: NOOR }, as: 'ellis', after },
    needs: [recentSignIn],
    roles: MANAGERS,
    input: NamePerson,
    output: json(FoundPerson),
    errors: ['notFound', 'forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) => resendPersonInvitation(db, who, input, environment.get(messagePolicy)),
  }),
  op('POST /admin/v1/person/invitation/withdraw', {
    name: 'withdrawPersonInvitation',
    summary: 'Withdraw the invitation of a user',
    description:
      'Withdraws the invitation of a user, whose link stops working immediately. An account that was created for them and never used is deleted, and its handle is free again.',
    example: { request: { handle: NOOR }, as: 'ellis', after },
    needs: [recentSignIn],
    roles: MANAGERS,
    input: NamePerson,
    output: success(),
    errors: ['notFound', 'forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) => withdrawPersonInvitation(db, who, input, environment.get(forgetting)),
  }),
  op('POST /admin/v1/person/disable', {
    name: 'disablePerson',
    summary: 'Disable a user',
    description:
      'Disables a user: they can no longer sign in, and all their tokens stop working immediately. Their data stays until the account is enabled or deleted. Owners can do this for accounts that their organisation manages; nobody can disable themselves.',
    example: { request: { handle: NOOR, reason: 'Left the school' }, as: 'ellis', after },
    needs: [recentSignIn],
    roles: MANAGERS,
    input: DecideAboutPerson,
    output: json(FoundPerson),
    errors: ['notFound', 'forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) =>
      setDisabled(db, who, { ...input, isDisabled: true }, environment.get(forgetting)),
  }),
  op('POST /admin/v1/person/enable', {
    name: 'enablePerson',
    summary: 'Enable a user',
    description:
      'Lets a disabled user sign in again, with the password and the passkeys that they had. Sessions that were ended stay ended. Owners can do this for accounts that their organisation manages.',
    example: { request: { handle: NOOR, reason: 'Came back' }, as: 'ellis', after },
    needs: [recentSignIn],
    roles: MANAGERS,
    input: DecideAboutPerson,
    output: json(FoundPerson),
    errors: ['notFound', 'forbidden'],
    run: ({ db, who, environment }, input) =>
      setDisabled(db, who, { ...input, isDisabled: false }, environment.get(forgetting)),
  }),
  op('GET /admin/v1/person/deletion', {
    name: 'readPersonDeletion',
    summary: 'Get what deleting a user affects',
    description:
      'Returns how many classes, apps and organisations deleting a user would affect, and which organisations would have no owner. Show it before you ask for a confirmation.',
    example: { request: { handle: NOOR }, as: 'ellis', after },
    roles: MANAGERS,
    input: NamePerson,
    output: json(Deletion),
    errors: ['notFound', 'forbidden'],
    run: ({ db, who }, input) => readDeletion(db, who, input),
  }),
  op('POST /admin/v1/person/delete', {
    name: 'deletePerson',
    summary: 'Delete a user',
    description:
      'Deletes the account of a user with everything that belongs to them alone, and sends them a last message. This cannot be undone, and the handle is reserved for 180 days. Owners can do this for accounts that their organisation manages; nobody can delete themselves here.',
    example: { request: { handle: NOOR, reason: 'Left the school' }, as: 'ellis', after },
    needs: [recentSignIn],
    roles: MANAGERS,
    input: DecideAboutPerson,
    output: success(),
    errors: ['notFound', 'forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) => deletePerson(db, who, input, environment.get(leavingPolicy)),
  }),
]
