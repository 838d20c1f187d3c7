import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upkeepAt } from '../caller.ts'
import { until } from '../database/test-database.ts'
import { testApp } from '../testing/testing.ts'
import { preparePasswords } from './import-passwords.ts'
import { hashPassword, hashQuickly, isQuick, isSameHash, strengthenHash, verifyPassword } from './passwords.ts'
import { strengthenLater } from './strengthening.ts'

const PASSWORD = 'a password of a file'

test('a quick hash is of the password alone, before and after it is strengthened', async () => {
  const [quick, other] = [await hashQuickly(PASSWORD), await hashQuickly(PASSWORD)]
  const strong = await strengthenHash(quick)
  assert.match(
    strong,
    /^\$argon2id\$v=19\$m=4864,t=1,p=1\$[\w+/]{22}\|\$argon2id\$v=19\$m=17024,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/,
  )
  // The tag of the first step, by which one could guess quickly, is gone.
  assert.ok(!strong.includes(quick.slice(quick.lastIndexOf('$') + 1)))
  for (const hash of [quick, strong]) {
    assert.equal(await verifyPassword({ password: PASSWORD, hash }), true, hash)
    assert.equal(await verifyPassword({ password: `${PASSWORD}!`, hash }), false, hash)
  }
  const whole = await hashPassword(PASSWORD)
  assert.deepEqual([quick, strong, whole, null].map(isQuick), [true, false, false, false])
  assert.ok(isSameHash(quick, strong) && isSameHash(strong, quick) && isSameHash(null, null))
  for (const [one, another] of [
    [quick, other],
    [other, strong],
    [whole, strong],
    [quick, null],
  ] as const)
    assert.equal(isSameHash(one, another), false)
})

test('a file with few passwords gets whole hashes at once, one with many quick ones', async () => {
  const how = { isDryRun: false, onProgress: () => {} }
  for (const [count, expected] of [
    [2, false],
    [201, true],
  ] as const) {
    const people = Array.from({ length: count }, (_, i) => ({ handle: `@p${i}`, password: PASSWORD }))
    const choose = await preparePasswords(people, [new Map()], how)
    assert.equal(isQuick(choose('@p1', null)!), expected)
  }
})

test('the platform strengthens quick hashes, and people sign in before and after', async (t) => {
  const app = await testApp(t)
  const signIn = async (handle: string, password: string) => {
    const authorization = `Basic ${Buffer.from(`${handle}:${password}`).toString('base64')}`
    return (await app.nobody().get('/auth/basic', undefined, { authorization, clientid: 'gs-first' })).status
  }
  for (const handle of ['avery', 'blake'])
    await app.sql(`update people set password_hash = '${await hashQuickly(PASSWORD)}' where handle_key = '${handle}'`)
  assert.deepEqual([await signIn('@avery', PASSWORD), await signIn('@avery', 'another one')], [200, 401])

  const { db, clock } = app.environment()
  await db.transaction((tx) => strengthenLater(tx, upkeepAt(clock())))
  const quick = `select from people where password_hash like '$argon2id$v=19$m=4864,%' and password_hash not like '%|%'`
  await until('all of them are strong', async () => (await app.sql(quick)).length === 0, 20_000)
  assert.deepEqual([await signIn('@avery', PASSWORD), await signIn('@blake', 'another one')], [200, 401])
  await until('the job is done', async () => (await app.sql(`select from jobs where kind = 'passwords'`)).length === 0)
})
