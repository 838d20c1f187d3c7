import { person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { INVITATION_ID } from '../../kernel/samples.ts'
import { declineInvitation, listInvitations } from './invitations.ts'
import { INVITERS } from './roles.ts'
import { Invitations, ListSent, NameInvitation, SentInvitation, SentInvitationPage } from './schema.ts'
import { invitationPolicy, listSent, resendInvitation, withdrawInvitation } from './sending.ts'

const op = operationsIn({ area: 'Courses and classes', who: person })

export const invitationOperations: readonly Operation[] = [
  op('GET /edu/v1/invitation/list', {
    name: 'listInvitations',
    summary: 'Lists the invitations that wait for an answer',
    description:
      'Invitations to organisations and classes, for the caller and for their children under 13, newest first. A child sees them, but a parent answers. People who have blocked the inviter do not see it.',
    example: { as: 'ellis' },
    input: Nothing,
    output: json(Invitations),
    run: ({ db, who }) => listInvitations(db, who),
  }),
  op('POST /edu/v1/invitation/decline', {
    name: 'declineInvitation',
    summary: 'Declines an invitation, without telling the inviter',
    description:
      'To the inviter the invitation stays pending until it expires. If they send it again within 30 days, it is not shown.',
    example: {
      as: 'ellis',
      request: { invitationId: INVITATION_ID },
      fill: { invitationId: 'An id from listInvitations. Somebody has to invite you first' },
    },
    roles: ['invited', 'parent'],
    input: NameInvitation,
    output: success(),
    errors: ['notFound', 'wrongUserType'],
    run: ({ db, who }, input) => declineInvitation(db, who, input),
  }),
  op('GET /edu/v1/invitation/sent', {
    name: 'listSentInvitations',
    summary: 'Lists the invitations to an organisation or a class that were not accepted',
    description:
      'Shows the handles as they were typed, and nothing else about the people. Owners and administrators see all of them, instructors those of students to their classes. Entries are kept for 30 days after they expire.',
    example: { as: 'casey', request: { classId: 'class-alpha' } },
    roles: INVITERS,
    input: ListSent,
    output: json(SentInvitationPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listSent(db, who, input),
  }),
  op('POST /edu/v1/invitation/resend', {
    name: 'resendInvitation',
    summary: 'Sends an invitation again',
    description:
      'The person gets another message, and has the full time to answer again. Works once a day, and at most twice.',
    example: {
      as: 'casey',
      request: { invitationId: INVITATION_ID },
      fill: { invitationId: 'An id from listSentInvitations. Invite somebody first' },
    },
    roles: INVITERS,
    input: NameInvitation,
    output: json(SentInvitation),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) => resendInvitation(db, who, input, environment.get(invitationPolicy)),
  }),
  op('POST /edu/v1/invitation/withdraw', {
    name: 'withdrawInvitation',
    summary: 'Withdraws an invitation',
    description: 'The person no longer sees it. The same handle can be invited again a day after it was last invited.',
    example: {
      as: 'casey',
      request: { invitationId: INVITATION_ID },
      fill: { invitationId: 'An id from listSentInvitations. Invite somebody first' },
    },
    roles: INVITERS,
    input: NameInvitation,
    output: success(),
    errors: ['forbidden'],
    run: ({ db, who }, input) => withdrawInvitation(db, who, input),
  }),
]
