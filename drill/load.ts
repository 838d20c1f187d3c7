import { setTimeout as delay } from 'node:timers/promises'
import { driveAttempts } from './attempts.ts'
import { driveBuckets, openBuckets } from './buckets.ts'
import { Abandoned, Client } from './client.ts'
import { Ledger } from './ledger.ts'
import { driveOwner, drivePlugin, type Package } from './requests.ts'
import type { Run } from './run.ts'
import type { Setup, Target } from './school.ts'
import { driveSessions } from './sessions.ts'
import { driveStatements } from './statements.ts'
import { type Recovery, Watch } from './watch.ts'

export interface LoadOptions {
  /** Writes per second of all clients together, as long as none of them waits. */
  readonly writesPerSecond: number
  /** Time after which a client gives up waiting for an answer, and repeats the request. */
  readonly timeoutMs: number
  /** Writes work again when there has been no gap and no refusal for this long. */
  readonly settleMs: number
  /** How long the last writes are repeated after the load was stopped. */
  readonly abandonMs: number
}

const DEFAULTS: LoadOptions = { writesPerSecond: 60, timeoutMs: 10_000, settleMs: 2_000, abandonMs: 60_000 }

export interface Load {
  readonly ledger: Ledger
  /** Notes that a fault begins now. Returns when writes of each kind work again, and rejects if they do not in time. */
  recovered(faultName: string, timeoutMs: number): Promise<Recovery>
  /** Stops the clients after their last writes. */
  stop(): Promise<Ledger>
}

/** Starts clients that write until they are stopped. */
export async function startLoad(target: Target, setup: Setup, options: Partial<LoadOptions> = {}): Promise<Load> {
  const { writesPerSecond, timeoutMs, settleMs, abandonMs } = { ...DEFAULTS, ...options }
  const ledger = new Ledger(new Watch(settleMs))
  ledger.buckets.push(...openBuckets(setup))
  const abandon = new AbortController()
  let isOver = false
  let clients = 0
  const run: Run = {
    client: new Client(target.url, timeoutMs, abandon.signal),
    setup,
    ledger,
    isOver: () => isOver,
    // Pauses vary, so that the clients do not write in step.
    pause: () => delay((clients / writesPerSecond) * 1_000 * (0.5 + Math.random())),
  }
  const { people, owners, pluginUsers } = setup
  const packagesOf = (owner: number): Package[] =>
    setup.packageIds
      .filter((_, i) => i % owners.length === owner)
      .map((packageId) => ({ packageId, open: undefined, distributions: [] }))
  const drivers = [
    ...people.flatMap((person, i) => [
      () => driveBuckets(run, person, i),
      () => driveAttempts(run, person, i),
      ...(i % 2 === 0 ? [() => driveSessions(run, person), () => driveStatements(run, person, i / 2)] : []),
    ]),
    ...owners.flatMap((owner, i) => {
      const packages = packagesOf(i)
      return [() => driveOwner(run, owner, packages), () => drivePlugin(run, pluginUsers[i]!, packages)]
    }),
  ]
  clients = drivers.length
  const work = Promise.all(
    drivers.map(async (drive) => {
      try {
        await drive()
      } catch (error) {
        if (!(error instanceof Abandoned)) throw error
        ledger.abandoned++
      }
    }),
  )
  // A failure is thrown by `stop`; until then, it must not count as an unhandled rejection.
  work.catch(() => {})
  return {
    ledger,
    recovered: (faultName, recoveryMs) => ledger.watch.recovered(faultName, recoveryMs),
    stop: async () => {
      isOver = true
      const timer = setTimeout(() => abandon.abort(), abandonMs)
      await work.finally(() => clearTimeout(timer))
      return ledger
    },
  }
}
