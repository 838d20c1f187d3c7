import { BIRTH, DONE, NEW_PASSWORD, PASSWORD } from '../../kernel/samples.ts'
import type { Verb } from '../friends/acts.ts'

const as = 'casey' as const
const HANDLE = '@kim.okafor'
const KIM = {
  handle: HANDLE,
  firstName: 'Kim',
  lastName: 'Okafor',
  dateOfBirth: BIRTH,
  userType: 'child',
  country: '',
  email: '',
  publicSearch: false,
  parentFlags: { cameraDisabled: true, proximityFriends: false },
  friendRequests: 0,
}
/** Casey's children in the demo data. */
const NOA = { ...KIM, handle: '@noa.okafor', firstName: 'Noa', dateOfBirth: '2018-03-02', country: 'NG' }
const SAM = { ...NOA, handle: '@sam.okafor', firstName: 'Sam', dateOfBirth: '2020-11-20' }
const LEO = { handle: '@leo.marchand', firstName: 'Léo', lastName: 'Marchand' }
const friend = ({ handle, firstName, lastName }: typeof LEO) => ({ handle, firstName, lastName })
const [NOA_ID, SAM_ID] = ['c8VtK2mYqX5sWb0Rz7DhLg', 'f1YwN5pBtZ8vZe3Uc0GkOj']
const asUser = (child: typeof NOA, userId: string) => ({
  ...friend(child),
  userId,
  userType: 'child',
  accountType: 'Kid',
  country: child.country,
  profilePic: `p-${userId}-0`,
  coverPhoto: `c-${userId}-0`,
  anonymous: false,
  parentFlags: child.parentFlags,
})

const DESCRIPTIONS: Record<Verb, string> = {
  request:
    'A child cannot ask, so a parent does. The other person must have public search on. If they have asked already, the two become friends at once.',
  accept:
    'Requests to a child wait until a parent answers them. From then on the two are friends in every app that both use. Accepting again changes nothing.',
  decline:
    'Requests to a child wait until a parent answers them. The other person is not told: to them the request stays unanswered, and new ones are hidden for 30 days.',
  cancel: 'Works until the other person accepts. The child can do this too, and so can each parent.',
  remove: 'The two are no longer friends, in any app. The child can do this too.',
  block:
    'Ends a friendship or a request between the two, and hides them from each other in search and profiles. The other person is not told. The child can block too, but only a parent can end the block.',
  unblock:
    'Only a parent can do this. A friendship from before is not restored: somebody has to ask again. The answer is the same if there was no block.',
}

const TOLD: Record<Verb, { request: { handle: string; friend: string }; after?: Verb | 'changeChild' }> = {
  // Whom a parent has let others find.
  request: { request: { handle: NOA.handle, friend: SAM.handle }, after: 'changeChild' },
  accept: { request: { handle: SAM.handle, friend: NOA.handle }, after: 'request' },
  decline: { request: { handle: SAM.handle, friend: NOA.handle }, after: 'request' },
  cancel: { request: { handle: NOA.handle, friend: SAM.handle }, after: 'request' },
  remove: { request: { handle: NOA.handle, friend: SAM.handle }, after: 'accept' },
  block: { request: { handle: NOA.handle, friend: LEO.handle } },
  unblock: { request: { handle: NOA.handle, friend: LEO.handle }, after: 'block' },
}

/** `nameOf` is what the operation of a verb is called. */
export function explainVerb(verb: Verb, nameOf: (verb: Verb) => string) {
  const { request, after } = TOLD[verb]
  return {
    description: DESCRIPTIONS[verb],
    example: { request, answer: DONE, as, ...(after && { after: after === 'changeChild' ? after : nameOf(after) }) },
  }
}

/** What people read about these operations. */
export const examples = {
  listChildren: {
    description:
      'The accounts that a parent manages, youngest first. `friendRequests` counts the requests that a parent has to answer. From the 13th birthday on an account belongs to the child alone and is no longer listed.',
    example: { answer: [SAM, NOA], as },
  },
  listKids: {
    description:
      'For apps that parents and their children use. Children who do not use the app are left out, and so are those who have turned 13. `parentFlags` are what a parent has decided.',
    example: { answer: [asUser(SAM, SAM_ID), asUser(NOA, NOA_ID)], as },
  },
  addChild: {
    description:
      'For adults, with at most 20 children. At first nobody can find the child, and apps are told to keep the camera off. Without a password the child cannot sign in yet; handles are limited to 30 tries an hour.',
    example: {
      request: { handle: HANDLE, firstName: 'Kim', lastName: 'Okafor', dateOfBirth: BIRTH },
      answer: KIM,
      as,
    },
  },
  changeChild: {
    description:
      'Send only the fields that should change; an empty string clears a name, the country or the e-mail address. A new e-mail address needs the parent’s own password, and the old address gets a message. The answer has all settings of the child.',
    example: {
      request: { handle: SAM.handle, publicSearch: true, cameraDisabled: false },
      answer: { ...SAM, publicSearch: true, parentFlags: { cameraDisabled: false, proximityFriends: false } },
      as,
    },
  },
  setChildPassword: {
    description:
      'For the first password of a child and for a forgotten one: `password` is the parent’s own password, and `newPassword` is the one for the child. The child has to sign in again everywhere. The answer lists the passkeys that still open the account; `removePasskeys` removes some of them, or `all`.',
    example: {
      request: { handle: NOA.handle, password: PASSWORD, newPassword: NEW_PASSWORD, removePasskeys: 'all' },
      answer: { success: true, passkeys: [] },
      as,
    },
  },
  listChildPasskeys: {
    description:
      'For a page where a parent sets the password of a child. Passkeys keep working with a new password, unless `removePasskeys` names them.',
    example: { request: { handle: NOA.handle }, answer: [], as },
  },
  readChildFriends: {
    description:
      'A parent sees the child’s friends, and which requests wait for an answer. It covers all apps, so people are named by handle. People in `sent` and `blocked` who can no longer be found come without their names.',
    example: {
      request: { handle: NOA.handle },
      answer: { friends: [friend(SAM)], received: [], sent: [], blocked: [] },
      as,
      after: 'acceptFriendForChild',
    },
  },
  leaveChild: {
    description:
      'Use it if somebody else looks after the child from now on. The last parent of a child under 13 cannot leave: an operator adds another parent first. The account of the child stays as it is.',
    example: { request: { handle: NOA.handle }, answer: DONE, as },
  },
  deleteChild: {
    description:
      'What belongs to the child alone is deleted, and all tokens stop working at once. What they shared with others stays without them. This cannot be undone.',
    example: { request: { handle: SAM.handle, password: PASSWORD }, answer: DONE, as },
  },
}
