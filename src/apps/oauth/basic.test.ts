import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { readImportedHash } from '../../identity/people/imported-hashes.ts'
import { hashPassword } from '../../identity/people/passwords.ts'
import { changePassword, disablePerson } from '../../identity/people/people.ts'
import type { Caller } from '../../kernel/caller.ts'
import { until } from '../../kernel/database/test-database.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { isLong } from '../../operations/testing/sizes.ts'
import { rawRequest, readRaw, sendRaw } from '../../operations/testing/socket.ts'
import {
  type Answer,
  assertError,
  Client,
  hashAtFullCost,
  type TestApp,
  testApp,
} from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { withdrawConsent } from '../apps/apps.ts'

const PATH = '/auth/basic'
const LIST = '/app/v1/bucket/list'
const OPERATOR: Caller = { at: new Date(), requestId: 'operator', address: '127.0.0.1' }
const PASSWORD = 'correct horse battery'
const WRONG = 'The handle or the password is wrong'

const basic = (handle: string, password: string): string =>
  `Basic ${Buffer.from(`${handle}:${password}`).toString('base64')}`

const signIn = (
  to: TestApp | Client,
  handle: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const client = to instanceof Client ? to : to.nobody()
  return client.get(PATH, undefined, { authorization: basic(handle, password), clientid: 'gs-first', ...headers })
}

const setPassword = (app: TestApp, handle: string, password = PASSWORD) =>
  changePassword(app.environment().db, OPERATOR, { handle, password })

const countFailures = async (app: TestApp, subject: string): Promise<number> =>
  Number((await app.sql(`select failures from sign_in_failures where subject = '${subject}'`))[0]?.failures ?? 0)

/** Sets the number of failures of a subject, without a remaining wait. */
const haveFailed = (app: TestApp, subject: string, failures: number) =>
  app.sql(
    `update sign_in_failures set failures = ${failures}, blocked_until = '2000-01-01' where subject = '${subject}' returning 1`,
  )

