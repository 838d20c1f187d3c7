import { Type } from 'typebox'
import type { ErrorName } from '../../kernel/errors.ts'
import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { BIRTH, NEW_PASSWORD, PASSWORD } from '../../kernel/samples.ts'
import type { FriendVerb } from '../friends/schema.ts'
import { Friends } from '../friends/schema.ts'
import { Ended, Passkeys } from '../passkeys/schema.ts'
import { leavingPolicy } from '../people/deletion.ts'
import { UserEntry } from '../profiles/schema.ts'
import {
  actForChild,
  addChild,
  changeChild,
  deleteChild,
  leaveChild,
  listChildPasskeys,
  listChildren,
  listKids,
  readChildFriends,
  setChildPassword,
} from './families.ts'
import { AddChild, ChangeChild, Child, ChildFriend, ChildPassword, Children, DeleteChild, NameChild } from './schema.ts'

const op = operationsIn({ area: 'Families', who: person })

/** Errors if the handle belongs to no child, to another parent's child, or to a person who has turned 13. */
const NOT_A_CHILD: readonly ErrorName[] = ['notFound', 'wrongUserType']

const NOA = '@noa.okafor'
const SAM = '@sam.okafor'
const LEO = '@leo.marchand'

const VERBS: readonly (Pick<Operation, 'name' | 'summary' | 'description' | 'example' | 'errors'> & {
  verb: FriendVerb
})[] = [
  {
    verb: 'request',
    name: 'requestFriendForChild',
    summary: 'Sends a friend request for a child',
    description:
      'A child cannot ask, so a parent does. The other person must have public search on. If they have asked already, the two become friends at once.',
    // This example needs Sam to be findable, which the example of `changeChild` ensures.
    example: { request: { handle: NOA, friend: SAM }, as: 'casey', after: 'changeChild' },
    errors: ['impossibleNow'],
  },
  {
    verb: 'accept',
    name: 'acceptFriendForChild',
    summary: 'Accepts a friend request to a child',
    description:
      'Requests to a child wait until a parent answers them. From then on the two are friends in every app that both use. Accepting again changes nothing.',
    example: { request: { handle: SAM, friend: NOA }, as: 'casey', after: 'requestFriendForChild' },
    errors: ['impossibleNow'],
  },
  {
    verb: 'decline',
    name: 'declineFriendForChild',
    summary: 'Declines a friend request to a child, without telling the other person',
    description:
      'Requests to a child wait until a parent answers them. The other person is not told: to them the request stays unanswered, and new ones are hidden for 30 days.',
    example: { request: { handle: SAM, friend: NOA }, as: 'casey', after: 'requestFriendForChild' },
    errors: [],
  },
  {
    verb: 'cancel',
    name: 'cancelFriendRequestForChild',
    summary: 'Cancels an open friend request of a child',
    description: 'Works until the other person accepts. The child can do this too, and so can each parent.',
    example: { request: { handle: NOA, friend: SAM }, as: 'casey', after: 'requestFriendForChild' },
    errors: [],
  },
  {
    verb: 'remove',
    name: 'removeFriendForChild',
    summary: "Ends a child's friendship, for both",
    description: 'The two are no longer friends, in any app. The child can do this too.',
    example: { request: { handle: NOA, friend: SAM }, as: 'casey', after: 'acceptFriendForChild' },
    errors: [],
  },
  {
    verb: 'block',
    name: 'blockForChild',
    summary: 'Blocks somebody for a child; neither can find the other',
    description:
      'Ends a friendship or a request between the two, and hides them from each other in search and profiles. The other person is not told. The child can block too, but only a parent can end the block.',
    example: { request: { handle: NOA, friend: LEO }, as: 'casey' },
    errors: ['impossibleNow'],
  },
  {
    verb: 'unblock',
    name: 'unblockForChild',
    summary: 'Ends a block of a child; an earlier friendship is not restored',
    description:
      'Only a parent can do this. A friendship from before is not restored: somebody has to ask again. The answer is the same if there was no block.',
    example: { request: { handle: NOA, friend: LEO }, as: 'casey', after: 'blockForChild' },
    errors: [],
  },
]

