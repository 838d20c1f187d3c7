import { fail, type PlatformError } from '../../kernel/errors.ts'

/** Lists are not paged, so their length is limited to what can be read and sent quickly. */
export const MAX_FRIENDS = 1000
const MAX_SENT = 500
/** Unanswered requests shown at a time, in an app of its users only. Answering some makes room for the next. */
export const MAX_RECEIVED = 1000
const MAX_BLOCKS = 1000
/** Days after a decline during which requests of the declined person stay quiet. */
export const DECLINE_DAYS = 30

const DAY_MS = 24 * 60 * 60_000

export type FriendVerb = 'request' | 'accept' | 'decline' | 'cancel' | 'remove' | 'block' | 'unblock'

/** Verbs whose answer depends on whether the person exists. Any name can be blocked, and the answer reveals nothing. */
export type AskingVerb = Exclude<FriendVerb, 'block' | 'unblock'>

/** Whether the person decides, or a parent for a child. */
export type DecidedBy = 'person' | 'parent'

export interface Party {
  readonly id: number
  readonly isAnonymous: boolean
  readonly isChild: boolean
  readonly isDisabled: boolean
  /** Public search is on. */
  readonly isOpen: boolean
}

/** Two people and their relation, from the point of view of `me`. */
export interface Pair {
  readonly me: Party
  readonly other: Party
  /**
   * Friendship or open request. The other person does not see a request that was `sent quietly`. `unheard`: they have
   * asked, but I declined or blocked them, so I do not see the request.
   */
  readonly tie: 'none' | 'friends' | 'sent' | 'sent quietly' | 'received' | 'unheard'
  /** My block of them. `unlisted`: I could not see them when I blocked them, and must not learn that they exist. */
  readonly block: 'none' | 'listed' | 'unlisted'
  readonly isBlocked: boolean
  /** The last time that the other person declined me. */
  readonly declinedAt: Date | null
  /** Whether I have declined them lately. */
  readonly hasDeclined: boolean
}

/** One message for unknown names and for people without a relation, so that guessing ids confirms nothing. */
const MISSING: Record<AskingVerb, string> = {
  request: 'There is no such person, or they are not to be found',
  accept: 'There is no friend request from such a person',
  decline: 'There is no friend request from such a person',
  cancel: 'You have no open friend request to such a person',
  remove: 'You have no such friend',
}
export const missing = (verb: AskingVerb): PlatformError => fail('notFound', MISSING[verb])

/** Verbs that a parent decides for a child. */
const PARENT_DECIDES: Partial<Record<FriendVerb, string>> = {
  request: 'A parent asks for the friends of a child; ask yours',
  accept: 'A parent answers friend requests to a child; ask yours',
  decline: 'A parent answers friend requests to a child; ask yours, or block the person who asks',
  unblock: 'A parent ends the blocks of a child; ask yours',
}

/** Throws if a child does what its parent decides. */
export function checkDoer(me: Pick<Party, 'isChild'>, verb: FriendVerb, by: DecidedBy): void {
  // A child may always cancel, remove and block on its own; a parent sees that.
  const refusal = PARENT_DECIDES[verb]
  if (me.isChild && by === 'person' && refusal !== undefined) throw fail('wrongUserType', refusal)
}

export type RequestOutcome = 'nothing to do' | 'ask' | 'ask quietly' | 'ask again' | 'ask again quietly' | 'befriend'

/**
 * Whether `me` can find the other person. A blocker looks exactly like a person who has turned public search off, here
 * as in profiles and search; any difference would reveal the block.
 */
const isFindable = ({ other, isBlocked }: Pair): boolean =>
  other.isOpen && !other.isAnonymous && !other.isDisabled && !isBlocked

/**
 * Decides the outcome of a request. A decline must not show to the asker: not in the answer, the lists, the limits or
 * the statements that run. An open request stays open when the other person can no longer be found, for whatever
 * reason. Two people who ask each other become friends.
 */
export function decideRequest(pair: Pair, at: Date): RequestOutcome {
  const { other, tie, block, isBlocked, declinedAt } = pair
  if (block === 'listed') throw fail('impossibleNow', 'You have blocked this person; unblock them first')
  if (other.isDisabled || block === 'unlisted') throw missing('request')
  if (tie === 'friends') return 'nothing to do'
  if (tie === 'received' || tie === 'unheard') return 'befriend'
  const isHeard = !isBlocked && (declinedAt === null || at.getTime() - declinedAt.getTime() >= DECLINE_DAYS * DAY_MS)
  if (tie === 'sent') return 'ask again'
  if (tie === 'sent quietly') return isHeard ? 'ask again' : 'ask again quietly'
  if (!isFindable(pair)) throw missing('request')
  return isHeard ? 'ask' : 'ask quietly'
}

/** True if there is a request to accept; false if they are friends already. */
export function decideAccept({ other, tie }: Pair): boolean {
  if (other.isDisabled || (tie !== 'received' && tie !== 'friends')) throw missing('accept')
  return tie === 'received'
}

/**
 * Whether a block appears in the blocker's list: they can see the other person, or know of a relation to them. Being
 * declined does not count, since they do not know of it.
 */
export const isListed = (pair: Pair, isAway = false): boolean =>
  (isFindable(pair) && !isAway) || pair.tie !== 'none' || pair.hasDeclined

/** One message for both, so that it does not reveal how many friends the other person has. */
export function checkFriendCount(mine: number, theirs: number): void {
  if (Math.max(mine, theirs) >= MAX_FRIENDS)
    throw fail(
      'impossibleNow',
      `One of you has ${MAX_FRIENDS} friends, which is the limit; remove one, or try again later`,
    )
}

export function checkSentCount(count: number): void {
  if (count >= MAX_SENT)
    throw fail('impossibleNow', `${MAX_SENT} of your requests are open, which is the limit; cancel some first`)
}

export function checkBlockCount(count: number): void {
  if (count >= MAX_BLOCKS)
    throw fail('impossibleNow', `You have blocked ${MAX_BLOCKS} names, which is the limit; unblock some first`)
}
