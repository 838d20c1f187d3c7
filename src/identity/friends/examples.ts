import { USER_IDS } from '../../kernel/samples.ts'
import type { FriendVerb } from './acts.ts'

/** Descriptions of the verbs, for every operation that offers them. */
const DESCRIPTIONS: Record<FriendVerb, string> = {
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

type Someone = keyof typeof USER_IDS | 'ellis'

/**
 * Examples in which one person asks, the other answers, and Drew is blocked. There are two pairs of people because a
 * declined person's next requests are hidden for a while.
 */
const tell = (verb: FriendVerb, asker: 'avery' | 'casey', asked: 'casey' | 'ellis') => {
  const byAsker = asker === 'avery' ? {} : { as: asker }
  const told: Record<FriendVerb, { other: Someone; as?: 'casey' | 'ellis'; after?: FriendVerb }> = {
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

/** `nameOf` gives the name of the operation for a verb. */
export function explainForUser(verb: FriendVerb, nameOf: (verb: FriendVerb) => string) {
  const { other, after, ...rest } = tell(verb, 'avery', 'casey')
  const request = { userId: USER_IDS[other as keyof typeof USER_IDS] }
  return explain(verb, { request, ...rest, ...(after && { after: nameOf(after) }) })
}
export function explainForHandle(verb: FriendVerb, nameOf: (verb: FriendVerb) => string) {
  const { other, after, ...rest } = tell(verb, 'casey', 'ellis')
  return explain(verb, { request: { handle: `@${other}` }, ...rest, ...(after && { after: nameOf(after) }) })
}
const explain = <E extends object>(verb: FriendVerb, example: E) => ({
  description: DESCRIPTIONS[verb],
  example,
})
