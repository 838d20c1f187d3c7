import type { Failure, OutboundResponse } from '../../kernel/outbound/outbound.ts'
import type { Purpose } from '../plugins/schema.ts'

/** The kinds of events that are delivered, each with the purpose of the plugin's address that it is sent to. */
export const PURPOSES = {
  'request.started': 'request',
  'distributions.changed': 'distributions',
} as const satisfies Record<string, Purpose>
export const KINDS = Object.keys(PURPOSES) as (keyof typeof PURPOSES)[]

/**
 * Purposes whose deliveries contain the complete state: a newer delivery about a request replaces older ones that still
 * wait.
 */
export const REPLACING: Purpose[] = ['distributions']

export const STATES = ['waiting', 'delivered', 'failed', 'replaced'] as const
export type DeliveryState = (typeof STATES)[number]

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const WAITS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS]
const LONGEST_WAIT_MS = 6 * HOUR_MS
const JITTER = 0.2
/** How long a delivery is retried before it counts as failed. */
const RETRY_MS = 3 * DAY_MS
/** An address is switched off if all calls to it have failed for this long. */
const FAILING_MS = 5 * DAY_MS

/**
 * Returns the milliseconds until the next attempt. `chance` (0 to 1) adds jitter, so that deliveries that failed
 * together are not retried together.
 */
export const waitAfter = (tries: number, chance: number): number =>
  (WAITS_MS[tries - 1] ?? LONGEST_WAIT_MS) * (1 - JITTER + 2 * JITTER * chance)

/** Returns the time after which a delivery is no longer retried, given the time of its first attempt. */
export const giveUpAt = (firstAt: Date): Date => new Date(firstAt.getTime() + RETRY_MS)

/** After this time of failures, the people who look after a plugin are notified. */
const WHILE_MS = 10 * 60_000

export const isFailingAWhile = (since: Date, now: Date): boolean => now.getTime() - since.getTime() >= WHILE_MS

export const isFailingTooLong = (since: Date, now: Date): boolean => now.getTime() - since.getTime() >= FAILING_MS

/**
 * Classifies the outcome of an attempt: `isTaken` for status 2xx, `isGone` for 410. `problem` describes any failure.
 */
export function judge(outcome: OutboundResponse | Failure): {
  readonly isTaken: boolean
  readonly isGone: boolean
  readonly problem: string | null
} {
  if (outcome.failure !== undefined) return { isTaken: false, isGone: false, problem: outcome.problem }
  const { status } = outcome
  const isTaken = status >= 200 && status < 300
  return { isTaken, isGone: status === 410, problem: isTaken ? null : `The plugin responded with ${status}` }
}
