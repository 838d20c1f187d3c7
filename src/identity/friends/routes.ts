import type { ErrorName } from '../../kernel/errors.ts'
import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { accountHolder } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { actOnHandle, actOnUser, type FriendVerb } from './acts.ts'
import { explainForHandle, explainForUser } from './examples.ts'
import { listBlocked, listFriends, readFriends, readRequests } from './lists.ts'
import { Entries, FriendRequests, Friends, NameHandle, NameUser, RememberedUsers } from './schema.ts'

const op = operationsIn({ area: 'Friends', who: appUser })

/** One operation per verb, with its name, its summary and its errors. */
const VERBS: readonly { verb: FriendVerb; name: string; summary: string; errors: readonly ErrorName[] }[] = [
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

const nameOf = (verb: FriendVerb): string => VERBS.find((one) => one.verb === verb)!.name

export const friendOperations: readonly Operation[] = [
  op('GET /user/v1/my/friends', {
    name: 'listFriends',
    summary: "Lists the caller's friends who use this app, by name; at most 1,000",
    description:
      'Friends belong to the person, not to an app: the answer has those who use your app too, at most 1,000, by name. An anonymous user has none.',
    input: Nothing,
    output: json(Entries),
    run: ({ db, who }) => listFriends(db, who),
  }),
  op('GET /user/v1/my/friends/requests', {
    name: 'readFriendRequests',
    summary: "Reads the caller's open friend requests from and to users of this app",
    description:
      'Show `received` for the user to answer, and `sent` for the user to cancel. Only requests from and to users of your app are listed. Users in `sent` who can no longer be found have only `userId`, `handle` and `requestedDate`.',
    input: Nothing,
    output: json(FriendRequests),
    run: ({ db, who }) => readRequests(db, who),
  }),
  op('GET /user/v1/my/friends/blocked', {
    name: 'listBlockedUsers',
    summary: 'Lists users of this app whom the caller has blocked',
    description:
      'For a page where users manage their blocks. It lists users of your app whom the caller could see or knew when blocking them. Users who can no longer be found have only `userId` and `handle`.',
    example: { after: 'blockUser' },
    input: Nothing,
    output: json(RememberedUsers),
    run: ({ db, who }) => listBlocked(db, who),
  }),
  ...VERBS.map(({ verb, name, summary, errors }) =>
    op(`POST /user/v1/my/friends/${verb}`, {
      name,
      summary,
      needs: [accountHolder],
      ...explainForUser(verb, nameOf),
      input: NameUser,
      output: success(),
      errors,
      run: ({ db, who }, { userId }) => actOnUser(db, who, { verb, userId }),
    }),
  ),
  op('GET /account/v1/friends', {
    name: 'readOwnFriends',
    summary: "Reads the person's friends, requests and blocks, over all apps",
    description:
      'For a page that shows friends, requests and blocks in one place. It covers all apps, so people are named by handle and have no `userId`. People in `sent` and `blocked` who can no longer be found come without their names.',
    who: person,
    area: 'Account',
    input: Nothing,
    output: json(Friends),
    run: ({ db, who }) => readFriends(db, who, who.personId),
  }),
  ...VERBS.map(({ verb, name, summary, errors }) =>
    op(`POST /account/v1/friends/${verb}`, {
      name: `${name}ByHandle`,
      summary,
      who: person,
      ...explainForHandle(verb, (one) => `${nameOf(one)}ByHandle`),
      area: 'Account',
      input: NameHandle,
      output: success(),
      // Failed guesses of handles are counted. In the key's transaction, a refusal would roll the count back.
      refusesIdempotencyKey: true,
      errors,
      run: ({ db, who }, { handle }) => actOnHandle(db, who, { verb, personId: who.personId, handle, by: 'person' }),
    }),
  ),
]
