import type { Environment } from '../environment.ts'
import type { Operation } from './operation.ts'
import type { Page } from './pages/page.ts'

/** One number, or one per value of the label. */
export type Figure = number | Readonly<Record<string, number>>

/** A metric that a room exports at /metrics. */
export interface GaugeDescription {
  readonly name: string
  readonly help: string
  /** The name of the label, if the metric has several values. */
  readonly label?: string
  /** The value only grows while the process runs: a Prometheus counter, whose name ends in `_total`. */
  readonly isCounter?: boolean
  value(environment: Environment): Figure | Promise<Figure>
}

/** Everything that the server serves, collected from all rooms. */
export interface Interface {
  readonly operations: readonly Operation[]
  readonly pages: readonly Page[]
  /** One sentence per area of the product, in the order of the documents. */
  readonly areas: Readonly<Record<string, string>>
  readonly gauges: readonly GaugeDescription[]
  /** Recorded answers to the examples, by the name of the operation. */
  readonly answers: Readonly<Record<string, unknown>>
}
