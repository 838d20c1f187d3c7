import { fail } from '../../kernel/errors.ts'

/** What is kept of one app between two writings: each refusal up to a bound, and so many successes; of more, a sample. */
const MOST_REFUSALS = 500
const ALL_SUCCESSES = 20
const SAMPLED_SHARE = 0.02
/** What one process keeps in memory, of all apps. */
const MOST_ENTRIES = 5_000

export interface Kept {
  refusals: number
  successes: number
}

/** Whether one more request of an app is kept. `chance` is drawn for each from 0 to 1. */
export function isKept(kept: Kept, status: number, entries: number, chance: number): boolean {
  if (entries >= MOST_ENTRIES) return false
  if (status >= 400) return kept.refusals < MOST_REFUSALS
  return kept.successes < ALL_SUCCESSES || chance < SAMPLED_SHARE
}

/** `404`: that status; `4xx`: all from 400 to 499. */
export function readStatus(text: string | undefined): { first: number; last: number } {
  if (text === undefined) return { first: 0, last: 999 }
  if (!/^[1-5](?:\d\d|xx)$/i.test(text))
    throw fail('validationFailed', 'status must be a status such as 404, or a class such as 4xx')
  const first = Number(text.replace(/xx$/i, '00'))
  return { first, last: /xx$/i.test(text) ? first + 99 : first }
}
