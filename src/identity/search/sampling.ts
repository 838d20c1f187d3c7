import type { AppUser } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { findableEntries, readFindable } from '../profiles/profiles.ts'
import type { Entry } from '../profiles/schema.ts'
import { DEFAULT_LIMIT, MAX_RANDOM, MAX_RANDOM_ANONYMOUS, type Sample } from './schema.ts'
import * as store from './store.ts'

const sampleEntries = findableEntries('search.sampleEntries', store.sampled)

/**
 * How many numbers more than people are drawn, for those that come twice and those of people who may no longer be found; and how few people are all tried instead. Hardly ever is
 * more than one round needed: only where the caller has blocked most of them, or most have just gone.
 */
const ROUNDS = [
  { spare: 5, few: 100 },
  { spare: 50, few: 100 },
  { spare: 2000, few: 5000 },
]

/** How many are drawn for the caller: what they ask for is judged in the same way for everybody. */
export function sampleSize({ isAnonymous }: Pick<AppUser, 'isAnonymous'>, { count = DEFAULT_LIMIT }: Sample): number {
  if (count < 1 || count > MAX_RANDOM) throw fail('wrongType', `count must be 1 to ${MAX_RANDOM}`)
  return isAnonymous ? Math.min(count, MAX_RANDOM_ANONYMOUS) : count
}

/** Users of the caller's app with public search on, drawn at random: each set of them is as likely as any other. */
export async function sampleUsers(db: Db, who: AppUser, count: number): Promise<Entry[]> {
  const drawn = new Map<string, Entry>()
  for (const { spare, few } of ROUNDS) {
    const entries = await readFindable(db, who, sampleEntries, { me: who.personId, tries: count + spare, few, count })
    for (const entry of entries) if (drawn.size < count) drawn.set(entry.userId, entry)
    if (drawn.size === count) break
  }
  return [...drawn.values()]
}

/** Who gets a slot, or is moved, waits for it if they want to be changed at that moment. */
const SLOTS_AT_ONCE = 1000

/** Brings the slots for sampling in line with who may be found; returns how many changes that were. */
export async function settleSlots(db: Db, stopping: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    const row = await db.first(store.settleSlots, { most: SLOTS_AT_ONCE, mayMove: true })
    count += row!.settled
    if (row!.settled < SLOTS_AT_ONCE || stopping.aborted) return count
  }
}

const NEWCOMERS_AT_ONCE = 20_000

/** Gives slots to those who come in a transaction, before anybody sees them: more come at once than are drawn without a slot. */
export async function slotNewcomers(tx: Db): Promise<void> {
  for (let slotted = NEWCOMERS_AT_ONCE; slotted >= NEWCOMERS_AT_ONCE; )
    slotted = (await tx.first(store.settleSlots, { most: NEWCOMERS_AT_ONCE, mayMove: false }))!.settled
}
