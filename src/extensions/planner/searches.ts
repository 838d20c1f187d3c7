import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { type FoundCapability, type NamedCandidate, readCandidates, readCapabilities } from './answers.ts'
import { askEngines, findEngines, type Question, type Reply, readEngines } from './engines.ts'
import {
  byScore,
  capabilityIdOf,
  chooseCapabilities,
  chooseOrganisations,
  type EngineAnswer,
  mergeCandidates,
  type OfferedEngine,
} from './rules.ts'
import type {
  Candidate,
  Candidates,
  EngineCandidates,
  FindCandidates,
  ListSearches,
  NameSearch,
  Outcome,
  Search,
  SearchEntry,
  StartSearch,
} from './schema.ts'
import * as store from './store.ts'

const MAX_SEARCHES = 100
const DEFAULT_LIMIT = 20
const NO_SEARCH = 'You have no search with this id; searches are kept for 30 days'

/** An engine that was asked for capabilities, as stored with the search. */
interface StoredEngine extends Outcome {
  readonly pluginId: number
}
type StoredCandidates = Omit<Candidates, 'searchId' | 'candidates'>

/** Asks engines which capabilities a mission needs. The search is stored even if all engines fail. */
export async function startSearch(
  db: Db,
  who: PersonCaller,
  what: StartSearch,
  environment: Environment,
): Promise<Search> {
  const clientIds = [...new Set(what.engines)]
  if (what.text.trim() === '') throw fail('parameterMissing', 'text is missing')
  if (clientIds.length === 0) throw fail('parameterMissing', 'engines is missing')
  const engines = chooseOrganisations(await readEngines(db, who, clientIds), what.organisations)
  const searchId = makeId()
  const ask = (engine: OfferedEngine): Question<FoundCapability[]> => ({
    engine,
    document: { searchId, text: what.text, orgIds: keysOf(engine) },
    read: readCapabilities,
  })
  const { replies, error } = await askEngines(db, who, 'capabilities', engines.map(ask), environment)
  const kept = engines.map(
    (engine, i): StoredEngine => ({ ...outcomeOf(engine, replies[i]!), pluginId: engine.pluginId }),
  )
  await db.transaction(async (tx) => {
    await tx.first(store.insertSearch, {
      key: searchId,
      person: who.personId,
      text: what.text,
      organisations: [...new Set(engines.flatMap(({ organisations }) => organisations.map(({ id }) => id)))],
      engines: JSON.stringify(kept),
      capabilities: JSON.stringify(replies.map((reply) => answerOf(reply) ?? [])),
      now: who.at,
    })
    await tx.all(store.deleteBeyond, { person: who.personId, kept: MAX_SEARCHES })
  })
  if (error) throw error
  return readSearch(db, who, { searchId })
}

/** Asks each engine for people with the chosen capabilities, and returns those whom the caller may see. */
export async function findCandidates(
  db: Db,
  who: PersonCaller,
  { searchId, capabilityIds, limit = DEFAULT_LIMIT }: FindCandidates,
  environment: Environment,
): Promise<Candidates> {
  const search = await findSearch(db, who, searchId)
  const kept = enginesOf(search)
  const chosen = chooseCapabilities(capabilitiesOf(search), capabilityIds)
  const chosenEngines = kept.flatMap((engine, place) =>
    chosen.has(place) ? [{ ...engine, ids: chosen.get(place)! }] : [],
  )
  const engines = await findStillOffered(db, who, search, chosenEngines)
  if (engines.length === 0)
    throw fail('impossibleNow', 'None of these engines is available to you any more; start another search')
  const ask = (engine: OfferedEngine): Question<NamedCandidate[]> => {
    const { ids } = chosenEngines.find(({ clientId }) => clientId === engine.clientId)!
    return {
      engine,
      document: { searchId, capabilityIds: ids, orgIds: keysOf(engine), limit },
      read: (text) => readCandidates(text, limit),
    }
  }
  const { replies, error } = await askEngines(db, who, 'candidates', engines.map(ask), environment)
  const answers: EngineAnswer[] = []
  const outcomes: EngineCandidates[] = []
  for (const { clientId, name } of chosenEngines) {
    const place = engines.findIndex((engine) => engine.clientId === clientId)
    const reply = replies[place] ?? { problem: 'It is no longer available to you' }
    const named = answerOf(reply)
    const people = named ? await findPeople(db, who, engines[place]!, named) : []
    if (named) answers.push({ clientId, name, people })
    outcomes.push({ ...outcomeOf({ clientId, name }, reply), leftOut: (named?.length ?? 0) - people.length })
  }
  const query = { capabilityIds: [...new Set(capabilityIds)], limit, searchedDate: who.at.toISOString() }
  await storeCandidates(db, search.id, { ...query, engines: outcomes }, mergeCandidates(answers, limit))
  if (error) throw error
  return (await readSearch(db, who, { searchId })).candidates!
}

/**
 * Finds the engines that are still offered to the caller, each with those of the search's organisations that it still
 * has access to.
 */
