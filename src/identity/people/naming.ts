import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { countFailures, handleLookupSubject, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import { normaliseHandle } from './handles.ts'
import { holdAccount } from './people.ts'
import * as store from './store.ts'

/**
 * Somebody with an account that is not disabled, named by those who manage something. The answer tells whether there is such a person, also one who is not to be found, so wrong
 * guesses are counted.
 */
export async function readNamedPerson(db: Db, who: PersonCaller, handle: string): Promise<number> {
  await refuseGuesser(db, who)
  const person = await db.first(store.findAble, { handle: normaliseHandle(handle) })
  if (person) return person.id
  // The guesser is held, so that none of many at once is overlooked.
  await db.transaction(async (tx) => {
    await holdAccount(tx, { id: who.personId, epoch: who.epoch })
    await refuseGuesser(tx, who)
    await countFailures(tx, who, [handleLookupSubject(who.personId)])
  })
  throw fail('notFound', `There is nobody with the handle ${handle}`)
}

/** For lists of handles: before they are looked up, and how many of them nobody has. */
export const refuseGuesser = (db: Db, who: PersonCaller): Promise<void> =>
  refuseBlocked(db, who, [handleLookupSubject(who.personId)])

/** So many lead to the longest wait; more need not be counted. */
const MOST_COUNTED = 75

export const countGuesses = (db: Db, who: PersonCaller, count: number): Promise<void> =>
  db.transaction(async (tx) => {
    for (let i = 0; i < Math.min(count, MOST_COUNTED); i++)
      await countFailures(tx, who, [handleLookupSubject(who.personId)])
  })
