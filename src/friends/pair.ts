import type { Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { fail } from '../errors.ts'
import { type By, checkDoer, isChild, missing, type Pair, type Party, type Verb } from './rules.ts'
import * as store from './store.ts'

/** Whose friends are changed, with regard to whom, and who decides. */
export interface Act {
  readonly personId: number
  /** Undefined where nobody has the name that was given: refused as if there were nothing between the two. */
  readonly otherId: number | undefined
  readonly by: By
}

/**
 * Does something between two people, in one transaction that holds both of them. Nothing here is written to the audit log: who is whose friend is no matter of
 * security, and a log of it would outlive the wish to be rid of somebody.
 */
export function betweenTwo<T>(
  db: Db,
  who: Caller,
  verb: Verb,
  { personId, otherId, by }: Act,
  work: (tx: Db, pair: Pair) => Promise<T>,
): Promise<T> {
  if (personId === otherId) throw fail('validationFailed', 'That is yourself: name somebody else')
  return db.transaction(async (tx) => {
    const parties = await tx.all(store.lockPeople, { ids: otherId === undefined ? [personId] : [personId, otherId] })
    const me = parties.find(({ id }) => id === personId)
    const other = parties.find(({ id }) => id === otherId)
    // What the caller may not do at all is refused first: it must not depend on whom they name.
    if (me) checkDoer(toParty(me, who.at), verb, by)
    // Somebody who was just removed was never here.
    if (!me || !other) throw missing(verb)
    const row = (await tx.first(store.findPair, { me: me.id, other: other.id }))!
    return work(tx, {
      me: toParty(me, who.at),
      other: toParty(other, who.at),
      tie: tieOf(row, personId),
      hasBlocked: row.has_blocked,
      isBlocked: row.is_blocked,
      declinedAt: row.declined_at,
    })
  })
}

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
