import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { accountHolder } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { USER_IDS } from '../../kernel/samples.ts'
import { actOnHandle, actOnUser } from './acts.ts'
import { listBlocked, listFriends, readFriends, readRequests } from './lists.ts'
import { Entries, FriendRequests, Friends, type FriendVerb, NameHandle, NameUser, RememberedUsers } from './schema.ts'

const op = operationsIn({ area: 'Friends', who: appUser, scope: 'people:search' })

/**
 * The people in the examples: one sends a request, another answers, and a third is blocked. The examples by handle use
 * other people than those by user id, because after a decline, further requests of the same person are hidden for a
 * while.
 */
const USERS = { asker: 'avery', asked: 'casey', bystander: 'drew' } as const
const PEOPLE = { asker: 'casey', asked: 'ellis', bystander: 'drew' } as const

/** Each verb has two operations: by user id for apps, and by handle for the person in a browser. */
interface VerbOperation extends Pick<Operation, 'name' | 'roles' | 'summary' | 'description' | 'errors'> {
  readonly verb: FriendVerb
  readonly example: { by: 'asker' | 'asked'; other: keyof typeof USERS; after?: string }
}

const VERBS: readonly VerbOperation[] = [
  {
    verb: 'request',
    name: 'requestFriend',
    summary: 'Send a friend request',
    description:
      'Sends a friend request to a user who has public search on; if that user has sent one already, the two become friends immediately. Sending it again has no effect, and at most 500 requests can be open. The response does not reveal whether the other user sees the request.',
    example: { by: 'asker', other: 'asked' },
    errors: ['wrongUserType', 'impossibleNow', 'notFound'],
  },
  {
    verb: 'accept',
    name: 'acceptFriend',
    roles: ['requested'],
    summary: 'Accept a friend request',
    description:
      'Accepts a friend request, so that the two are friends in every app that both use; for a child, a parent does this. Accepting again changes nothing, and a user can have at most 1,000 friends.',
    example: { by: 'asked', other: 'asker', after: 'requestFriend' },
    errors: ['wrongUserType', 'impossibleNow', 'notFound'],
  },
  {
    verb: 'decline',
    name: 'declineFriend',
    roles: ['requested'],
    summary: 'Decline a friend request',
    description:
      'Declines a friend request, which disappears for the caller; for a child, a parent does this. The other user is not told: for them it stays open, and new requests are hidden for 30 days.',
    example: { by: 'asked', other: 'asker', after: 'requestFriend' },
    errors: ['wrongUserType', 'notFound'],
  },
  {
    verb: 'cancel',
    name: 'cancelFriendRequest',
    roles: ['requester'],
    summary: 'Cancel a friend request',
    description:
      'Cancels a friend request that the other user has not accepted yet; it disappears for both. If there is none, the response is 404.',
    example: { by: 'asker', other: 'asked', after: 'requestFriend' },
    errors: ['notFound'],
  },
  {
    verb: 'remove',
    name: 'removeFriend',
    roles: ['friend'],
    summary: 'Remove a friend',
    description:
      'Ends a friendship in all apps, for both. The other user is not told. Either of them can send a new request later.',
    example: { by: 'asker', other: 'asked', after: 'acceptFriend' },
    errors: ['notFound'],
  },
  {
    verb: 'block',
    name: 'blockUser',
    summary: 'Block a user',
    description:
      'Blocks a user: ends a friendship or a request between the two, and hides them from each other in search and profiles. The other user is not told. The response is the same for an id or a handle that does not exist, and blocking again changes nothing.',
    example: { by: 'asker', other: 'bystander' },
    errors: ['impossibleNow'],
  },
  {
    verb: 'unblock',
    name: 'unblockUser',
    summary: 'Unblock a user',
    description:
      'Ends a block, so that the two can find each other again, unless the other user has a block too. An earlier friendship is not restored: one of the two has to send a new request. The response is the same if there was no block.',
    example: { by: 'asker', other: 'bystander', after: 'blockUser' },
    errors: ['wrongUserType'],
  },
]

export const friendOperations: readonly Operation[] = [
  op('GET /user/v1/my/friends', {
    name: 'listFriends',
    summary: 'List your friends in an app',
    description:
      "Returns the caller's friends who use this app, sorted by name, at most 1,000. Friends belong to the account and not to an app. An anonymous user has none.",
    input: Nothing,
    output: json(Entries),
    run: ({ db, who }) => listFriends(db, who),
  }),
  op('GET /user/v1/my/friends/requests', {
    name: 'readFriendRequests',
    summary: 'List friend requests in an app',
    description:
      "Returns the caller's open friend requests from and to users of this app. Show `received` for the user to accept or decline, and `sent` for the user to cancel. Users in `sent` who can no longer be found have only `userId`, `handle` and `requestedDate`.",
    input: Nothing,
    output: json(FriendRequests),
    run: ({ db, who }) => readRequests(db, who),
  }),
  op('GET /user/v1/my/friends/blocked', {
    name: 'listBlockedUsers',
    summary: 'List blocked users',
    description:
      'Returns the users of this app whom the caller has blocked, if the caller could see or knew them at the time. Users who can no longer be found have only `userId` and `handle`.',
    example: { after: 'blockUser' },
    input: Nothing,
    output: json(RememberedUsers),
    run: ({ db, who }) => listBlocked(db, who),
  }),
  ...VERBS.map(({ verb, example: { by, other, after }, ...described }) =>
    op(`POST /user/v1/my/friends/${verb}`, {
      ...described,
      example: {
        request: { userId: USER_IDS[USERS[other]] },
        ...(by === 'asked' && { as: USERS.asked }),
        ...(after && { after }),
      },
      needs: [accountHolder],
      input: NameUser,
      output: success(),
      run: ({ db, who }, { userId }) => actOnUser(db, who, { verb, userId }),
    }),
  ),
  op('GET /account/v1/friends', {
    name: 'readOwnFriends',
    summary: 'List your friends',
    description:
      "Returns the caller's friends, friend requests and blocks in all apps, by handle and without a `userId`. Users in `sent` and `blocked` who can no longer be found are listed without their names.",
    who: person,
    area: 'Account',
    input: Nothing,
    output: json(Friends),
    run: ({ db, who }) => readFriends(db, who, who.personId),
  }),
  ...VERBS.map(({ verb, name, summary, example: { by, other, after }, ...described }) =>
    op(`POST /account/v1/friends/${verb}`, {
      ...described,
      name: `${name}ByHandle`,
      summary: `${summary} by handle`,
      example: {
        request: { handle: `@${PEOPLE[other]}` },
        as: PEOPLE[by],
        ...(after && { after: `${after}ByHandle` }),
      },
      who: person,
      area: 'Account',
      input: NameHandle,
      output: success(),
      // Failed guesses of handles are counted. With an idempotency key, the operation would run in the transaction of
      // that key, and a refusal would roll the count back.
      refusesIdempotencyKey: true,
      run: ({ db, who }, { handle }) => actOnHandle(db, who, { verb, personId: who.personId, handle, by: 'person' }),
    }),
  ),
]
