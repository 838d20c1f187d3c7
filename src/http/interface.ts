import type { Environment } from '../environment.ts'
import type { Operation } from './operation.ts'
import type { Page } from './pages/page.ts'

/** A figure that a room shows at /metrics. */
export interface GaugeDescription {
  readonly name: string
  readonly help: string
  value(environment: Environment): number | Promise<number>
}

/** Everything that a server serves, gathered from all rooms. */
export interface Interface {
  readonly operations: readonly Operation[]
  readonly pages: readonly Page[]
  /** A sentence for each area of the product, in the order of the documents. */
  readonly areas: Readonly<Record<string, string>>
  readonly gauges: readonly GaugeDescription[]
}
