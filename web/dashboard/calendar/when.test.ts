import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byDay, monthFrom, rangeOf, shiftMonth, weeksOf } from './calendar-model.ts'
import { sayEvent } from './when.ts'

/** A Wednesday, 13:00 in Berlin. */
const NOW = new Date('2026-11-18T12:00:00Z')
const say = (event: 'opening' | 'due' | 'closing', at: string, zone = 'Europe/Berlin', now = NOW) =>
  sayEvent(event, new Date(at), now, zone)

test('a date is said as a person would say it', () => {
  for (const [event, at, expected] of [
    ['due', '2026-11-18T12:24:30Z', 'due in 25 minutes'],
    ['due', '2026-11-18T12:00:20Z', 'due in 1 minute'],
    ['due', '2026-11-18T13:00:00Z', 'due today at 14:00'],
    ['due', '2026-11-19T13:00:00Z', 'due tomorrow at 14:00'],
    ['due', '2026-11-20T16:00:00Z', 'due Friday'],
    ['due', '2026-11-24T22:59:59Z', 'due Tuesday'],
    ['due', '2026-11-24T23:00:00Z', 'due 25 November'],
    ['due', '2027-01-02T12:00:00Z', 'due 2 January 2027'],
    ['due', '2026-11-18T12:00:00Z', 'overdue since 13:00'],
    ['due', '2026-11-18T07:30:00Z', 'overdue since 08:30'],
    ['due', '2026-11-17T12:00:00Z', 'overdue since yesterday'],
    ['due', '2026-11-16T12:00:00Z', 'overdue since Monday'],
    ['due', '2026-11-11T12:00:00Z', 'overdue since 11 November'],
    ['opening', '2026-11-19T08:00:00Z', 'opens tomorrow at 09:00'],
    ['opening', '2026-11-17T08:00:00Z', 'opened yesterday'],
    ['closing', '2026-11-21T08:00:00Z', 'closes Saturday'],
    ['closing', '2026-11-18T08:00:00Z', 'closed today at 09:00'],
  ] as const)
    assert.equal(say(event, at), expected)
})

test('days are those of the reader’s time zone', () => {
  // 23:30 in London is the next day in Berlin, and still the morning in Honolulu.
  const at = '2026-11-19T23:30:00Z'
  assert.equal(say('due', at, 'Europe/London'), 'due tomorrow at 23:30')
  assert.equal(say('due', at, 'Europe/Berlin'), 'due Friday')
  assert.equal(say('due', at, 'Pacific/Honolulu'), 'due tomorrow at 13:30')
})

test('a day that is an hour shorter or longer counts as one day', () => {
  const spring = new Date('2026-03-28T23:30:00Z')
  assert.equal(say('due', '2026-03-29T22:30:00Z', 'Europe/Berlin', spring), 'due tomorrow at 00:30')
  const autumn = new Date('2026-10-24T22:30:00Z')
  assert.equal(say('due', '2026-10-25T22:30:00Z', 'Europe/Berlin', autumn), 'due today at 23:30')
})

test('a month is shown in whole weeks from Monday', () => {
  const weeks = weeksOf('2026-11')
  assert.deepEqual([weeks.length, weeks[0]![0], weeks.at(-1)!.at(-1)], [6, '2026-10-26', '2026-12-06'])
  assert.deepEqual([weeksOf('2027-02').length, weeksOf('2027-02')[0]![0]], [4, '2027-02-01'])
  for (const { length } of weeks) assert.equal(length, 7)
  assert.deepEqual([shiftMonth('2026-12', 1), shiftMonth('2026-01', -1)], ['2027-01', '2025-12'])
  const { from, to } = rangeOf('2026-11')
  assert.equal(Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000), 42)
})

test('a month in the URL is checked', () => {
  assert.equal(monthFrom('2026-11'), '2026-11')
  for (const wrong of ['2026-13', '2026-00', '2026', '1999-01', 'x', 202611, undefined, null, ['2026-11']])
    assert.equal(monthFrom(wrong), undefined)
})

test('entries are grouped by the day of the reader', () => {
  const entry = { at: '2026-11-19T23:30:00.000Z' } as never
  assert.deepEqual([...byDay([entry], 'Europe/Berlin').keys()], ['2026-11-20'])
  assert.deepEqual([...byDay([entry], 'America/New_York').keys()], ['2026-11-19'])
})
