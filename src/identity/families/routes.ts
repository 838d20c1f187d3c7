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
    summary: 'Send a friend request for a child',
    description:
      'Sends a friend request on behalf of a child, who cannot do this alone. The other user must have public search on. If they have sent a request already, the two become friends immediately.',
    // This example needs Sam to be findable, which the example of `changeChild` ensures.
    example: { request: { handle: NOA, friend: SAM }, as: 'casey', after: 'changeChild' },
    errors: ['impossibleNow'],
  },
  {
    verb: 'accept',
    name: 'acceptFriendForChild',
    summary: 'Accept a friend request for a child',
    description:
      'Accepts a friend request to a child, which waits until a parent accepts or declines it. The two are then friends in every app that both use. Accepting again changes nothing.',
    example: { request: { handle: SAM, friend: NOA }, as: 'casey', after: 'requestFriendForChild' },
    errors: ['impossibleNow'],
  },
  {
    verb: 'decline',
    name: 'declineFriendForChild',
    summary: 'Decline a friend request for a child',
    description:
      'Declines a friend request to a child, which waits until a parent accepts or declines it. The other user is not told: for them the request stays open, and new ones are hidden for 30 days.',
    example: { request: { handle: SAM, friend: NOA }, as: 'casey', after: 'requestFriendForChild' },
    errors: [],
  },
  {
    verb: 'cancel',
    name: 'cancelFriendRequestForChild',
    summary: 'Cancel a friend request for a child',
    description:
      'Cancels an open friend request of a child, until the other user accepts it. The child can do this too, and so can each parent.',
    example: { request: { handle: NOA, friend: SAM }, as: 'casey', after: 'requestFriendForChild' },
    errors: [],
  },
  {
    verb: 'remove',
    name: 'removeFriendForChild',
    summary: 'Remove a friend of a child',
    description: "Ends a child's friendship in all apps, for both. The child can do this too.",
    example: { request: { handle: NOA, friend: SAM }, as: 'casey', after: 'acceptFriendForChild' },
    errors: [],
  },
  {
    verb: 'block',
    name: 'blockForChild',
    summary: 'Block a user for a child',
    description:
      'Blocks a user for a child: ends a friendship or a request between the two, and hides them from each other in search and profiles. The other user is not told. The child can block too, but only a parent can unblock.',
    example: { request: { handle: NOA, friend: LEO }, as: 'casey' },
    errors: ['impossibleNow'],
  },
  {
    verb: 'unblock',
    name: 'unblockForChild',
    summary: 'Unblock a user for a child',
    description:
      'Ends a block of a child; only a parent can do this. An earlier friendship is not restored: one of the two has to send a new request. The response is the same if there was no block.',
    example: { request: { handle: NOA, friend: LEO }, as: 'casey', after: 'blockForChild' },
    errors: [],
  },
]

export const familyOperations: readonly Operation[] = [
  op('GET /user/v1/my/kids', {
    name: 'listKids',
    summary: 'List your children in an app',
    description:
      "Returns the caller's children under 13 who use this app, youngest first. Children who do not use the app are left out, and so are those who have turned 13. `parentFlags` are the parent's settings for the child.",
    example: { as: 'casey' },
    who: appUser,
    scope: 'profile',
    area: 'Profile',
    input: Nothing,
    output: json(Type.Array(UserEntry)),
    run: ({ db, who }) => listKids(db, who),
  }),
  op('GET /account/v1/children', {
    name: 'listChildren',
    summary: 'List your children',
    description:
      "Returns the accounts of the caller's children under 13, youngest first. `friendRequests` counts the requests that a parent has to accept or decline. From the 13th birthday on, an account belongs to the child alone and is no longer listed.",
    example: { as: 'casey' },
    input: Nothing,
    output: json(Children),
    run: ({ db, who }) => listChildren(db, who),
  }),
  op('POST /account/v1/children', {
    name: 'addChild',
    summary: 'Create a child account',
    description:
      'Creates an account for a child under 13, with the caller as its parent; an adult can have at most 20 children. At first nobody can find the child, and apps are told to keep the camera off. Without a password the child cannot sign in yet; a parent can try at most 30 handles an hour.',
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
    summary: "Update a child's settings",
    description:
      "Changes the fields that are sent; all others stay the same, and an empty string clears a name, the country or the e-mail address. A new e-mail address requires the parent's own password, and the old address gets a message. Returns all settings of the child.",
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
    summary: "Set a child's password",
    description:
      "Sets the password of a child and ends the child's sessions: `password` is the parent's own password, and `newPassword` is the one for the child. The child has to sign in again on every device. The response lists the passkeys that still work; `removePasskeys` deletes some of them, or `all`.",
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
    summary: "List a child's passkeys",
    description:
      "Returns the passkeys of a child, for a page where a parent sets the child's password. Passkeys keep working with a new password, unless `removePasskeys` lists them.",
    example: { request: { handle: NOA }, as: 'casey' },
    roles: ['parent'],
    input: NameChild,
    output: json(Passkeys),
    errors: NOT_A_CHILD,
    run: ({ db, who }, input) => listChildPasskeys(db, who, input),
  }),
  op('GET /account/v1/children/friends', {
    name: 'readChildFriends',
    summary: "List a child's friends",
    description:
      "Returns a child's friends, friend requests and blocks in all apps, by handle. `received` lists the requests that a parent has to accept or decline. Users in `sent` and `blocked` who can no longer be found are listed without their names.",
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
    summary: "Stop being a child's parent",
    description:
      "Removes the caller as a parent of a child, if somebody else looks after the child from now on. The last parent of a child under 13 cannot leave: an operator adds another parent first. The child's account does not change.",
    example: { request: { handle: NOA }, as: 'casey' },
    roles: ['parent'],
    input: NameChild,
    output: success(),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who }, input) => leaveChild(db, who, input),
  }),
  op('POST /account/v1/children/delete', {
    name: 'deleteChild',
    summary: "Delete a child's account",
    description:
      "Deletes the account of a child; the parent's own password is required. Everything that belongs to the child alone is deleted, all tokens stop working immediately, and what they shared with others stays without them. This cannot be undone.",
    example: { request: { handle: SAM, password: PASSWORD }, as: 'casey' },
    roles: ['parent'],
    input: DeleteChild,
    from: 'body only',
    output: success(),
    errors: [...NOT_A_CHILD, 'wrongCredentials'],
    run: ({ db, who, environment }, input) => deleteChild(db, who, input, environment.get(leavingPolicy)),
  }),
]
