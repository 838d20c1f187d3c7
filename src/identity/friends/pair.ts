import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { isChild } from '../people/ages.ts'
import { type AskingVerb, checkDoer, type DecidedBy, missing, type Pair, type Party } from './rules.ts'
import type { FriendVerb } from './schema.ts'
import * as store from './store.ts'

/** A change of the relation between `personId`, for whom it is made, and `otherId`. */
export interface RelationChange {
  readonly personId: number
  /**
   * Undefined if no person has the given name. The change is then refused in the same way as for an unrelated person.
   */
  readonly otherId: number | undefined
  readonly by: DecidedBy
  /** The handle (@…) or user id (#…) given for a block, whether or not such a person exists. */
  readonly name?: string
  /**
   * Whether the other person has left the app in which they were named, so that the caller could not see them there.
   */
  readonly isAway?: boolean
}

/** An id that no person has. It stands for unknown names, so that they run the same statements as known ones. */
export const NOBODY_ID = 0

/**
 * Locks two people until the transaction ends and reads their relation; undefined if the other person does not exist.
 * Friendships are not written to the audit log: they are not a matter of security, and the log would outlive a
 * friendship that has ended.
 */
export async function holdTwo(
  tx: Tx,
  who: Caller,
  verb: FriendVerb,
  { personId, otherId = NOBODY_ID, by }: RelationChange,
): Promise<Pair | undefined> {
  if (personId === otherId) throw fail('validationFailed', "This is your own handle or userId: send another user's")
  const parties = await tx.all(store.lockPeople, { ids: [personId, otherId] })
  const row = (await tx.first(store.findPair, { me: personId, other: otherId }))!
  const me = parties.find(({ id }) => id === personId)
  const other = parties.find(({ id }) => id === otherId)
  // A caller who has just been deleted gets the same refusal as one who never existed.
  if (!me) throw fail('notAuthorized')
  // The caller's permission is checked first, so that a refusal does not reveal whether the target exists.
  checkDoer(toParty(me, who.at), verb, by)
  return (
    other && {
      me: toParty(me, who.at),
      other: toParty(other, who.at),
      tie: tieOf(row, personId),
      block: row.is_listed === null ? 'none' : row.is_listed ? 'listed' : 'unlisted',
      isBlocked: row.is_blocked,
      declinedAt: row.declined_at,
      hasDeclined: row.has_declined,
    }
  )
}

/** Runs `work` in a transaction that locks both people and reads their relation. */
export const betweenTwo = <T>(
  db: Db,
  who: Caller,
  verb: AskingVerb,
  what: RelationChange,
  work: (tx: Tx, pair: Pair) => Promise<T>,
): Promise<T> =>
  db.transaction(async (tx) => {
    const pair = await holdTwo(tx, who, verb, what)
    if (!pair) throw missing(verb)
    return work(tx, pair)
  })

const toParty = (row: RowOf<typeof store.lockPeople>, at: Date): Party => ({
  id: row.id,
  isAnonymous: row.anonymous,
  isChild: isChild(row.date_of_birth, at),
  isDisabled: row.is_disabled,
  isOpen: row.public_search,
})

function tieOf(row: RowOf<typeof store.findPair>, me: number): Pair['tie'] {
  if (row.asker_id === null) return 'none'
  if (row.accepted_at !== null) return 'friends'
  if (row.asker_id === me) return row.is_quiet ? 'sent quietly' : 'sent'
  return row.is_quiet ? 'unheard' : 'received'
}
