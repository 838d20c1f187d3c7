import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveUpAt, isFailingTooLong, judge, waitAfter } from './rules.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

test('retry delays grow from seconds to hours, with a jitter of a fifth', () => {
  const waits = [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 6 * HOUR_MS]
  for (const [i, ms] of waits.entries()) {
    for (const [chance, factor] of [
      [0, 0.8],
      [0.5, 1],
      [1, 1.2],
    ] as const)
      assert.equal(Math.round(waitAfter(i + 1, chance)), Math.round(ms * factor))
    const drawn = waitAfter(i + 1, Math.random())
    assert.ok(drawn >= ms * 0.8 && drawn <= ms * 1.2)
  }
})

test('a delivery is tried for three days, an address may fail for five', () => {
  const start = new Date('2026-05-01T12:00:00Z')
  assert.deepEqual(giveUpAt(start), new Date('2026-05-04T12:00:00Z'))
  assert.equal(isFailingTooLong(start, new Date('2026-05-06T11:59:59Z')), false)
  assert.equal(isFailingTooLong(start, new Date('2026-05-06T12:00:00Z')), true)
})

test('a response status means delivered, gone, or retry', () => {
  const answer = (status: number) => judge({ status, contentType: undefined, text: '', isCut: false })
  for (const status of [200, 202, 204, 299])
    assert.deepEqual(answer(status), { isTaken: true, isGone: false, problem: null })
  for (const status of [400, 401, 404, 429, 500, 503])
    assert.deepEqual(answer(status), { isTaken: false, isGone: false, problem: `The plugin responded with ${status}` })
  assert.deepEqual(answer(410), { isTaken: false, isGone: true, problem: 'The plugin responded with 410' })
  const redirect = {
    failure: 'redirect',
    status: 302,
    problem: 'It responded with 302: redirects are not followed',
  } as const
  assert.deepEqual(judge(redirect), { isTaken: false, isGone: false, problem: redirect.problem })
})
