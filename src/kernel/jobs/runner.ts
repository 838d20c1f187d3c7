import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Db, hasCode } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { HopelessError, type Job, type JobEnvironment, type JobKind, type RunAgain, topicOf } from './jobs.ts'
import { Loop, waitAtMost } from './loop.ts'
import * as store from './store.ts'
import { hear } from './wake.ts'

/** Polling interval, for jobs that are due later and in case a notification is lost: one query for all kinds. */
const LOOK_MS = 1000
/**
 * Returns a random delay before a new job starts, so that response times do not reveal whether a request has enqueued a
 * job.
 */
const wakeDelay = (): number => 30 + Math.random() * 40
const PROBLEM_LENGTH = 500
const UNIQUE_VIOLATION = '23505'

type ClaimedJob = RowOf<typeof store.claimDue>

/** Runs jobs of these kinds until the process stops. Several processes share the work. */
export function startJobs<Context extends JobEnvironment>(
  context: Context,
  kinds: readonly JobKind<Context>[],
): { stop(): Promise<void> } {
  const { db, clock, log, config } = context
  const runners = new Map(kinds.map((kind) => [kind.name, new Runner(context, kind)]))
  const recurring = kinds.filter(({ everyMs }) => everyMs !== undefined).map(({ name }) => name)
  let areEnqueued = false
  const look = new Loop({
    everyMs: LOOK_MS,
    work: async () => {
      if (!areEnqueued) await db.all(store.enqueueOnce, { kinds: recurring, now: clock() })
      areEnqueued = true
      for (const { kind } of await db.all(store.listDue, { kinds: [...runners.keys()], now: clock() }))
        runners.get(kind)!.wake()
    },
    onProblem: ({ message }) => log.warn({ problem: message }, 'polling for due jobs failed'),
  })
  look.wakeIn(wakeDelay())
  return {
    // Unfinished jobs are run by another process after their leases expire.
    stop: () => {
      const work = [look.stop(), ...runners.values().map((runner) => runner.stop())]
      return waitAtMost(config.STOP_SECONDS * 1000, Promise.all(work))
    },
  }
}

class Runner<Context extends JobEnvironment> {
  readonly #context: Context
  readonly #kind: JobKind<Context>
  readonly #loop: Loop
  readonly #running = new Set<Promise<void>>()
  readonly #done: ClaimedJob[] = []
  #settling: Promise<void> | undefined
  #isMore = false

