import type { AppUser } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import { findableEntries, readFindable } from '../profiles/profiles.ts'
import type { Entry } from '../profiles/schema.ts'
import { isNumber, SEARCH_VERSION, searchKeys, splitWords } from './keys.ts'
import {
  AS_TYPED,
  FAR,
  makeLonelyProbes,
  makeProbes,
  NEAR,
  type Probes,
  type RankedPeople,
  rankPeople,
} from './probes.ts'
import { DEFAULT_LIMIT, type Draw, type Found, MAX_FOUND, MAX_RANDOM, MIN_TERM_LENGTH, type Search } from './schema.ts'
import { listNear } from './slips.ts'
import * as store from './store.ts'

const listEntries = findableEntries('search.listEntries', store.listed)
const drawEntries = findableEntries('search.drawEntries', store.drawn)

const MAX_WORDS = 4
/** Where fewer are found, and none as typed, it is forgiven more. */
const FEW = 5

/** Users of the caller's app with public search on whose handle or name is like the term, best match first; a page of them. */
export async function searchUsers(db: Db, who: AppUser, what: Search): Promise<Found> {
  const term = what.term.trim()
  if ([...term].length < MIN_TERM_LENGTH)
    throw fail('validationFailed', `term must have at least ${MIN_TERM_LENGTH} characters`)
  const [page, limit] = [what.page ?? 1, what.limit ?? DEFAULT_LIMIT]
  const words = splitWords(term).slice(0, MAX_WORDS)
  if (words.length === 0) return { docs: [], page, total: 0 }
  let known = await findNear(db, who, words)
  let ranked = await findPeople(db, who, makeProbes(words, known, NEAR))
  if (ranked.people.length < FEW && ranked.best > AS_TYPED) {
    known = await findMore(db, who, words, known, ranked.people.length === 0)
    ranked = await findPeople(db, who, makeProbes(words, known, FAR))
  }
  if (ranked.people.length === 0 && words.length > 1) ranked = await findPeople(db, who, makeLonelyProbes(words, known))
  const start = (page - 1) * limit
  const shown = ranked.people.slice(start, start + limit)
  const docs = shown.length > 0 ? await readFindable(db, who, listEntries, { people: shown }) : []
  return { docs, page, total: ranked.people.length }
}

/** Those of the typed words that the app has, those that it has one slip away from them, and few others. */
async function findNear(db: Db, who: AppUser, typed: readonly string[]): Promise<string[]> {
  const near = typed.filter((word) => !isNumber(word)).flatMap(listNear)
  if (near.length === 0) return []
  const marks = near.map((one) => `${who.appId}=${one}`)
  return (await db.all(store.findMarked, { marks })).map((row) => row.word)
}

/** And those that they are the beginning of; where nobody was found, also with more slips. */
async function findMore(db: Db, who: AppUser, typed: readonly string[], near: readonly string[], isInVain: boolean) {
  const asked = typed.filter((word) => !isNumber(word)).map((word) => ({ app: who.appId, word }))
  const answers = await Promise.all([
    ...asked.map((what) => db.all(store.findBegun, what)),
    ...(isInVain ? asked.map((what) => db.all(store.findAlike, what)) : []),
  ])
  return [...new Set([...near, ...answers.flat().map((row) => row.word)])]
}

async function findPeople(db: Db, who: AppUser, { list, groups }: Probes): Promise<RankedPeople> {
  const rows = await db.all(store.findPeople, {
    app: who.appId,
    me: who.personId,
    first: list.map((probe) => probe.first),
    last: list.map((probe) => probe.last),
    most: MAX_FOUND,
    enough: 2 * MAX_FOUND * groups,
  })
  rows.sort((one, other) => one.probe - other.probe)
  const found = rows.map((row) => ({ probe: list[row.probe - 1]!, people: row.people }))
  return rankPeople(found, { groups, most: MAX_FOUND })
}

/**
 * How many numbers more than people are drawn, for those that come twice and those of people who may no longer be found; and how few people are all tried instead. Hardly ever is
 * more than one round needed: only where the caller has blocked most of them, or most have just gone.
 */
const ROUNDS = [
  { spare: 5, few: 100 },
  { spare: 50, few: 100 },
  { spare: 2000, few: 5000 },
]

export function countDrawn({ count = DEFAULT_LIMIT }: Draw): number {
  if (count < 1 || count > MAX_RANDOM) throw fail('wrongType', `count must be 1 to ${MAX_RANDOM}`)
  return count
}

/** Users of the caller's app with public search on, drawn at random: each set of them is as likely as any other. */
export async function drawUsers(db: Db, who: AppUser, count: number): Promise<Entry[]> {
  const drawn = new Map<string, Entry>()
  for (const { spare, few } of ROUNDS) {
    const entries = await readFindable(db, who, drawEntries, { me: who.personId, tries: count + spare, few, count })
    for (const entry of entries) if (drawn.size < count) drawn.set(entry.userId, entry)
    if (drawn.size === count) break
  }
  return [...drawn.values()]
}

const AT_ONCE = 500

/** Makes the keys of everybody anew whose keys were made by older rules; returns how many. */
export async function renewSearchKeys(db: Db, stopping: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    const people = await db.all(store.listOutdated, { version: SEARCH_VERSION, limit: AT_ONCE })
    for (const { id, handle, first_name: first, last_name: last } of people) {
      if (stopping.aborted) return count
      const keys = searchKeys({ handle, firstName: first, lastName: last })
      if (await db.first(store.renewKeys, { id, handle, first, last, keys, version: SEARCH_VERSION })) count++
    }
    if (people.length < AT_ONCE) return count
  }
}

/** Forgets the words of those who can no longer be found, unless somebody else has them; returns how many were looked at. */
export async function forgetWords(db: Db, stopping: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    const left = (await db.all(store.listWordsLeft, { limit: AT_ONCE })).map((row) => row.id)
    if (left.length === 0 || stopping.aborted) return count
    await db.transaction(async (tx) => {
      await tx.all(store.lockWordsLeft, { left })
      await tx.all(store.forgetWordsLeft, { left })
    })
    count += left.length
  }
}

/** Who gets a place, or is moved, waits for it if they want to be changed at that moment. */
const PLACES_AT_ONCE = 1000

/** Brings the places of draws in line with who may be found; returns how many changes that were. */
export async function settleDraws(db: Db, stopping: AbortSignal): Promise<number> {
  for (let count = 0; ; ) {
    const row = await db.first(store.settleDraws, { most: PLACES_AT_ONCE, mayMove: true })
    count += row!.settled
    if (row!.settled < PLACES_AT_ONCE || stopping.aborted) return count
  }
}

const NEWCOMERS_AT_ONCE = 20_000

/** Gives places to those who come in a transaction, before anybody sees them: more come at once than are drawn without a place. */
export async function placeNewcomers(tx: Db): Promise<void> {
  for (let placed = NEWCOMERS_AT_ONCE; placed >= NEWCOMERS_AT_ONCE; )
    placed = (await tx.first(store.settleDraws, { most: NEWCOMERS_AT_ONCE, mayMove: false }))!.settled
}
