import { fail, type PlatformError } from '../errors.ts'

export { isChild } from '../profiles/rules.ts'

/** Lists are read as a whole, so none is longer than what is read and written quickly. */
export const MAX_FRIENDS = 1000
export const MAX_SENT = 500
/** Whoever has that many unanswered requests hears of no more until they have answered some. */
export const MAX_RECEIVED = 1000
export const MAX_BLOCKS = 1000
/** How long whoever was declined asks in vain. */
export const DECLINE_DAYS = 30

const DAY_MS = 24 * 60 * 60_000

export type Verb = 'request' | 'accept' | 'decline' | 'cancel' | 'remove' | 'block' | 'unblock'

/** Who decides: the person, or a parent of a child. */
export type By = 'person' | 'parent'

export interface Party {
  readonly id: number
  readonly isAnonymous: boolean
  readonly isChild: boolean
  readonly isDisabled: boolean
  /** Public search is on. */
  readonly isOpen: boolean
}

/** Two people and what is between them, as `me` may act on it. */
export interface Pair {
  readonly me: Party
  readonly other: Party
  /** What there is, as I see it. `unheard`: they have asked, and I have declined or blocked them, so I do not see it. */
  readonly tie: 'none' | 'friends' | 'sent' | 'sent quietly' | 'received' | 'unheard'
  readonly hasBlocked: boolean
  readonly isBlocked: boolean
  /** When the other one has last declined me. */
  readonly declinedAt: Date | null
}

/** The same sentence whether there is nobody with that name or nothing between the two: ids of others confirm nothing. */
const MISSING: Record<Verb, string> = {
  request: 'There is no such person, or they are not to be found',
  accept: 'There is no friend request from such a person',
  decline: 'There is no friend request from such a person',
  cancel: 'You have no open friend request to such a person',
  remove: 'You have no such friend',
  block: 'There is no such person, or they are not to be found',
  unblock: 'You have not blocked such a person',
}
export const missing = (verb: Verb): PlatformError => fail('notFound', MISSING[verb])

/** Looking is open to everybody; an anonymous user is gone too soon to have friends. */
export function checkDoer(me: Party, verb: Verb, by: By): void {
  if (me.isAnonymous) throw fail('notForAnonymous', 'Anonymous users have no friends; sign in to have some')
  // A child may always say no by itself: decline, cancel, remove and block need nobody.
  if (!me.isChild || by === 'parent') return
  if (verb === 'accept') throw fail('wrongUserType', 'A parent answers friend requests to a child; ask yours')
  if (verb === 'request') throw fail('wrongUserType', 'A parent asks for the friends of a child; ask yours')
}

export type Asking = 'nothing to do' | 'ask' | 'ask quietly' | 'speak up' | 'befriend'

/**
 * Whether a person lets themselves be found by the one who acts. Whoever has blocked them is hidden from them in the same way as somebody who has turned public search
 * off: profiles and search do the same, and where any answer differed, whoever is blocked could tell.
 */
const isFindable = ({ other, isBlocked }: Pair): boolean => other.isOpen && !isBlocked

/**
 * What becomes of a request. Whether the other one has declined the asker changes nothing that the asker can see: neither the answer, nor the lists, nor the limits.
 * A request that is open stays so when the other one can no longer be found, for whatever reason. Two who ask each other are friends.
 */
export function decideRequest(pair: Pair, at: Date): Asking {
  const { other, tie, hasBlocked, isBlocked, declinedAt } = pair
  if (hasBlocked) throw fail('impossibleNow', 'You have blocked this person; unblock them first')
  if (other.isDisabled) throw missing('request')
  if (tie === 'friends' || tie === 'sent') return 'nothing to do'
  if (tie === 'received' || tie === 'unheard') return 'befriend'
  const isHeard = !isBlocked && (declinedAt === null || at.getTime() - declinedAt.getTime() >= DECLINE_DAYS * DAY_MS)
  if (tie === 'sent quietly') return isHeard ? 'speak up' : 'nothing to do'
  if (other.isAnonymous) throw fail('notForAnonymous', 'Anonymous users have no friends')
  if (!isFindable(pair)) throw missing('request')
  return isHeard ? 'ask' : 'ask quietly'
}

/** True where there is something to accept; false where they are friends already. */
export function decideAccept({ other, tie }: Pair): boolean {
  if (other.isDisabled || (tie !== 'received' && tie !== 'friends')) throw missing('accept')
  return tie === 'received'
}

/**
 * Those who can be found may be blocked, and those whom one has to do with and sees that. To know a handle or an id is not enough: a block must neither tell whether
 * there is such a person, nor put somebody who is hidden into a list.
 */
export function checkBlock(pair: Pair): void {
  const { other, tie, hasBlocked } = pair
  const isSeen = isFindable(pair) && !other.isDisabled
  if (!isSeen && !hasBlocked && (tie === 'none' || tie === 'unheard')) throw missing('block')
}

export function checkFriendCount(mine: number, theirs: number): void {
  if (mine >= MAX_FRIENDS)
    throw fail('impossibleNow', `You have ${MAX_FRIENDS} friends, which is the limit; remove one first`)
  if (theirs >= MAX_FRIENDS)
    throw fail('impossibleNow', `They have ${MAX_FRIENDS} friends, which is the limit; try again when they have fewer`)
}

export function checkSentCount(count: number): void {
  if (count >= MAX_SENT)
    throw fail('impossibleNow', `${MAX_SENT} of your requests are open, which is the limit; cancel some first`)
}

export function checkBlockCount(count: number): void {
  if (count >= MAX_BLOCKS)
    throw fail('impossibleNow', `You have blocked ${MAX_BLOCKS} people, which is the limit; unblock some first`)
}
