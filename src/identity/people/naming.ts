import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { countFailures, handleLookupSubject, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import { normaliseHandle } from './handles.ts'
import { holdAccount } from './people.ts'
import * as store from './store.ts'

/**
 * Finds a person with an enabled account by handle, for callers who manage an organisation or a class. Throws if there
 * is none. This reveals whether the handle exists, even if the person is hidden from search, so wrong guesses are
 * counted.
 */
export async function readNamedPerson(db: Db, who: PersonCaller, handle: string): Promise<number> {
  await refuseGuesser(db, who)
  const person = await db.first(store.findAble, { handle: normaliseHandle(handle) })
  if (person) return person.id
  // Lock the caller's account, so that concurrent guesses are all counted.
  await db.transaction(async (tx) => {
    await holdAccount(tx, { id: who.personId, epoch: who.epoch })
    await refuseGuesser(tx, who)
    await countFailures(tx, who, [handleLookupSubject(who.personId)])
  })
  throw fail('notFound', `There is nobody with the handle ${handle}`)
}

/**
 * Refuses a caller who has guessed too many unknown handles. Operations that look up several handles call this first,
 * and afterwards `countGuesses` with the number of unknown handles.
 */
export const refuseGuesser = (db: Db, who: PersonCaller): Promise<void> =>
  refuseBlocked(db, who, [handleLookupSubject(who.personId)])

/** This many failures cause the longest wait, so no more need to be counted. */
const MOST_COUNTED = 75

export const countGuesses = (db: Db, who: PersonCaller, count: number): Promise<void> =>
  db.transaction(async (tx) => {
    for (let i = 0; i < Math.min(count, MOST_COUNTED); i++)
      await countFailures(tx, who, [handleLookupSubject(who.personId)])
  })
