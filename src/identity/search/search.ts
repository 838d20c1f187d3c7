import type { AppUser } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { normaliseHandle } from '../people/handles.ts'
import { HAS_NO_SPACES, isNumber } from '../people/search-keys.ts'
import { readerOfFindable } from '../profiles/profiles.ts'
import { choosePeopleToRead, listCut, listTogether, rankByKeys } from './crowds.ts'
import { listSlipped, listSplits } from './guesses.ts'
import { isLiteral } from './match.ts'
import {
  AS_TYPED,
  FAR,
  HANDLE_COST,
  leaveOut,
  makeBegunProbes,
  makeLonelyProbes,
  makeNameProbes,
  makePairProbes,
  makeProbes,
  NEAR,
  type Probe,
  type Probes,
  readTerm,
  type SearchTerm,
} from './probes.ts'
import { NOBODY, type ProbeMatches, type RankedPeople, rankPeople } from './rank.ts'
import { DEFAULT_LIMIT, type FoundUsers, MAX_FOUND, MIN_TERM_LENGTH, type Search } from './schema.ts'
import { listNear } from './slips.ts'
import * as store from './store.ts'

const listEntries = readerOfFindable('search.listEntries', store.listed)

/** If fewer people than this are found, and none exactly as typed, the search is repeated with more tolerance. */
const FEW = 5

/**
 * Returns a page of the users of the caller's app with public search on whose handle or name resembles the term, best
 * match first.
 */
export async function searchUsers(db: Db, who: AppUser, what: Search): Promise<FoundUsers> {
  const term = what.term.trim()
  if ([...term].length < MIN_TERM_LENGTH)
    throw fail('validationFailed', `term must have at least ${MIN_TERM_LENGTH} characters`)
  const [page, limit] = [what.page ?? 1, what.limit ?? DEFAULT_LIMIT]
  const best = await findBest(db, who, readTerm(term))
  const people = await putHandleFirst(db, who, term, best)
  const start = (page - 1) * limit
  const shown = people.slice(start, start + limit)
  const docs = shown.length > 0 ? await listEntries(db, who, { people: shown }) : []
  return { docs, page, total: people.length }
}

/** If several handles are equal apart from diacritics, puts the person with exactly the typed handle first. */
async function putHandleFirst(db: Db, who: AppUser, term: string, { people, best, isTied }: RankedPeople) {
  if (best !== HANDLE_COST || !isTied) return people
  const found = await db.first(store.findHandle, { app: who.appId, me: who.personId, handle: normaliseHandle(term) })
  return found ? [found.person, ...people.filter((person) => person !== found.person)].slice(0, MAX_FOUND) : people
}

/**
 * The caller of a search. `isUnsure`: the table of words may contain words that belong only to people who are hidden
 * from the caller or can no longer be found. Such words must count as unknown, so that results do not reveal these
 * people.
 */
interface Searcher {
  readonly appId: number
  readonly personId: number
  readonly isUnsure: boolean
}