  constructor(context: Context, kind: JobKind<Context>) {
    this.#context = context
    this.#kind = kind
    this.#loop = new Loop({
      work: () => this.#claimAll(),
      onProblem: (error) => this.#warn('claiming jobs failed', error),
    })
    hear(context.db, topicOf(kind), () => this.#loop.wakeIn(wakeDelay()), context.stopping)
  }

  wake(): void {
    this.#loop.wake()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    await Promise.all(this.#running)
  }

  #warn(text: string, { message }: Error): void {
    this.#context.log.warn({ job: this.#kind.name, problem: message }, text)
  }

  async #claimAll(): Promise<void> {
    const { atOnce } = this.#kind
    this.#isMore = true
    // Claims several jobs with one statement, but only when at least half of the slots are free.
    while (this.#isMore && this.#running.size <= atOnce / 2 && !this.#loop.isStopped) {
      const limit = atOnce - this.#running.size
      const claimed = await this.#claim(limit)
      for (const row of claimed) this.#launch(row)
      this.#isMore = claimed.length === limit
    }
  }

  #claim(limit: number): Promise<ClaimedJob[]> {
    const { db, clock } = this.#context
    return db.all(store.claimDue, { kind: this.#kind.name, now: clock(), lease: this.#leaseEnd(), limit })
  }

  #launch(row: ClaimedJob): void {
    const done = this.#run(row)
      .catch((error: Error) => this.#warn('settling a job failed; it will run again', error))
      .finally(() => {
        this.#running.delete(done)
        if (this.#isMore) this.#loop.wake()
      })
    this.#running.add(done)
  }

  async #run(row: ClaimedJob): Promise<void> {
    const { clock } = this.#context
    const own = { id: row.id, token: row.token }
    const lost = new AbortController()
    let isSettled = false
    const job: Job = {
      id: row.id,
      payload: JSON.parse(row.payload),
      createdAt: row.created_at,
      attempts: row.attempts,
      lost: lost.signal,
      complete: async (tx) => {
        const settled = await tx.first(store.complete, { ids: [own.id], tokens: [own.token] })
        if (!settled) throw new Error('somebody else has taken the job')
        tx.afterCommit(() => {
          isSettled = true
        })
      },
    }
    const heartbeat = setInterval(() => this.#extendLease(own, lost), this.#kind.leaseMs / 3).unref()
    try {
      if (row.give_up_at && clock() >= row.give_up_at) return await this.#giveUp(row, job, 'it came too late')
      let again: RunAgain | undefined
      try {
        again = await this.#kind.run(job, this.#context)
      } catch (error) {
        if (isSettled) throw error
        return await this.#fail(row, job, error)
      }
      if (!isSettled) await this.#finish(row, again)
    } finally {
      clearInterval(heartbeat)
    }
  }

  #leaseEnd(): Date {
    return new Date(this.#context.clock().getTime() + this.#kind.leaseMs)
  }

  #extendLease(own: { id: number; token: number }, lost: AbortController): void {
    this.#context.db.first(store.extendLease, { ...own, lease: this.#leaseEnd() }).then(
      (row) => row || lost.abort(),
      () => {},
    )
  }

  async #finish(row: ClaimedJob, again: RunAgain | undefined): Promise<void> {
    const { id, token, unique_key } = row
    const { db, clock } = this.#context
    const inMs = again?.againInMs ?? this.#kind.everyMs
    if (inMs === undefined) {
      this.#done.push(row)
      this.#settling ??= this.#settle()
      return this.#settling
    }
    const payload = again?.payload === undefined ? null : JSON.stringify(again.payload)
    const run = new Date(clock().getTime() + inMs)
    await putBack(db, { id, token, run, attempts: 0, payload, problem: null }, unique_key !== null)
  }

  /** Marks all jobs that finished in this turn of the event loop as completed, with one statement. */
  async #settle(): Promise<void> {
    await nextTurn()
    const done = this.#done.splice(0)
    this.#settling = undefined
    await this.#context.db.all(store.complete, {
      ids: done.map(({ id }) => id),
      tokens: done.map(({ token }) => token),
    })
  }

  async #fail(row: ClaimedJob, job: Job, error: unknown): Promise<void> {
    const { db, clock, log } = this.#context
    const { tries = Number.POSITIVE_INFINITY, waits, onRetry, nameProblem, name } = this.#kind
    const { id, token, attempts, unique_key } = row
    const problem = (nameProblem?.(error) ?? (error as Error).message).slice(0, PROBLEM_LENGTH)
    const run = new Date(clock().getTime() + waits(attempts))
    const isOver = attempts >= tries || (row.give_up_at && run >= row.give_up_at)
    if (error instanceof HopelessError || isOver) return this.#giveUp(row, job, problem)
    if (!(await putBack(db, { id, token, run, attempts, payload: null, problem }, unique_key !== null))) return
    if (onRetry) onRetry(job, problem, this.#context)
    else log.warn({ job: name, id, attempts, problem }, 'job failed; it will be retried')
  }

  async #giveUp({ id, token, attempts }: ClaimedJob, job: Job, problem: string): Promise<void> {
    const { db, clock, log } = this.#context
    const { onGivenUp, name } = this.#kind
    const line = await db.transaction(async (tx) => {
      if (!(await tx.first(store.giveUp, { id, token, now: clock(), problem }))) return undefined
      const usual = { fields: { job: name, id, attempts, problem }, text: 'job given up' }
      return (await onGivenUp?.(tx, job, problem, this.#context)) ?? usual
    })
    if (line) log.error(line.fields, line.text)
  }
}

/**
 * Schedules another run of a job. Returns false if the job's lease was lost. Retries on a unique violation, because a
 * job with the same unique key may be enqueued at the same moment.
 */
async function putBack(db: Db, what: Parameters<typeof store.putBack.encodeParams>[0], isUnique: boolean) {
  if (!isUnique) return (await db.first(store.putBack, what)) !== undefined
  for (let triesLeft = 3; ; triesLeft--)
    try {
      return await db.transaction(async (tx) => {
        await tx.all(store.deleteRival, { id: what.id, token: what.token })
        return (await tx.first(store.putBack, what)) !== undefined
      })
    } catch (error) {
      if (!hasCode(error, UNIQUE_VIOLATION) || triesLeft === 0) throw error
    }
}
