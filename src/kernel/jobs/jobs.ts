import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database, Db } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import * as store from './store.ts'
import { tellAfterCommit } from './wake.ts'

/** What of an environment work in the background needs. */
export interface JobParts {
  readonly name: string
  readonly db: Database
  readonly clock: () => Date
  readonly log: Logger
  readonly config: Pick<Config, 'STOP_SECONDS'>
  readonly stopping: AbortSignal
}

/** A kind of job by its name, for those who enqueue it. */
export interface JobName<Payload> {
  readonly name: string
  /** For the type alone. */
  readonly payload?: Payload
}

export interface NewJob<Payload> {
  readonly payload: Payload
  readonly at: Date
  /** At once where nothing is said. */
  readonly runAt?: Date
  /** Nobody wants it later: it is given up rather than tried after that. */
  readonly until?: Date
  /** While a job of this key waits, another one is not added. */
  readonly uniqueKey?: string
}

/** A job that this process has taken. */
export interface Job<Payload = unknown> {
  readonly id: number
  readonly payload: Payload
  readonly createdAt: Date
  /** With this one. */
  readonly attempts: number
  /** Aborted once the lease is lost: somebody else may have begun. */
  readonly lost: AbortSignal
  /** Settles the job in the transaction of its effect, so that both happen once. Throws, and so undoes the effect, where somebody else has taken the job since. */
  complete(tx: Db): Promise<void>
}

/** The job is to be run again later, which is no failure. */
export interface Again<Payload = unknown> {
  readonly againInMs: number
  readonly payload?: Payload
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds kinds with different payloads
export interface JobKind<Parts = JobParts, Payload = any> extends JobName<Payload> {
  /** Side by side in one process. */
  readonly atOnce: number
  /** After so long without a sign of life a job is anybody's again. It is extended while the job runs. */
  readonly leaseMs: number
  /** After so many it is given up; never where nothing is said. */
  readonly tries?: number
  /** Runs again and again, so long after it last went well, in one process at a time. Nobody enqueues it. */
  readonly everyMs?: number
  /** The wait after a failed try. */
  waits(attempts: number): number
  /** At least once: it may have been done before. */
  run(job: Job<Payload>, parts: Parts): Promise<Again<Payload> | undefined>
  /** What may be kept and logged of an error. */
  nameProblem?(error: unknown): string
  /** Instead of the usual line in the log. */
  onRetry?(job: Job<Payload>, problem: string, parts: Parts): void
  /** In the transaction that gives it up; logs what it returns instead of the usual line. */
  onGivenUp?(tx: Db, job: Job<Payload>, problem: string, parts: Parts): Promise<{ fields: object; text: string }>
}

/** There is no use in trying again. */
export class HopelessError extends Error {
  override readonly name = 'HopelessError'
}

export const topicOf = ({ name }: { name: string }): string => `jobs ${name}`

/** Adds jobs in the transaction of what they are for; they run after its commit. */
export async function enqueue<P>(tx: Db, kind: JobName<P>, ...jobs: readonly NewJob<P>[]): Promise<void> {
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

/** Doubles from the first wait to the longest, and is never quite the same. */
export const growing =
  (firstMs: number, longestMs: number): JobKind['waits'] =>
  (attempts) =>
    Math.min(longestMs, firstMs * 2 ** Math.min(attempts - 1, 30)) * (0.75 + Math.random() * 0.5)

/** Each count ends at 10,000. */
export interface JobFigures {
  readonly kind: string
  readonly due: number
  /** How long the first of them has been due. */
  readonly waitingSeconds: number
  /** Under way, or not due yet. */
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

/** Those that were given up; others are deleted when they are done. */
export const jobRetention: readonly Retention[] = [{ days: 30, remove: store.deleteOld }]
