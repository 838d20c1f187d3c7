import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { isChild } from '../people/ages.ts'
import { type AskingVerb, type By, checkDoer, missing, type Pair, type Party, type Verb } from './rules.ts'
import * as store from './store.ts'

/** Whose friends are changed, with regard to whom, and who decides. */
export interface Act {
  readonly personId: number
  /** Undefined where nobody has the name that was given: refused as if there were nothing between the two. */
  readonly otherId: number | undefined
  readonly by: By
  /** The name by which somebody was blocked, whether anybody has it or not. */
  readonly name?: string
  /** They have left the app in which they were named, so they were not seen there. */
  readonly isAway?: boolean
}

/** Nobody has this id: those who are not there are asked for in the same statements as those who are. */
export const NOBODY_ID = 0

/**
 * Holds two people until the transaction ends, and reads what is between them; undefined where there is no such other one. Nothing here is written to the audit log:
 * who is whose friend is no matter of security, and a log of it would outlive the wish to be rid of somebody.
 */
export async function holdTwo(
  tx: Db,
  who: Caller,
  verb: Verb,
  { personId, otherId = NOBODY_ID, by }: Act,
): Promise<Pair | undefined> {
  if (personId === otherId) throw fail('validationFailed', 'That is yourself: name somebody else')
  const parties = await tx.all(store.lockPeople, { ids: [personId, otherId] })
  const row = (await tx.first(store.findPair, { me: personId, other: otherId }))!
  const me = parties.find(({ id }) => id === personId)
  const other = parties.find(({ id }) => id === otherId)
  // Somebody who was just removed was never here.
  if (!me) throw fail('notAuthorized')
  // What the caller may not do at all is refused first: it must not depend on whom they name.
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

/** Does something between two people, in one transaction that holds both of them. */
export const betweenTwo = <T>(
  db: Db,
  who: Caller,
  verb: AskingVerb,
  what: Act,
  work: (tx: Db, pair: Pair) => Promise<T>,
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
