import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database, Db, Tx } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import * as store from './store.ts'
import { tellAfterCommit } from './wake.ts'

/** The part of an environment that background work needs. */
export interface JobEnvironment {
  readonly name: string
  readonly db: Database
  readonly clock: () => Date
  readonly log: Logger
  readonly config: Pick<Config, 'STOP_SECONDS'>
  readonly stopping: AbortSignal
}

/** Names a kind of job, for code that enqueues such jobs. */
export interface JobName<Payload> {
  readonly name: string
  /** Never set; only carries the type. */
  readonly payload?: Payload
}

export interface NewJob<Payload> {
  readonly payload: Payload
  readonly at: Date
  /** Earliest start; by default the job starts immediately. */
  readonly runAt?: Date
  /** Deadline: a job that fails is given up if its next try would be later than this. */
  readonly until?: Date
  /** While a job with this key is waiting, no second job with the key is added. */
  readonly uniqueKey?: string
}

/** A job that this process has claimed. */
export interface Job<Payload = unknown> {
  readonly id: number
  readonly payload: Payload
  readonly createdAt: Date
  /** Number of tries, including the current one. */
  readonly attempts: number
  /** Aborted when the lease is lost, because another process may then have started the job. */
  readonly lost: AbortSignal
  /**
   * Completes the job in the transaction of its effect, so that both happen exactly once. If another process has
   * claimed the job in the meantime, it throws, which rolls back the effect.
   */
  complete(tx: Tx): Promise<void>
}

/** Returned by a job that wants to run again later. This does not count as a failure. */
export interface RunAgain<Payload = unknown> {
  readonly againInMs: number
  readonly payload?: Payload
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds kinds with different payloads
export interface JobKind<Context = JobEnvironment, Payload = any> extends JobName<Payload> {
  /** Maximum number of jobs of this kind that run at once in a process. */
  readonly atOnce: number
  /** Time after which an unfinished job can be claimed again. The lease is extended while the job runs. */
  readonly leaseMs: number
  /** Number of tries after which the job is given up; unlimited by default. */
  readonly tries?: number
  /**
   * Makes the kind recurring: one job runs again this long after its last success, in one process at a time. It is
   * enqueued automatically.
   */
  readonly everyMs?: number
  /** Returns the delay before the next try, in milliseconds, after this many failed tries. */
  waits(attempts: number): number
  /** Does the work. A job may run more than once, so repeating it must be harmless. */
  run(job: Job<Payload>, context: Context): Promise<RunAgain<Payload> | undefined>
  /** Returns the part of an error that may be stored and logged. */
  nameProblem?(error: unknown): string
  /** Logs a failed try instead of the default log line. */
  onRetry?(job: Job<Payload>, problem: string, context: Context): void
  /** Runs in the transaction that gives up the job. Its result replaces the default log line. */
  onGivenUp?(tx: Tx, job: Job<Payload>, problem: string, context: Context): Promise<{ fields: object; text: string }>
}

/** Thrown by a job that must not be retried. */
export class HopelessError extends Error {
  override readonly name = 'HopelessError'
}

export const topicOf = ({ name }: { name: string }): string => `jobs ${name}`

/** Adds jobs in the transaction of the change that needs them. The jobs run after the commit. */
export async function enqueue<P>(tx: Tx, kind: JobName<P>, ...jobs: readonly NewJob<P>[]): Promise<void> {
  const unique = new Map(jobs.map((job, i) => [job.uniqueKey ?? i, job]))
  const rows = [...unique.values()].map(({ payload, runAt, until, uniqueKey }) => ({
    payload,
    run_at: runAt,
    give_up_at: until,
    unique_key: uniqueKey,
  }))
  if (rows.length === 0) return
  await tx.all(store.enqueue, { kind: kind.name, rows: JSON.stringify(rows), now: jobs[0]!.at })
  tellAfterCommit(tx, topicOf(kind))
}

/** Returns a function for `waits`: exponential backoff with jitter, from `firstMs` to `longestMs`. */
export const growing =
  (firstMs: number, longestMs: number): JobKind['waits'] =>
  (attempts) =>
    Math.min(longestMs, firstMs * 2 ** Math.min(attempts - 1, 30)) * (0.75 + Math.random() * 0.5)

/** Numbers of jobs of one kind. Each is capped at 10,000. */
export interface JobFigures {
  readonly kind: string
  readonly due: number
  /** Age of the oldest due job. */
  readonly waitingSeconds: number
  /** Number of jobs that are running or not yet due. */
  readonly other: number
  readonly givenUp: number
}

export async function jobFigures(db: Db, now: Date): Promise<JobFigures[]> {
  const [waiting, givenUp] = await Promise.all([db.all(store.readWaiting, { now }), db.all(store.countGivenUp, {})])
  const kinds = new Set([...waiting, ...givenUp].map(({ kind }) => kind))
  return [...kinds].sort().map((kind) => {
    const row = waiting.find((one) => one.kind === kind)
    const lost = givenUp.find((one) => one.kind === kind)
    const { due = 0, waiting_seconds: waitingSeconds = 0, other = 0 } = row ?? {}
    return { kind, due, waitingSeconds, other, givenUp: lost?.given_up ?? 0 }
  })
}

/** Retention of jobs that were given up. Completed jobs are deleted immediately. */
export const jobRetention: readonly Retention[] = [{ days: 30, remove: store.deleteOld }]
