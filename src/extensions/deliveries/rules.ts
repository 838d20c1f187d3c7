import type { Failure, OutboundResponse } from '../../kernel/outbound/outbound.ts'
import type { Purpose } from '../plugins/rules.ts'

/** The events that are delivered, with the address of the plugin that they go to. */
export const PURPOSES = {
  'request.started': 'request',
  'distributions.changed': 'distributions',
} as const satisfies Record<string, Purpose>
export const KINDS = Object.keys(PURPOSES) as (keyof typeof PURPOSES)[]

/** Deliveries with the complete state: a newer one replaces older ones in its lane that are still waiting. */
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
/** A delivery is retried for this time, then it fails. */
const RETRY_MS = 3 * DAY_MS
/** An address that only failed for this time is switched off. */
const FAILING_MS = 5 * DAY_MS

/**
 * Milliseconds until the next try. `chance` (0 to 1) adds jitter, so that deliveries that failed together spread out.
 */
export const waitAfter = (tries: number, chance: number): number =>
  (WAITS_MS[tries - 1] ?? LONGEST_WAIT_MS) * (1 - JITTER + 2 * JITTER * chance)

/** The time of the last possible attempt, given the first. */
export const giveUpAt = (firstAt: Date): Date => new Date(firstAt.getTime() + RETRY_MS)

export const isFailingTooLong = (since: Date, now: Date): boolean => now.getTime() - since.getTime() >= FAILING_MS

/** Classifies a response: accepted, refused permanently, or failed this time. */
export function judge(outcome: OutboundResponse | Failure): {
  readonly isTaken: boolean
  readonly isGone: boolean
  readonly problem: string | null
} {
  if (outcome.failure !== undefined) return { isTaken: false, isGone: false, problem: outcome.problem }
  const { status } = outcome
  const isTaken = status >= 200 && status < 300
  return { isTaken, isGone: status === 410, problem: isTaken ? null : `It answered ${status}` }
}
