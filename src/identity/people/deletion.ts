import type { Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { forgetting } from '../../kernel/forget.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { isSameHandle } from './handles.ts'
import { readPersonId } from './people.ts'
import { proveAgain } from './proof.ts'
import { type Removal, removePerson } from './removal.ts'

/** How to notify the person, and how each module deletes their data. */
export type LeavingPolicy = Required<Pick<Removal, 'messages' | 'forget'>>

export const leavingPolicy = service(
  ({ get }): LeavingPolicy => ({ messages: get(messagePolicy), forget: get(forgetting) }),
)

/**
 * Deletes the caller's own account. For a child with a parent, only the parent may do this. If two requests run
 * concurrently, both succeed.
 */
export async function deleteOwnAccount(
  db: Db,
  who: PersonCaller,
  what: { handle: string; password?: string | undefined },
  { messages, forget }: LeavingPolicy,
): Promise<void> {
  if (!isSameHandle(what.handle, who.handle))
    throw fail(
      'validationFailed',
      `handle must be your own handle, ${who.handle}, so that nobody deletes an account by mistake`,
    )
  const proof = await proveAgain(db, who, what.password)
  await removePerson(db, who, {
    personId: proof.id,
    reason: 'deleted by its owner',
    messages,
    forget,
    mayGo: async (tx, { id, epoch, is_disabled: isDisabled }) => {
      for (const room of forget) await room.checkLeaving?.(tx, who, id)
      if (epoch !== proof.epoch || isDisabled)
        throw fail('impossibleNow', 'Your account was changed in the meantime; sign in and try again')
      return true
    },
  })
}

/** Removes an account on behalf of an operator. */
export async function removeByHandle(
  db: Db,
  who: Caller,
  what: { handle: string },
  { messages, forget }: LeavingPolicy,
): Promise<void> {
  const personId = await readPersonId(db, what.handle)
  await removePerson(db, who, { personId, reason: 'removed by an operator', messages, forget })
}
