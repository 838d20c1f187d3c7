import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { until } from '../../kernel/database/test-database.ts'
import { Report } from './report.ts'
import { assertWithin, isOfTimeLimit } from './time-limits.ts'

const [SLOW, WRONG] = [resolve('slow.test.ts'), resolve('wrong.test.ts')]
const problemOf = (work: () => void): Error => {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  return assert.fail('it did not fail')
}
const TOO_SLOW = problemOf(() => assertWithin(768, 500, 'a read'))

const failed = (file: string, name: string, cause: Error, failureType = 'testCodeFailure') =>
  ({
    type: 'test:fail',
    data: {
      name,
      file,
      line: 1,
      details: { error: Object.assign(new Error(cause.message, { cause }), { failureType }) },
    },
  }) as unknown as TestEvent
const BY_SUBTESTS = new Error('1 subtest failed')
const summary = (tests: number, failures: number) =>
  ({
    type: 'test:summary',
    data: { counts: { tests, passed: tests - failures, failed: failures } },
  }) as unknown as TestEvent

async function* sent(...events: TestEvent[]): AsyncGenerator<TestEvent> {
  yield* events
}

const FIRST = [
  failed(SLOW, 'a list', TOO_SLOW),
  failed(SLOW, 'lists', BY_SUBTESTS, 'subtestsFailed'),
  // The runner wraps the tests of a file in another one.
  failed(SLOW, SLOW, BY_SUBTESTS, 'subtestsFailed'),
]

test('a file that only missed time limits is run again, and passes if it meets them alone', async () => {
  let text = ''
  const report = new Report((more) => (text += more))
  await report.follow(sent(...FIRST, summary(10, 2)))
  assert.deepEqual([report.hasFailures, report.listTooSlow()], [true, [SLOW]])
  await report.followAgain([SLOW], sent())
  report.end()
  assert.equal(report.hasFailures, false)
  assert.match(text, /tests 10\n.*pass 10\n.*fail 0\n/s)
})

test('a file that misses a time limit alone too has failed', async () => {
  let text = ''
  const report = new Report((more) => (text += more))
  await report.follow(sent(...FIRST, summary(10, 2)))
  await report.followAgain([SLOW], sent(...FIRST))
  report.end()
  assert.equal(report.hasFailures, true)
  assert.match(text, /failing tests:[\s\S]*a read took 768 ms; the limit is 500 ms[\s\S]*pass 8\n.*fail 2\n/)
})

test('other failures are never tried again', async () => {
  const report = new Report(() => {})
  const wrong = problemOf(() => assert.equal(1, 2))
  await report.follow(sent(failed(SLOW, 'also wrong', wrong), ...FIRST, failed(WRONG, 'wrong', wrong), summary(10, 4)))
  assert.deepEqual(report.listTooSlow(), [])
  assert.equal(report.hasFailures, true)
})

test('time limits are those of assertions, of waiting, and of the browser', async () => {
  assert.ok(isOfTimeLimit(TOO_SLOW))
  await assert.rejects(
    until('it is there', () => false, 10),
    isOfTimeLimit,
  )
  assert.ok(isOfTimeLimit(new Error('locator.waitFor: Timeout 15000ms exceeded.\nCall log:\n  - waiting for it')))
  assert.ok(!isOfTimeLimit(problemOf(() => assert.equal(1, 2))))
})
