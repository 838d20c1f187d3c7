import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Tx } from '../../kernel/database/database.ts'
import { forgetFailuresOfAccount } from '../../kernel/lockouts/lockouts.ts'
import { endSessionsOfPerson } from '../../kernel/sessions/sessions.ts'
import type { AlongWithPassword, VerifiedPerson } from './people.ts'
import { forgetSignUps } from './sign-up-store.ts'
import * as store from './store.ts'

/**
 * Gives an account to the person who owns its address, in case somebody else has set it up: its password and its links
 * stop working, and all browsers and sessions end. `also` removes other ways in. The caller must have locked the
 * account.
 */
export async function takeOverAccount(
  tx: Tx,
  who: Caller,
  what: { personId: number; email: string; also: AlongWithPassword },
): Promise<VerifiedPerson & { handle: string }> {
  const { personId, email } = what
  const person = (await tx.first(store.dropCredentials, { id: personId }))!
  await tx.all(store.endResets, { person: personId, now: who.at })
  await tx.all(forgetSignUps, { email })
  await recordAudit(tx, who, { action: 'password.removed', personId })
  await endSessionsOfPerson(tx, who, { personId, reason: 'connected to a provider' })
  await forgetFailuresOfAccount(tx, person.handle_key)
  await what.also(tx, { personId, handle: person.handle })
  return { id: personId, epoch: person.epoch, handle: person.handle }
}
