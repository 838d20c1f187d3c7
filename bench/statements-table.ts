import type { LoadMeasurement } from './measure.ts'
import {
  cpuCells,
  line,
  median,
  medianOf,
  percent,
  type Section,
  speedCells,
  tableHead,
  verdict,
  whole,
} from './table.ts'

export interface StatementsReport {
  /** Numbers of stored statements, smallest first. */
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
const GOAL_BATCHES = 3000
const GOAL_SINGLES = 1500
const GOAL_SINGLES_P99_MS = 60
const GOAL_FILTER_P95_MS = 10
const GOAL_GROWTH = 0.25

export function writeStatements(report: StatementsReport): Section {
  const goals: string[] = []
  return {
    lines: [...writeStoring(report, goals), ...writeFilters(report, goals), ...writePages(report, goals)],
    goals,
  }
}

function writeStoring({ results, alone, batch, connections }: StatementsReport, goals: string[]): string[] {
  const own = results.get('batches') ?? []
  const behind = results.get('bare batches') ?? []
  const singles = results.get('singles') ?? []
  const share = median(own.map((one, n) => (one.perSecond * batch) / alone[n]!))
  const shareBehind = median(own.map((one, n) => one.perSecond / behind[n]!.perSecond))
  const perSecond = medianOf(own, (one) => one.perSecond) * batch
  const posts = medianOf(singles, (one) => one.perSecond)
  const p99Ms = medianOf(singles, (one) => one.p99Ms)
  goals.push(
    `batches of ${batch} at ${percent(GOAL_SHARE)} of the bare insert: ${percent(share)} of it alone, ${percent(shareBehind)} of it behind HTTP, ${verdict(share >= GOAL_SHARE)}`,
    `batches of ${batch} at ${whole(GOAL_BATCHES)} statements/s: ${whole(perSecond)}/s, ${verdict(perSecond >= GOAL_BATCHES)}`,
    `single statements at ${whole(GOAL_SINGLES)}/s with ${connections.singles} connections, p99 under ${GOAL_SINGLES_P99_MS} ms: ${whole(posts)}/s and ${p99Ms.toFixed(1)} ms, ${verdict(posts >= GOAL_SINGLES && p99Ms < GOAL_SINGLES_P99_MS)}`,
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
    '',
  ]
}

function writeFilters({ sizes, results, filters, found }: StatementsReport, goals: string[]): string[] {
  const p95Of = (name: string, size: number) => medianOf(results.get(`${name} ${size}`) ?? [], (one) => one.p95Ms)
  const most = sizes.at(-1)!
  const rows = filters.map((name) => {
    const values = sizes.map((size) => p95Of(name, size))
    return { name, values, growth: values.at(-1)! / values[0]! - 1 }
  })
  const slow = rows.filter(({ values }) => values.at(-1)! >= GOAL_FILTER_P95_MS)
  const grown = rows.filter(({ growth }) => growth > GOAL_GROWTH)
  const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name).join('; ')
  goals.push(
    `every filter with p95 under ${GOAL_FILTER_P95_MS} ms with ${whole(most)} statements: ${verdict(slow.length === 0)}${slow.length ? ` (${namesOf(slow)})` : ''}`,
  )
  if (sizes.length > 1)
    goals.push(
      `every filter with p95 within ${percent(GOAL_GROWTH)} of that with ${whole(sizes[0]!)} statements: ${verdict(grown.length === 0)}${grown.length ? ` (${namesOf(grown)})` : ''}`,
    )
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

function writePages({ sizes, results, page, ofPage, connections }: StatementsReport, goals: string[]): string[] {
  const resultsOf = (name: string, size: number) => results.get(`${name} ${size}`) ?? []
  const most = sizes.at(-1)!
  const [first, far] = [`page 1`, `page ${page}`].map((name) => medianOf(resultsOf(name, most), (one) => one.p50Ms))
  goals.push(
    `page ${whole(page)} as quick as page 1 with ${whole(most)} statements: p50 ${far!.toFixed(2)} ms and ${first!.toFixed(2)} ms, ${verdict(far! <= first! * (1 + GOAL_GROWTH))}`,
  )
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
