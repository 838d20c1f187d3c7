import type { Environment } from '../environment.ts'
import type { Operation } from './operation.ts'
import type { Page } from './pages/page.ts'
import type { ContentRoute } from './request.ts'

/** One number, or one number for each value of the label. */
export type Figure = number | Readonly<Record<string, number>>

/** A metric that a module exports at /metrics. */
export interface GaugeDescription {
  readonly name: string
  readonly help: string
  /** Name of the label, if the metric has several values. */
  readonly label?: string
  /**
   * True if the value never decreases while the process runs. It becomes a Prometheus counter, whose name ends in
   * `_total`.
   */
  readonly isCounter?: boolean
  value(environment: Environment): Figure | Promise<Figure>
}

/** Everything that the server serves, collected from all modules. */
export interface Interface {
  readonly operations: readonly Operation[]
  readonly pages: readonly Page[]
  readonly contentRoutes?: readonly ContentRoute[]
  /** One sentence per area of the API, in the order of the documentation. */
  readonly areas: Readonly<Record<string, string>>
  readonly gauges: readonly GaugeDescription[]
  /** Recorded responses to the examples, by the name of the operation. */
  readonly answers: Readonly<Record<string, unknown>>
}
