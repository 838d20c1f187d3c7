import type { ErrorName } from '../../kernel/errors.ts'
import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { anAccount } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { actOnHandle, actOnUser, type Verb } from './acts.ts'
import { examples, explainForHandle, explainForUser } from './examples.ts'
import { listBlocked, listFriends, readFriends, readRequests } from './lists.ts'
import { Entries, FriendRequests, Friends, NameHandle, NameUser, RememberedUsers } from './schema.ts'

const path = '/user/v1/my/friends'
const ownPath = '/account/v1/friends'

/** What can be done, what it is called, and what it may refuse. */
const VERBS: readonly { verb: Verb; name: string; summary: string; errors: readonly ErrorName[] }[] = [
  {
    verb: 'request',
    name: 'requestFriend',
    summary: 'Sends a friend request',
    errors: ['wrongUserType', 'impossibleNow', 'notFound'],
  },
  {
    verb: 'accept',
    name: 'acceptFriend',
    summary: 'Accepts a friend request; for a child, a parent does',
    errors: ['wrongUserType', 'impossibleNow', 'notFound'],
  },
  {
    verb: 'decline',
    name: 'declineFriend',
    summary: 'Declines a friend request, without telling the other person',
    errors: ['wrongUserType', 'notFound'],
  },
  { verb: 'cancel', name: 'cancelFriendRequest', summary: 'Cancels an open friend request', errors: ['notFound'] },
  { verb: 'remove', name: 'removeFriend', summary: 'Ends a friendship, for both', errors: ['notFound'] },
  {
    verb: 'block',
    name: 'blockUser',
    summary: 'Blocks somebody; neither can find the other',
    errors: ['impossibleNow'],
  },
  {
    verb: 'unblock',
    name: 'unblockUser',
    summary: 'Ends a block; an earlier friendship is not restored',
    errors: ['wrongUserType'],
  },
]

const nameOf = (verb: Verb): string => VERBS.find((one) => one.verb === verb)!.name

export const friendOperations: readonly Operation[] = [
  operation({
    who: appUser,
    name: 'listFriends',
    ...examples.listFriends,
    summary: "Lists the caller's friends who use this app, by name; at most 1,000",
    method: 'GET',
    path,
    area: 'Friends',
    input: Nothing,
    from: 'query',
    output: json(Entries),
    errors: [],
    run: ({ db, who }) => listFriends(db, who),
  }),
  operation({
    who: appUser,
    name: 'readFriendRequests',
    ...examples.readFriendRequests,
    summary: "Reads the caller's open friend requests from and to users of this app",
    method: 'GET',
    path: `${path}/requests`,
    area: 'Friends',
    input: Nothing,
    from: 'query',
    output: json(FriendRequests),
    errors: [],
    run: ({ db, who }) => readRequests(db, who),
  }),
  operation({
    who: appUser,
    name: 'listBlockedUsers',
    ...examples.listBlockedUsers,
    summary: 'Lists users of this app whom the caller has blocked',
    method: 'GET',
    path: `${path}/blocked`,
    area: 'Friends',
    input: Nothing,
    from: 'query',
    output: json(RememberedUsers),
    errors: [],
    run: ({ db, who }) => listBlocked(db, who),
  }),
  ...VERBS.map(({ verb, name, summary, errors }) =>
    operation({
      who: appUser,
      needs: [anAccount],
      name,
      summary,
      ...explainForUser(verb, nameOf),
      method: 'POST',
      path: `${path}/${verb}`,
      area: 'Friends',
      input: NameUser,
      from: 'body',
      output: success(),
      errors,
      run: ({ db, who }, { userId }) => actOnUser(db, who, { verb, userId }),
    }),
  ),
  operation({
    who: person,
    name: 'readOwnFriends',
    ...examples.readOwnFriends,
    summary: "Reads the person's friends, requests and blocks, over all apps",
    method: 'GET',
    path: ownPath,
    area: 'Account',
    input: Nothing,
    from: 'query',
    output: json(Friends),
    errors: [],
    run: ({ db, who }) => readFriends(db, who, who.personId),
  }),
  ...VERBS.map(({ verb, name, summary, errors }) =>
    operation({
      who: person,
      name: `${name}ByHandle`,
      summary,
      ...explainForHandle(verb, (one) => `${nameOf(one)}ByHandle`),
      method: 'POST',
      path: `${ownPath}/${verb}`,
      area: 'Account',
      input: NameHandle,
      from: 'body',
      output: success(),
      // Guesses are counted, and a refusal must not take that back.
      isUnrepeatable: true,
      errors,
      run: ({ db, who }, { handle }) => actOnHandle(db, who, { verb, personId: who.personId, handle, by: 'person' }),
    }),
  ),
]
