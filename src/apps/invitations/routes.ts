import { person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { INVITATION_ID } from '../../kernel/samples.ts'
import { declineInvitation, listInvitations } from './invitations.ts'
import { INVITERS } from './roles.ts'
import {
  CorrectInvitation,
  Invitations,
  ListSent,
  NameInvitation,
  SentInvitation,
  SentInvitationPage,
} from './schema.ts'
import { correctInvitation, invitationPolicy, listSent, resendInvitation, withdrawInvitation } from './sending.ts'

const op = operationsIn({ area: 'Courses and classes', who: person })

export const invitationOperations: readonly Operation[] = [
  op('GET /edu/v1/invitation/list', {
    name: 'listInvitations',
    summary: 'List your invitations',
    description:
      'Returns the open invitations to organisations and classes, for the caller and for their children under 13, newest first. A child sees them, but a parent accepts or declines. Users who have blocked the inviter do not see the invitation.',
    example: { as: 'ellis' },
    input: Nothing,
    output: json(Invitations),
    run: ({ db, who }) => listInvitations(db, who),
  }),
  op('POST /edu/v1/invitation/decline', {
    name: 'declineInvitation',
    summary: 'Decline an invitation',
    description:
      'Declines an invitation without telling the inviter: for them it stays pending until it expires. If they send it again within 30 days, it is not shown.',
    example: {
      as: 'ellis',
      request: { invitationId: INVITATION_ID },
      fill: { invitationId: 'An id from listInvitations. Another user has to invite you first' },
    },
    roles: ['invited', 'parent'],
    input: NameInvitation,
    output: success(),
    errors: ['notFound', 'wrongUserType'],
    run: ({ db, who }, input) => declineInvitation(db, who, input),
  }),
  op('GET /edu/v1/invitation/sent', {
    name: 'listSentInvitations',
    summary: 'List sent invitations',
    description:
      'Returns the invitations to an organisation or a class that were not accepted, with the handles as they were typed and nothing else about the users. Owners and administrators see all of them, instructors those of students to their classes. Entries are kept for 30 days after they expire.',
    example: { as: 'casey', request: { classId: 'class-alpha' } },
    roles: INVITERS,
    input: ListSent,
    output: json(SentInvitationPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listSent(db, who, input),
  }),
  op('POST /edu/v1/invitation/resend', {
    name: 'resendInvitation',
    summary: 'Resend an invitation',
    description:
      'Sends the message about an invitation again, and restarts the time in which the user can accept it. An invitation can be resent once a day, and at most twice.',
    example: {
      as: 'casey',
      request: { invitationId: INVITATION_ID },
      fill: { invitationId: 'An id from listSentInvitations. Invite a user first' },
    },
    roles: INVITERS,
    input: NameInvitation,
    output: json(SentInvitation),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) => resendInvitation(db, who, input, environment.get(invitationPolicy)),
  }),
  op('POST /edu/v1/invitation/correct', {
    name: 'correctInvitation',
    summary: 'Correct an invitation',
    description:
      'Corrects the e-mail address or the names of an invitation by e-mail address, and sends it again with a new id. The link that was sent before stops working. An address can be invited once a minute, and at most five times.',
    example: {
      as: 'casey',
      request: { invitationId: INVITATION_ID, email: 'noor.haddad@example.org' },
      fill: { invitationId: 'An id from listSentInvitations. Invite an e-mail address first' },
    },
    roles: INVITERS,
    input: CorrectInvitation,
    output: json(SentInvitation),
    errors: ['forbidden', 'impossibleNow', 'tooManyRequests'],
    run: ({ db, who, environment }, input) => correctInvitation(db, who, input, environment.get(invitationPolicy)),
  }),
  op('POST /edu/v1/invitation/withdraw', {
    name: 'withdrawInvitation',
    summary: 'Withdraw an invitation',
    description:
      'Withdraws an invitation, so that the user no longer sees it. The same handle can be invited again a day after the last invitation.',
    example: {
      as: 'casey',
      request: { invitationId: INVITATION_ID },
      fill: { invitationId: 'An id from listSentInvitations. Invite a user first' },
    },
    roles: INVITERS,
    input: NameInvitation,
    output: success(),
    errors: ['forbidden'],
    run: ({ db, who }, input) => withdrawInvitation(db, who, input),
  }),
]
