import type { LoadPart, Sending } from './load.ts'
import { type Bench, type LoadMeasurement, measure, type RunningServer, startServer } from './measure.ts'
import { insertAlone } from './statements-bare.ts'
import {
  activityIdOf,
  agentOf,
  courseIdOf,
  instructorOf,
  makeStatement,
  registrationOf,
  verbIdOf,
} from './statements-made.ts'
import { buildStore, ORIGINALS, type Store } from './statements-store.ts'
import { writeStatements } from './statements-table.ts'
import type { Section } from './table.ts'

const PATH = '/xapi/statements'
const BATCH = 50
const BATCH_CONNECTIONS = 8
const SINGLE_CONNECTIONS = 64
const PAGE_CONNECTIONS = 32
/**
 * Page size of filtered queries. Every filter that finds anything finds at least this many statements in the smallest
 * store.
 */
const FOUND = 20
const PAGE = 1000
const OF_PAGE = 10
/** Number of different queries per filter. */
const QUESTIONS = 60

type QueryFields = Readonly<Record<string, string | number | boolean | object>>
interface Filter {
  readonly name: string
  /** Returns the filter of query number `n`. */
  ask(n: number, store: Store): QueryFields
}

/** Returns a filter for a part of the period in which statements were stored. */
const someSpan = (n: number, { from, to }: Store): QueryFields => {
  const day = (to.getTime() - from.getTime()) / 100
  const start = from.getTime() + (10 + n) * day
  return { since: new Date(start).toISOString(), until: new Date(start + 20 * day).toISOString() }
}

const FILTERS: readonly Filter[] = [
  { name: 'none', ask: () => ({}) },
  { name: 'agent', ask: (n) => ({ agent: agentOf(n % 10) }) },
  { name: 'verb', ask: (n) => ({ verb: verbIdOf(n % 20) }) },
  { name: 'activity', ask: (n) => ({ activity: activityIdOf(n % 30) }) },
  {
    name: 'registration',
    ask: (n) => ({ registration: registrationOf(n * (ORIGINALS / QUESTIONS)) }),
  },
  { name: 'since, until', ask: someSpan },
  { name: 'related_agents', ask: (n) => ({ agent: instructorOf(n % 20), related_agents: true }) },
  { name: 'related_activities', ask: (n) => ({ activity: courseIdOf(n % 10), related_activities: true }) },
  { name: 'agent, verb', ask: (n) => ({ agent: agentOf(n % 3), verb: verbIdOf(n % 2) }) },
  { name: 'verb, activity', ask: (n) => ({ verb: verbIdOf(n % 3), activity: activityIdOf(n % 10) }) },
  {
    name: 'agent, verb, since, until',
    ask: (n, store) => ({ agent: agentOf(0), verb: verbIdOf(n % 2), ...someSpan(n, store) }),
  },
  {
    name: 'related_agents, related_activities, verb',
    ask: (n) => ({
      ...{ agent: instructorOf(n % 5), related_agents: true },
      ...{ activity: courseIdOf(n % 10), related_activities: true },
      verb: verbIdOf(0),
    }),
  },
  {
    name: 'verb, registration',
    ask: (n) => ({ verb: verbIdOf(0), registration: registrationOf(n * (ORIGINALS / QUESTIONS)) }),
  },
  {
    name: 'agent, verb, activity, registration',
    ask: (n) => ({
      ...{ agent: agentOf(n % 10), verb: verbIdOf(n % 3), activity: activityIdOf(n % 10) },
      registration: registrationOf(n * (ORIGINALS / QUESTIONS)),
    }),
  },
  {
    name: 'agent, verb, activity that seldom meet',
    ask: (n) => ({
      agent: agentOf(10 + (n % 50)),
      verb: verbIdOf(10 + (n % 5)),
      activity: activityIdOf(20 + (n % 50)),
    }),
  },
  { name: 'an activity that is only around others', ask: (n) => ({ activity: courseIdOf(n % 10) }) },
  {
    name: 'two that are common and never meet',
    ask: () => ({ ...{ agent: instructorOf(0), related_agents: true }, verb: verbIdOf(1) }),
  },
]

const pathOf = (asked: QueryFields): string => {
  const parameters = Object.entries(asked).map(
    ([name, value]) => `${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : value)}`,
  )
  return `${PATH}?${parameters.join('&')}`
}

/**
 * Measures storing statements, compared with a bare insert, and every filter with few and with many statements stored.
 * With `isWriting`, it measures only storing, in the smallest store.
 */
export async function measureStatements(
  bench: Bench,
  { sizes, isWriting }: { readonly sizes: readonly number[]; readonly isWriting: boolean },
): Promise<Section> {
  const stores: Store[] = []
  for (const size of isWriting ? sizes.slice(0, 1) : sizes) stores.push(await buildStore(bench.connection, size))
  return measureStores(bench, stores, isWriting)
}

