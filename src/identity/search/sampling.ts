import type { AppUser } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readerOfFindable } from '../profiles/profiles.ts'
import type { UserEntry } from '../profiles/schema.ts'
import { DEFAULT_LIMIT, MAX_RANDOM, MAX_RANDOM_ANONYMOUS, type Sample } from './schema.ts'
import * as store from './store.ts'

const sampleEntries = readerOfFindable('search.sampleEntries', store.sampled)

/**
 * The rounds of drawing random slot numbers. A round draws `spare` more than were requested, to make up for duplicates
 * and for people who can no longer be found. In apps with at most `few` people, it tries everybody instead. The second
 * and third round are needed only if most people have just left or are hidden from the caller by blocks.
 */
const ROUNDS = [
  { spare: 5, few: 100 },
  { spare: 50, few: 100 },
  { spare: 2000, few: 5000 },
]

/**
 * Returns the sample size for this caller. Throws if the requested count is out of range; the range is the same for
 * anonymous users, whose count is reduced afterwards.
 */
export function sampleSize({ isAnonymous }: Pick<AppUser, 'isAnonymous'>, { count = DEFAULT_LIMIT }: Sample): number {
  if (count < 1 || count > MAX_RANDOM) throw fail('wrongType', `count must be 1 to ${MAX_RANDOM}`)
  return isAnonymous ? Math.min(count, MAX_RANDOM_ANONYMOUS) : count
}

/**
 * Draws a random sample of the users of the caller's app with public search on; every set of users is equally likely.
 */
export async function sampleUsers(db: Db, who: AppUser, count: number): Promise<UserEntry[]> {
  const drawn = new Map<string, UserEntry>()
  for (const { spare, few } of ROUNDS) {
    const entries = await sampleEntries(db, who, { me: who.personId, tries: count + spare, few, count })
    for (const entry of entries) if (drawn.size < count) drawn.set(entry.userId, entry)
    if (drawn.size === count) break
  }
  return [...drawn.values()]
}

/** Maximum number of slots changed per transaction, which locks the people concerned. */
const SLOTS_AT_ONCE = 1000

/** Assigns slots to people who can be found and have none, and fills vacated slots. Returns the number of changes. */
export async function settleSlots(db: Db, stopping: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    const row = await db.first(store.settleSlots, { most: SLOTS_AT_ONCE, mayMove: true })
    count += row!.settled
    if (row!.settled < SLOTS_AT_ONCE || stopping.aborted) return count
  }
}

const NEWCOMERS_AT_ONCE = 20_000

/**
 * Assigns slots to people added in this transaction, before it is committed, because an import may add more people than
 * can be sampled without a slot.
 */
export async function slotNewcomers(tx: Tx): Promise<void> {
  for (let slotted = NEWCOMERS_AT_ONCE; slotted >= NEWCOMERS_AT_ONCE; )
    slotted = (await tx.first(store.settleSlots, { most: NEWCOMERS_AT_ONCE, mayMove: false }))!.settled
}
