import { DONE, MOMENT, USER_IDS } from '../../kernel/samples.ts'
import { BLAKE, CASEY, DREW } from '../profiles/examples.ts'
import type { Verb } from './acts.ts'

/** What people read about the verbs, wherever they are called. */
const DESCRIPTIONS: Record<Verb, string> = {
  request:
    'People can ask anybody with public search on; if that person has asked already, the two become friends at once. Asking again sends no second request, and at most 500 can be open. The answer does not reveal whether the other person sees the request.',
  accept:
    'From then on the two are friends, in every app that both use. Accepting again changes nothing, and a person can have at most 1,000 friends.',
  decline:
    'The request disappears for the caller. The other person is not told: to them it stays unanswered, and new requests are hidden for 30 days.',
  cancel: 'Works until the other person accepts. The request disappears for both. If there is none, the answer is 404.',
  remove:
    'The two are no longer friends, in any app. The other person is not told. Either of them can ask again later.',
  block:
    'Ends a friendship or a request between the two, and hides them from each other in search and profiles. The other person is not told. The answer is the same for an id or a handle that does not exist, and blocking again changes nothing.',
  unblock:
    'The two can find each other again, unless the other person has a block too. A friendship from before is not restored: somebody has to ask again. The answer is the same if there was no block.',
}

const ENTRY_NAMES = ['handle', 'firstName', 'lastName'] as const
const friend = (entry: Record<(typeof ENTRY_NAMES)[number], string>) =>
  Object.fromEntries(ENTRY_NAMES.map((name) => [name, entry[name]]))

type Someone = keyof typeof USER_IDS | 'ellis'

/** One asks, the other answers; Drew is blocked. Two pairs, because somebody who was declined is not heard again for a while. */
const tell = (verb: Verb, asker: 'avery' | 'casey', asked: 'casey' | 'ellis') => {
  const byAsker = asker === 'avery' ? {} : { as: asker }
  const told: Record<Verb, { other: Someone; as?: 'casey' | 'ellis'; after?: Verb }> = {
    request: { other: asked, ...byAsker },
    accept: { other: asker, as: asked, after: 'request' },
    decline: { other: asker, as: asked, after: 'request' },
    cancel: { other: asked, ...byAsker, after: 'request' },
    remove: { other: asked, ...byAsker, after: 'accept' },
    block: { other: 'drew', ...byAsker },
    unblock: { other: 'drew', ...byAsker, after: 'block' },
  }
  return told[verb]
}

/** `nameOf` is what the operation of a verb is called. */
export function explainForUser(verb: Verb, nameOf: (verb: Verb) => string) {
  const { other, after, ...rest } = tell(verb, 'avery', 'casey')
  const request = { userId: USER_IDS[other as keyof typeof USER_IDS] }
  return explain(verb, { request, ...rest, ...(after && { after: nameOf(after) }) })
}
export function explainForHandle(verb: Verb, nameOf: (verb: Verb) => string) {
  const { other, after, ...rest } = tell(verb, 'casey', 'ellis')
  return explain(verb, { request: { handle: `@${other}` }, ...rest, ...(after && { after: nameOf(after) }) })
}
const explain = <E extends object>(verb: Verb, example: E) => ({
  description: DESCRIPTIONS[verb],
  example: { ...example, answer: DONE },
})

/** What people read about these operations. */
export const examples = {
  listFriends: {
    description:
      'Friends belong to the person, not to an app: the answer has those who use your app too, at most 1,000, by name. An anonymous user has none.',
    example: { answer: [BLAKE] },
  },
  readFriendRequests: {
    description:
      'Show `received` for the user to answer, and `sent` for the user to cancel. Only requests from and to users of your app are listed. Users in `sent` who can no longer be found have only `userId`, `handle` and `requestedDate`.',
    example: {
      answer: {
        received: [{ ...CASEY, requestedDate: MOMENT }],
        sent: [{ ...DREW, requestedDate: MOMENT }],
      },
    },
  },
  listBlockedUsers: {
    description:
      'For a page where users manage their blocks. It lists users of your app whom the caller could see or knew when blocking them. Users who can no longer be found have only `userId` and `handle`.',
    example: { answer: [DREW], after: 'blockUser' },
  },
  readOwnFriends: {
    description:
      'For a page that shows friends, requests and blocks in one place. It covers all apps, so people are named by handle and have no `userId`. People in `sent` and `blocked` who can no longer be found come without their names.',
    example: {
      answer: {
        friends: [friend(BLAKE)],
        received: [friend(CASEY)],
        sent: [friend(DREW)],
        blocked: [{ handle: '@ellis', firstName: 'Ellis', lastName: 'Haverford' }],
      },
    },
  },
}
