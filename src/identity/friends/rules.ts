import { fail, type PlatformError } from '../../kernel/errors.ts'
import type { FriendVerb } from './schema.ts'

/** Maximum number of friends. The list is not paged, so the limit keeps it short enough to be sent quickly. */
export const MAX_FRIENDS = 1000
/** Maximum number of open requests that a person can have sent. The list of sent requests is not paged either. */
const MAX_SENT = 500
/**
 * Maximum number of unanswered requests in the list of received requests, which is not paged. An app only lists
 * requests of its users. Once some are answered, later ones are listed.
 */
export const MAX_RECEIVED = 1000
/** Maximum number of names that a person can have blocked. The list of blocks is not paged either. */
const MAX_BLOCKS = 1000
/** Days after a decline during which requests of the declined person stay quiet. */
export const DECLINE_DAYS = 30

const DAY_MS = 24 * 60 * 60_000

/**
 * Verbs whose response may depend on whether the person exists. `block` and `unblock` accept any name and reveal
 * nothing.
 */
export type AskingVerb = Exclude<FriendVerb, 'block' | 'unblock'>

/** The decision is made by the person or, for a child, by a parent. */
export type DecidedBy = 'person' | 'parent'

export interface Party {
  readonly id: number
  readonly isAnonymous: boolean
  readonly isChild: boolean
  readonly isDisabled: boolean
  /** Whether public search is on. */
  readonly isOpen: boolean
}

/** Two people and their relation, from the point of view of `me`. */
export interface Pair {
  readonly me: Party
  readonly other: Party
  /**
   * Friendship or open request. `sent quietly`: the other person does not see my request. `unheard`: the other person
   * has sent a request that I do not see, because I declined or blocked them.
   */
  readonly tie: 'none' | 'friends' | 'sent' | 'sent quietly' | 'received' | 'unheard'
  /**
   * My block of the other person. `unlisted`: I could not see the person when I blocked them, so the block is not
   * listed, because I must not learn that they exist.
   */
  readonly block: 'none' | 'listed' | 'unlisted'
  readonly isBlocked: boolean
  /** When the other person last declined my request. */
  readonly declinedAt: Date | null
  /** Whether I have recently declined a request of the other person. */
  readonly hasDeclined: boolean
}

/**
 * The message of each verb if there is nothing to apply it to. It is the same for an unknown name as for a person
 * without a relation, so that guessing names reveals nothing.
 */
const MISSING: Record<AskingVerb, string> = {
  request: 'There is no such user, or they cannot be found',
  accept: 'There is no friend request from such a user',
  decline: 'There is no friend request from such a user',
  cancel: 'You have no open friend request to such a user',
  remove: 'You have no such friend',
}
export const missing = (verb: AskingVerb): PlatformError => fail('notFound', MISSING[verb])

/** Verbs that only a parent may use for a child, each with the message for a child who tries. */
const PARENT_DECIDES: Partial<Record<FriendVerb, string>> = {
  request: 'A parent sends friend requests for a child; ask a parent',
  accept: 'A parent accepts friend requests to a child; ask a parent',
  decline: 'A parent declines friend requests to a child; ask a parent, or block the other user',
  unblock: 'A parent unblocks users for a child; ask a parent',
}

/** Throws if a child uses a verb that only its parent may use for it. */
export function checkDoer(me: Pick<Party, 'isChild'>, verb: FriendVerb, by: DecidedBy): void {
  // A child may always cancel, remove and block without a parent; the parents can see the result.
  const refusal = PARENT_DECIDES[verb]
  if (me.isChild && by === 'person' && refusal !== undefined) throw fail('wrongUserType', refusal)
}

export type RequestOutcome = 'nothing to do' | 'ask' | 'ask quietly' | 'ask again' | 'ask again quietly' | 'befriend'

/**
 * Whether `me` can find the other person. A person who has blocked `me` looks exactly like one who has turned public
 * search off, here as in profiles and search; any difference would reveal the block.
 */
const isFindable = ({ other, isBlocked }: Pair): boolean =>
  other.isOpen && !other.isAnonymous && !other.isDisabled && !isBlocked

/**
 * Decides the outcome of a request; throws if it must be refused. A decline must not be visible to the asker: not in
 * the response, the lists, the limits or the statements that run. An open request stays open if the other person can no
 * longer be found, for whatever reason. Two people who send each other requests become friends.
 */
export function decideRequest(pair: Pair, at: Date): RequestOutcome {
  const { other, tie, block, isBlocked, declinedAt } = pair
  if (block === 'listed') throw fail('impossibleNow', 'You have blocked this user; unblock them first')
  if (other.isDisabled || block === 'unlisted') throw missing('request')
  if (tie === 'friends') return 'nothing to do'
  if (tie === 'received' || tie === 'unheard') return 'befriend'
  const isHeard = !isBlocked && (declinedAt === null || at.getTime() - declinedAt.getTime() >= DECLINE_DAYS * DAY_MS)
  if (tie === 'sent') return 'ask again'
  if (tie === 'sent quietly') return isHeard ? 'ask again' : 'ask again quietly'
  if (!isFindable(pair)) throw missing('request')
  return isHeard ? 'ask' : 'ask quietly'
}

/**
 * Returns true if there is a request to accept, and false if the two are already friends. Throws if neither is the
 * case.
 */
export function decideAccept({ other, tie }: Pair): boolean {
  if (other.isDisabled || (tie !== 'received' && tie !== 'friends')) throw missing('accept')
  return tie === 'received'
}

/**
 * Whether a block appears in the blocker's list: the blocker can see the other person, or knows of a relation to them.
 * Having been declined does not count, because the blocker does not know of it.
 */
export const isListed = (pair: Pair, isAway = false): boolean =>
  (isFindable(pair) && !isAway) || pair.tie !== 'none' || pair.hasDeclined

/**
 * Throws if either person has too many friends. The message is the same in both cases, so that it does not reveal how
 * many friends the other person has.
 */
export function checkFriendCount(mine: number, theirs: number): void {
  if (Math.max(mine, theirs) >= MAX_FRIENDS)
    throw fail(
      'impossibleNow',
      `One of you already has ${MAX_FRIENDS} friends, which is the limit; remove a friend, or try again later`,
    )
}

export function checkSentCount(count: number): void {
  if (count >= MAX_SENT)
    throw fail('impossibleNow', `You already have ${MAX_SENT} open requests, which is the limit; cancel some first`)
}

export function checkBlockCount(count: number): void {
  if (count >= MAX_BLOCKS)
    throw fail('impossibleNow', `You have already blocked ${MAX_BLOCKS} users, which is the limit; unblock some first`)
}
