import type { FriendVerb } from '../friends/acts.ts'

const as = 'casey' as const
const NOA = '@noa.okafor'
const SAM = '@sam.okafor'
const LEO = '@leo.marchand'

const DESCRIPTIONS: Record<FriendVerb, string> = {
  request:
    'A child cannot ask, so a parent does. The other person must have public search on. If they have asked already, the two become friends at once.',
  accept:
    'Requests to a child wait until a parent answers them. From then on the two are friends in every app that both use. Accepting again changes nothing.',
  decline:
    'Requests to a child wait until a parent answers them. The other person is not told: to them the request stays unanswered, and new ones are hidden for 30 days.',
  cancel: 'Works until the other person accepts. The child can do this too, and so can each parent.',
  remove: 'The two are no longer friends, in any app. The child can do this too.',
  block:
    'Ends a friendship or a request between the two, and hides them from each other in search and profiles. The other person is not told. The child can block too, but only a parent can end the block.',
  unblock:
    'Only a parent can do this. A friendship from before is not restored: somebody has to ask again. The answer is the same if there was no block.',
}

const EXAMPLES: Record<
  FriendVerb,
  { request: { handle: string; friend: string }; after?: FriendVerb | 'changeChild' }
> = {
  // `changeChild` makes Sam findable.
  request: { request: { handle: NOA, friend: SAM }, after: 'changeChild' },
  accept: { request: { handle: SAM, friend: NOA }, after: 'request' },
  decline: { request: { handle: SAM, friend: NOA }, after: 'request' },
  cancel: { request: { handle: NOA, friend: SAM }, after: 'request' },
  remove: { request: { handle: NOA, friend: SAM }, after: 'accept' },
  block: { request: { handle: NOA, friend: LEO } },
  unblock: { request: { handle: NOA, friend: LEO }, after: 'block' },
}

/** `nameOf` gives the name of the operation for a verb. */
export function explainVerb(verb: FriendVerb, nameOf: (verb: FriendVerb) => string) {
  const { request, after } = EXAMPLES[verb]
  return {
    description: DESCRIPTIONS[verb],
    example: { request, as, ...(after && { after: after === 'changeChild' ? after : nameOf(after) }) },
  }
}
