import type { Caller } from './caller.ts'
import type { Tx } from './database/database.ts'
import { provided } from './environment.ts'

/** A person's id in one app. */
interface UserOfApp {
  readonly appId: number
  readonly userId: string
}

/** A room's part in deleting a person. Rows with a foreign key to the person need none: they are deleted along. */
export interface Forget {
  /** Throws if the person may not delete their own account. */
  checkLeaving?(tx: Tx, who: Caller, personId: number): Promise<void>
  /** Called when the person can no longer sign in, temporarily or for good. It is idempotent. */
  lockOut?(tx: Tx, who: Caller, personId: number): Promise<void>
  /** Deletes data stored under the person's number without a foreign key. */
  forgetPerson?(tx: Tx, who: Caller, personId: number): Promise<void>
  /** Deletes a batch of the data stored under their id in an app. Returns whether nothing is left. */
  forgetUser?(tx: Tx, who: Caller, user: UserOfApp): Promise<boolean>
}

/** Every room's part in deleting a person. */
export const forgetting = provided<readonly Forget[]>('forgetting')
