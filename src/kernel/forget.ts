import type { Caller } from './caller.ts'
import type { Db } from './database/database.ts'
import { provided } from './environment.ts'

/** A person as one app knows them. */
interface UserOfApp {
  readonly appId: number
  readonly userId: string
}

/** What a room does when a person goes. Rooms whose rows refer to the person need none of it: those rows go along. */
export interface Forget {
  /** Refuses somebody who may not delete their own account. */
  checkLeaving?(tx: Db, who: Caller, personId: number): Promise<void>
  /** The person can no longer sign in, for now or for good. A repetition changes nothing. */
  lockOut?(tx: Db, who: Caller, personId: number): Promise<void>
  /** Lets go of what is kept under the person's number without referring to the row. */
  forgetPerson?(tx: Db, who: Caller, personId: number): Promise<void>
  /** Lets go of a part of what is kept under their id in an app, and says whether nothing is left. */
  forgetUser?(tx: Db, who: Caller, user: UserOfApp): Promise<boolean>
}

/** What every room does when a person goes. */
export const forgetting = provided<readonly Forget[]>('forgetting')