test('Basic sign-in', async (t) => {
  const app = await testApp(t, { TRUST_PROXY: '127.0.0.1' }, { withSandbox: true })
  await setPassword(app, '@avery')

  await t.test('gives the tokens in headers of both spellings, and an empty body', async () => {
    for (const handle of ['@avery', 'avery', 'AVERY', '@Avery']) {
      const answer = await signIn(app, handle, PASSWORD)
      assert.deepEqual([answer.status, answer.text], [200, ''])
      const { headers } = answer
      assert.equal(headers.get('content-length'), '0')
      assert.match(headers.get('access_token') ?? '', /^gs_at_/)
      assert.match(headers.get('refresh_token') ?? '', /^gs_rt_/)
      assert.equal(headers.get('accesstoken'), headers.get('access_token'))
      assert.equal(headers.get('refreshtoken'), headers.get('refresh_token'))
      assert.equal(headers.get('token_type'), 'Bearer')
      assert.equal(headers.get('expires_in'), '1d')
      assert.equal(headers.get('cache-control'), 'no-store')
      const client = new Client(app.address, headers.get('access_token')!)
      assert.equal((await client.get(LIST)).status, 200)
    }
  })

  await t.test('is consent, also after it was withdrawn, and the user id stays the same', async () => {
    const state = () =>
      app.sql(
        `select u.user_id, u.withdrawn_at is not null as is_withdrawn from app_users u
           join people p on p.id = u.person_id join apps a on a.id = u.app_id where p.handle_key = 'avery' and a.client_id = 'gs-first'`,
      )
    const [before] = await state()
    const [row] = await app.sql(`select id::int as id from people where handle_key = 'avery'`)
    const { db } = app.environment()
    await withdrawConsent(db, OPERATOR, { clientId: 'gs-first', personId: Number(row?.id) })
    assert.deepEqual(await state(), [{ ...before, is_withdrawn: true }])
    assert.equal((await signIn(app, '@avery', PASSWORD)).status, 200)
    assert.deepEqual(await state(), [before])
  })

  await t.test('takes the client ID from clientId or client_id, but not two different ones', async () => {
    const authorization = basic('@avery', PASSWORD)
    const withHeaders = (...headers: string[]) =>
      sendRaw(app.address, rawRequest('GET', PATH, [`authorization: ${authorization}`, ...headers])).then(readRaw)
    assert.equal((await withHeaders('clientId: gs-first')).status, 200)
    assert.equal((await withHeaders('client_id: gs-first')).status, 200)
    assert.equal((await withHeaders('CLIENTID: gs-first', 'Client_Id: gs-first')).status, 200)
    assert.equal((await withHeaders('clientId: gs-first', 'client_id: gs-second')).status, 400)
    assert.equal((await withHeaders('clientId: gs-first', 'clientId: gs-first')).status, 400)
    assert.equal((await withHeaders('clientId: gs-first', `Authorization: ${authorization}`)).status, 400)
  })

  await t.test('gives the same user the same id in an app, and another in another app', async () => {
    const userIn = async (clientid: string) => {
      const token = (await signIn(app, '@avery', PASSWORD, { clientid })).headers.get('access_token')!
      return (await new Client(app.address, token).put('/app/v1/bucket', { id: `b${Math.random()}` })).body.users[0]
    }
    assert.equal(await userIn('gs-first'), await userIn('gs-first'))
    assert.notEqual(await userIn('gs-first'), await userIn('gs-second'))
  })

  await t.test(
    'says the same of a wrong password, an unknown handle, a disabled account and one without password',
    async () => {
      await setPassword(app, '@ellis')
      await disablePerson(app.environment().db, OPERATOR, { handle: '@ellis', isDisabled: true }, FORGETTING)
      const answers = [
        await signIn(app, '@avery', 'wrong'),
        await signIn(app, '@nobody', PASSWORD),
        await signIn(app, '@ellis', PASSWORD),
        await signIn(app, '@finley', PASSWORD),
        await signIn(app, '@finley', ''),
        await signIn(app, '@avery', PASSWORD.slice(0, -1)),
        await signIn(app, '@avery', `${PASSWORD} `),
        await signIn(app, '@avery', 'x'.repeat(5_000)),
        await signIn(app, `@${'x'.repeat(5_000)}`, PASSWORD),
        await signIn(app, "@avery' or '1'='1", PASSWORD),
        await signIn(app, '@аvery', PASSWORD),
      ]
      for (const answer of answers) {
        assertError(answer, 401, 4011)
        assert.equal(answer.text, JSON.stringify({ error_code: 4011, error_description: WRONG }))
        const names = [...answer.headers.keys()].filter((name) => name !== 'date')
        assert.deepEqual(
          names,
          [...answers[0]!.headers.keys()].filter((name) => name !== 'date'),
        )
      }
      await signIn(app, '@avery', PASSWORD)
    },
  )

  await t.test('takes passwords with colons, with letters of any script, and in either form of an accent', async () => {
    for (const password of ['with:two:colons', ':starts with one', 'пароль с пробелами', 'pässwörd', '🔑🔑🔑🔑']) {
      await setPassword(app, '@casey', password)
      assert.equal((await signIn(app, '@casey', password)).status, 200, password)
    }
    await setPassword(app, '@casey', 'café crème')
    assert.equal((await signIn(app, '@casey', 'cafe\u0301 cre\u0300me')).status, 200)
    const latin1 = `Basic ${Buffer.from('@casey:café crème', 'latin1').toString('base64')}`
    assert.equal((await signIn(app, '', '', { authorization: latin1 })).status, 200)
  })

  await t.test('refuses a malformed Basic header with 401, never 500', async () => {
    const bad = [
      '',
      'Basic',
      'Basic ',
      'Basic =',
      'Basic !!!!',
      `Basic  ${basic('@avery', PASSWORD).slice(6)}`,
      `Basic\t${basic('@avery', PASSWORD).slice(6)}`,
      `Bearer ${basic('@avery', PASSWORD).slice(6)}`,
      basic('@avery', PASSWORD).slice(6),
      `Basic ${Buffer.from('no colon').toString('base64')}`,
      basic('', PASSWORD),
      basic('@av\0ery', PASSWORD),
      basic('@avery', 'pass\0word'),
      basic('@avery', `${PASSWORD}\n`),
    ]
    for (const authorization of bad) assertError(await signIn(app, '', '', { authorization }), 401, 4016)
    assertError(await app.nobody().get(PATH, undefined, { clientid: 'gs-first' }), 401, 4016, /Basic base64/)
  })

  await t.test('refuses an app without the permission, and tells its developer why (O14)', async () => {
    const withApp = (clientid: string, client = app.nobody()) => signIn(client, '@avery', PASSWORD, { clientid })
    const missing = await app.nobody().get(PATH, undefined, { authorization: basic('@avery', PASSWORD) })
    assertError(missing, 400, 4001, /clientId is missing/)
    assertError(await withApp('gs-unknown'), 401, 4013, /no app with this client ID/)
    assertError(await withApp('gs-sbx-first'), 401, 4013, /issued by the sandbox; use it at the sandbox URL/)
    const sandbox = app.nobody('sandbox')
    assertError(await withApp('gs-first', sandbox), 401, 4013, /issued by production; use it at the production URL/)
    await app.sql(`update apps set status = 'suspended' where client_id = 'gs-second'`)
    assertError(await withApp('gs-second'), 401, 4013, /is suspended/)
    await app.sql(`update apps set status = 'pending' where client_id = 'gs-second'`)
    assertError(await withApp('gs-second'), 401, 4013, /is pending/)
    await app.sql(`update apps set status = 'approved', basic_enabled = false where client_id = 'gs-second'`)
    assertError(await withApp('gs-second'), 401, 4014, /Basic authentication is not enabled/)
    assertError(await withApp('gs-sbx-first', sandbox), 401, 4011, /^The handle or the password is wrong$/)
  })

  await t.test('writes an audit entry for each success and each failure', async () => {
    await app.sql('delete from audit_entries')
    const good = await signIn(app, '@avery', PASSWORD, {
      'x-request-id': 'audited-success',
      'x-forwarded-for': '192.0.2.7',
    })
    assert.equal(good.status, 200)
    await signIn(app, '@avery', 'wrong', { 'x-request-id': 'audited-failure' })
    await signIn(app, '@nobody-at-all', 'wrong', { 'x-request-id': 'audited-stranger' })
    const entries = await app.sql(
      `select e.action, p.handle_key, a.client_id, e.session_id is not null as has_session, e.address, e.request_id
         from audit_entries e left join people p on p.id = e.person_id left join apps a on a.id = e.app_id order by e.id`,
    )
    const failed = { action: 'sign-in.failed', client_id: null, has_session: false, address: '127.0.0.1' }
    assert.deepEqual(entries, [
      {
        action: 'sign-in.basic',
        handle_key: 'avery',
        client_id: 'gs-first',
        has_session: true,
        address: '192.0.2.7',
        request_id: 'audited-success',
      },
      { ...failed, handle_key: 'avery', request_id: 'audited-failure' },
      { ...failed, handle_key: null, request_id: 'audited-stranger' },
    ])
    assert.ok(!app.log().includes(PASSWORD))
    assert.ok(!app.log().includes(basic('@avery', PASSWORD).slice(6)))
    await signIn(app, '@avery', PASSWORD)
  })

  await t.test('does not open a session where the password changed after it was checked (O15)', async () => {
    await setPassword(app, '@drew')
    const other = new pg.Client(app.connection)
    await other.connect()
    try {
      await other.query('begin')
      await other.query(
        `update gs_production.people set password_hash = 'changed', epoch = epoch + 1 where handle_key = 'drew'`,
      )
      const pending = signIn(app, '@drew', PASSWORD)
      await until('the sign-in waits for the change', async () => {
        const [row] = await app.sql(
          `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return Number(row?.n) > 0
      })
      await other.query('commit')
      assertError(await pending, 401, 4011, /^The handle or the password is wrong$/)
    } finally {
      await other.end()
    }
    assert.deepEqual(
      await app.sql(`select s.id from sessions s join people p on p.id = s.person_id where p.handle_key = 'drew'`),
      [],
    )
  })
})

test('failed sign-ins', async (t) => {
  const app = await testApp(t, { TRUST_PROXY: '127.0.0.1' })
  await Promise.all(['@avery', '@blake', '@casey'].map((handle) => setPassword(app, handle)))

  await t.test('lead to growing waits, in every process, and a success resets them', async () => {
    const second = new Client((await app.startSecond()).addresses.production)
    const startedMs = performance.now()
    for (let i = 0; i < 5; i++) assertError(await signIn(app, '@avery', 'wrong'), 401, 4011)
    const [first] = await app.sql(
      `select failures, extract(epoch from blocked_until - last_at)::float8 as wait from sign_in_failures where subject = 'pair:127.0.0.1 avery'`,
    )
    assert.equal(first?.failures, 5)
    // The fifth failure causes a wait of one second. `last_at` is still the time of the first failure, so the
    // difference also includes the time that the five requests took.
    const wait = Number(first?.wait)
    assert.ok(wait >= 1 && wait <= 1 + (performance.now() - startedMs) / 1000, `${wait} s`)
    await haveFailed(app, 'pair:127.0.0.1 avery', 8)
    for (const [i, wait] of [16, 32, 64, 128].entries()) {
      const [here, there] = i % 2 ? [app, second] : [second, app]
      assertError(await signIn(here, '@avery', 'wrong'), 401, 4011)
      const blocked = await signIn(there, '@AVERY', PASSWORD)
      assertError(blocked, 429, 4291, /Too many failed sign-ins/)
      const told = Number(blocked.headers.get('retry-after'))
      assert.ok(told > wait - 10 && told <= wait, `${told} s instead of ${wait} s`)
      app.advance(wait * 1000)
    }
    assert.equal((await signIn(second, '@avery', PASSWORD)).status, 200)
    assert.equal(await countFailures(app, 'pair:127.0.0.1 avery'), 0)
    for (let i = 0; i < 4; i++) assertError(await signIn(app, '@avery', 'wrong'), 401, 4011)
    assert.equal((await signIn(app, '@avery', PASSWORD)).status, 200)
  })

  await t.test('that cause no wait yet do not affect a parallel success', async () => {
    for (let round = 0; round < 5; round++) {
      const handles = Array.from({ length: 6 }, (_, i) => `@stranger-${round}-${i}`)
      const answers = await Promise.all(handles.map((handle) => signIn(app, handle, 'wrong')))
      for (const answer of answers) assertError(answer, 401, 4011)
    }
  })

  await t.test('block an unknown handle like a known one', async () => {
    assertError(await signIn(app, '@ghost', 'wrong'), 401, 4011)
    await haveFailed(app, 'pair:127.0.0.1 ghost', 10)
    assertError(await signIn(app, '@ghost', 'wrong'), 401, 4011)
    assertError(
      await signIn(app, '@ghost', 'wrong'),
      429,
      4291,
      /^Too many failed sign-ins; wait before you try again$/,
    )
  })

  await t.test('wait a quarter of an hour at most, and are forgotten after a quiet hour', async () => {
    assertError(await signIn(app, '@blake', 'wrong'), 401, 4011)
    await haveFailed(app, 'pair:127.0.0.1 blake', 40)
    assertError(await signIn(app, '@blake', 'wrong'), 401, 4011)
    const blocked = await signIn(app, '@blake', PASSWORD)
    assertError(blocked, 429, 4291)
    const wait = Number(blocked.headers.get('retry-after'))
    assert.ok(wait > 890 && wait <= 900, `${wait} s`)
    app.advance(61 * 60_000)
    assertError(await signIn(app, '@blake', 'wrong'), 401, 4011)
    assert.equal(await countFailures(app, 'pair:127.0.0.1 blake'), 1)
    assert.equal((await signIn(app, '@blake', PASSWORD)).status, 200)
  })

  await t.test('of one address do not affect another', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address })
    await signIn(app, '@nobody', 'wrong', from('192.0.2.1'))
    await haveFailed(app, 'address:192.0.2.1', 598)
    assertError(await signIn(app, '@someone', 'wrong', from('192.0.2.1')), 401, 4011)
    assert.equal((await signIn(app, '@casey', PASSWORD, from('192.0.2.1'))).status, 200)
    await haveFailed(app, 'address:192.0.2.1', 605)
    assertError(await signIn(app, '@someone', 'wrong', from('192.0.2.1')), 401, 4011)
    assertError(await signIn(app, '@casey', PASSWORD, from('192.0.2.1')), 429, 4291)
    assert.equal((await signIn(app, '@casey', PASSWORD, from('192.0.2.2'))).status, 200)
    assert.equal((await signIn(app, '@casey', PASSWORD)).status, 200)
    app.advance(64_000)
    assert.equal((await signIn(app, '@casey', PASSWORD, from('192.0.2.1'))).status, 200)
  })

  await t.test(
    'O21: for one handle from one address hold up neither its owner elsewhere nor anybody else there',
    async () => {
      const from = (address: string) => ({ 'x-forwarded-for': address })
      for (let i = 0; i < 5; i++) assertError(await signIn(app, '@casey', 'wrong', from('192.0.2.40')), 401, 4011)
      await haveFailed(app, 'pair:192.0.2.40 casey', 20)
      assertError(await signIn(app, '@casey', 'wrong', from('192.0.2.40')), 401, 4011)
      assertError(await signIn(app, '@casey', PASSWORD, from('192.0.2.40')), 429, 4291)
      assert.equal((await signIn(app, '@blake', PASSWORD, from('192.0.2.40'))).status, 200)
      assert.equal((await signIn(app, '@casey', PASSWORD, from('192.0.2.41'))).status, 200)
    },
  )

  await t.test('of strangers are not reset when the owner signs in', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address })
    assertError(await signIn(app, '@blake', 'wrong', from('192.0.2.50')), 401, 4011)
    await haveFailed(app, 'account:blake', 18)
    assert.equal((await signIn(app, '@blake', PASSWORD, from('192.0.2.51'))).status, 200)
    assertError(await signIn(app, '@blake', 'wrong', from('192.0.2.52')), 401, 4011)
    assertError(await signIn(app, '@blake', 'wrong', from('192.0.2.53')), 401, 4011)
    assertError(await signIn(app, '@blake', PASSWORD, from('192.0.2.54')), 429, 4291)
    app.advance(3_600_000)
  })

  await t.test('cannot avoid the waits by being sent in parallel', async (t) => {
    hashAtFullCost(t)
    await setPassword(app, '@casey')
    const wrong = Array.from({ length: 30 }, (_, i) => signIn(app, '@casey', `guess ${i}`))
    const right = signIn(app, '@casey', PASSWORD)
    const answers = await Promise.all([...wrong, right])
    const guesses = answers.filter(({ status }) => status === 401).length
    assert.ok(guesses >= 5 && guesses <= 10, `${guesses} guesses were answered`)
    assertError(await right, 429, 4291)
    for (const answer of answers) assert.ok(answer.status === 401 || answer.status === 429, answer.text)
  })
})

test('many parallel sign-ins all succeed, without slowing down the rest of the platform', async (t) => {
  hashAtFullCost(t)
  const app = await testApp(t)
  await setPassword(app, '@avery')
  let slowestMs = 0
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      const startedMs = performance.now()
      assert.equal((await app.nobody().get('/healthz')).status, 200)
      slowestMs = Math.max(slowestMs, performance.now() - startedMs)
      await delay(5)
    }
  })()
  const answers = await Promise.all(Array.from({ length: 50 }, () => signIn(app, '@avery', PASSWORD)))
  isDone = true
  await watching
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(new Set(answers.map(({ headers }) => headers.get('access_token'))).size, 50)
  assertWithin(slowestMs, 1_000, '/healthz')
})

const ROUNDS = isLong ? 40 : 20

test('a known and an unknown handle take the same time, and so does one with a cheap imported hash (O18)', async (t) => {
  hashAtFullCost(t)
  const app = await testApp(t, { TRUST_PROXY: '127.0.0.1' })
  const imported = readImportedHash(`pbkdf2_sha256$1000$salt$${Buffer.alloc(32).toString('base64')}`)
  assert.ok('stored' in imported)
  for (const [kind, hash] of Object.entries({ known: await hashPassword(PASSWORD), imported: imported.stored }))
    await app.sql(
      `insert into people (handle, handle_key, password_hash, created_at)
       select '@${kind}' || n, '${kind}' || n, '${hash}', now() from generate_series(0, ${ROUNDS - 1}) n`,
    )
  const kinds = ['known', 'unknown', 'imported'] as const
  // The processor time of this process: unlike the time on the clock, other processes of the machine hardly change it.
  const timesMs: Record<(typeof kinds)[number], number[]> = { known: [], unknown: [], imported: [] }
  await signIn(app, '@warm-up', 'wrong')
  for (let i = 0; i < ROUNDS; i++) {
    // Try the kinds in rotating order, so that fluctuations of the machine affect all of them in the same way.
    for (const kind of [...kinds.slice(i % 3), ...kinds.slice(0, i % 3)]) {
      const started = process.cpuUsage()
      const answer = await signIn(app, `@${kind}${i}`, 'wrong', { 'x-forwarded-for': `192.0.2.${i}` })
      const { user, system } = process.cpuUsage(started)
      timesMs[kind].push((user + system) / 1000)
      assert.equal(answer.text, JSON.stringify({ error_code: 4011, error_description: WRONG }))
    }
  }
  const medians = Object.values(timesMs).map((values) => values.toSorted((a, b) => a - b)[ROUNDS / 2]!)
  const [shortest, longest] = [Math.min(...medians), Math.max(...medians)]
  // Without the dummy hash, an unknown handle would take only a tenth of the time.
  assert.ok(longest - shortest < 0.35 * longest, `${kinds.join(', ')}: ${medians.join(', ')} ms`)
})
