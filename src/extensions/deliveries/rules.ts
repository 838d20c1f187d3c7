import type { Failure, OutboundResponse } from '../../kernel/outbound/outbound.ts'
import type { Purpose } from '../plugins/rules.ts'

/** What becomes a delivery, and to which of a plugin's addresses it goes. */
export const PURPOSES = {
  'request.started': 'request',
  'distributions.changed': 'distributions',
} as const satisfies Record<string, Purpose>
export const KINDS = Object.keys(PURPOSES) as (keyof typeof PURPOSES)[]

/** Each of these is the whole: a newer one replaces those before it that nobody has taken yet. */
export const REPLACING: Purpose[] = ['distributions']

export const STATES = ['waiting', 'delivered', 'failed', 'replaced'] as const
export type State = (typeof STATES)[number]

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const WAITS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS]
const LONGEST_WAIT_MS = 6 * HOUR_MS
const JITTER = 0.2
/** A delivery is tried for so long, and then rests. */
const TRIED_MS = 3 * DAY_MS
/** An address that has done nothing but fail for so long is switched off. */
const FAILING_MS = 5 * DAY_MS

/** Milliseconds until the next try. `chance` (0 to 1) adds jitter, so that deliveries that failed together are spread out. */
export const waitAfter = (tries: number, chance: number): number =>
  (WAITS_MS[tries - 1] ?? LONGEST_WAIT_MS) * (1 - JITTER + 2 * JITTER * chance)

/** When the last try may be, after this first one. */
export const giveUpAt = (firstAt: Date): Date => new Date(firstAt.getTime() + TRIED_MS)

export const isFailingTooLong = (since: Date, now: Date): boolean => now.getTime() - since.getTime() >= FAILING_MS

/** What an answer means: taken, refused for good, or not taken this time. */
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
