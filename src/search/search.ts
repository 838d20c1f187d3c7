import type { AppUser } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import { readEntries } from '../profiles/profiles.ts'
import type { Entry } from '../profiles/schema.ts'
import { isNumber, SEARCH_VERSION, searchKeys, splitWords } from './keys.ts'
import { makeLonelyProbes, makeProbes, type Probes } from './probes.ts'
import { type Draw, type Found, MAX_FOUND, MAX_RANDOM, MIN_TERM_LENGTH, type Search } from './schema.ts'
import * as store from './store.ts'

const MAX_WORDS = 4

/** Users of the caller's app with public search on whose handle or name is like the term, best match first; a page of them. */
export async function searchUsers(db: Db, who: AppUser, what: Search): Promise<Found> {
  const term = what.term.trim()
  if ([...term].length < MIN_TERM_LENGTH)
    throw fail('validationFailed', `term must have at least ${MIN_TERM_LENGTH} characters`)
  const [page, limit] = [what.page ?? 1, what.limit ?? 10]
  const words = splitWords(term).slice(0, MAX_WORDS)
  if (words.length === 0) return { docs: [], page, total: 0 }
  const known = await Promise.all(words.map((word) => findWords(db, who, word)))
  const look = (probes: Probes) => findPeople(db, who, { probes, limit, offset: (page - 1) * limit })
  let found = await look(makeProbes(words, known))
  if (found.total === 0 && words.length > 1) found = await look(makeLonelyProbes(words, known))
  return { docs: await readEntries(db, who, found.people), page, total: found.total }
}

async function findWords(db: Db, who: AppUser, word: string): Promise<string[]> {
  if (isNumber(word)) return []
  return (await db.all(store.findWords, { app: who.appId, word })).map((row) => row.word)
}

async function findPeople(db: Db, who: AppUser, what: { probes: Probes; limit: number; offset: number }) {
  const { list, groups } = what.probes
  const found = await db.first(store.findPeople, {
    app: who.appId,
    first: list.map((probe) => probe.first),
    last: list.map((probe) => probe.last),
    costs: list.map((probe) => probe.cost),
    groups: list.map((probe) => probe.group),
    groupCount: groups,
    me: who.personId,
    most: MAX_FOUND,
    enough: 2 * MAX_FOUND * groups,
    limit: what.limit,
    offset: what.offset,
  })
  return found!
}

const ROUNDS = 8
/** About one try in three gives somebody, and some give somebody who was drawn already. */
const triesFor = (people: number): number => Math.ceil(3.2 * people) + 8

/** Users of the caller's app with public search on, drawn at random: each set of them is as likely as any other. */
export async function drawUsers(db: Db, who: AppUser, what: Draw): Promise<Entry[]> {
  const count = what.count ?? 10
  if (count < 1 || count > MAX_RANDOM) throw fail('wrongType', `count must be 1 to ${MAX_RANDOM}`)
  const drawn = new Set<number>()
  for (let round = 0; round < ROUNDS && drawn.size < count; round++) {
    const tries = triesFor(count - drawn.size)
    const rows = await db.all(store.drawPeople, { app: who.appId, tries, me: who.personId })
    for (const { person_id: id } of rows) if (drawn.size < count) drawn.add(id)
    if (rows.some((row) => row.is_everybody)) break
  }
  return readEntries(db, who, [...drawn])
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