export const familyOperations: readonly Operation[] = [
  op('GET /user/v1/my/kids', {
    name: 'listKids',
    summary: "Lists the caller's children under 13 who use this app, the youngest first",
    description:
      'For apps that parents and their children use. Children who do not use the app are left out, and so are those who have turned 13. `parentFlags` are what a parent has decided.',
    example: { as: 'casey' },
    who: appUser,
    area: 'Profile',
    input: Nothing,
    output: json(Type.Array(UserEntry)),
    run: ({ db, who }) => listKids(db, who),
  }),
  op('GET /account/v1/children', {
    name: 'listChildren',
    summary: 'Lists the children of the person, until they are 13',
    description:
      'The accounts that a parent manages, youngest first. `friendRequests` counts the requests that a parent has to answer. From the 13th birthday on an account belongs to the child alone and is no longer listed.',
    example: { as: 'casey' },
    input: Nothing,
    output: json(Children),
    run: ({ db, who }) => listChildren(db, who),
  }),
  op('POST /account/v1/children', {
    name: 'addChild',
    summary: 'Creates an account for a child under 13; the caller becomes its parent',
    description:
      'For adults, with at most 20 children. At first nobody can find the child, and apps are told to keep the camera off. Without a password the child cannot sign in yet; handles are limited to 30 tries an hour.',
    example: {
      request: { handle: '@kim.okafor', firstName: 'Kim', lastName: 'Okafor', dateOfBirth: BIRTH },
      as: 'casey',
    },
    input: AddChild,
    from: 'body only',
    output: json(Child),
    errors: ['duplicate', 'wrongUserType', 'impossibleNow'],
    run: ({ db, who }, input) => addChild(db, who, input),
  }),
  op('POST /account/v1/children/settings', {
    name: 'changeChild',
    summary: 'Changes the settings of a child; fields that are left out stay',
    description:
      'Send only the fields that should change; an empty string clears a name, the country or the e-mail address. A new e-mail address needs the parent’s own password, and the old address gets a message. The answer has all settings of the child.',
    example: { request: { handle: SAM, publicSearch: true, cameraDisabled: false }, as: 'casey' },
    roles: ['parent'],
    input: ChangeChild,
    from: 'body only',
    output: json(Child),
    errors: [...NOT_A_CHILD, 'wrongCredentials', 'impossibleNow'],
    run: ({ db, who, environment }, input) => changeChild(db, who, input, environment.get(messagePolicy)),
  }),
  op('POST /account/v1/children/password', {
    name: 'setChildPassword',
    summary: "Sets a child's password and ends the child's sessions; needs the parent's own password",
    description:
      'For the first password of a child and for a forgotten one: `password` is the parent’s own password, and `newPassword` is the one for the child. The child has to sign in again everywhere. The answer lists the passkeys that still open the account; `removePasskeys` removes some of them, or `all`.',
    example: {
      request: { handle: NOA, password: PASSWORD, newPassword: NEW_PASSWORD, removePasskeys: 'all' },
      as: 'casey',
    },
    roles: ['parent'],
    input: ChildPassword,
    from: 'body only',
    output: json(Ended),
    errors: [...NOT_A_CHILD, 'wrongCredentials', 'impossibleNow'],
    run: async ({ db, who, environment }, input) => ({
      success: true,
      passkeys: await setChildPassword(db, who, input, environment.get(messagePolicy)),
    }),
  }),
  op('GET /account/v1/children/passkeys', {
    name: 'listChildPasskeys',
    summary: "Lists a child's passkeys",
    description:
      'For a page where a parent sets the password of a child. Passkeys keep working with a new password, unless `removePasskeys` names them.',
    example: { request: { handle: NOA }, as: 'casey' },
    roles: ['parent'],
    input: NameChild,
    output: json(Passkeys),
    errors: NOT_A_CHILD,
    run: ({ db, who }, input) => listChildPasskeys(db, who, input),
  }),
  op('GET /account/v1/children/friends', {
    name: 'readChildFriends',
    summary: "Reads a child's friends, requests and blocks, over all apps",
    description:
      'A parent sees the child’s friends, and which requests wait for an answer. It covers all apps, so people are named by handle. People in `sent` and `blocked` who can no longer be found come without their names.',
    example: { request: { handle: NOA }, as: 'casey', after: 'acceptFriendForChild' },
    roles: ['parent'],
    input: NameChild,
    output: json(Friends),
    errors: NOT_A_CHILD,
    run: ({ db, who }, input) => readChildFriends(db, who, input),
  }),
  ...VERBS.map(({ verb, errors, ...described }) =>
    op(`POST /account/v1/children/friends/${verb}`, {
      ...described,
      roles: ['parent'],
      input: ChildFriend,
      output: success(),
      // Failed guesses of handles are counted. With an idempotency key, the operation would run in the transaction of
      // that key, and a refusal would roll the count back.
      refusesIdempotencyKey: true,
      errors: [...NOT_A_CHILD, ...errors],
      run: ({ db, who }, input) => actForChild(db, who, { ...input, verb }),
    }),
  ),
  op('POST /account/v1/children/leave', {
    name: 'leaveChild',
    summary: 'Stops being a child’s parent, if the child has another one',
    description:
      'Use it if somebody else looks after the child from now on. The last parent of a child under 13 cannot leave: an operator adds another parent first. The account of the child stays as it is.',
    example: { request: { handle: NOA }, as: 'casey' },
    roles: ['parent'],
    input: NameChild,
    output: success(),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who }, input) => leaveChild(db, who, input),
  }),
  op('POST /account/v1/children/delete', {
    name: 'deleteChild',
    summary: "Deletes a child's account for good; needs the parent's own password",
    description:
      'What belongs to the child alone is deleted, and all tokens stop working at once. What they shared with others stays without them. This cannot be undone.',
    example: { request: { handle: SAM, password: PASSWORD }, as: 'casey' },
    roles: ['parent'],
    input: DeleteChild,
    from: 'body only',
    output: success(),
    errors: [...NOT_A_CHILD, 'wrongCredentials'],
    run: ({ db, who, environment }, input) => deleteChild(db, who, input, environment.get(leavingPolicy)),
  }),
]
