import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { accountHolder } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { USER_IDS } from '../../kernel/samples.ts'
import { actOnHandle, actOnUser } from './acts.ts'
import { listBlocked, listFriends, readFriends, readRequests } from './lists.ts'
import { Entries, FriendRequests, Friends, type FriendVerb, NameHandle, NameUser, RememberedUsers } from './schema.ts'

const op = operationsIn({ area: 'Friends', who: appUser })

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
    summary: 'Sends a friend request',
    description:
      'People can ask anybody with public search on; if that person has asked already, the two become friends at once. Asking again sends no second request, and at most 500 can be open. The answer does not reveal whether the other person sees the request.',
    example: { by: 'asker', other: 'asked' },
    errors: ['wrongUserType', 'impossibleNow', 'notFound'],
  },
  {
    verb: 'accept',
    name: 'acceptFriend',
    roles: ['requested'],
    summary: 'Accepts a friend request; for a child, a parent does',
    description:
      'From then on the two are friends, in every app that both use. Accepting again changes nothing, and a person can have at most 1,000 friends.',
    example: { by: 'asked', other: 'asker', after: 'requestFriend' },
    errors: ['wrongUserType', 'impossibleNow', 'notFound'],
  },
  {
    verb: 'decline',
    name: 'declineFriend',
    roles: ['requested'],
    summary: 'Declines a friend request, without telling the other person',
    description:
      'The request disappears for the caller. The other person is not told: to them it stays unanswered, and new requests are hidden for 30 days.',
    example: { by: 'asked', other: 'asker', after: 'requestFriend' },
    errors: ['wrongUserType', 'notFound'],
  },
  {
    verb: 'cancel',
    name: 'cancelFriendRequest',
    roles: ['requester'],
    summary: 'Cancels an open friend request',
    description:
      'Works until the other person accepts. The request disappears for both. If there is none, the answer is 404.',
    example: { by: 'asker', other: 'asked', after: 'requestFriend' },
    errors: ['notFound'],
  },
  {
    verb: 'remove',
    name: 'removeFriend',
    roles: ['friend'],
    summary: 'Ends a friendship, for both',
    description:
      'The two are no longer friends, in any app. The other person is not told. Either of them can ask again later.',
    example: { by: 'asker', other: 'asked', after: 'acceptFriend' },
    errors: ['notFound'],
  },
  {
    verb: 'block',
    name: 'blockUser',
    summary: 'Blocks somebody; neither can find the other',
    description:
      'Ends a friendship or a request between the two, and hides them from each other in search and profiles. The other person is not told. The answer is the same for an id or a handle that does not exist, and blocking again changes nothing.',
    example: { by: 'asker', other: 'bystander' },
    errors: ['impossibleNow'],
  },
  {
    verb: 'unblock',
    name: 'unblockUser',
    summary: 'Ends a block; an earlier friendship is not restored',
    description:
      'The two can find each other again, unless the other person has a block too. A friendship from before is not restored: somebody has to ask again. The answer is the same if there was no block.',
    example: { by: 'asker', other: 'bystander', after: 'blockUser' },
    errors: ['wrongUserType'],
  },
]

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
    summary: "Reads the person's friends, requests and blocks, over all apps",
    description:
      'For a page that shows friends, requests and blocks in one place. It covers all apps, so people are named by handle and have no `userId`. People in `sent` and `blocked` who can no longer be found come without their names.',
    who: person,
    area: 'Account',
    input: Nothing,
    output: json(Friends),
    run: ({ db, who }) => readFriends(db, who, who.personId),
  }),
  ...VERBS.map(({ verb, name, example: { by, other, after }, ...described }) =>
    op(`POST /account/v1/friends/${verb}`, {
      ...described,
      name: `${name}ByHandle`,
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
