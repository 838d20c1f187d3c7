import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertOauthError, exchange, registerApp } from '../../apps/oauth/testing.ts'
import { type Answer, assertError, hashAtFullCost, sharedApp } from '../../operations/testing/testing.ts'

const PASSWORD = 'groundschool'
const UNLIMITED = { RATE_ADDRESS_PER_SECOND: '100000', RATE_ADDRESS_BURST: '1000000', TRUST_PROXY: '127.0.0.1' }

// The tests share an app, so each test uses its own addresses and handles.
const app = await sharedApp(UNLIMITED)

const signIn = (handle: string, password: string, address: string): Promise<Answer> =>
  app.nobody().post('/account/v1/signin', { handle, password }, { 'x-forwarded-for': address })

/**
 * Creates people with cheap password hashes. Guesses at unknown handles would be slow, because sign-in verifies an
 * expensive dummy hash for them.
 */
async function enrol(prefix: string, count: number): Promise<void> {
  await app.givePassword('avery')
  await app.sql(
    `insert into people (handle, handle_key, password_hash, created_at)
     select '@' || k, k, p.password_hash, now() from people p, generate_series(0, ${count - 1}) n, concat('${prefix}', n) k
      where p.handle_key = 'avery'`,
  )
}

test('a school whose people mistype ten times an hour never has to wait', async () => {
  await enrol('pupil-', 120)
  for (let i = 0; i < 120; i++) {
    assertError(await signIn(`pupil-${i}`, 'wrong', '192.0.2.1'), 401, 4011)
    app.advance(6 * 60_000)
  }
  assert.equal((await signIn('avery', PASSWORD, '192.0.2.1')).status, 200)
})

test('a persistent guesser delays nobody behind the same address for longer than a minute', async () => {
  await app.givePassword('avery')
  await signIn('pupil', 'wrong', '192.0.2.2')
  await app.sql(`update sign_in_failures set failures = 700 where subject = 'address:192.0.2.2' returning 1`)
  assertError(await signIn('other', 'wrong', '192.0.2.2'), 401, 4011)
  const blocked = await signIn('avery', PASSWORD, '192.0.2.2')
  assertError(blocked, 429, 4291)
  assert.ok(Number(blocked.headers.get('retry-after')) <= 60)
  app.advance(61_000)
  assert.equal((await signIn('avery', PASSWORD, '192.0.2.2')).status, 200)
})

test('waits also fade for someone who keeps failing slowly', async () => {
  const [account, address] = ['pair:192.0.2.3 fading-0', 'address:192.0.2.3']
  await enrol('fading-', 61)
  await signIn('fading-0', 'wrong', '192.0.2.3')
  await app.sql(`update sign_in_failures set failures = 606 where subject = '${address}' returning 1`)
  await app.sql(`update sign_in_failures set failures = 16 where subject = '${account}' returning 1`)
  const countOf = async (subject: string) =>
    Number((await app.sql(`select failures from sign_in_failures where subject = '${subject}'`))[0]?.failures)
  for (let i = 0; i < 12; i++) {
    app.advance(20 * 60_000)
    await signIn('fading-0', 'wrong', '192.0.2.3')
  }
  assert.ok((await countOf(account)) <= 9, 'three an hour against five that fade, for four hours')
  await app.sql(`update sign_in_failures set failures = 606 where subject = '${address}' returning 1`)
  for (let i = 0; i < 60; i++) {
    app.advance(61_000)
    await signIn(`fading-${i + 1}`, 'wrong', '192.0.2.3')
  }
  assert.ok((await countOf(address)) <= 70, 'sixty against six hundred, in an hour')
})

test('the start of a wait is audited once', async () => {
  for (let i = 0; i < 5; i++) assertError(await signIn('waiting', 'wrong', '192.0.2.4'), 401, 4011)
  assertError(await signIn('waiting', 'wrong', '192.0.2.4'), 429, 4291)
  const rows = await app.sql(
    `select detail->>'subject' as subject from audit_entries where action = 'lockout.began' and detail->>'subject' like '%waiting'`,
  )
  assert.deepEqual(rows, [{ subject: 'pair:192.0.2.4 waiting' }])
})

test('a crowd of guesses from one network delays nobody elsewhere, and is not even hashed', async (t) => {
  hashAtFullCost(t)
  await app.givePassword('avery')
  await signIn('ghost', 'wrong', '192.0.2.5')
  await app.sql(`update sign_in_failures set failures = 575 where subject = 'address:192.0.2.5' returning 1`)
  let answered = 0
  const crowd = Array.from({ length: 100 }, (_, i) =>
    signIn(`ghost-${i}`, 'wrong', '192.0.2.5').finally(() => answered++),
  )
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal((await signIn('avery', PASSWORD, '198.51.100.1')).status, 200)
  assert.ok(answered < 50, `the victim waited for ${answered} of the crowd`)
  const statuses = Map.groupBy(await Promise.all(crowd), ({ status }) => status)
  assert.ok(statuses.get(401)!.length < 55, 'the free ones, and few more')
  assert.deepEqual([...statuses.keys()].sort(), [401, 429])
})

test("guesses of an app's secret lead to waits and are audited, and affect no other network", async () => {
  const { clientId, secret } = await registerApp(app, { key: 'logbook' })
  const ask = (client_secret: string, address: string) =>
    exchange(app, { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId, client_secret }, 'json', {
      headers: { 'x-forwarded-for': address },
    })
  for (let i = 0; i < 20; i++) assertOauthError(await ask(`guess-${i}`, '192.0.2.6'), 401, 4011, 'invalid_client')
  assertOauthError(await ask(secret, '192.0.2.6'), 429, 4291, 'temporarily_unavailable')
  assertOauthError(await ask(secret, '192.0.2.7'), 403, 4034, 'invalid_grant')
  const [row] = await app.sql(`select count(*)::int as count from audit_entries where action = 'app.wrong-secret'`)
  assert.deepEqual(row, { count: 20 })
})

test('requests for links are limited per network, whoever they are for', async () => {
  const ask = (handle: string) =>
    app.nobody().post('/account/v1/password/reset/ask', { handle }, { 'x-forwarded-for': '192.0.2.8' })
  const answers: Answer[] = []
  for (let i = 0; i < 60; i++) answers.push(await ask(i % 2 ? 'avery' : `ghost-${i}`))
  assert.equal(answers.filter(({ status }) => status === 200).length, 50)
  assertError(answers.at(-1)!, 429, 4291)
})
