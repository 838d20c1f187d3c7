import type { AppUser } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { fail } from '../errors.ts'
import { findableEntries, readFindable } from '../profiles/profiles.ts'
import { listSlipped, listSplits } from './guesses.ts'
import { HAS_NO_SPACES, isNumber, SEARCH_VERSION, searchKeys } from './keys.ts'
import {
  AS_TYPED,
  FAR,
  makeBegunProbes,
  makeLonelyProbes,
  makeNameProbes,
  makePairProbes,
  makeProbes,
  NEAR,
  type Probes,
  readTerm,
  type Typed,
} from './probes.ts'
import { NOBODY, type RankedPeople, rankPeople } from './rank.ts'
import { DEFAULT_LIMIT, type Found, MAX_FOUND, MIN_TERM_LENGTH, type Search } from './schema.ts'
import { listNear } from './slips.ts'
import * as store from './store.ts'

const listEntries = findableEntries('search.listEntries', store.listed)

/** Where fewer are found, and none as typed, it is forgiven more. */
const FEW = 5

/** Users of the caller's app with public search on whose handle or name is like the term, best match first; a page of them. */
export async function searchUsers(db: Db, who: AppUser, what: Search): Promise<Found> {
  const term = what.term.trim()
  if ([...term].length < MIN_TERM_LENGTH)
    throw fail('validationFailed', `term must have at least ${MIN_TERM_LENGTH} characters`)
  const [page, limit] = [what.page ?? 1, what.limit ?? DEFAULT_LIMIT]
  const { people } = await findBest(db, who, readTerm(term))
  const start = (page - 1) * limit
  const shown = people.slice(start, start + limit)
  const docs = shown.length > 0 ? await readFindable(db, who, listEntries, { people: shown }) : []
  return { docs, page, total: people.length }
}

async function findBest(db: Db, who: AppUser, typed: Typed): Promise<RankedPeople> {
  const { words } = typed
  if (words.length === 0) return NOBODY
  const near = await findNear(db, who, words)
  const ranked = await findPeople(db, who, makeProbes(typed, near, NEAR))
  if (ranked.people.length >= FEW || ranked.best <= AS_TYPED) return ranked
  const known = await findMore(db, who, words, near, ranked.people.length === 0)
  const more = await findPeople(db, who, makeProbes(typed, known, FAR))
  if (more.people.length > 0) return more
  const guessed = await findPeople(db, who, await guess(db, who, typed, known))
  if (guessed.people.length > 0 || words.length === 1) return guessed
  return findPeople(db, who, makeLonelyProbes(typed, known), true)
}

/** What may have been meant: a space is missing and there is a slip, or there is one in a word that is unfinished. */
async function guess(db: Db, who: AppUser, { words }: Typed, known: readonly string[]): Promise<Probes> {
  const [one = '', last, ...more] = words
  if (last !== undefined) {
    const isOfTwo = more.length === 0 && known.includes(one) && !isNumber(last)
    return makeBegunProbes(one, isOfTwo ? listSlipped(last) : [])
  }
  if (HAS_NO_SPACES.test(one)) return makeNameProbes([...one].slice(0, -1).join(''))
  const splits = listSplits(one)
  const asked = { app: who.appId, words: [...new Set(splits.flat())] }
  const parts = new Set((await db.all(store.findWords, asked)).map((row) => row.word))
  const likely = splits.filter((split) => split.some((part) => parts.has(part)))
  const others = likely.flat().filter((part) => !parts.has(part))
  return makePairProbes(likely, [...parts, ...(await findNear(db, who, others))])
}

/** Those of the typed words that the app has, those that it has one slip away from them, and few others. */
async function findNear(db: Db, who: AppUser, typed: readonly string[]): Promise<string[]> {
  const near = typed.filter((word) => !isNumber(word)).flatMap(listNear)
  if (near.length === 0) return []
  const marks = near.map((one) => `${who.appId}=${one}`)
  const rows = await db.all(store.findMarked, { marks })
  // Where there are too many, what was typed must not be among those that are left out.
  if (rows.length === store.MOST_MARKED)
    rows.push(...(await db.all(store.findWords, { app: who.appId, words: [...typed] })))
  return [...new Set(rows.map((row) => row.word))]
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

/** `isRareBetter`: who has a word that few have is found before those who have one that many have. */
async function findPeople(db: Db, who: AppUser, { list, groups }: Probes, isRareBetter = false): Promise<RankedPeople> {
  if (list.length === 0) return NOBODY
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
  if (isRareBetter)
    found.sort((one, other) => one.probe.cost - other.probe.cost || one.people.length - other.people.length)
  return rankPeople(found, { groups, most: MAX_FOUND })
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
