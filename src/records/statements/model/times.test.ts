import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutDuration, instantOf, isDuration, isTimestamp, toUtc } from './times.ts'

test('XAPI-00123: RFC 3339 timestamps are accepted in both versions', () => {
  for (const text of [
    '2026-03-04T05:06:07Z',
    '2026-03-04t05:06:07.1z',
    '2026-03-04T05:06:07.123456789+05:30',
    '2024-02-29T23:59:60-11:00',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '2000-02-29T00:00:00+00:00',
  ])
    for (const version of ['1.0.3', '2.0.0'] as const) assert.equal(isTimestamp(text, version), true, text)
})

test('XAPI-00123: other ISO 8601 timestamps are accepted in 1.0.3 only', () => {
  for (const text of [
    '2026-03-04T05:06:07',
    '2026-03-04T05:06',
    '2026-03-04T05:06Z',
    '20260304T050607Z',
    '20260304T0506+0530',
    '2026-03-04T05:06:07,5+05',
    '2026-03-04T05:06:07+0530',
  ]) {
    assert.equal(isTimestamp(text, '1.0.3'), true, text)
    assert.equal(isTimestamp(text, '2.0.0'), false, text)
  }
})

test('XAPI-00123: invalid times are refused in both versions, and so is the offset -00:00', () => {
  for (const text of [
    '',
    '2026-03-04',
    '05:06:07Z',
    '2026-3-4T05:06:07Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-04-00T00:00:00Z',
    '2026-03-04T24:00:00Z',
    '2026-03-04T05:60:00Z',
    '2026-03-04T05:06:61Z',
    '2026-03-04T05:06:07+24:00',
    '2026-03-04T05:06:07+05:60',
    '2026-03-04T05:06:07-00:00',
    '2026-03-04T05:06:07-0000',
    '2026-03-04T05:06:07-00',
    '2026-03-04 05:06:07Z',
    '2026-03-04T05:06:07.Z',
    '2026-03-04T05:06:07Z ',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+12026-03-04T05:06:07Z',
    '1772600767',
  ])
    for (const version of ['1.0.3', '2.0.0'] as const) assert.equal(isTimestamp(text, version), false, text)
})

test('an instant is the same in every zone and format, to the millisecond', () => {
  const instant = Date.parse('2026-03-04T05:06:07.089Z')
  for (const text of [
    '2026-03-04T05:06:07.089Z',
    '2026-03-04T05:06:07.0899999Z',
    '2026-03-04T07:06:07.089+02:00',
    '2026-03-03T23:36:07.089-05:30',
    '20260304T070607,089+02',
    '2026-03-04T05:06:07.089',
  ])
    assert.equal(instantOf(text), instant, text)
  assert.equal(instantOf('0099-01-01T00:00:00Z'), Date.parse('0099-01-01T00:00:00Z'))
  assert.equal(instantOf('soon'), undefined)
})

test('times with another offset are converted to UTC at the precision sent; UTC times stay unchanged', () => {
  const pairs = [
    ['2023-05-04T12:00:00-05:00', '2023-05-04T17:00:00.000Z'],
    ['2023-12-31T23:30:00.123456-01:00', '2024-01-01T00:30:00.123456Z'],
    ['2023-05-04T12:00:00.5+00:00', '2023-05-04T12:00:00.500Z'],
    ['2023-05-04t12:00:00z', '2023-05-04T12:00:00.000Z'],
    ['2023-05-04T12:00:00Z', '2023-05-04T12:00:00Z'],
    ['0099-01-01T00:00:00+01:00', '0098-12-31T23:00:00.000Z'],
  ] as const
  for (const [sent, kept] of pairs) assert.equal(toUtc(sent), kept)
})

test('XAPI-00124: a duration has designators, a fraction only at its end, and weeks only by themselves', () => {
  const good = ['PT0S', 'PT1H', 'P3Y1M29DT4H35M59.14S', 'PT16559,14S', 'P4W', 'P0.5Y', 'P1Y', 'PT36H', 'P1DT1.5M']
  const bad = [
    '',
    'P',
    'PT',
    'P1',
    'P1YT',
    'P4W1D',
    'P1H',
    'PT1Y',
    'PT1.5H1M',
    'P1.5DT1H',
    'P-1D',
    '-P1D',
    'p1d',
    'PT1.S',
  ]
  bad.push('P0001-02-03T04:05:06', 'PT1H ', 'PT1M1H', 'P1D1Y')
  for (const text of good) assert.equal(isDuration(text), true, text)
  for (const text of bad) assert.equal(isDuration(text), false, text)
})

test('durations are compared to hundredths of a second, truncated', () => {
  for (const [sent, compared] of [
    ['P1DT12H36M0.12999S', 'P1DT12H36M0.12S'],
    ['PT0.1S', 'PT0.1S'],
    ['PT1.239M', 'PT1.239M'],
    ['PT5S', 'PT5S'],
  ] as const)
    assert.equal(cutDuration(sent), compared)
})
