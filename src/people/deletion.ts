import type { Caller, PersonCaller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import { isLookedAfter } from '../families/release.ts'
import type { MessagePolicy } from '../messages/messages.ts'
import { isSameHandle } from './handles.ts'
import { readPersonId } from './people.ts'
import { proveAgain } from './proof.ts'
import { removePerson } from './removal.ts'

/** A person deletes their own account; for a child whom somebody looks after, a parent does. Whoever asks twice at once is told twice that it is done. */
export async function deleteOwnAccount(
  db: Db,
  who: PersonCaller,
  what: { handle: string; password?: string | undefined },
  messages: MessagePolicy,
): Promise<void> {
  if (!isSameHandle(what.handle, who.handle))
    throw fail(
      'validationFailed',
      `handle must be your own, ${who.handle}, so that nobody deletes an account by mistake`,
    )
  const proof = await proveAgain(db, who, what.password)
  await removePerson(db, who, {
    personId: proof.id,
    reason: 'deleted by its owner',
    messages,
    mayGo: async (tx, { id, epoch, is_disabled: isDisabled }) => {
      if (await isLookedAfter(tx, who, id))
        throw fail('forbidden', 'You cannot delete your account yet: ask a parent, they can')
      if (epoch !== proof.epoch || isDisabled)
        throw fail('impossibleNow', 'Your account was changed meanwhile; sign in again, then try once more')
      return true
    },
  })
}

/** An operator removes somebody. */
export async function removeByHandle(
  db: Db,
  who: Caller,
  what: { handle: string },
  messages: MessagePolicy,
): Promise<void> {
  const personId = await readPersonId(db, what.handle)
  await removePerson(db, who, { personId, reason: 'removed by an operator', messages })
}
