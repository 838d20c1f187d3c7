import type { Caller } from './caller.ts'
import type { Tx } from './database/database.ts'
import { provided } from './environment.ts'

/** A person's id in one app. */
interface UserOfApp {
  readonly appId: number
  readonly userId: string
}

/**
 * A module's part in deleting a person. Rows with a foreign key to the person need no code here: the database deletes
 * them together with the person.
 */
export interface Forget {
  /** Throws if the person may not delete their own account. */
  checkLeaving?(tx: Tx, who: Caller, personId: number): Promise<void>
  /** Called when the person can no longer sign in, temporarily or permanently. It must be idempotent. */
  lockOut?(tx: Tx, who: Caller, personId: number): Promise<void>
  /** Deletes data that is stored under the person's internal id without a foreign key. */
  forgetPerson?(tx: Tx, who: Caller, personId: number): Promise<void>
  /** Deletes a batch of the data stored under the user's id in one app. Returns true if nothing is left. */
  forgetUser?(tx: Tx, who: Caller, user: UserOfApp): Promise<boolean>
}

/** Every module's part in deleting a person. */
export const forgetting = provided<readonly Forget[]>('forgetting')
