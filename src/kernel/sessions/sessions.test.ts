import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { setAppStatus } from '../../apps/apps/apps.ts'
import { changePassword, disablePerson } from '../../identity/people/people.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { assertError, Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import type { Caller } from '../caller.ts'
import { until } from '../database/test-database.ts'
import { endSession, endSessionsOfPerson } from './sessions.ts'
import { inspectToken, mintRefreshToken, mintToken, openRefreshToken } from './tokens.ts'

const LIST = '/app/v1/bucket/list'
const OPERATOR: Caller = { at: new Date(), requestId: 'operator', address: '127.0.0.1' }
const WITHIN_MS = 1_000

const sessionOf = async (app: TestApp, client: Client): Promise<{ sessionId: string; personId: number }> => {
  const hash = createHash('sha256').update(client.token!).digest('hex')
  const [row] = await app.sql(
    `select s.id, s.person_id::int as person from sessions s join access_tokens t on t.session_id = s.id where t.token_hash = '\\x${hash}'`,
  )
  return { sessionId: String(row?.id), personId: Number(row?.person) }
}

const cached = async (address: string): Promise<number> => {
  const { text } = await new Client(address).get('/metrics')
  return Number(/^groundschool_token_cache_entries\S* (\d+)/m.exec(text)?.[1])
}

test('a token names its kind and its environment, and a typo is detected without the database', () => {
  for (const [environment, prefix] of [
    ['production', 'gs_'],
    ['sandbox', 'gs_sbx_'],
  ] as const) {
    for (const [kind, letters] of [
      ['access', 'at_'],
      ['refresh', 'rt_'],
      ['secret', 'cs_'],
    ] as const) {
      const token = mintToken(kind, environment)
      assert.match(token, new RegExp(`^${prefix}${letters}[\\w-]{49}$`))
      assert.equal(inspectToken(token, kind, environment), 'good')
      assert.equal(inspectToken(token, kind, environment === 'production' ? 'sandbox' : 'production'), 'foreign')
      assert.equal(inspectToken(token, kind === 'access' ? 'refresh' : 'access', environment), 'malformed')
      for (let i = 0; i < token.length; i++) {
        const changed = token.slice(0, i) + (token[i] === 'x' ? 'y' : 'x') + token.slice(i + 1)
        assert.equal(inspectToken(changed, kind, environment), 'malformed')
      }
    }
  }
})

test('a refresh token reveals its session and counter only with our key', () => {
  const key = Buffer.alloc(32, 1)
  fc.assert(
    fc.property(fc.uuid(), fc.nat(2 ** 31), (sessionId, counter) => {
      const token = mintRefreshToken(key, 'production', { sessionId, counter })
      assert.deepEqual(openRefreshToken([key], 'production', token), { sessionId, counter })
      assert.equal(openRefreshToken([Buffer.alloc(32, 2)], 'production', token), undefined)
      assert.equal(openRefreshToken([key], 'sandbox', token), undefined)
    }),
    { numRuns: 200 },
  )
  assert.equal(openRefreshToken([key], 'production', mintToken('refresh', 'production')), undefined)
})

test('sessions', async (t) => {
  const app = await testApp(t, { RATE_ADDRESS_BURST: '100000', RATE_TOKEN_BURST: '100000' })
  const second = await app.startSecond()
  const { db } = app.environment()
  const onSecond = (client: Client) => new Client(second.addresses.production, client.token, client.userId)

  await t.test('the database holds no token, only its hash', async () => {
    const avery = await app.as('avery')
    const rows = await app.sql(
      `select s::text as row from sessions s union all select encode(token_hash, 'escape') from access_tokens`,
    )
    const secret = avery.token!.slice(6)
    for (const { row } of rows) assert.ok(!String(row).includes(secret))
    const hash = createHash('sha256').update(avery.token!).digest('hex')
    assert.equal((await app.sql(`select from access_tokens where token_hash = '\\x${hash}'`)).length, 1)
  })

  /** The ways to revoke a token: name, expected status and error code for the token afterwards, and the action. */
  const ways: [what: string, status: number, code: number, revoke: (victim: Client) => Promise<unknown>][] = [
    [
      'ending a session',
      403,
      4034,
      async (victim) =>
        endSession(db, OPERATOR, { sessionId: (await sessionOf(app, victim)).sessionId, reason: 'signed out' }),
    ],
    [
      'ending the sessions of a person',
      403,
      4034,
      async (victim) => {
        const { personId } = await sessionOf(app, victim)
        await db.transaction((tx) => endSessionsOfPerson(tx, OPERATOR, { personId, reason: 'test' }))
      },
    ],
    ['changing a password', 403, 4034, () => changePassword(db, OPERATOR, { handle: '@Avery', password: 'a new one' })],
    [
      'disabling a person',
      403,
      4034,
      () => disablePerson(db, OPERATOR, { handle: 'avery', isDisabled: true }, FORGETTING),
    ],
    ['suspending an app', 401, 4013, () => setAppStatus(db, OPERATOR, { clientId: 'gs-first', status: 'suspended' })],
  ]
  for (const [what, status, code, revoke] of ways) {
    await t.test(
      `${what} invalidates the affected tokens in every process within a second, and no others (O15)`,
      async () => {
        const victim = await app.as(status === 403 ? 'avery' : 'casey')
        const bystander = await app.as('blake', 'second')
        const everywhere = (client: Client) => [client, onSecond(client)]
        for (const client of [...everywhere(victim), ...everywhere(bystander)]) {
          assert.equal((await client.get(LIST)).status, 200)
          assert.equal((await client.get(LIST)).status, 200)
        }
        await revoke(victim)
        await Promise.all(
          everywhere(victim).map((client) =>
            until(`${what} refuses`, async () => (await client.get(LIST)).status === status, WITHIN_MS),
          ),
        )
        for (const client of everywhere(victim)) assertError(await client.get(LIST), status, code)
        for (const client of everywhere(bystander)) assert.equal((await client.get(LIST)).status, 200)
      },
    )
  }

  await t.test('undoing works: the tokens of a reapproved app, and of an enabled person who signs in', async () => {
    await setAppStatus(db, OPERATOR, { clientId: 'gs-first', status: 'approved' })
    await disablePerson(db, OPERATOR, { handle: 'avery', isDisabled: false }, FORGETTING)
    const avery = await app.as('avery')
    for (const client of [avery, onSecond(avery)]) assert.equal((await client.get(LIST)).status, 200)
  })

  await t.test('a revocation wins against concurrent look-ups, in every process (O15)', async () => {
    const victims = await Promise.all(Array.from({ length: 12 }, () => app.as('casey')))
    await Promise.all(
      victims.map(async (victim) => {
        const { sessionId } = await sessionOf(app, victim)
        const clients = [victim, onSecond(victim)]
        // None of these tokens is cached yet, so the first look-ups race with the revocation.
        const racing = clients.flatMap((client) => Array.from({ length: 10 }, () => client.get(LIST)))
        await Promise.all([endSession(db, OPERATOR, { sessionId, reason: 'race' }), ...racing])
        await Promise.all(
          clients.map((client) =>
            until('it is refused', async () => (await client.get(LIST)).status === 403, WITHIN_MS),
          ),
        )
        for (const client of clients) {
          const later = await Promise.all(Array.from({ length: 5 }, () => client.get(LIST)))
          assert.deepEqual([...new Set(later.map((answer) => answer.status))], [403])
        }
      }),
    )
  })

  await t.test('ending a session again changes nothing, and is reported once', async () => {
    const drew = await app.as('drew')
    const { sessionId } = await sessionOf(app, drew)
    const end = (reason: string) => endSession(db, OPERATOR, { sessionId, reason })
    await Promise.all([end('first'), end('first')])
    await end('later')
    const [session] = await app.sql(`select end_reason from sessions where id = '${sessionId}'`)
    assert.equal(session?.end_reason, 'first')
    const entries = await app.sql(
      `select action, detail::text from audit_entries where session_id = '${sessionId}' and action <> 'sign-in.basic'`,
    )
    assert.deepEqual(entries, [{ action: 'session.ended', detail: '{"reason":"first"}' }])
  })
})

