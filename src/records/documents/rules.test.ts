import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJson, parseTags } from './document.ts'
import { findRefusal, merge } from './rules.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)

test('the outcome of preconditions, by version, resource and method', () => {
  type Case = [
    version: '1.0.3' | '2.0.0' | 'both',
    kind: 'state' | 'profile' | 'any',
    method: 'PUT' | 'POST' | 'DELETE' | 'any',
    match: string | undefined,
    noneMatch: string | undefined,
    etag: string | undefined,
    status: number | undefined,
  ]
  const cases: Case[] = [
    // Requests without precondition headers.
    ['1.0.3', 'state', 'PUT', undefined, undefined, undefined, undefined],
    ['1.0.3', 'state', 'PUT', undefined, undefined, A, undefined],
    ['1.0.3', 'profile', 'PUT', undefined, undefined, undefined, 400],
    ['1.0.3', 'profile', 'PUT', undefined, undefined, A, 409],
    ['2.0.0', 'any', 'PUT', undefined, undefined, undefined, undefined],
    ['2.0.0', 'any', 'PUT', undefined, undefined, A, 409],
    ['both', 'any', 'POST', undefined, undefined, undefined, undefined],
    ['both', 'any', 'POST', undefined, undefined, A, undefined],
    ['both', 'any', 'DELETE', undefined, undefined, undefined, undefined],
    ['both', 'any', 'DELETE', undefined, undefined, A, undefined],
    // With If-Match, the stored document must have the given ETag.
    ['both', 'any', 'any', `"${A}"`, undefined, A, undefined],
    ['both', 'any', 'any', `"${A}"`, undefined, B, 412],
    ['both', 'any', 'any', `"${A}"`, undefined, undefined, 412],
    ['both', 'any', 'any', `"${B}", W/"${A}"`, undefined, A, undefined],
    ['both', 'any', 'any', A.toUpperCase(), undefined, A, undefined],
    ['both', 'any', 'any', '*', undefined, A, undefined],
    ['both', 'any', 'any', '*', undefined, undefined, 412],
    ['both', 'any', 'any', '"1234"', undefined, A, 412],
    ['both', 'any', 'any', '', undefined, A, 412],
    // With If-None-Match, the stored document must not have the given ETag; with `*` there must be no document.
    ['both', 'any', 'any', undefined, '*', undefined, undefined],
    ['both', 'any', 'any', undefined, '*', A, 412],
    ['both', 'any', 'any', undefined, `"${A}"`, A, 412],
    ['both', 'any', 'any', undefined, `"${A}"`, B, undefined],
    ['both', 'any', 'any', undefined, `"${A}"`, undefined, undefined],
    // Requests with both headers.
    ['both', 'any', 'any', `"${A}"`, '*', A, 412],
    ['both', 'any', 'any', `"${A}"`, `"${B}"`, A, undefined],
  ]
  for (const [versions, kinds, methods, match, noneMatch, etag, status] of cases)
    for (const version of versions === 'both' ? (['1.0.3', '2.0.0'] as const) : [versions])
      for (const kind of {
        state: ['state'],
        profile: ['activity profile', 'agent profile'],
        any: ['state', 'agent profile'],
      }[kinds] as ('state' | 'agent profile')[])
        for (const method of methods === 'any' ? (['PUT', 'POST', 'DELETE'] as const) : [methods]) {
          const preconditions = { match: parseTags(match), noneMatch: parseTags(noneMatch) }
          const refusal = findRefusal({ version, kind, method, ...preconditions }, etag)
          const what = [version, kind, method, match, noneMatch, etag].join(' | ')
          assert.equal(refusal?.status, status, what)
          if (status === 409) assert.match(refusal!.message, /read it.*If-Match.*current ETag/, what)
        }
})

test('only application/json is merged, whatever its parameters', () => {
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json ; x=1',
  ])
    assert.equal(isJson(type), true, type)
  for (const type of ['application/jsonp', 'application/ld+json', 'text/json', 'application/octet-stream'])
    assert.equal(isJson(type), false, type)
})

test('a merge replaces whole properties, and no key is special', () => {
  const merged = (kept: string, posted: string) =>
    merge({ contentType: 'application/json', contents: Buffer.from(kept) }, posted).toString()
  assert.equal(merged('{"x":"foo","y":"bar"}', '{"x":"bash","z":"faz"}'), '{"x":"bash","y":"bar","z":"faz"}')
  assert.equal(merged('{"a":{"b":1,"c":2}}', '{"a":{"b":3}}'), '{"a":{"b":3}}')
  assert.equal(merged('{"a":1}', '{"a":null}'), '{"a":null}')
  assert.equal(
    merged('{"__proto__":1}', '{"constructor":2,"__proto__":{"a":3}}'),
    '{"__proto__":{"a":3},"constructor":2}',
  )
  assert.equal(merged('\ufeff{"a":1}', '{}'), '{"a":1}')
  assert.equal(merged(' { } ', ' { "a" : [ 1 , "}," ] } '), '{"a":[ 1 , "}," ]}')
  assert.equal(merged('{"a\\"b":{"x":1}}', '{"a\\"b":"\\\\"}'), '{"a\\"b":"\\\\"}')
  assert.equal(
    merged('{"n":0.3333333333333333333333333333,"d":{"a":1,"a":2}}', '{"z":"\\u0000","big":1e400}'),
    '{"n":0.3333333333333333333333333333,"d":{"a":1,"a":2},"z":"\\u0000","big":1e400}',
    'values stay as they were sent',
  )
  for (const [kept, posted] of [
    ['[1]', '{}'],
    ['"text"', '{}'],
    ['null', '{}'],
    ['{}', '[]'],
  ])
    assert.throws(() => merged(kept!, posted!), { status: 400 })
  assert.throws(() => merge({ contentType: 'text/plain', contents: Buffer.from('{}') }, '{}'), { status: 400 })
})