async function findBest(db: Db, { appId, personId }: AppUser, typed: SearchTerm): Promise<RankedPeople> {
  const { words } = typed
  if (words.length === 0) return NOBODY
  const first = { appId, personId, isUnsure: false }
  let near = await findNear(db, first, words)
  let probes = makeProbes(typed, near, NEAR)
  // A word that does not exist beside others is often a slip, and then more words are needed: look them up already.
  const hasUnknown = words.length > 1 && words.some((word) => !isLiteral(word) && !near.includes(word))
  let [ranked, begun] = await Promise.all([
    findPeople(db, first, probes),
    hasUnknown ? findBegun(db, first, words) : undefined,
  ])
  const who = { ...first, isUnsure: ranked.isUnsure }
  if (who.isUnsure) {
    const seen = await findNear(db, who, words)
    if (!isSame(seen, near)) {
      probes = makeProbes(typed, seen, NEAR)
      ranked = await findPeople(db, who, probes)
    }
    near = seen
    begun = undefined
  }
  if (ranked.people.length >= FEW || ranked.best <= AS_TYPED) return ranked
  const isInVain = ranked.people.length === 0
  const [unfinished, alike, parts] = await Promise.all([
    begun ?? findBegun(db, who, words),
    isInVain ? findAlike(db, who, words) : [],
    isInVain ? findParts(db, who, words) : [],
  ])
  const known = [...new Set([...near, ...unfinished, ...alike])]
  const far = makeProbes(typed, known, FAR)
  const more = await findPeople(db, who, isInVain ? leaveOut(far, probes) : far)
  if (more.people.length > 0) return more
  const guessed = await findPeople(db, who, await guess(db, who, typed, known, new Set(parts)))
  if (guessed.people.length > 0 || words.length === 1) return guessed
  return findPeople(db, who, makeLonelyProbes(typed, known), true)
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((word, i) => word === others[i])

/**
 * Guesses what a term that found nobody stands for: a missing space together with a slip, or a slip in an unfinished
 * word.
 */
async function guess(
  db: Db,
  who: Searcher,
  { words }: SearchTerm,
  known: readonly string[],
  parts: ReadonlySet<string>,
): Promise<Probes> {
  const [one = '', last, ...more] = words
  if (last !== undefined) {
    const isOfTwo = more.length === 0 && known.includes(one) && !isNumber(last)
    return makeBegunProbes(one, isOfTwo ? listSlipped(last) : [])
  }
  if (HAS_NO_SPACES.test(one)) return makeNameProbes([...one].slice(0, -1).join(''))
  const likely = listSplits(one).filter((split) => split.some((part) => parts.has(part)))
  const others = likely.flat().filter((part) => !parts.has(part))
  return makePairProbes(likely, [...parts, ...(await findNear(db, who, others))])
}

const wordsFor = (who: Searcher) => (who.isUnsure ? store.seenWords : store.allWords)

/** If a single word was typed, finds the words into which it could be split. */
async function findParts(db: Db, who: Searcher, [one = '', ...more]: readonly string[]): Promise<string[]> {
  if (more.length > 0 || HAS_NO_SPACES.test(one)) return []
  const asked = { me: who.personId, app: who.appId, words: [...new Set(listSplits(one).flat())] }
  return (await db.first(wordsFor(who).findWords, asked))!.words
}

/** Finds the app's words that equal a typed word or are one slip away, along with a few more distant words. */
async function findNear(db: Db, who: Searcher, typed: readonly string[]): Promise<string[]> {
  const near = typed.filter((word) => !isNumber(word)).flatMap(listNear)
  if (near.length === 0) return []
  const words = wordsFor(who)
  const asked = { me: who.personId, app: who.appId, words: [...typed] }
  const marked = { me: who.personId, marks: near.map((one) => `${who.appId}=${one}`) }
  const found = (await db.first(words.findMarked, marked))!.words
  if (found.length < store.MOST_MARKED) return found
  // The result may lack exact matches, because it was limited: look them up separately.
  return [...new Set([...found, ...(await db.first(words.findWords, asked))!.words])]
}

/** Finds words that begin with a typed word. */
const findBegun = (db: Db, who: Searcher, typed: readonly string[]): Promise<string[]> =>
  findForEach(db, who, typed, wordsFor(who).findBegun)

/** Finds words that begin with a typed word except for one slip, or are two slips away. */
const findAlike = (db: Db, who: Searcher, typed: readonly string[]): Promise<string[]> =>
  findForEach(db, who, typed, wordsFor(who).findAlike)

async function findForEach(
  db: Db,
  who: Searcher,
  typed: readonly string[],
  statement: typeof store.allWords.findBegun | typeof store.seenWords.findBegun,
): Promise<string[]> {
  const asked = typed.filter((word) => !isNumber(word)).map((word) => ({ me: who.personId, app: who.appId, word }))
  const rows = await Promise.all(asked.map((what) => db.first(statement, what)))
  return rows.flatMap((row) => row!.words)
}

/**
 * Finds and ranks the people who match the probes. With `isRareBetter`, people with a rare word rank above people with
 * a common word.
 */
async function findPeople(
  db: Db,
  who: Searcher,
  probes: Probes,
  isRareBetter = false,
): Promise<RankedPeople & { isUnsure: boolean }> {
  const { list, groups } = probes
  if (list.length === 0) return { ...NOBODY, isUnsure: false }
  const limits = { most: MAX_FOUND, enough: 2 * MAX_FOUND * groups }
  const rows = await db.all(store.findPeople, {
    app: who.appId,
    me: who.personId,
    keys: list.map((probe) => probe.last),
    ...limits,
  })
  rows.sort((one, other) => one.probe - other.probe)
  const isUnsure = rows[0]?.probe === 0
  if (isUnsure) rows.shift()
  const found = rows.map((row) => ({ probe: list[row.probe - 1]!, people: row.people }))
  const cut = groups > 1 ? listCut(list, found, limits) : []
  if (isRareBetter)
    found.sort((one, other) => one.probe.cost - other.probe.cost || one.people.length - other.people.length)
  const ranked =
    cut.length > 0 ? await rankCut(db, who, probes, found, cut) : rankPeople(found, { groups, most: MAX_FOUND })
  return { ...ranked, isUnsure }
}

const MOST_READ = 400

/** Ranks people after some probes were cut off (see crowds.ts). */
async function rankCut(db: Db, who: Searcher, probes: Probes, found: readonly ProbeMatches[], cut: readonly Probe[]) {
  const [app, me] = [who.appId, who.personId]
  const together = await Promise.all(
    listTogether(cut, probes).map((some) =>
      db.all(store.findTogether, {
        app,
        me,
        part: some.map((probe) => probe.groups),
        first: some.map((probe) => probe.first),
        last: some.map((probe) => probe.last),
        most: MAX_FOUND,
      }),
    ),
  )
  const people = new Set(together.flat().map((row) => row.person))
  const limits = { most: MAX_FOUND, mostRead: MOST_READ }
  for (const person of choosePeopleToRead(found, cut, { ...probes, ...limits })) people.add(person)
  if (people.size === 0) return rankPeople(found, { groups: probes.groups, most: MAX_FOUND })
  const known = await db.all(store.listKeys, { app, people: [...people] })
  return rankByKeys(found, known, { ...probes, most: MAX_FOUND })
}

const AT_ONCE = 500

/**
 * Deletes the words of people who can no longer be found, unless somebody else has the same word. Returns the number of
 * words checked.
 */
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
