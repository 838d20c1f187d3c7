import { fail } from '../../kernel/errors.ts'

/** Maximum number of refused requests that are logged per app between two writes of the log to the database. */
const MOST_REFUSALS = 500
/** After each write of the log to the database, this many successful requests of an app are logged in any case. */
const ALL_SUCCESSES = 20
/** Share of the successful requests beyond `ALL_SUCCESSES` that are logged, chosen at random. */
const SAMPLED_SHARE = 0.02
/** Maximum number of requests that a process buffers for all apps together. */
const MOST_ENTRIES = 5_000

export interface LoggedCounts {
  refusals: number
  successes: number
}

/** Whether to log one more request of an app. `chance` is a random number from 0 to 1. */
export function isKept(kept: LoggedCounts, status: number, entries: number, chance: number): boolean {
  if (entries >= MOST_ENTRIES) return false
  if (status >= 400) return kept.refusals < MOST_REFUSALS
  return kept.successes < ALL_SUCCESSES || chance < SAMPLED_SHARE
}

/** Parses a status filter: `404` means that status, `4xx` means all statuses from 400 to 499. */
export function readStatus(text: string | undefined): { first: number; last: number } {
  if (text === undefined) return { first: 0, last: 999 }
  if (!/^[1-5](?:\d\d|xx)$/i.test(text))
    throw fail('validationFailed', 'status must be a status such as 404, or a class such as 4xx')
  const first = Number(text.replace(/xx$/i, '00'))
  return { first, last: /xx$/i.test(text) ? first + 99 : first }
}