test('a cached token is checked without the database, unless a revocation could be missed', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  assert.equal((await avery.get(LIST)).status, 200)
  assert.equal(await cached(app.address), 1)
  await app.sql('alter table access_tokens rename to hidden_tokens')
  assert.equal((await avery.get(LIST)).status, 200)
  assertError(await blake.get(LIST), 500, 5000)

  const [cut] = await app.sql(
    `select count(pg_terminate_backend(pid)) as n from pg_stat_activity
      where datname = current_database() and application_name = 'groundschool production'
        and (query ilike 'listen %' or query = 'select 1')`,
  )
  assert.equal(Number(cut?.n), 1)
  await until('the memory is not used', async () => (await avery.get(LIST)).status === 500, WITHIN_MS)
  assert.equal(await cached(app.address), 0)

  await app.sql('alter table hidden_tokens rename to access_tokens')
  await until('it listens, and remembers again', async () => {
    assert.equal((await avery.get(LIST)).status, 200)
    return (await cached(app.address)) === 1
  })
})

test('a revocation whose notification was lost takes effect all the same (O15)', async (t) => {
  const app = await testApp(t)
  const second = await app.startSecond()
  for (let round = 0; round < 3; round++) {
    const avery = await app.as('avery')
    const clients = [avery, new Client(second.addresses.production, avery.token)]
    for (const client of clients) assert.equal((await client.get(LIST)).status, 200)
    const { sessionId } = await sessionOf(app, avery)
    await app.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and (query ilike 'listen %' or query = 'select 1')`,
    )
    await endSession(app.environment().db, OPERATOR, { sessionId, reason: 'unheard' })
    for (const client of clients)
      await until('it is refused', async () => (await client.get(LIST)).status === 403, WITHIN_MS)
    await new Promise((resolve) => setTimeout(resolve, 300))
    for (const client of clients) assertError(await client.get(LIST), 403, 4034)
  }
})

test('a session read before a revocation is not cached after it (O15)', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const { sessionId } = await sessionOf(app, avery)
  // Makes the look-up of a token slow: it sees the session as it was when the look-up started.
  await app.sql(
    `alter table access_tokens rename to real_tokens;
     create view access_tokens as select * from real_tokens where (select true from pg_sleep(0.7))`,
  )
  const pending = avery.get(LIST)
  await until('the look-up is under way', async () => {
    const [row] = await app.sql(
      `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    )
    return Number(row?.n) > 0
  })
  await endSession(app.environment().db, OPERATOR, { sessionId, reason: 'in between' })
  assert.equal((await pending).status, 200, 'it was asked before the end')
  await app.sql('drop view access_tokens; alter table real_tokens rename to access_tokens')
  assertError(await avery.get(LIST), 403, 4034)
})

test('the token cache is bounded', async (t) => {
  const app = await testApp(t, { TOKEN_CACHE_SIZE: '4' })
  const clients = await Promise.all(Array.from({ length: 10 }, () => app.as('avery')))
  for (const client of [...clients, ...clients]) assert.equal((await client.get(LIST)).status, 200)
  assert.ok((await cached(app.address)) <= 4)
})
