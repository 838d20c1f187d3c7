import type { PersonCaller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import { countFailures, guesserSubject, refuseBlocked } from '../lockouts/lockouts.ts'
import { normaliseHandle } from './handles.ts'
import { holdAccount } from './people.ts'
import * as store from './store.ts'

/**
 * Somebody with an account that is not disabled, named by those who manage something. The answer tells whether there is such a person, also one who is not to be found, so wrong
 * guesses are counted.
 */
export async function readNamedPerson(db: Db, who: PersonCaller, handle: string): Promise<number> {
  const guesser = [guesserSubject(who.personId)] as const
  await refuseBlocked(db, who, guesser)
  const person = await db.first(store.findAble, { handle: normaliseHandle(handle) })
  if (person) return person.id
  // The guesser is held, so that none of many at once is overlooked.
  await db.transaction(async (tx) => {
    await holdAccount(tx, { id: who.personId, epoch: who.epoch })
    await refuseBlocked(tx, who, guesser)
    await countFailures(tx, who, guesser)
  })
  throw fail('notFound', `There is nobody with the handle ${handle}`)
}
