import { Type } from 'typebox'
import type { ErrorName } from '../../kernel/errors.ts'
import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import type { Verb } from '../friends/acts.ts'
import { Friends } from '../friends/schema.ts'
import { Ended, Passkeys } from '../passkeys/schema.ts'
import { leavingPolicy } from '../people/deletion.ts'
import { Entry } from '../profiles/schema.ts'
import { examples, explainVerb } from './examples.ts'
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
    summary: 'Declines a friend request to a child, without telling the other person',
    errors: [],
  },
  {
    verb: 'cancel',
    name: 'cancelFriendRequestForChild',
    summary: 'Cancels an open friend request of a child',
    errors: [],
  },
  { verb: 'remove', name: 'removeFriendForChild', summary: "Ends a child's friendship, for both", errors: [] },
  {
    verb: 'block',
    name: 'blockForChild',
    summary: 'Blocks somebody for a child; neither can find the other',
    errors: ['impossibleNow'],
  },
  {
    verb: 'unblock',
    name: 'unblockForChild',
    summary: 'Ends a block of a child; an earlier friendship is not restored',
    errors: [],
  },
]

const nameOf = (verb: Verb): string => VERBS.find((one) => one.verb === verb)!.name

export const familyOperations: readonly Operation[] = [
  operation({
    who: appUser,
    name: 'listKids',
    ...examples.listKids,
    summary: "Lists the caller's children under 13 who use this app, the youngest first",
    method: 'GET',
    path: '/user/v1/my/kids',
    area: 'Profile',
    input: Nothing,
    from: 'query',
    output: json(Type.Array(Entry)),
    errors: [],
    run: ({ db, who }) => listKids(db, who),
  }),
  operation({
    who: person,
    name: 'listChildren',
    ...examples.listChildren,
    summary: 'Lists the children of the person, until they are 13',
    method: 'GET',
    path,
    area,
    input: Nothing,
    from: 'query',
    output: json(Children),
    errors: [],
    run: ({ db, who }) => listChildren(db, who),
  }),
  operation({
    who: person,
    name: 'addChild',
    ...examples.addChild,
    summary: 'Creates an account for a child under 13; the caller becomes its parent',
    method: 'POST',
    path,
    area,
    input: AddChild,
    from: 'body only',
    output: json(Child),
    errors: ['duplicate', 'wrongUserType', 'impossibleNow'],
    run: ({ db, who }, input) => addChild(db, who, input),
  }),
  operation({
    who: person,
    name: 'changeChild',
    ...examples.changeChild,
    summary: 'Changes the settings of a child; fields that are left out stay',
    method: 'POST',
    path: `${path}/settings`,
    area,
    input: ChangeChild,
    from: 'body only',
    output: json(Child),
    errors: [...NOT_A_CHILD, 'wrongCredentials', 'impossibleNow'],
    run: ({ db, who, environment }, input) => changeChild(db, who, input, environment.get(messagePolicy)),
  }),
  operation({
    who: person,
    name: 'setChildPassword',
    ...examples.setChildPassword,
    summary: "Sets a child's password and ends the child's sessions; needs the parent's own password",
    method: 'POST',
    path: `${path}/password`,
    area,
    input: ChildPassword,
    from: 'body only',
    output: json(Ended),
    errors: [...NOT_A_CHILD, 'wrongCredentials', 'impossibleNow'],
    run: async ({ db, who, environment }, input) => ({
      success: true,
      passkeys: await setChildPassword(db, who, input, environment.get(messagePolicy)),
    }),
  }),
  operation({
    who: person,
    name: 'listChildPasskeys',
    ...examples.listChildPasskeys,
    summary: "Lists a child's passkeys",
    method: 'GET',
    path: `${path}/passkeys`,
    area,
    input: NameChild,
    from: 'query',
    output: json(Passkeys),
    errors: NOT_A_CHILD,
    run: ({ db, who }, input) => listChildPasskeys(db, who, input),
  }),
  operation({
    who: person,
    name: 'readChildFriends',
    ...examples.readChildFriends,
    summary: "Reads a child's friends, requests and blocks, over all apps",
    method: 'GET',
    path: `${path}/friends`,
    area,
    input: NameChild,
    from: 'query',
    output: json(Friends),
    errors: NOT_A_CHILD,
    run: ({ db, who }, input) => readChildFriends(db, who, input),
  }),
  ...VERBS.map(({ verb, name, summary, errors }) =>
    operation({
      who: person,
      name,
      summary,
      ...explainVerb(verb, nameOf),
      method: 'POST',
      path: `${path}/friends/${verb}`,
      area,
      input: ChildFriend,
      from: 'body',
      output: success(),
      // Guesses are counted, and a refusal must not take that back.
      isUnrepeatable: true,
      errors: [...NOT_A_CHILD, ...errors],
      run: ({ db, who }, input) => actForChild(db, who, { ...input, verb }),
    }),
  ),
  operation({
    who: person,
    name: 'leaveChild',
    ...examples.leaveChild,
    summary: 'Ends being a child’s parent, if the child has another one',
    method: 'POST',
    path: `${path}/leave`,
    area,
    input: NameChild,
    from: 'body',
    output: success(),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who }, input) => leaveChild(db, who, input),
  }),
  operation({
    who: person,
    name: 'deleteChild',
    ...examples.deleteChild,
    summary: "Deletes a child's account for good; needs the parent's own password",
    method: 'POST',
    path: `${path}/delete`,
    area,
    input: DeleteChild,
    from: 'body only',
    output: success(),
    errors: [...NOT_A_CHILD, 'wrongCredentials'],
    run: ({ db, who, environment }, input) => deleteChild(db, who, input, environment.get(leavingPolicy)),
  }),
]
