import { AssertionError } from 'node:assert/strict'

/**
 * Asserts that something took no longer than a limit. Beside other tests everything takes longer, so `npm test` runs a
 * file that failed only because of such limits, or of those of `until` and the browser, once more with nothing else on
 * the machine.
 */
export function assertWithin(tookMs: number, limitMs: number, what = 'it'): void {
  if (tookMs <= limitMs) return
  const message = `${what} took ${Math.round(tookMs)} ms; the limit is ${Math.round(limitMs)} ms`
  throw new AssertionError({ message, actual: tookMs, expected: limitMs, stackStartFn: assertWithin })
}

/** Messages of `assertWithin`, of `until`, and of the browser's driver, which gives a checkbox no time to change. */
const OF_TIME_LIMITS = [
  / took \d+ ms; the limit is \d+ ms$/,
  /^Not within \d+ ms: /,
  /: Timeout \d+ms exceeded/,
  /: Clicking the checkbox did not change its state/,
]

/** Tells whether a test failed because of a time limit. Only the message of an error reaches the main process. */
export const isOfTimeLimit = (error: unknown): boolean =>
  error instanceof Error && OF_TIME_LIMITS.some((message) => message.test(error.message))
