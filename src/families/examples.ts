import type { Verb } from '../friends/acts.ts'
import { BIRTH, DONE, NEW_PASSWORD, PASSWORD } from '../samples.ts'

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
    'A child cannot ask by itself, so a parent does. The other one must have public search on. If the other one has asked before, both are friends at once.',
  accept:
    'Requests to a child wait until a parent answers them. After this the two are friends in every app that both use. Accepting again changes nothing.',
  decline:
    'Requests to a child wait until a parent answers them. The other one is not told: to them the request stays unanswered, and a new one within 30 days is not shown.',
  cancel:
    'Works as long as the other one has not accepted. The child may also do this by itself, and so may every parent.',
  remove: 'The two are no longer friends, in any app. The child may also do this by itself.',
  block:
    'Ends a friendship or a request between the two, and hides them from each other in search and profiles. The other one is not told. The child may block by itself too, but only a parent ends the block.',
  unblock:
    'Only a parent may do this; the child may not. A friendship from before does not come back: somebody has to ask again. The answer is the same if there was no block.',
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
      'Shows a parent the accounts that they look after, the youngest first. `friendRequests` counts the requests that a parent has to answer. An account is no longer listed from the 13th birthday on, because it then belongs to the child alone.',
    example: { answer: [SAM, NOA], as },
  },
  listKids: {
    description:
      'For an app that parents and their children use: shows whom the caller looks after, with what the app knows the children as. Children who do not use the app are not in it, nor are those from their 13th birthday on; a caller who looks after nobody gets an empty list. `parentFlags` say what a parent has decided.',
    example: { answer: [asUser(SAM, SAM_ID), asUser(NOA, NOA_ID)], as },
  },
  addChild: {
    description:
      'An adult makes an account for a child and becomes its parent. At first nobody can find the child, and apps are told to keep the camera off. Without a password the child cannot sign in yet; handles are limited to 30 tries an hour.',
    example: {
      request: { handle: HANDLE, firstName: 'Kim', lastName: 'Okafor', dateOfBirth: BIRTH },
      answer: KIM,
      as,
    },
  },
  changeChild: {
    description:
      'Send only the fields that should change; an empty text clears a name, the country or the e-mail address. A new e-mail address needs the password of the parent, and the old address gets a message. The answer has the child as it is now.',
    example: {
      request: { handle: SAM.handle, publicSearch: true, cameraDisabled: false },
      answer: { ...SAM, publicSearch: true, parentFlags: { cameraDisabled: false, proximityFriends: false } },
      as,
    },
  },
  setChildPassword: {
    description:
      'For the first password of a child and for a forgotten one: `password` is the own password of the parent, and `newPassword` is the one for the child. The child has to sign in again everywhere. The answer lists the passkeys that still open the account; `removePasskeys` removes some of them, or `all`.',
    example: {
      request: { handle: NOA.handle, password: PASSWORD, newPassword: NEW_PASSWORD, removePasskeys: 'all' },
      answer: { success: true, passkeys: [] },
      as,
    },
  },
  listChildPasskeys: {
    description:
      'For a page on which a parent sets the password of a child. Passkeys stay with a new password, unless `removePasskeys` names them.',
    example: { request: { handle: NOA.handle }, answer: [], as },
  },
  readChildFriends: {
    description:
      'A parent sees whom the child knows, and which requests wait for an answer. It covers all apps, so people are named by handle. People in `sent` and `blocked` who can no longer be found come without their names.',
    example: {
      request: { handle: NOA.handle },
      answer: { friends: [friend(SAM)], received: [], sent: [], blocked: [] },
      as,
      after: 'acceptFriendForChild',
    },
  },
  leaveChild: {
    description:
      'Use it when somebody else looks after the child from now on. The last parent of a child under 13 cannot leave: an operator adds another parent first. The account of the child stays as it is.',
    example: { request: { handle: NOA.handle }, answer: DONE, as },
  },
  deleteChild: {
    description:
      'Everything that belongs to this child alone is gone, and all its tokens stop working at once. What it shared with others stays without it. This cannot be undone, so the parent sends their own password too.',
    example: { request: { handle: SAM.handle, password: PASSWORD }, answer: DONE, as },
  },
}
