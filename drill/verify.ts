import { checkAttempts } from './attempts.ts'
import { checkBuckets } from './buckets.ts'
import { Client } from './client.ts'
import { checkDeliveries, type EventFigures, waitForDeliveries } from './deliveries.ts'
import type { Difference, Ledger, Report } from './ledger.ts'
import { checkRequests } from './requests.ts'
import { PATIENCE_MS, type Setup, type Target } from './school.ts'
import { checkSessions } from './sessions.ts'
import { checkStatements } from './statements.ts'
import type { Kind } from './watch.ts'

export interface Verification {
  readonly acknowledged: Readonly<Record<Kind, number>>
  readonly refused: number
  readonly abandoned: number
  readonly sessions: number
  readonly receiver: EventFigures
  /** Events that the platform had not delivered in time. */
  readonly undelivered: number
  readonly differences: readonly Difference[]
}

/** Compares what the platform acknowledged with what it has, after it has delivered all events or `patienceMs`. */
export async function verify(
  target: Target,
  setup: Setup,
  ledger: Ledger,
  patienceMs = 120_000,
): Promise<Verification> {
  const client = new Client(target.url, PATIENCE_MS)
  const owner = setup.owners[0]!
  const differences = [...ledger.differences]
  const report: Report = (kind, problem, what) => void differences.push({ kind, problem, what })
  const undelivered = await waitForDeliveries(client, owner, patienceMs)
  await checkSessions(client, ledger, report)
  await checkBuckets(client, ledger, report)
  await checkAttempts(client, setup, ledger, report)
  await checkStatements(client, target, ledger, report)
  await checkRequests(client, ledger, owner, report)
  const receiver = checkDeliveries(ledger, setup.receiver.deliveries, report)
  return {
    acknowledged: ledger.watch.acknowledged,
    refused: ledger.watch.refused,
    abandoned: ledger.abandoned,
    sessions: ledger.sessions.filter(({ state }) => state === 'open').length,
    receiver,
    undelivered,
    differences,
  }
}