async function measureStores(bench: Bench, stores: readonly Store[], isWriting: boolean): Promise<Section> {
  const store = stores[0]!
  const bare = await startServer('bare-statements', store.connection)
  const second = await startServer('statements', store.connection)
  // These statements have no ids, so each is stored as a new one however often it is sent.
  const made = Array.from({ length: 40 * BATCH }, (_, n) => makeStatement(10_000_000 + n, store.statements))
  const batches = Array.from({ length: 40 }, (_, n) => made.slice(n * BATCH, (n + 1) * BATCH))
  const texts = batches.map((batch) => batch.map((one) => JSON.stringify(one)))
  const queue = (parts: readonly LoadPart[]): Sending => ({ kind: 'queue', parts, isEndless: true })
  const post = (server: RunningServer, connections: number, bodies: readonly LoadPart['body'][]) =>
    measure(bench, server, {
      method: 'POST',
      path: PATH,
      send: queue(bodies.map((body) => ({ body: body! }))),
      connections,
      seconds: bench.seconds,
    })
  const get = (server: RunningServer, connections: number, paths: readonly string[], seconds = bench.seconds) =>
    measure(bench, server, {
      method: 'GET',
      path: PATH,
      send: queue(paths.map((path) => ({ path }))),
      connections,
      seconds,
    })

  const results = new Map<string, LoadMeasurement[]>()
  const keep = (key: string, measured: LoadMeasurement) => results.set(key, [...(results.get(key) ?? []), measured])
  const alone: number[] = []
  const pages = new Map<Store, string>()
  const readStores = isWriting ? [] : stores
  for (const one of readStores) pages.set(one, await findPage(one))
  for (let round = 0; round <= bench.rounds; round++) {
    process.stderr.write(round === 0 ? 'statements: warming up\n' : `statements: round ${round} of ${bench.rounds}\n`)
    const note = round === 0 ? () => {} : keep
    // Measure reads before this round stores statements, because the new statements would come first in the results.
    for (const { name, ask } of FILTERS)
      for (const one of readStores) {
        const paths = Array.from({ length: QUESTIONS }, (_, n) => pathOf({ ...ask(n, one), limit: FOUND }))
        note(`${name} ${one.statements}`, await get(one.server, 1, paths, bench.seconds / 2))
      }
    for (const one of readStores) {
      note(`page 1 ${one.statements}`, await get(one.server, 1, [pathOf({ limit: OF_PAGE })]))
      note(`page ${PAGE} ${one.statements}`, await get(one.server, 1, [pages.get(one)!]))
      note(`page of 100 ${one.statements}`, await get(one.server, PAGE_CONNECTIONS, [pathOf({ limit: 100 })]))
    }
    note('batches', await post(store.server, BATCH_CONNECTIONS, batches))
    note('bare batches', await post(bare, BATCH_CONNECTIONS, batches))
    const perSecond = await insertAlone(store.connection, texts, { atOnce: BATCH_CONNECTIONS, seconds: bench.seconds })
    if (round > 0) alone.push(perSecond)
    note('singles', await post(store.server, SINGLE_CONNECTIONS, made))
    const shared = [store.server, second].map((server) => post(server, SINGLE_CONNECTIONS / 2, made))
    note('shared singles', addUp(await Promise.all(shared)))
  }
  for (const { child } of [...stores.map(({ server }) => server), bare, second]) child.kill()
  return writeStatements({
    sizes: readStores.map(({ statements }) => statements),
    ...{ results, alone },
    filters: FILTERS.map(({ name }) => name),
    ...{ batch: BATCH, found: FOUND, page: PAGE, ofPage: OF_PAGE },
    connections: { batches: BATCH_CONNECTIONS, singles: SINGLE_CONNECTIONS, pages: PAGE_CONNECTIONS },
  })
}

/**
 * Combines the measurements of servers that share a database and ran at the same time. Each has the CPU time of the
 * whole database in relation to its own requests.
 */
const addUp = (measured: readonly LoadMeasurement[]): LoadMeasurement => ({
  requests: measured.reduce((sum, { requests }) => sum + requests, 0),
  perSecond: measured.reduce((sum, { perSecond }) => sum + perSecond, 0),
  p50Ms: Math.max(...measured.map(({ p50Ms }) => p50Ms)),
  p95Ms: Math.max(...measured.map(({ p95Ms }) => p95Ms)),
  p99Ms: Math.max(...measured.map(({ p99Ms }) => p99Ms)),
  nodeCpuMs: measured.reduce((sum, { nodeCpuMs }) => sum + nodeCpuMs, 0) / measured.length,
  databaseCpuMs: 1 / measured.reduce((sum, { databaseCpuMs }) => sum + 1 / databaseCpuMs, 0),
})

/** Returns the path of page number PAGE, found by following `more`. */
async function findPage({ server }: Store): Promise<string> {
  let path = pathOf({ limit: OF_PAGE })
  for (let page = 1; page < PAGE; page++) {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: server.headers })
    path = ((await answer.json()) as { more: string }).more
  }
  return path
}
