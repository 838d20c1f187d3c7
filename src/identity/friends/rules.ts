import { fail, type PlatformError } from '../../kernel/errors.ts'

/** Lists are read as a whole, so none is longer than what is read and written quickly. */
export const MAX_FRIENDS = 1000
const MAX_SENT = 500
/** Whoever has more unanswered requests is shown the first ones, and the next when they have answered some. In an app: of its users. */
export const MAX_RECEIVED = 1000
const MAX_BLOCKS = 1000
/** How long whoever was declined asks in vain. */
export const DECLINE_DAYS = 30

const DAY_MS = 24 * 60 * 60_000

export type Verb = 'request' | 'accept' | 'decline' | 'cancel' | 'remove' | 'block' | 'unblock'

/** Those that depend on whether there is somebody. Blocks do not: whoever knows a name can block it, and is told nothing. */
export type AskingVerb = Exclude<Verb, 'block' | 'unblock'>

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
  /** Whether I have blocked them; `unlisted` where I could not see them when I did, and must not learn that they are there. */
  readonly block: 'none' | 'listed' | 'unlisted'
  readonly isBlocked: boolean
  /** When the other one has last declined me. */
  readonly declinedAt: Date | null
  /** Whether I have declined them lately. */
  readonly hasDeclined: boolean
}

/** The same sentence whether there is nobody with that name or nothing between the two: ids of others confirm nothing. */
const MISSING: Record<AskingVerb, string> = {
  request: 'There is no such person, or they are not to be found',
  accept: 'There is no friend request from such a person',
  decline: 'There is no friend request from such a person',
  cancel: 'You have no open friend request to such a person',
  remove: 'You have no such friend',
}
export const missing = (verb: AskingVerb): PlatformError => fail('notFound', MISSING[verb])

/** What a child leaves to a parent: whom it knows, and what was blocked for it. */
const PARENT_DECIDES: Partial<Record<Verb, string>> = {
  request: 'A parent asks for the friends of a child; ask yours',
  accept: 'A parent answers friend requests to a child; ask yours',
  decline: 'A parent answers friend requests to a child; ask yours, or block the person who asks',
  unblock: 'A parent ends the blocks of a child; ask yours',
}

/** Looking is open to everybody. */
export function checkDoer(me: Pick<Party, 'isChild'>, verb: Verb, by: By): void {
  // A child may always take back what it wants no more, and a parent sees that: cancel, remove and block need nobody.
  const refusal = PARENT_DECIDES[verb]
  if (me.isChild && by === 'person' && refusal !== undefined) throw fail('wrongUserType', refusal)
}

export type Asking = 'nothing to do' | 'ask' | 'ask quietly' | 'ask again' | 'ask again quietly' | 'befriend'

/**
 * Whether a person lets themselves be found by the one who acts. Whoever has blocked them is hidden from them in the same way as somebody who has turned public search
 * off: profiles and search do the same, and where any answer differed, whoever is blocked could tell.
 */
const isFindable = ({ other, isBlocked }: Pair): boolean =>
  other.isOpen && !other.isAnonymous && !other.isDisabled && !isBlocked

/**
 * What becomes of a request. Whether the other one has declined the asker changes nothing that the asker can see: neither the answer, nor the lists, nor the limits, nor
 * what is done for it. A request that is open stays so when the other one can no longer be found, for whatever reason. Two who ask each other are friends.
 */
export function decideRequest(pair: Pair, at: Date): Asking {
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

/** True where there is something to accept; false where they are friends already. */
export function decideAccept({ other, tie }: Pair): boolean {
  if (other.isDisabled || (tie !== 'received' && tie !== 'friends')) throw missing('accept')
  return tie === 'received'
}

/**
 * Whether a block is shown to whoever makes it: they see the other one, or have to do with them and know that. Whom they have been declined by they do not know, so
 * that does not count.
 */
export const isListed = (pair: Pair, isAway = false): boolean =>
  (isFindable(pair) && !isAway) || pair.tie !== 'none' || pair.hasDeclined

/** One sentence for both: how many friends somebody else has is theirs to tell. */
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
