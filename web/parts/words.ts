import { SEES } from './consent.ts'

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/**
 * Texts of `parts`, and texts that several areas share. Each area has its own texts in `words.ts`. A translation would
 * be another object of the same type.
 */
export const words = {
  product: 'Groundschool',
  form: {
    save: 'Save',
    saved: 'Saved',
    cancel: 'Cancel',
    undo: 'Undo',
    more: (name: string) => `More about ${name}`,
    name: 'Name',
    missingName: 'Give it a name',
    type: (word: string) => `Type ${word} to go on`,
    danger: 'Danger zone',
    actions: 'Actions',
    unsaved: 'Changes are not saved yet',
    leave: 'Leave this page? Your changes are not saved.',
    discard: 'Discard your changes?',
    fault: (must: string) => `It must ${must}`,
    lineFault: (line: number, must: string) => `Line ${line} must ${must}`,
    reason: 'Reason',
    missingReason: 'Say why',
    nothing: 'Nothing matches',
    nothingText: 'Change the filters, or clear them.',
  },
  invitations: {
    sent: 'Pending invitations',
    sentCount: (count: number) => plural(count, 'invitation'),
    handle: 'Handle',
    role: 'Role',
    sentAt: 'Sent',
    status: 'Status',
    statuses: { pending: 'Pending', notAccepted: 'Not accepted' },
    sentTo: (handle: string) => `Invitation sent to ${handle}`,
    resend: 'Resend',
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
  },
  filters: { label: 'Filters', apply: 'Apply', clear: 'Clear filters', all: 'All' },
  pager: {
    total: (count: number) => `${count} in all`,
    page: (number: number) => `Page ${number}`,
    next: 'Next page',
    previous: 'Previous page',
  },
  turn: { newest: 'Back to the newest', older: 'Older', label: 'Pages of this list' },
  states: {
    loading: 'Loading',
    problem: 'This did not work',
    again: 'Try again',
    close: 'Close',
    quote: (code: number, requestId: string | undefined) =>
      requestId === undefined ? `Error ${code}` : `Error ${code}, request ${requestId}`,
    copyQuote: 'Copy code and request id',
    copied: 'Copied',
    copy: (what: string) => `Copy ${what}`,
    moreThan: (shown: number, total: number) => `The first ${shown} of ${total}`,
    lost: 'The live connection is lost; it comes back by itself.',
  },
  time: {
    never: 'never',
    justNow: 'just now',
    minutes: (count: number) => plural(count, 'minute'),
    none: '–',
  },
  allow: {
    sees: SEES,
    never:
      'It never sees your password, or what you do in other apps. You can withdraw this at any time in your account.',
    deny: 'Not now',
  },
  secret: {
    title: 'Keep this secret now',
    text: 'It is shown only this once. Anybody who has it can act as the app: keep it on your server, never in an app that people install.',
    label: 'Client secret',
    kept: 'I have kept it',
  },
  organisation: {
    label: 'Organisation',
    none: 'You are not a developer of any organisation yet',
    noneText: 'Ask an owner to add you as a developer, or an administrator to create an organisation.',
    missing: 'Choose an organisation',
    noneFound: 'No organisation of yours has that name',
  },
  app: {
    clientId: 'Client ID',
    approve: 'Approve',
    approved: (name: string) => `${name} is approved`,
    suspended: (name: string) => `${name} is suspended`,
    suspend: 'Suspend',
    suspendTitle: (name: string) => `Suspend ${name}?`,
    suspendText:
      'Nobody can sign in to it, and its tokens are refused at once. Nothing is removed: you can approve it again.',
    reasonHelp: 'The developers of the app read it, and it is in the audit log.',
    undone: 'The approval was undone',
  },
}
