import type { LoadMeasurement } from './measure.ts'
import type { Plan } from './plans.ts'
import type { Duel } from './trigrams.ts'

/** A row of the table of goals. */
export interface Goal {
  readonly measure: string
  readonly goal: string
  readonly now: string
  readonly isReached: boolean
}

/** The part of the report about one group of scenarios. */
export interface Section {
  readonly lines: readonly string[]
  readonly goals: readonly Goal[]
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

export const medianOf = <T>(all: readonly T[], value: (one: T) => number): number => median(all.map(value))

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
export const percent = (value: number): string => `${Math.round(value * 100)} %`
export const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
export const tableHead = (...columns: readonly string[]): string[] => [
  line(columns),
  `|${columns.map((_, index) => (index === 0 ? '---' : '--:')).join('|')}|`,
]

/** Cells with requests/s, p50 and p99, which every table has. */
export const speedCells = (measured: readonly Pick<LoadMeasurement, 'perSecond' | 'p50Ms' | 'p99Ms'>[]): string[] => [
  whole(medianOf(measured, (one) => one.perSecond)),
  medianOf(measured, (one) => one.p50Ms).toFixed(2),
  medianOf(measured, (one) => one.p99Ms).toFixed(2),
]
export const cpuCells = (measured: readonly LoadMeasurement[]): string[] => [
  medianOf(measured, (one) => one.nodeCpuMs).toFixed(3),
  medianOf(measured, (one) => one.databaseCpuMs).toFixed(3),
]

interface ComparedScenario {
  readonly name: string
  readonly base: string
  readonly goal?: number
}

export interface Comparison {
  readonly scenarios: readonly ComparedScenario[]
  readonly connectionCounts: readonly number[]
  readonly results: ReadonlyMap<string, readonly LoadMeasurement[]>
}

/**
 * Computes the share of the base's requests/s in each round, and returns the median. Within a round, both are measured
 * within seconds of each other.
 */
function shareOf({ results }: Comparison, scenario: ComparedScenario, connections: number): number {
  const own = results.get(`${scenario.name} ${connections}`) ?? []
  const base = results.get(`${scenario.base} ${connections}`) ?? []
  return median(own.map((one, round) => one.perSecond / (base[round] as LoadMeasurement).perSecond))
}

export function writeComparison(report: Comparison): Section {
  const lines: string[] = []
  for (const connections of report.connectionCounts) {
    lines.push(`## ${connections} ${connections === 1 ? 'connection' : 'connections'}`, '')
    lines.push(
      '| scenario | requests/s | p50 ms | p99 ms | CPU Node | CPU PostgreSQL | share | of |',
      '|---|--:|--:|--:|--:|--:|--:|---|',
    )
    for (const scenario of report.scenarios) {
      const measured = report.results.get(`${scenario.name} ${connections}`) ?? []
      const share = percent(shareOf(report, scenario, connections))
      lines.push(line([scenario.name, ...speedCells(measured), ...cpuCells(measured), share, scenario.base]))
    }
    lines.push('')
  }
  const goals: Goal[] = []
  for (const scenario of report.scenarios) {
    if (scenario.goal === undefined || !report.connectionCounts.includes(32)) continue
    const share = shareOf(report, scenario, 32)
    goals.push({
      measure: `${scenario.name}, share of ${scenario.base}, 32 connections`,
      goal: scenario.goal.toFixed(2),
      now: share.toFixed(2),
      isReached: share >= scenario.goal,
    })
  }
  return { lines, goals }
}

interface SignInScenario {
  readonly name: string
  readonly goal?: { readonly perCore: number; readonly p99Ms?: number }
}

/** Reads that were measured while people signed in, and the speed of these sign-ins. */
export interface Crowd {
  readonly reads: LoadMeasurement
  readonly signIns: Pick<LoadMeasurement, 'perSecond' | 'p50Ms' | 'p99Ms'>
}

export interface SignInReport {
  readonly scenarios: readonly SignInScenario[]
  readonly connections: number
  readonly results: ReadonlyMap<string, readonly LoadMeasurement[]>
  readonly people: number
  readonly alone: readonly LoadMeasurement[]
  readonly crowds: readonly Crowd[]
}

/** Requests per second of CPU time, which equals requests/s divided by the number of busy cores. */
const perCore = ({ nodeCpuMs, databaseCpuMs }: LoadMeasurement): number => 1000 / (nodeCpuMs + databaseCpuMs)
/** Average number of cores that Node kept busy. */
const nodeCores = ({ perSecond, nodeCpuMs }: LoadMeasurement): number => (perSecond * nodeCpuMs) / 1000

export function writeSignIn(report: SignInReport): Section {
  const { connections, people, alone, crowds } = report
  const lines = [
    `## Sign-in, ${connections} connections`,
    '',
    'Per core: requests/s divided by the CPU cores that Node and PostgreSQL together were busy with, which is 1000 / (CPU Node + CPU PostgreSQL). The load generator is not in it.',
    'Refresh: each connection holds a session and sends the refresh token of the last answer, with client ID and secret. Code exchange: a fresh code each, with secret and PKCE.',
    'Uncached: a token a request, in turn out of twice as many as the process remembers.',
    '',
    ...tableHead('scenario', 'requests/s', 'p50 ms', 'p99 ms', 'CPU Node', 'CPU PostgreSQL', 'per core'),
  ]
  const goals: Goal[] = []
  for (const { name, goal } of report.scenarios) {
    const measured = report.results.get(name) ?? []
    const each = medianOf(measured, perCore)
    lines.push(line([name, ...speedCells(measured), ...cpuCells(measured), whole(each)]))
    if (!goal) continue
    const p99Ms = medianOf(measured, (one) => one.p99Ms)
    goals.push({
      measure: `${name}, requests/s per core${goal.p99Ms === undefined ? '' : ', p99'}`,
      goal: `${goal.perCore}${goal.p99Ms === undefined ? '' : `, ${goal.p99Ms} ms`}`,
      now: `${whole(each)}${goal.p99Ms === undefined ? '' : `, ${p99Ms.toFixed(0)} ms`}`,
      isReached: each >= goal.perCore && (goal.p99Ms === undefined || p99Ms < goal.p99Ms),
    })
  }

  const beside = crowds.map(({ reads }) => reads)
  const share = median(beside.map((one, round) => one.perSecond / (alone[round] as LoadMeasurement).perSecond))
  const cores = (measured: readonly LoadMeasurement[]) => medianOf(measured, nodeCores).toFixed(2)
  lines.push(
    '',
    `A bucket read with ${connections} connections, alone and while ${people} people sign in at once (\`GET /auth/basic\`, again and again, from a load process of their own). Cores: what Node was busy with, hashing included.`,
    '',
    ...tableHead('scenario', 'requests/s', 'p50 ms', 'p99 ms', 'cores Node', 'share'),
    line(['bucket read, alone', ...speedCells(alone), cores(alone), percent(1)]),
    line([`bucket read, while ${people} people sign in`, ...speedCells(beside), cores(beside), percent(share)]),
    line([`those sign-ins`, ...speedCells(crowds.map(({ signIns }) => signIns)), '', '']),
    '',
  )
  goals.push({
    measure: `bucket read while ${people} people sign in, share of the same alone`,
    goal: '0.50',
    now: share.toFixed(2),
    isReached: share >= 0.5,
  })
  return { lines, goals }
}

export interface PeopleScenario {
  readonly name: string
  readonly connections: number
  /** Goal for p99 in milliseconds, at the largest size. */
  readonly goalP99Ms?: number
}

export interface PeopleReport {
  readonly scenarios: readonly PeopleScenario[]
  /** Numbers of stored people, smallest first. */
  readonly sizes: readonly number[]
  readonly mix: string
  readonly results: ReadonlyMap<string, readonly LoadMeasurement[]>
  readonly duels: readonly Duel[]
  readonly duelQuery: string
  readonly plans: readonly Plan[]
  readonly term: string
  readonly drawn: number
}

/** Returns the key of a scenario's results at one size. */
export const keyOf = (scenario: string, people: number): string => `${scenario} ${people}`

const cpuMs = ({ nodeCpuMs, databaseCpuMs }: LoadMeasurement): number => nodeCpuMs + databaseCpuMs
const times = (value: number): string => `${value.toFixed(2)} ×`

export function writePeople(report: PeopleReport): Section {
  const { scenarios, sizes } = report
  const most = sizes.at(-1)!
  const resultsOf = (name: string, people: number) => report.results.get(keyOf(name, people)) ?? []
  const lines = [
    '## People and search',
    '',
    `Search: ${report.mix}; the same ones at each size.`,
    'The people are made up: some names are common, most are rare. Each size is a database of its own, and everybody is a user of one app who can be found. Per core: 1000 / (CPU Node + CPU PostgreSQL).',
    '',
    ...tableHead(
      'scenario',
      'connections',
      'people',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'CPU Node',
      'CPU PostgreSQL',
      'per core',
    ),
  ]
  const goals: Goal[] = []
  for (const { name, connections, goalP99Ms } of scenarios) {
    for (const people of sizes) {
      const measured = resultsOf(name, people)
      const each = whole(medianOf(measured, perCore))
      lines.push(line([name, whole(connections), whole(people), ...speedCells(measured), ...cpuCells(measured), each]))
    }
    if (goalP99Ms === undefined) continue
    const p99Ms = medianOf(resultsOf(name, most), (one) => one.p99Ms)
    goals.push({
      measure: `${name}, p99 among ${whole(most)} people, ${connections} connections`,
      goal: `${goalP99Ms} ms`,
      now: `${p99Ms.toFixed(1)} ms`,
      isReached: p99Ms < goalP99Ms,
    })
  }
  lines.push('', ...writeGrowth(report), ...writeDuels(report), ...writePlans(report))
  return { lines, goals }
}

/**
 * Shows how the CPU cost grows with the number of people: each size is compared with the smallest in the same round.
 */
function writeGrowth({ scenarios, sizes, results }: PeopleReport): string[] {
  const [fewest, ...larger] = sizes
  if (larger.length === 0) return []
  const lines = [
    'How the cost of a request grows: CPU of Node and PostgreSQL together.',
    '',
    ...tableHead(
      'scenario',
      'connections',
      'people',
      `times ${whole(fewest!)}`,
      `CPU ms at ${whole(fewest!)}`,
      'CPU ms',
      'times as much CPU',
    ),
  ]
  for (const { name, connections } of scenarios) {
    const base = results.get(keyOf(name, fewest!)) ?? []
    for (const people of larger) {
      const measured = results.get(keyOf(name, people)) ?? []
      const ratio = median(measured.map((one, round) => cpuMs(one) / cpuMs(base[round]!)))
      const cpus = [base, measured].map((all) => medianOf(all, cpuMs).toFixed(3))
      lines.push(line([name, whole(connections), whole(people), times(people / fewest!), ...cpus, times(ratio)]))
    }
  }
  return [...lines, '']
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1]!

function writeDuels({ duels, duelQuery }: PeopleReport): string[] {
  if (duels.length === 0) return ['pg_trgm is missing here, so search was not compared with it.', '']
  const lines = [
    `Search beside the usual way, a GIN index of trigrams (pg_trgm) over \`lower(first_name || ' ' || last_name || ' ' || handle)\` of the same people: \`${duelQuery}\`. The first queries of the mix, one at a time, each asked of both in turn: search over HTTP with its token check, the trigrams by plain SQL.`,
    '',
    ...tableHead('people', 'queries', 'of', 'search ms', 'pg_trgm ms', 'pg_trgm takes'),
  ]
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
  const figures: Record<string, (values: readonly number[]) => number> = {
    median,
    mean,
    p99: (values) => percentile(values, 0.99),
  }
  for (const { people, ours, trigrams } of duels) {
    for (const [name, figure] of Object.entries(figures)) {
      const [own, other] = [figure(ours), figure(trigrams)]
      lines.push(line([whole(people), whole(ours.length), name, own.toFixed(2), other.toFixed(2), times(other / own)]))
    }
  }
  return [...lines, '']
}

const writePlans = ({ plans, sizes, term, drawn }: PeopleReport): string[] => [
  `### Plans among ${whole(sizes.at(-1)!)} people`,
  '',
  `A search for \`${term}\` and a draw of ${drawn}: \`explain (analyze, buffers, costs off, timing off)\` of the statements that they are made of, prepared as the platform prepares them; buffers are those of the whole statement.`,
  '',
  ...plans.flatMap(({ statement, calls, lines }) => [
    `\`${statement}\`${calls > 1 ? `, ${calls} calls as one` : ''}:`,
    '',
    '```text',
    ...lines,
    '```',
    '',
  ]),
]

export interface LearningReport {
  readonly scenarios: readonly { readonly name: string; readonly connections: number; readonly isCompared: boolean }[]
  readonly sizes: readonly number[]
  readonly results: ReadonlyMap<string, readonly LoadMeasurement[]>
}

const GOAL_SHARE = 0.8

/** Compares each scenario with the bare SQL statements, and its larger sizes with the smallest. */
export function writeLearning({ scenarios, sizes, results }: LearningReport): Section {
  const goals: Goal[] = []
  const rows = scenarios.flatMap(({ name, connections, isCompared }) =>
    sizes.map((attempts, i) => {
      const own = results.get(`${name} ${attempts}`) ?? []
      const bare = results.get(`${name} ${attempts} bare`) ?? []
      const share = isCompared ? median(own.map((one, n) => one.perSecond / bare[n]!.perSecond)) : undefined
      if (share !== undefined)
        goals.push({
          measure: `${name}, share of the bare statements, ${whole(attempts)} attempts stored`,
          goal: GOAL_SHARE.toFixed(2),
          now: share.toFixed(2),
          isReached: share >= GOAL_SHARE,
        })
      if (i > 0 && isCompared) {
        const few = medianOf(results.get(`${name} ${sizes[0]}`) ?? [], (one) => one.p50Ms)
        const more = medianOf(own, (one) => one.p50Ms) / few - 1
        goals.push({
          measure: `${name}, growth of p50 from ${whole(sizes[0]!)} to ${whole(attempts)} attempts`,
          goal: '25 %',
          now: percent(more),
          isReached: more <= 0.25,
        })
      }
      return line([
        name,
        whole(attempts),
        String(connections),
        ...speedCells(own),
        ...cpuCells(own),
        share === undefined ? '' : percent(share),
      ])
    }),
  )
  return {
    lines: [
      '## Learning',
      '',
      'The bare statements are those that the operation sends, through the same driver, without token, rules and record.',
      '',
      ...tableHead('', 'attempts', 'connections', 'req/s', 'p50 ms', 'p99 ms', 'Node CPU', 'PostgreSQL CPU', 'of bare'),
      ...rows,
      '',
    ],
    goals,
  }
}

type Speed = Pick<LoadMeasurement, 'perSecond' | 'p50Ms' | 'p99Ms'>

export interface DeliveriesReport {
  readonly events: number
  readonly waiting: number
  readonly perSecond: number
  readonly connections: number
  readonly bulk: Speed[]
  readonly steady: Speed[]
  readonly alone: readonly LoadMeasurement[]
  readonly beside: readonly LoadMeasurement[]
}

const GOAL_P99_MS = 200
const GOAL_SLOWER = 0.1

export function writeDeliveries({ bulk, steady, alone, beside, ...report }: DeliveriesReport): Section {
  const slower = 1 - median(beside.map((one, round) => one.perSecond / alone[round]!.perSecond))
  const p99Ms = medianOf(steady, (one) => one.p99Ms)
  const backlog = whole(report.waiting)
  return {
    lines: [
      '## Deliveries',
      '',
      'Events of as many requests, to a plugin on the same machine that takes everything; from the commit of the event to the arrival of the request.',
      '',
      ...tableHead('scenario', 'events/s', 'p50 ms', 'p99 ms'),
      line([`${whole(report.events)} events at once`, ...speedCells(bulk)]),
      line([`${report.perSecond} events a second`, ...speedCells(steady)]),
      '',
      `A keyed bucket write with ${report.connections} connections, in the same process.`,
      '',
      ...tableHead('scenario', 'requests/s', 'p50 ms', 'p99 ms', 'CPU Node', 'CPU PostgreSQL'),
      line(['nothing waits', ...speedCells(alone), ...cpuCells(alone)]),
      line([`${backlog} deliveries wait`, ...speedCells(beside), ...cpuCells(beside)]),
      '',
    ],
    goals: [
      {
        measure: `delivery, p99 from commit to first attempt, ${report.perSecond} events/s`,
        goal: `${GOAL_P99_MS} ms`,
        now: `${p99Ms.toFixed(0)} ms`,
        isReached: p99Ms < GOAL_P99_MS,
      },
      {
        measure: `keyed bucket write, slower while ${backlog} deliveries wait`,
        goal: percent(GOAL_SLOWER),
        now: percent(slower),
        isReached: slower < GOAL_SLOWER,
      },
    ],
  }
}
