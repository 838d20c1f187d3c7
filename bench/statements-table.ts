import type { LoadMeasurement } from './measure.ts'
import {
  cpuCells,
  type Goal,
  line,
  median,
  medianOf,
  percent,
  type Section,
  speedCells,
  tableHead,
  whole,
} from './table.ts'

export interface StatementsReport {
  /** Numbers of stored statements whose filters and pages were measured, smallest first. */
  readonly sizes: readonly number[]
  readonly results: ReadonlyMap<string, readonly LoadMeasurement[]>
  /** Statements per second of the bare insert without HTTP, per round. */
  readonly alone: readonly number[]
  readonly filters: readonly string[]
  readonly batch: number
  readonly found: number
  readonly page: number
  readonly ofPage: number
  readonly connections: { readonly batches: number; readonly singles: number; readonly pages: number }
}

const GOAL_SHARE = 0.4
const GOAL_BATCHES = 4560
const GOAL_SINGLES = 1660
const GOAL_SINGLES_P99_MS = 60
const GOAL_SHARED = 1.4
const GOAL_FILTER_P95_MS = 10
const GOAL_GROWTH = 0.25

export function writeStatements(report: StatementsReport): Section {
  const goals: Goal[] = []
  return {
    lines: [
      ...writeStoring(report, goals),
      ...(report.sizes.length > 0 ? [...writeFilters(report, goals), ...writePages(report, goals)] : []),
    ],
    goals,
  }
}

function writeStoring({ results, alone, batch, connections }: StatementsReport, goals: Goal[]): string[] {
  const own = results.get('batches') ?? []
  const behind = results.get('bare batches') ?? []
  const singles = results.get('singles') ?? []
  const shared = results.get('shared singles') ?? []
  const sharedRatio = median(shared.map((one, n) => one.perSecond / singles[n]!.perSecond))
  const share = median(own.map((one, n) => (one.perSecond * batch) / alone[n]!))
  const shareBehind = median(own.map((one, n) => one.perSecond / behind[n]!.perSecond))
  const perSecond = medianOf(own, (one) => one.perSecond) * batch
  const posts = medianOf(singles, (one) => one.perSecond)
  const p99Ms = medianOf(singles, (one) => one.p99Ms)
  goals.push(
    {
      measure: `statements in batches of ${batch}, share of the bare insert (behind HTTP: ${shareBehind.toFixed(2)})`,
      goal: GOAL_SHARE.toFixed(2),
      now: share.toFixed(2),
      isReached: share >= GOAL_SHARE,
    },
    {
      measure: `statements/s in batches of ${batch}`,
      goal: whole(GOAL_BATCHES),
      now: whole(perSecond),
      isReached: perSecond >= GOAL_BATCHES,
    },
    {
      measure: `single statements/s, ${connections.singles} connections, p99`,
      goal: `${whole(GOAL_SINGLES)}, ${GOAL_SINGLES_P99_MS} ms`,
      now: `${whole(posts)}, ${p99Ms.toFixed(0)} ms`,
      isReached: posts >= GOAL_SINGLES && p99Ms < GOAL_SINGLES_P99_MS,
    },
    {
      measure: 'single statements from two processes, compared with one',
      goal: String(GOAL_SHARED),
      now: sharedRatio.toFixed(2),
      isReached: sharedRatio >= GOAL_SHARED,
    },
  )
  const row = (name: string, measured: readonly LoadMeasurement[], each: number, count: number) =>
    line([
      name,
      String(count),
      whole(medianOf(measured, (one) => one.perSecond) * each),
      ...speedCells(measured),
      ...cpuCells(measured),
    ])
  return [
    '## Statements',
    '',
    `Statements of 1.2 kB with a key of the record store: validated, stored and ready to be found. The bare insert keeps the same texts in a table with a primary key, ${batch} rows at a time, through the same driver: behind HTTP with JSON parsed and nothing checked, and alone, without HTTP.`,
    '',
    ...tableHead('', 'connections', 'statements/s', 'requests/s', 'p50 ms', 'p99 ms', 'CPU Node', 'CPU PostgreSQL'),
    row(`**batches of ${batch}**`, own, batch, connections.batches),
    row(`bare insert of ${batch}, behind HTTP`, behind, batch, connections.batches),
    line([`bare insert of ${batch}, alone`, String(connections.batches), whole(median(alone)), '', '', '', '', '']),
    row('**single statements**', singles, 1, connections.singles),
    row('single statements, two processes', shared, 1, connections.singles),
    '',
  ]
}

