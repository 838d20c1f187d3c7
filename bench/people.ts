import type { LoadPart, Sending } from './load.ts'
import { type Bench, type LoadMeasurement, measure } from './measure.ts'
import { describeMix, makeQueries } from './people-queries.ts'
import { buildTown, FRIENDS, type Town } from './people-town.ts'
import { explainSearch } from './plans.ts'
import { keyOf, type PeopleScenario, type Section, writePeople } from './table.ts'
import { type Duel, duel, TRIGRAM_QUERY } from './trigrams.ts'

/** Number of connections for which the goals are defined. */
const CONNECTIONS = 32
const FEW_CONNECTIONS = 8
const QUERIES = 1000
const WARM_UP_SECONDS = 2
/** Number of people that the random search returns by default. */
const DRAWN_USUALLY = 10
/** Maximum number of people that the random search returns. */
const DRAWN = 25
const RANDOM_PATH = '/user/v1/search/random'
/** The search term whose query plans are shown: two words, one with a typing error. */
const TYPICAL_TERM = 'jonahtan mensah'

interface Scenario extends PeopleScenario {
  readonly path: string
  /** Returns the requests of a round; absent if all requests are the same. */
  parts?(round: number): readonly LoadPart[]
}

const searchPath = (term: string): string => `/user/v1/search?term=${encodeURIComponent(term)}`

/**
 * Returns the search requests of a round. A round is too short for all of them, so each round starts elsewhere in the
 * list.
 */
function partsOf(queries: readonly string[], rounds: number) {
  const parts = queries.map((term) => ({ path: searchPath(term) }))
  return (round: number): readonly LoadPart[] => {
    const start = Math.floor((round * parts.length) / rounds) % parts.length
    return [...parts.slice(start), ...parts.slice(0, start)]
  }
}

const listScenarios = (queries: readonly string[], rounds: number): readonly Scenario[] => [
  {
    name: '**search**',
    connections: CONNECTIONS,
    goalP99Ms: 25,
    path: '/user/v1/search',
    parts: partsOf(queries, rounds),
  },
  { name: `**random**, ${DRAWN_USUALLY} people`, connections: CONNECTIONS, goalP99Ms: 20, path: RANDOM_PATH },
  {
    name: `**random**, ${DRAWN} people`,
    connections: FEW_CONNECTIONS,
    goalP99Ms: 20,
    path: `${RANDOM_PATH}?count=${DRAWN}`,
  },
  { name: `random, ${DRAWN} people`, connections: CONNECTIONS, path: `${RANDOM_PATH}?count=${DRAWN}` },
  { name: 'own profile', connections: CONNECTIONS, path: '/user/v1/my/profile' },
  // Few connections: the platform serves a person's list requests one at a time, and only a few may wait.
  { name: `friends, ${FRIENDS} of them`, connections: FEW_CONNECTIONS, path: '/user/v1/my/friends' },
  { name: 'picture, the default one', connections: CONNECTIONS, path: '/user/v1/my/profile/picture' },
]

/**
 * Measures search, random draws and people's own data with few and with many people stored. Then compares search with
 * trigrams, and shows query plans.
 */
export async function measurePeople(bench: Bench, sizes: readonly number[]): Promise<Section> {
  const queries = makeQueries(Math.min(...sizes), QUERIES)
  const scenarios = listScenarios(queries, bench.rounds)
  const towns: Town[] = []
  for (const people of sizes) towns.push(await buildTown(bench.connection, people))

  const run = (
    { path, parts, connections }: Scenario,
    { server }: Town,
    round: number,
    seconds: number,
  ): Promise<LoadMeasurement> => {
    const send: Sending = parts
      ? { kind: 'queue', parts: parts(round), isEndless: true }
      : { kind: 'turns', parts: [{}] }
    return measure(bench, server, { method: 'GET', path, send, connections, seconds })
  }
  for (const town of towns) for (const scenario of scenarios) await run(scenario, town, 0, WARM_UP_SECONDS)
  const results = new Map<string, LoadMeasurement[]>()
  for (let round = 0; round < bench.rounds; round++) {
    process.stderr.write(`people: round ${round + 1} of ${bench.rounds}\n`)
    for (const scenario of scenarios) {
      for (const town of towns) {
        const key = keyOf(scenario.name, town.people)
        results.set(key, [...(results.get(key) ?? []), await run(scenario, town, round, bench.seconds)])
      }
    }
  }

  const duels: Duel[] = []
  for (const town of towns) {
    const result = await duel(town, queries, searchPath)
    if (result) duels.push(result)
  }
  const plans = await explainSearch(towns.at(-1)!.connection, { term: TYPICAL_TERM, count: DRAWN })
  for (const { server } of towns) server.child.kill()
  return writePeople({
    scenarios,
    sizes,
    mix: `${QUERIES} different queries: ${describeMix()}`,
    results,
    duels,
    duelQuery: TRIGRAM_QUERY,
    plans,
    term: TYPICAL_TERM,
    drawn: DRAWN,
  })
}
