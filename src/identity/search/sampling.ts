import type { AppUser } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { findableEntries, readFindable } from '../profiles/profiles.ts'
import type { UserEntry } from '../profiles/schema.ts'
import { DEFAULT_LIMIT, MAX_RANDOM, MAX_RANDOM_ANONYMOUS, type Sample } from './schema.ts'
import * as store from './store.ts'

const sampleEntries = findableEntries('search.sampleEntries', store.sampled)

/**
 * `spare` numbers are drawn in addition to the count, to make up for duplicates and for people who can no longer be
 * found. Apps with at most `few` people are tried completely instead. A second round is needed only if most people have
 * just left or are hidden from the caller by blocks.
 */
const ROUNDS = [
  { spare: 5, few: 100 },
  { spare: 50, few: 100 },
  { spare: 2000, few: 5000 },
]

/**
 * The sample size for this caller. The requested count is validated alike for everybody, before anonymous users are
 * capped.
 */
export function sampleSize({ isAnonymous }: Pick<AppUser, 'isAnonymous'>, { count = DEFAULT_LIMIT }: Sample): number {
  if (count < 1 || count > MAX_RANDOM) throw fail('wrongType', `count must be 1 to ${MAX_RANDOM}`)
  return isAnonymous ? Math.min(count, MAX_RANDOM_ANONYMOUS) : count
}

/** Draws users of the caller's app with public search on; every set of them is equally likely. */
export async function sampleUsers(db: Db, who: AppUser, count: number): Promise<UserEntry[]> {
  const drawn = new Map<string, UserEntry>()
  for (const { spare, few } of ROUNDS) {
    const entries = await readFindable(db, who, sampleEntries, { me: who.personId, tries: count + spare, few, count })
    for (const entry of entries) if (drawn.size < count) drawn.set(entry.userId, entry)
    if (drawn.size === count) break
  }
  return [...drawn.values()]
}

/** Slots changed per transaction, which locks the people concerned against other changes. */
const SLOTS_AT_ONCE = 1000

/** Brings the slots for sampling in line with the people who can be found; returns the number of changes. */
export async function settleSlots(db: Db, stopping: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    const row = await db.first(store.settleSlots, { most: SLOTS_AT_ONCE, mayMove: true })
    count += row!.settled
    if (row!.settled < SLOTS_AT_ONCE || stopping.aborted) return count
  }
}

const NEWCOMERS_AT_ONCE = 20_000

/**
 * Assigns slots to people added in this transaction, before they become visible: an import may add more people than are
 * sampled without a slot.
 */
export async function slotNewcomers(tx: Tx): Promise<void> {
  for (let slotted = NEWCOMERS_AT_ONCE; slotted >= NEWCOMERS_AT_ONCE; )
    slotted = (await tx.first(store.settleSlots, { most: NEWCOMERS_AT_ONCE, mayMove: false }))!.settled
}
