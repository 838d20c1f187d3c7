import { plural } from './words.ts'

export const invitationWords = {
  sent: 'Pending invitations',
  sentCount: (count: number) => plural(count, 'invitation'),
  handle: 'Handle or e-mail address',
  role: 'Role',
  sentAt: 'Sent',
  status: 'Status',
  statuses: { pending: 'Pending', notAccepted: 'Not accepted' },
  sentTo: (handle: string) => `Invitation sent to ${handle}`,
  resend: 'Resend',
  failed: 'Couldn’t update the invitation',
  resendTo: (handle: string) => `Resend the invitation to ${handle}`,
  withdraw: 'Withdraw',
  withdrawOf: (handle: string) => `Withdraw the invitation to ${handle}`,
  withdrawn: (handle: string) => `Invitation to ${handle} withdrawn`,
  waiting: (count: number) => `You have ${plural(count, 'invitation')}`,
  review: 'Review',
  roles: {
    owner: 'Owner',
    developer: 'Developer',
    instructor: 'Instructor',
    observer: 'Observer',
    student: 'Student',
    member: 'Member',
  } as Record<string, string>,
  permissions: {
    'user-records': 'learning records',
    badges: 'badges',
    skills: 'skills and hobbies',
    'mission-planner': 'mission planner',
  } as Record<string, string>,
}
