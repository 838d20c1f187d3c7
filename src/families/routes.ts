import type { ErrorName } from '../errors.ts'
import type { Verb } from '../friends/acts.ts'
import { Friends } from '../friends/schema.ts'
import { type Operation, personOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/success.ts'
import {
  actForChild,
  addChild,
  changeChild,
  deleteChild,
  leaveChild,
  listChildren,
  readChildFriends,
  setChildPassword,
} from './families.ts'
import {
  AddChild,
  ChangeChild,
  Child,
  ChildFriend,
  ChildPassword,
  Children,
  DeleteChild,
  NameChild,
  Nothing,
} from './schema.ts'

const area = 'Families'
const path = '/account/v1/children'
/** Nobody's child, somebody else's, or one who is thirteen by now. */
const NOT_A_CHILD: readonly ErrorName[] = ['notFound', 'wrongUserType']

const VERBS: readonly { verb: Verb; name: string; summary: string; errors: readonly ErrorName[] }[] = [
  {
    verb: 'request',
    name: 'requestFriendForChild',
    summary: 'Asks somebody to be friends with a child',
    errors: ['impossibleNow'],
  },
  {
    verb: 'accept',
    name: 'acceptFriendForChild',
    summary: 'Accepts a friend request to a child',
    errors: ['impossibleNow'],
  },
  {
    verb: 'decline',
    name: 'declineFriendForChild',
    summary: 'Declines a friend request to a child; the other one is not told, and is not heard again for 30 days',
    errors: [],
  },
  {
    verb: 'cancel',
    name: 'cancelFriendRequestForChild',
    summary: 'Takes an open friend request of a child back',
    errors: [],
  },
  { verb: 'remove', name: 'removeFriendForChild', summary: "Ends a child's friendship, for both", errors: [] },
  {
    verb: 'block',
    name: 'blockForChild',
    summary: 'Ends everything between somebody and a child; neither finds the other from now on',
    errors: ['impossibleNow'],
  },
  {
    verb: 'unblock',
    name: 'unblockForChild',
    summary: 'Ends a block of a child; what was before does not come back',
    errors: [],
  },
]

export const familyOperations: readonly Operation[] = [
  personOperation({
    name: 'listChildren',
    summary: 'Lists the children whom the person looks after, until they are 13',
    method: 'GET',
    path,
    area,
    input: Nothing,
    place: 'query',
    answer: Children,
    errors: [],
    run: ({ db, who }) => listChildren(db, who),
  }),
  personOperation({
    name: 'addChild',
    summary: 'Makes an account for a child under 13; an adult becomes its parent, of at most 20 children',
    method: 'POST',
    path,
    area,
    input: AddChild,
    place: 'body only',
    answer: Child,
    errors: ['duplicate', 'wrongUserType', 'impossibleNow'],
    run: ({ db, who }, input) => addChild(db, who, input),
  }),
  personOperation({
    name: 'changeChild',
    summary:
      'Changes what a parent decides for a child; what is not given stays as it is. For another e-mail address the parent shows their own password, and the old address is told',
    method: 'POST',
    path: `${path}/settings`,
    area,
    input: ChangeChild,
    place: 'body only',
    answer: Child,
    errors: [...NOT_A_CHILD, 'wrongCredentials', 'impossibleNow'],
    run: ({ db, who, environment }, input) => changeChild(db, who, input, environment.messages),
  }),
  personOperation({
    name: 'setChildPassword',
    summary: "Sets a child's password and ends everything that the old one opened; the parent shows their own",
    method: 'POST',
    path: `${path}/password`,
    area,
    input: ChildPassword,
    place: 'body only',
    answer: Success,
    errors: [...NOT_A_CHILD, 'wrongCredentials', 'impossibleNow'],
    run: async ({ db, who, environment }, input) => {
      await setChildPassword(db, who, input, environment.messages)
      return SUCCESS
    },
  }),
  personOperation({
    name: 'readChildFriends',
    summary: "Reads a child's friends, requests and blocks, over all apps",
    method: 'GET',
    path: `${path}/friends`,
    area,
    input: NameChild,
    place: 'query',
    answer: Friends,
    errors: NOT_A_CHILD,
    run: ({ db, who }, input) => readChildFriends(db, who, input),
  }),
  ...VERBS.map(({ verb, name, summary, errors }) =>
    personOperation({
      name,
      summary,
      method: 'POST',
      path: `${path}/friends/${verb}`,
      area,
      input: ChildFriend,
      place: 'body',
      answer: Success,
      errors: [...NOT_A_CHILD, ...errors],
      run: async ({ db, who }, input) => {
        await actForChild(db, who, { ...input, verb })
        return SUCCESS
      },
    }),
  ),
  personOperation({
    name: 'leaveChild',
    summary: 'Ends looking after a child who has another parent',
    method: 'POST',
    path: `${path}/leave`,
    area,
    input: NameChild,
    place: 'body',
    answer: Success,
    errors: ['notFound', 'impossibleNow'],
    run: async ({ db, who }, input) => {
      await leaveChild(db, who, input)
      return SUCCESS
    },
  }),
  personOperation({
    name: 'deleteChild',
    summary: "Removes a child's account for good; the parent shows their own password",
    method: 'POST',
    path: `${path}/delete`,
    area,
    input: DeleteChild,
    place: 'body only',
    answer: Success,
    errors: [...NOT_A_CHILD, 'wrongCredentials'],
    run: async ({ db, who, environment }, input) => {
      await deleteChild(db, who, input, environment)
      return SUCCESS
    },
  }),
]
