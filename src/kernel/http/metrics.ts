import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import manifest from '../../../package.json' with { type: 'json' }
import { listMigrations } from '../database/migrate.ts'
import { serverState } from '../database/server-state.ts'
import { type Environment, provided } from '../environment.ts'
import type { Figure, GaugeDescription } from './interface.ts'
import type { Observe } from './request.ts'
import { standstill } from './standstill.ts'

/** Upper bounds of the histogram's buckets, in milliseconds: from a cached token check to a stuck request. */
const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000]

/** Latency histogram of one operation and one status class. */
class Latency {
  readonly counts = new Float64Array(BOUNDS_MS.length + 1)
  sumMs = 0

  observe(ms: number): void {
    let i = 0
    while (i < BOUNDS_MS.length && ms > BOUNDS_MS[i]!) i++
    this.counts[i]!++
    this.sumMs += ms
  }

  /** Returns the values in the format of Prometheus, where the count of each bucket includes all smaller buckets. */
  toValues(name: string, labels: Record<string, string>) {
    let total = 0
    const buckets = Array.from(this.counts, (count, i) => {
      total += count
      const le = i < BOUNDS_MS.length ? BOUNDS_MS[i]! / 1000 : '+Inf'
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.sumMs / 1000 },
      { metricName: `${name}_count`, labels, value: total },
    ]
  }
}

/** Request count, latency and errors of one operation. */
export interface OperationFigures {
  readonly operation: string
  readonly count: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly refused: number
  readonly failed: number
  readonly errorRate: number
}
/** Returns the figures of each operation in this process since it started. */
export const operationFigures = provided<() => OperationFigures[]>('the figures of operations')

const sum = (counts: Iterable<number>): number => Iterator.from(counts).reduce((total, count) => total + count, 0)

/**
 * Estimates a quantile, assuming an even distribution within each bucket. Values above the last bound count as that
 * bound.
 */
function quantileOf(counts: readonly number[], share: number): number {
  const rank = share * sum(counts)
  let before = 0
  for (const [i, count] of counts.entries()) {
    if (count > 0 && before + count >= rank) {
      const from = BOUNDS_MS[i - 1] ?? 0
      const to = BOUNDS_MS[i] ?? from
      return Math.round((from + ((to - from) * (rank - before)) / count) * 10) / 10
    }
    before += count
  }
  return 0
}

function figuresOf(operation: string, classes: readonly (Latency | undefined)[]): OperationFigures {
  const totals = classes.map((latency) => sum(latency?.counts ?? []))
  const counts = Array.from({ length: BOUNDS_MS.length + 1 }, (_, i) => sum(classes.map((one) => one?.counts[i] ?? 0)))
  const [count, refused, failed] = [sum(totals), sum(totals.slice(4)), sum(totals.slice(5))]
  return {
    operation,
    count,
    p50Ms: quantileOf(counts, 0.5),
    p95Ms: quantileOf(counts, 0.95),
    refused,
    failed,
    errorRate: failed / count,
  }
}

/** Says why the platform is not ready for requests; undefined if it is. */
export function findObstacle({ isLeaving, db, get }: Environment): string | undefined {
  if (isLeaving) return 'The platform is stopping'
  if (get(standstill).isWaking()) return 'This process stood still'
  return db.canServe() ? undefined : 'The database does not respond'
}

/** Time limit for one figure. With DATABASE_WAIT_SECONDS, a figure would wait for a lost database. */
const FIGURE_MS = 2_000

const LATENCY = 'groundschool_request_seconds'

/** The Prometheus metrics of one environment. */
export class Metrics {
  readonly registry = new Registry()
  readonly #latencies = new Map<string, (Latency | undefined)[]>()
  #isNodeFollowed = false

  constructor(environment: Environment, gauges: readonly GaugeDescription[]) {
    this.registry.setDefaultLabels({ environment: environment.name })
    this.registry.registerMetric({
      name: LATENCY,
      get: async () => ({
        name: LATENCY,
        help: 'Time from the arrival of a request until its response was handed to the socket',
        type: 'histogram',
        aggregator: 'sum',
        values: this.#listLatencies(),
      }),
    } as unknown as Metric)
    this.#gauge('groundschool_ready', '1 while the process is ready for requests', () =>
      findObstacle(environment) === undefined ? 1 : 0,
    )
    this.#describeBuild()
    this.#followDatabase(environment)
    environment.provide(operationFigures, () => this.#listFigures())
    for (const { name, help, label, isCounter, value } of gauges)
      this.#figure(isCounter ? Counter : Gauge, { name, help, label }, () => value(environment))
  }

  /**
   * Returns all metrics as text. Those of Node are collected from the first call on, because measuring the delay of the
   * event loop wakes the process 100 times a second.
   */
  async read(): Promise<string> {
    if (!this.#isNodeFollowed) {
      this.#isNodeFollowed = true
      collectDefaultMetrics({ register: this.registry })
      // The first delay of the event loop is measured after 10 ms.
      await sleep(20)
    }
    // prom-client writes `Nan` for a mean without samples, which Prometheus does not define.
    return (await this.registry.metrics()).replace(/ Nan$/gm, ' NaN')
  }

