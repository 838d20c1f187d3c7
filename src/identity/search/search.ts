import type { AppUser } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { normaliseHandle } from '../people/handles.ts'
import { HAS_NO_SPACES, isNumber } from '../people/search-keys.ts'
import { findableEntries, readFindable } from '../profiles/profiles.ts'
import { chooseJudged, listCut, listTogether, rankJudged } from './crowds.ts'
import { listSlipped, listSplits } from './guesses.ts'
import {
  AS_TYPED,
  FAR,
  HANDLE_COST,
  makeBegunProbes,
  makeLonelyProbes,
  makeNameProbes,
  makePairProbes,
  makeProbes,
  NEAR,
  type Probe,
  type Probes,
  readTerm,
  type Typed,
} from './probes.ts'
import { type Found as Matches, NOBODY, type RankedPeople, rankPeople } from './rank.ts'
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
  const best = await findBest(db, who, readTerm(term))
  const people = await putHandleFirst(db, who, term, best)
  const start = (page - 1) * limit
  const shown = people.slice(start, start + limit)
  const docs = shown.length > 0 ? await readFindable(db, who, listEntries, { people: shown }) : []
  return { docs, page, total: people.length }
}

/** Where several have the handle that was typed but for its marks: who has just that, before all others. */
async function putHandleFirst(db: Db, who: AppUser, term: string, { people, best, isTied }: RankedPeople) {
  if (best !== HANDLE_COST || !isTied) return people
  const found = await db.first(store.findHandle, { app: who.appId, me: who.personId, handle: normaliseHandle(term) })
  return found ? [found.person, ...people.filter((person) => person !== found.person)].slice(0, MAX_FOUND) : people
}

/** Who asks, and whether there may be words of nobody whom they may see: such a word counts as none, as it does once it is forgotten. */
interface Asker {
  readonly appId: number
  readonly personId: number
  readonly isUnsure: boolean
}

async function findBest(db: Db, { appId, personId }: AppUser, typed: Typed): Promise<RankedPeople> {
  const { words } = typed
  if (words.length === 0) return NOBODY
  const first = { appId, personId, isUnsure: false }
  let near = await findNear(db, first, words)
  let ranked = await findPeople(db, first, makeProbes(typed, near, NEAR))
  const who = { ...first, isUnsure: ranked.isUnsure }
  if (who.isUnsure) {
    const seen = await findNear(db, who, words)
    if (!isSame(seen, near)) ranked = await findPeople(db, who, makeProbes(typed, seen, NEAR))
    near = seen
  }
  if (ranked.people.length >= FEW || ranked.best <= AS_TYPED) return ranked
  const known = await findMore(db, who, words, near, ranked.people.length === 0)
  const more = await findPeople(db, who, makeProbes(typed, known, FAR))
  if (more.people.length > 0) return more
  const guessed = await findPeople(db, who, await guess(db, who, typed, known))
  if (guessed.people.length > 0 || words.length === 1) return guessed
  return findPeople(db, who, makeLonelyProbes(typed, known), true)
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((word, i) => word === others[i])

/** What may have been meant: a space is missing and there is a slip, or there is one in a word that is unfinished. */
async function guess(db: Db, who: Asker, { words }: Typed, known: readonly string[]): Promise<Probes> {
  const [one = '', last, ...more] = words
  if (last !== undefined) {
    const isOfTwo = more.length === 0 && known.includes(one) && !isNumber(last)
    return makeBegunProbes(one, isOfTwo ? listSlipped(last) : [])
  }
  if (HAS_NO_SPACES.test(one)) return makeNameProbes([...one].slice(0, -1).join(''))
  const splits = listSplits(one)
  const { findWords } = who.isUnsure ? store.seenWords : store.allWords
  const asked = { me: who.personId, app: who.appId, words: [...new Set(splits.flat())] }
  const parts = new Set((await db.all(findWords, asked)).map((row) => row.word))
  const likely = splits.filter((split) => split.some((part) => parts.has(part)))
  const others = likely.flat().filter((part) => !parts.has(part))
  return makePairProbes(likely, [...parts, ...(await findNear(db, who, others))])
}

/** Those of the typed words that the app has, those that it has one slip away from them, and few others. */
async function findNear(db: Db, who: Asker, typed: readonly string[]): Promise<string[]> {
  const near = typed.filter((word) => !isNumber(word)).flatMap(listNear)
  if (near.length === 0) return []
  const words = who.isUnsure ? store.seenWords : store.allWords
  const asked = { me: who.personId, app: who.appId, words: [...typed] }
  const marked = { me: who.personId, marks: near.map((one) => `${who.appId}=${one}`) }
  const rows = await db.all(words.findMarked, marked)
  // Where there are too many, what was typed must not be among those that are left out.
  if (rows.length === store.MOST_MARKED) rows.push(...(await db.all(words.findWords, asked)))
  return [...new Set(rows.map((row) => row.word))]
}

/** And those that they are the beginning of; where nobody was found, also with more slips. */
async function findMore(db: Db, who: Asker, typed: readonly string[], near: readonly string[], isInVain: boolean) {
  const words = who.isUnsure ? store.seenWords : store.allWords
  const asked = typed.filter((word) => !isNumber(word)).map((word) => ({ me: who.personId, app: who.appId, word }))
  const answers = await Promise.all([
    ...asked.map((what) => db.all(words.findBegun, what)),
    ...(isInVain ? asked.map((what) => db.all(words.findAlike, what)) : []),
  ])
  return [...new Set([...near, ...answers.flat().map((row) => row.word)])]
}

/** `isRareBetter`: who has a word that few have is found before those who have one that many have. */
async function findPeople(
  db: Db,
  who: Asker,
  probes: Probes,
  isRareBetter = false,
): Promise<RankedPeople & { isUnsure: boolean }> {
  const { list, groups } = probes
  if (list.length === 0) return { ...NOBODY, isUnsure: false }
  const limits = { most: MAX_FOUND, enough: 2 * MAX_FOUND * groups }
  const rows = await db.all(store.findPeople, {
    app: who.appId,
    me: who.personId,
    first: list.map((probe) => probe.first),
    last: list.map((probe) => probe.last),
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
    cut.length > 0 ? await judge(db, who, probes, found, cut) : rankPeople(found, { groups, most: MAX_FOUND })
  return { ...ranked, isUnsure }
}

const MOST_JUDGED = 400

/** Where more people have a key than were read of it. */
async function judge(db: Db, who: Asker, probes: Probes, found: readonly Matches[], cut: readonly Probe[]) {
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
  const limits = { most: MAX_FOUND, mostJudged: MOST_JUDGED }
  for (const person of chooseJudged(found, cut, { ...probes, ...limits })) people.add(person)
  if (people.size === 0) return rankPeople(found, { groups: probes.groups, most: MAX_FOUND })
  const judged = await db.all(store.listKeys, { app, people: [...people] })
  return rankJudged(found, judged, { ...probes, most: MAX_FOUND })
}

const AT_ONCE = 500

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
