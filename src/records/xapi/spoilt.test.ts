import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFaults } from '../statements/faults/faults.ts'
import { fingerprint, isSame } from '../statements/model/compare.ts'
import { refsOf } from '../statements/model/refs.ts'
import type { Statement, Version } from '../statements/model/statement.ts'
import { planned, put, whole } from '../statements/model/testing.ts'
import { complete, toCanonical, toIds } from './formats.ts'

const CONTEXT_2 = {
  contextAgents: [{ objectType: 'contextAgent', agent: { mbox: 'mailto:a@b' }, relevantTypes: ['x:y'] }],
  contextGroups: [{ objectType: 'contextGroup', group: { objectType: 'Group', member: [{ openid: 'x:y' }] } }],
}

const escapePart = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** Lists the JSON pointers of all values inside a value. */
function listPointers(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [at]
  const inner = Object.entries(value).flatMap(([key, part]) => listPointers(part, `${at}/${escapePart(key)}`))
  return at === '' ? inner : [at, ...inner]
}

const find = (value: unknown, parts: string[]): unknown =>
  parts.reduce((at, part) => (at as Record<string, unknown>)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], value)

const group = (member: unknown) => ({ objectType: 'Group', member })
const VALUES = [
  undefined,
  null,
  0,
  -1,
  1.5,
  true,
  '',
  'Group',
  'x:y',
  '1.0.0',
  'mailto:a@b',
  'PT1S',
  '2026-01-01T00:00:00+01:00',
  [],
  {},
]
  .concat([
    [{}],
    [null],
    [[]],
    { id: 'x:y' },
    [{ id: 'x:y' }],
    { mbox: 'mailto:a@b' },
    JSON.parse('{"__proto__": {"id": "x:y"}}'),
  ] as never)
  .concat([
    group([]),
    group([{ openid: 'x:y' }]),
    group({}),
    group([group([])]),
    { objectType: 'SubStatement' },
  ] as never)

test('whatever a statement contains, faults point to existing places, and a statement without faults can be stored', () => {
  let kept = 0
  const bases: [Version, Statement][] = [
    ['1.0.3', whole()],
    ['2.0.0', put(planned() as Statement, '/context', CONTEXT_2)],
  ]
  for (const [version, base] of bases)
    for (const at of listPointers(base))
      for (const value of VALUES) {
        const statement: Statement = JSON.parse(JSON.stringify(put(base, at, value)))
        const faults = findFaults(statement, version)
        for (const { pointer } of faults) {
          const parent = find(statement, pointer.split('/').slice(1, -1))
          assert.ok(typeof parent === 'object' && parent !== null, `${at} ${pointer}`)
        }
        if (faults.length === 0) kept += keep(statement, version)
      }
  assert.ok(kept > 500, String(kept))
})

/**
 * Completes a valid statement for storing and converts it to every format. Nothing may throw, every form must be valid,
 * and the completed statement must compare as equal to the sent one.
 */
function keep(sent: Statement, version: Version): number {
  const stored = '2026-05-06T07:08:09.010Z'
  const authority = { mbox: 'mailto:key@example.org' }
  const id = '11111111-2f0f-4f3a-9d0e-0d9a6f1f7a01'
  const additions = { id, stored, authority, timestamp: stored, version: '1.0.0', toUtc: version === '2.0.0' }
  const kept = complete(sent, additions)
  for (const form of [kept, toIds(kept), toCanonical(kept, ['de'])]) assert.deepEqual(findFaults(form, version), [])
  assert.equal(isSame(kept, sent), true)
  assert.equal(fingerprint(JSON.parse(JSON.stringify(kept))), fingerprint(sent))
  assert.ok(refsOf(kept).length >= 3)
  return 1
}