  observerOf(operation: string): Observe {
    const classes = this.#latencies.get(operation) ?? []
    this.#latencies.set(operation, classes)
    return (ms, status) => {
      const index = Math.floor(status / 100)
      classes[index] ??= new Latency()
      classes[index].observe(ms)
    }
  }

  #listLatencies() {
    return [...this.#latencies].flatMap(([operation, classes]) =>
      classes.flatMap((latency, index) => latency?.toValues(LATENCY, { operation, status: `${index}xx` }) ?? []),
    )
  }

  #listFigures(): OperationFigures[] {
    return [...this.#latencies]
      .filter(([, classes]) => classes.length > 0)
      .map(([operation, classes]) => figuresOf(operation, Array.from(classes)))
      .sort((one, other) => other.count - one.count)
  }

  /** One series with the value 1, whose labels tell what this process runs. */
  #describeBuild(): void {
    const name = 'groundschool_build_info'
    const help = 'Version of the platform, and the last migration that it knows'
    let migration: string | undefined
    new Gauge({
      name,
      help,
      registers: [this.registry],
      labelNames: ['version', 'migration'],
      async collect() {
        migration ??= String((await listMigrations()).length).padStart(4, '0')
        this.set({ version: manifest.version, migration }, 1)
      },
    })
  }

  #followDatabase({ db }: Environment): void {
    this.#gauge('groundschool_pool_connections', 'Connections of the write pool', () => db.figures().poolTotal)
    this.#gauge('groundschool_pool_idle', 'Idle connections of the write pool', () => db.figures().poolIdle)
    this.#gauge('groundschool_pool_waiting', 'Calls that are waiting for a connection', () => db.figures().poolWaiting)
    this.#gauge('groundschool_reads_queued', 'Reads that are waiting for their lane', () => db.figures().readsQueued)
    this.#gauge('groundschool_lists_waiting', 'Lists that are waiting for their turn', () => db.figures().listsWaiting)
    this.#counter(
      'groundschool_reads_gathered_total',
      'Reads that shared a statement',
      () => db.figures().readsGathered,
    )
    this.#counter(
      'groundschool_read_statements_total',
      'Statements that the read lane sent',
      () => db.figures().readStatements,
    )
    this.#counter(
      'groundschool_standby_reads_total',
      'Lists and reports that a standby answered',
      () => db.figures().standbyReads,
    )
    this.#counter(
      'groundschool_standby_refusals_total',
      'Lists and reports that the primary answered, because a standby was too far behind or could not be reached',
      () => db.figures().standbyRefusals,
    )
    this.#gauge('groundschool_standby_lag_seconds', 'How far the standby is behind that was asked', async () => {
      const lagMs = await db.measureLag()
      return lagMs === undefined ? {} : lagMs / 1000
    })
    this.#counter(
      'groundschool_database_waits_total',
      'Calls that waited for a database that was lost',
      () => db.figures().waits,
    )
    this.#counter(
      'groundschool_database_wait_seconds_total',
      'Time that calls waited for a database that was lost',
      () => db.figures().waitSeconds,
    )
    const readState = () => db.first(serverState, {})
    this.#gauge('groundschool_database_primary', '1 if DATABASE_URL leads to a primary, 0 if to a standby', async () =>
      (await readState())?.is_standby ? 0 : 1,
    )
    this.#gauge(
      'groundschool_archive_failing',
      '1 while the last attempt of the database to archive its log has failed',
      async () => ((await readState())?.is_archive_failing ? 1 : 0),
    )
    this.#gauge('groundschool_database_available', '1 while the database responds', () => (db.isAvailable() ? 1 : 0))
  }

  #gauge(name: string, help: string, value: () => Figure | Promise<Figure>): void {
    this.#figure(Gauge, { name, help }, value)
  }

  #counter(name: string, help: string, value: () => number): void {
    this.#figure(Counter, { name, help }, value)
  }

  #figure(
    Kind: typeof Gauge | typeof Counter,
    { name, help, label }: Pick<GaugeDescription, 'name' | 'help'> & { label?: string | undefined },
    value: () => Figure | Promise<Figure>,
  ): void {
    new Kind({
      name,
      help,
      registers: [this.registry],
      labelNames: label === undefined ? [] : [label],
      async collect() {
        this.reset()
        // A figure that is not known has no series. `reset` leaves 0 where there are no labels.
        if (label === undefined) this.remove()
        // If the database is unavailable, the other metrics must still be reported, and soon.
        const figure = await Promise.race([value(), sleep(FIGURE_MS, undefined, { ref: false })]).catch(() => undefined)
        if (typeof figure === 'number') this.inc(figure)
        else for (const [key, one] of Object.entries(figure ?? {})) this.inc({ [label!]: key }, one)
      },
    })
  }
}
