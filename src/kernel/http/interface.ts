import type { Environment } from '../environment.ts'
import type { Operation } from './operation.ts'
import type { Page } from './pages/page.ts'

/** One number, or one for each value of the label. */
export type Figure = number | Readonly<Record<string, number>>

/** A figure that a room shows at /metrics. */
export interface GaugeDescription {
  readonly name: string
  readonly help: string
  /** Where it has several values: the name of the label that tells them apart. */
  readonly label?: string
  /** It only grows, since the process started: a Prometheus counter, whose name ends in `_total`. */
  readonly isCounter?: boolean
  value(environment: Environment): Figure | Promise<Figure>
}

/** Everything that a server serves, gathered from all rooms. */
export interface Interface {
  readonly operations: readonly Operation[]
  readonly pages: readonly Page[]
  /** A sentence for each area of the product, in the order of the documents. */
  readonly areas: Readonly<Record<string, string>>
  readonly gauges: readonly GaugeDescription[]
  /** Recorded answers to the examples, by the name of the operation. */
  readonly answers: Readonly<Record<string, unknown>>
}
