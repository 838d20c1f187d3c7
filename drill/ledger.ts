import type { Kind, Watch } from './watch.ts'

export const PROBLEMS = ['lost', 'doubled', 'changed', 'out of order', 'unexpected'] as const
type Problem = (typeof PROBLEMS)[number]

/** Something that the platform should have and has not, or has and should not. */
export interface Difference {
  readonly kind: Kind | 'session' | 'event'
  readonly problem: Problem
  readonly what: string
}

export type Report = (kind: Difference['kind'], problem: Problem, what: string) => void

/** One sign-in to the app, with the tokens of its last acknowledged refresh. `unknown`: a write was abandoned. */
export interface Session {
  readonly handle: string
  refreshToken: string
  accessToken: string
  state: 'open' | 'ended' | 'lost' | 'unknown'
}

/** A bucket with several writers, each of which counts under its own key. */
export interface Bucket {
  readonly id: string
  /** Version at which the bucket was created. */
  readonly created: number
  /** The highest acknowledged version. */
  version: number
  acknowledged: number
  readonly counters: Counter[]
}

interface Counter {
  readonly key: string
  readonly token: string
  /** The last value that was sent, and the last one that was acknowledged. */
  sent: number
  value: number
}

/** One attempt at a lesson. Each part is undefined until it is acknowledged. */
export interface Attempt {
  readonly student: number
  readonly lessonId: string
  lessonResultId?: string
  sentScore?: number
  score?: number
  isComplete?: boolean
}

export interface Statement {
  /** A text that only this statement contains. */
  readonly marker: string
  readonly sent: object
  /** The id that was given or assigned; undefined until the statement is acknowledged. */
  id?: string
}

/** A change of the distributions of a request's package, and the whole list after it. */
interface DistributionChange {
  readonly distributions: readonly string[]
  /** True if the request was certainly open until the change was acknowledged. */
  readonly isCertain: boolean
}

export interface AtoRequest {
  readonly packageId: string
  requestId?: string
  /** Acknowledged reports of the plugin. */
  readonly statuses: string[]
  alert?: string
  /** True as soon as the plugin sends the report that completes the request. */
  isCompleting: boolean
  readonly changes: DistributionChange[]
}

/** What the load has sent, and what the platform has acknowledged. */
export class Ledger {
  readonly sessions: Session[] = []
  readonly buckets: Bucket[] = []
  readonly attempts: Attempt[] = []
  readonly statements: Statement[] = []
  readonly requests: AtoRequest[] = []
  /** What was wrong with answers during the load. */
  readonly differences: Difference[] = []
  /** Number of writes that were abandoned at the end of the load, so nobody knows whether they took effect. */
  abandoned = 0
  readonly watch: Watch

  constructor(watch: Watch) {
    this.watch = watch
  }

  readonly report: Report = (kind, problem, what) => {
    this.differences.push({ kind, problem, what })
  }
}
