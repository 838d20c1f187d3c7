import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDeliveries } from './deliveries.ts'
import { Ledger } from './ledger.ts'
import type { Delivery } from './receiver.ts'
import { Watch } from './watch.ts'

/** An event of the request `r`. A list of distributions is written as its ids. */
const event = (id: string, distributions?: string): Delivery => ({
  id,
  purpose: distributions === undefined ? 'request' : 'distributions',
  requestId: 'r',
  distributions: [...(distributions ?? '')],
  text: `${distributions}`,
})

/** Checks the arrivals for a request whose distributions were changed to `a`, to `ab`, and perhaps after its end. */
function check(...deliveries: Delivery[]): string[] {
  const ledger = new Ledger(new Watch(0))
  const changes = [
    { distributions: ['a'], isCertain: true },
    { distributions: ['a', 'b'], isCertain: true },
    { distributions: ['b'], isCertain: false },
  ]
  ledger.requests.push({ packageId: 'p', requestId: 'r', statuses: [], isCompleting: true, changes })
  checkDeliveries(ledger, deliveries, ledger.report)
  return ledger.differences.map(({ problem }) => problem)
}

test('events may arrive again with the same id, and a newer list may replace an older one', () => {
  assert.deepEqual(check(event('1'), event('2', 'a'), event('2', 'a'), event('3', 'ab'), event('1')), [])
  assert.deepEqual(check(event('1'), event('3', 'ab'), event('4', 'b')), [])
})

test('events that are missing, repeated under another id, changed or out of order are found', () => {
  assert.deepEqual(check(event('2', 'a'), event('3', 'ab')), ['lost'])
  assert.deepEqual(check(event('1'), event('2', 'a')), ['lost'])
  assert.deepEqual(check(event('1'), event('9'), event('3', 'ab')), ['doubled'])
  assert.deepEqual(check(event('2', 'a'), event('1'), event('3', 'ab')), ['out of order'])
  assert.deepEqual(check(event('1'), event('3', 'ab'), event('2', 'a')), ['out of order'])
  assert.deepEqual(check(event('1'), event('3', 'ab'), event('5', 'ab')), ['out of order'])
  assert.deepEqual(check(event('1'), event('3', 'ab'), { ...event('1'), text: 'other' }), ['changed'])
})
