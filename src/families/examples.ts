import type { Verb } from '../friends/acts.ts'
import { BIRTH, DONE, NEW_PASSWORD, PASSWORD } from '../samples.ts'

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
const LEO = { handle: '@leo.marchand', firstName: 'Léo', lastName: 'Marchand' }
const LEO_ID = 'c8VtK2mYqX5sWb0Rz7DhLg'

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

export const explainVerb = (verb: Verb) => ({
  description: DESCRIPTIONS[verb],
  example: { request: { handle: HANDLE, friend: LEO.handle }, answer: DONE },
})

/** What people read about these operations. */
export const examples = {
  listChildren: {
    description:
      'Shows a parent the accounts that they look after, the youngest first. `friendRequests` counts the requests that a parent has to answer. An account is no longer listed from the 13th birthday on, because it then belongs to the child alone.',
    example: { answer: [KIM] },
  },
  listKids: {
    description:
      'For an app that parents and their children use: shows whom the caller looks after, with what the app knows the children as. Children who do not use the app are not in it, nor are those from their 13th birthday on; a caller who looks after nobody gets an empty list. `parentFlags` say what a parent has decided.',
    example: {
      answer: [
        {
          ...LEO,
          userId: LEO_ID,
          userType: 'child',
          accountType: 'Kid',
          country: 'FR',
          profilePic: `p-${LEO_ID}-0`,
          coverPhoto: `c-${LEO_ID}-0`,
          anonymous: false,
          parentFlags: { cameraDisabled: true, proximityFriends: false },
        },
      ],
    },
  },
  addChild: {
    description:
      'An adult makes an account for a child and becomes its parent. At first nobody can find the child, and apps are told to keep the camera off. Without a password the child cannot sign in yet; handles are limited to 30 tries an hour.',
    example: {
      request: { handle: HANDLE, firstName: 'Kim', lastName: 'Okafor', dateOfBirth: BIRTH },
      answer: KIM,
    },
  },
  changeChild: {
    description:
      'Send only the fields that should change; an empty text clears a name, the country or the e-mail address. A new e-mail address needs the password of the parent, and the old address gets a message. The answer has the child as it is now.',
    example: {
      request: { handle: HANDLE, publicSearch: true, cameraDisabled: false },
      answer: { ...KIM, publicSearch: true, parentFlags: { cameraDisabled: false, proximityFriends: false } },
    },
  },
  setChildPassword: {
    description:
      'For the first password of a child and for a forgotten one: `password` is the own password of the parent, and `newPassword` is the one for the child. The child has to sign in again everywhere. The answer lists the passkeys that still open the account; `removePasskeys` removes some of them, or `all`.',
    example: {
      request: { handle: HANDLE, password: PASSWORD, newPassword: NEW_PASSWORD, removePasskeys: 'all' },
      answer: { success: true, passkeys: [] },
    },
  },
  listChildPasskeys: {
    description:
      'For the page on which a parent sets the password of a child. Passkeys stay with a new password, unless `removePasskeys` names them.',
    example: { request: { handle: HANDLE }, answer: [] },
  },
  readChildFriends: {
    description:
      'A parent sees whom the child knows, and which requests wait for an answer. It covers all apps, so people are named by handle. People in `sent` and `blocked` who can no longer be found come without their names.',
    example: { request: { handle: HANDLE }, answer: { friends: [LEO], received: [], sent: [], blocked: [] } },
  },
  leaveChild: {
    description:
      'Use it when somebody else looks after the child from now on. The last parent of a child under 13 cannot leave: an operator adds another parent first. The account of the child stays as it is.',
    example: { request: { handle: HANDLE }, answer: DONE },
  },
  deleteChild: {
    description:
      'Everything that belongs to this child alone is gone, and all its tokens stop working at once. What it shared with others stays without it. This cannot be undone, so the parent sends their own password too.',
    example: { request: { handle: HANDLE, password: PASSWORD }, answer: DONE },
  },
}
