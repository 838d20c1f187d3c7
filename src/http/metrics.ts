import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Environment } from '../environment.ts'

/** Latencies that matter: from a cached check to a stuck request. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export interface Observer {
  observe(seconds: number, status: number): void
}

/** What Prometheus reads at /metrics, for one environment. */
export class Metrics {
  readonly registry = new Registry()
  readonly #latency: Histogram<'operation' | 'status'>

  constructor(environment: Environment) {
    this.registry.setDefaultLabels({ environment: environment.name })
    collectDefaultMetrics({ register: this.registry })
    this.#latency = new Histogram({
      name: 'groundschool_request_seconds',
      help: 'Time from the first byte of a request to the end of its answer',
      labelNames: ['operation', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [this.registry],
    })
    this.#followDatabase(environment)
    this.#gauge('groundschool_token_cache_entries', 'Access tokens remembered', () => environment.tokens.size)
    this.#gauge('groundschool_streams_open', 'Change streams open', () => environment.bucketWatch.size)
  }

  /** Label sets are made once for each operation and status class, not for each request. */
  observerOf(operation: string): Observer {
    const classes: ({ observe(seconds: number): void } | undefined)[] = []
    return {
      observe: (seconds, status) => {
        const index = Math.floor(status / 100)
        classes[index] ??= this.#latency.labels(operation, `${index}xx`)
        classes[index].observe(seconds)
      },
    }
  }

  #followDatabase({ db }: Environment): void {
    this.#gauge('groundschool_pool_connections', 'Connections of the write pool', () => db.figures().poolTotal)
    this.#gauge('groundschool_pool_idle', 'Idle connections of the write pool', () => db.figures().poolIdle)
    this.#gauge('groundschool_pool_waiting', 'Calls that wait for a connection', () => db.figures().poolWaiting)
    this.#gauge('groundschool_reads_queued', 'Reads that wait for their lane', () => db.figures().readsQueued)
    this.#gauge('groundschool_reads_gathered_total', 'Reads that shared a statement', () => db.figures().readsGathered)
    this.#gauge(
      'groundschool_read_statements_total',
      'Statements that the read lane sent',
      () => db.figures().readStatements,
    )
    this.#gauge('groundschool_database_available', '1 while the database answers', () => (db.isAvailable() ? 1 : 0))
  }

  #gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(value())
      },
    })
  }
}
