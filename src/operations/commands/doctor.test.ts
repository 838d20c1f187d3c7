import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ownDatabase, runOne } from './testing.ts'

const { settings, drop } = await ownDatabase()
after(drop)

test('doctor lists what it checked as text or JSON, and its exit code is 1 if something should change', async () => {
  const one = await runOne(['doctor'], settings)
  assert.match(one.out, /^ {2}ok +connection, DATABASE_URL \(localhost:\d+\): responds$/m)
  assert.match(one.out, /^ {2}PROBLEM +fsync, .*: is off: a crash.*\n +→ alter system set fsync = on$/m)
  assert.deepEqual([one.code, /^There (is|are) \d+ things? to change\n$/.test(one.err)], [1, true])

  const { out, code } = await runOne(['doctor', '--json', '--processes', '500'], settings)
  const { findings } = JSON.parse(out)
  const connections = findings.find(({ check }: { check: string }) => check === 'connections')
  assert.deepEqual([code, connections.level], [1, 'problem'])
  assert.deepEqual(Object.keys(connections).sort(), ['change', 'check', 'found', 'level', 'subject'])
})

test('doctor says that a database cannot be reached, and does not show its password', async () => {
  const url = 'postgres://someone:hidden@127.0.0.1:1/x'
  const { code, out, err } = await runOne(['doctor'], { ...settings, DATABASE_URL: url })
  assert.equal(code, 1)
  assert.match(out, /PROBLEM +connection, DATABASE_URL \(127\.0\.0\.1:1\): cannot be reached: .*ECONNREFUSED/)
  assert.doesNotMatch(out + err, /hidden/)
})

test('doctor refuses addresses and numbers that it does not understand', async () => {
  for (const [option, value] of [
    ['--patroni', '10.0.0.1:8008'],
    ['--platform', 'ftp://a'],
    ['--processes', '0'],
  ])
    assert.equal((await runOne(['doctor', option!, value!], settings)).code, 2, option)
})
