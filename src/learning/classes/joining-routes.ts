import { NameInvitation } from '../../apps/invitations/schema.ts'
import { NameOrganisation } from '../../apps/organisations/schema.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { success } from '../../kernel/http/output/output.ts'
import { INVITATION_ID } from '../../kernel/samples.ts'
import { acceptInvitation, leaveOrganisation } from './joining.ts'

const op = operationsIn({ area: 'Courses and classes', who: person })

export const joiningOperations: readonly Operation[] = [
  op('POST /edu/v1/invitation/accept', {
    name: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'Accepts an invitation to an organisation or a class and gives the user the role in it; a parent accepts for a child under 13. Plugins of the organisation can then read data about its members; `listInvitations` lists those plugins.',
    example: {
      as: 'ellis',
      request: { invitationId: INVITATION_ID },
      fill: { invitationId: 'An id from listInvitations. Another user has to invite you first' },
    },
    roles: ['invited', 'parent'],
    input: NameInvitation,
    output: success(),
    errors: ['notFound', 'wrongUserType', 'impossibleNow'],
    run: ({ db, who }, input) => acceptInvitation(db, who, input),
  }),
  op('POST /edu/v1/organisation/leave', {
    name: 'leaveOrganisation',
    summary: 'Leave an organisation',
    description:
      "Ends the caller's membership of an organisation and their roles in its classes. What was recorded stays, but its plugins no longer see the user. The last owner cannot leave.",
    example: { request: { organisation: 'sandhills' } },
    roles: ['member'],
    input: NameOrganisation,
    output: success(),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who }, input) => leaveOrganisation(db, who, input),
  }),
]
