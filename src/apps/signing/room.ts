import { upkeepAt } from '../../kernel/caller.ts'
import type { Environment } from '../../kernel/environment.ts'
import { growing } from '../../kernel/jobs/jobs.ts'
import type { Room } from '../../kernel/room.ts'
import { secretSeal } from '../apps/secrets.ts'
import { countUnreadableKeys, rotateKeys } from './keys.ts'
import { signingOperations } from './routes.ts'
import { STORED_DAYS } from './rules.ts'
import { deleteOldKeys } from './store.ts'

const HOUR_MS = 3_600_000

export const signing: Room = {
  name: 'signing',
  operations: signingOperations,
  jobs: [
    {
      name: 'signing.rotate',
      atOnce: 1,
      leaseMs: 5 * 60_000,
      everyMs: 6 * HOUR_MS,
      waits: growing(60_000, HOUR_MS),
      run: async (_job, { db, clock, get }) => {
        await rotateKeys(db, upkeepAt(clock()), get(secretSeal))
        return undefined
      },
    },
  ],
  retention: () => [{ days: STORED_DAYS, remove: deleteOldKeys }],
  start: warnAboutKeys,
}

/** Without its private keys, an environment can sign nobody in with OpenID Connect. */
async function warnAboutKeys({ db, log, get }: Environment): Promise<void> {
  const count = await countUnreadableKeys(db, get(secretSeal))
  if (count > 0)
    log.error({ count }, 'keys of ID tokens cannot be decrypted: set SEAL_KEYS to the keys that encrypted them')
}
