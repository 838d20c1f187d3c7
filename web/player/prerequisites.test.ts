import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arePrerequisitesMet } from './prerequisites.ts'

const STATUSES: Record<string, string> = {
  ...{ a: 'passed', 'b-1': 'completed', c: 'failed', d: 'incomplete', e: 'browsed', x: 'not attempted' },
}
const areMet = (expression: string) => arePrerequisitesMet(expression, (id) => STATUSES[id])

test('prerequisites are met by the statuses that their expression names', () => {
  for (const expression of [
    ...['a', 'a&b-1', 'a & b-1', 'c|a', '~c', '~(c & a)', 'c | (a & b-1)', 'c=failed', 'c="failed"', 'c=F'],
    ...['d<>passed', 'x=not attempted', 'x="not attempted"', '2*{a, b-1, c}', '{a,b-1}', '1*{c, a=passed}', 'a|c&d'],
  ])
    assert.equal(areMet(expression), true, expression)
  for (const expression of [
    'c',
    'd',
    'e',
    'x',
    'a&c',
    '~a',
    'a<>p',
    'c=passed',
    '3*{a, b-1, c}',
    '{a, c}',
    '(a|b-1)&c',
  ])
    assert.equal(areMet(expression), false, expression)
})

test('prerequisites that cannot be read, or name an unknown item, lock nobody out', () => {
  for (const expression of [
    '',
    'c &',
    '(c',
    'c)',
    '2*c',
    '{c',
    '= c',
    'c <',
    'c d',
    '&&',
    '"',
    'c,d',
    'unknown',
    'unknown & c',
  ])
    assert.equal(areMet(expression), true, expression)
})