function writeFilters({ sizes, results, filters, found }: StatementsReport, goals: Goal[]): string[] {
  const p95Of = (name: string, size: number) => medianOf(results.get(`${name} ${size}`) ?? [], (one) => one.p95Ms)
  const most = sizes.at(-1)!
  const rows = filters.map((name) => {
    const values = sizes.map((size) => p95Of(name, size))
    return { name, values, growth: values.at(-1)! / values[0]! - 1 }
  })
  const slow = rows.filter(({ values }) => values.at(-1)! >= GOAL_FILTER_P95_MS)
  const grown = rows.filter(({ growth }) => growth > GOAL_GROWTH)
  const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name).join('; ')
  goals.push({
    measure: `slowest filter, p95 with ${whole(most)} statements${slow.length ? ` (too slow: ${namesOf(slow)})` : ''}`,
    goal: `${GOAL_FILTER_P95_MS} ms`,
    now: `${Math.max(...rows.map(({ values }) => values.at(-1)!)).toFixed(1)} ms`,
    isReached: slow.length === 0,
  })
  if (sizes.length > 1)
    goals.push({
      measure: `filters, growth of p95 from ${whole(sizes[0]!)} to ${whole(most)} statements${grown.length ? ` (too much: ${namesOf(grown)})` : ''}`,
      goal: percent(GOAL_GROWTH),
      now: percent(Math.max(...rows.map(({ growth }) => growth))),
      isReached: grown.length === 0,
    })
  return [
    `Each filter with different questions, one at a time, pages of ${found}: p95 in milliseconds, by how many statements of the last year are stored.`,
    '',
    ...tableHead('filter', ...sizes.map(whole), 'more'),
    ...rows.map(({ name, values, growth }) =>
      line([name, ...values.map((value) => value.toFixed(2)), sizes.length > 1 ? percent(growth) : '']),
    ),
    '',
  ]
}

function writePages({ sizes, results, page, ofPage, connections }: StatementsReport, goals: Goal[]): string[] {
  const resultsOf = (name: string, size: number) => results.get(`${name} ${size}`) ?? []
  const most = sizes.at(-1)!
  const [first, far] = [`page 1`, `page ${page}`].map((name) => medianOf(resultsOf(name, most), (one) => one.p50Ms))
  goals.push({
    measure: `page ${whole(page)} of ${whole(most)} statements, p50 compared with page 1`,
    goal: (1 + GOAL_GROWTH).toFixed(2),
    now: (far! / first!).toFixed(2),
    isReached: far! <= first! * (1 + GOAL_GROWTH),
  })
  const row = (name: string, key: string, size: number, count: number) =>
    line([name, whole(size), String(count), ...speedCells(resultsOf(key, size)), ...cpuCells(resultsOf(key, size))])
  return [
    ...tableHead('', 'statements', 'connections', 'requests/s', 'p50 ms', 'p99 ms', 'CPU Node', 'CPU PostgreSQL'),
    ...sizes.flatMap((size) => [
      row(`page 1 of ${ofPage}`, 'page 1', size, 1),
      row(`page ${whole(page)} of ${ofPage}`, `page ${page}`, size, 1),
      row('**exact page of 100**', 'page of 100', size, connections.pages),
    ]),
    '',
  ]
}