async function findStillOffered(
  db: Db,
  who: PersonCaller,
  { organisation_ids: searched }: RowOf<typeof store.findSearch>,
  kept: readonly StoredEngine[],
): Promise<OfferedEngine[]> {
  const engines = await findEngines(
    db,
    who,
    kept.map(({ clientId }) => clientId),
  )
  return engines
    .filter(({ pluginId }) => kept.some((engine) => engine.pluginId === pluginId))
    .map((engine) => ({ ...engine, organisations: engine.organisations.filter(({ id }) => searched.includes(id)) }))
    .filter(({ organisations }) => organisations.length > 0)
}

async function findPeople(db: Db, who: PersonCaller, engine: OfferedEngine, named: readonly NamedCandidate[]) {
  const rows = await db.all(store.findCandidatePeople, {
    person: who.personId,
    plugin: engine.pluginId,
    organisations: engine.organisations.map(({ id }) => id),
    users: named.map(({ userId }) => userId),
  })
  const people = new Map(
    rows.map(({ user_id, person_id: personId, handle, first_name: firstName, last_name: lastName }) => [
      user_id,
      { personId, handle, firstName, lastName },
    ]),
  )
  return named.flatMap((candidate) => {
    const person = people.get(candidate.userId)
    return person ? [{ ...candidate, person }] : []
  })
}

const storeCandidates = (db: Db, searchId: number, what: StoredCandidates, found: ReturnType<typeof mergeCandidates>) =>
  db.transaction(async (tx) => {
    const isThere = await tx.first(store.setCandidates, { search: searchId, candidates: JSON.stringify(what) })
    if (!isThere) throw fail('notFound', NO_SEARCH)
    await tx.all(store.deleteCandidates, { search: searchId })
    const rows = found.map(({ personId, score, sources }) => ({ person_id: personId, score, sources }))
    await tx.all(store.insertCandidates, { search: searchId, rows: JSON.stringify(rows) })
  })

export async function findSearch(db: Db, who: PersonCaller, searchId: string) {
  const row = await db.first(store.findSearch, { person: who.personId, search: searchId })
  if (!row) throw fail('notFound', NO_SEARCH)
  return row
}

export async function readSearch(db: Db, who: PersonCaller, { searchId }: NameSearch): Promise<Search> {
  const row = await findSearch(db, who, searchId)
  const found = capabilitiesOf(row)
  const engines = enginesOf(row).map((engine, place) => ({
    ...toOutcome(engine),
    capabilities: found[place]!.map(({ name, description }, i) => ({
      capabilityId: capabilityIdOf(place, i),
      name,
      description,
    })),
  }))
  const kept = row.candidates === null ? null : (JSON.parse(row.candidates) as StoredCandidates)
  const rows = kept ? await db.all(store.listCandidates, { person: who.personId, search: row.id }) : []
  return {
    ...toEntry(row),
    engines,
    candidates: kept && { searchId, ...kept, candidates: toCandidates(rows) },
  }
}

/** Lists the caller's own searches, newest first. */
export async function listSearches(db: Db, who: PersonCaller, what: ListSearches): Promise<Page<SearchEntry>> {
  const rows = await db.all(store.listSearches, { person: who.personId, ...spanOf(what) })
  return pageOf(rows.map(toEntry), rows[0]?.total ?? 0, what)
}

/** Lists the person's searches, for the data export. */
export async function exportSearches(db: Db, personId: number): Promise<SearchEntry[]> {
  return (await db.all(store.listSearches, { person: personId, limit: MAX_SEARCHES, offset: 0 })).map(toEntry)
}

/**
 * Yields what engines said about the person (scores and reasons), for the data export. It does not say who searched.
 */
export async function* exportCandidacies(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const { kept, score, sources, at } of db.stream(store.exportCandidacies, { person: personId }))
    yield { kept: `in a ${kept}`, score, sources: JSON.parse(sources), date: at }
}

/** Converts rows to candidates, best first. Candidates with the same score are sorted by handle. */
export const toCandidates = (rows: readonly RowOf<typeof store.listCandidates>[]): Candidate[] =>
  rows
    .map(({ handle, first_name: firstName, last_name: lastName, score, sources }) => ({
      handle,
      firstName,
      lastName,
      score,
      sources: JSON.parse(sources),
    }))
    .sort(byScore)

const keysOf = ({ organisations }: OfferedEngine): string[] => organisations.map(({ key }) => key)

const answerOf = <T>(reply: Reply<T>): T | undefined => ('answer' in reply ? reply.answer : undefined)

const outcomeOf = (
  { clientId, name }: Pick<OfferedEngine, 'clientId' | 'name'>,
  { problem }: Reply<unknown>,
): Outcome => ({
  clientId,
  name,
  status: problem === undefined ? 'answered' : 'failed',
  problem: problem ?? null,
})

const enginesOf = ({ engines }: { engines: string }): StoredEngine[] => JSON.parse(engines)

const capabilitiesOf = (row: { capabilities: string }): FoundCapability[][] => JSON.parse(row.capabilities)

const toOutcome = ({ clientId, name, status, problem }: Outcome): Outcome => ({ clientId, name, status, problem })

const toEntry = (row: Omit<RowOf<typeof store.findSearch>, 'candidates' | 'capabilities'>): SearchEntry => ({
  searchId: row.key,
  text: row.text,
  organisations: row.organisations,
  engines: enginesOf(row).map(toOutcome),
  createdDate: row.created_at,
})
