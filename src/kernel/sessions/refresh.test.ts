import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertOauthError, exchange, obtainCode, type RegisteredApp, registerApp } from '../../apps/oauth/testing.ts'
import { openRaw } from '../../operations/testing/socket.ts'
import { type Answer, assertError, type TestApp, testApp } from '../../operations/testing/testing.ts'

const NO_LIMITS = {
  RATE_ADDRESS_PER_SECOND: '100000',
  RATE_ADDRESS_BURST: '1000000',
  RATE_CLIENT_PER_SECOND: '100000',
  RATE_CLIENT_BURST: '1000000',
}

interface Session {
  readonly client: RegisteredApp
  readonly access: string
  readonly refresh: string
}

async function openSession(app: TestApp, client: RegisteredApp): Promise<Session> {
  const { code } = await obtainCode(app, { clientId: client.clientId })
  const { body } = await exchange(app, {
    grant_type: 'authorization_code',
    code,
    client_id: client.clientId,
    client_secret: client.secret,
  })
  return { client, access: body.access_token, refresh: body.refresh_token }
}

const fieldsOf = ({ clientId, secret }: RegisteredApp, token: string) => ({
  grant_type: 'refresh_token',
  refresh_token: token,
  client_id: clientId,
  client_secret: secret,
})
const refresh = (app: TestApp, client: RegisteredApp, token: string): Promise<Answer> =>
  exchange(app, fieldsOf(client, token), 'query')

const validate = (app: TestApp, token: string): Promise<Answer> =>
  app.nobody().get('/oauth/token/validate', {}, { authorization: `Bearer ${token}` })

async function assertEnded(app: TestApp, { access, client }: Session, latest: string, reason: string): Promise<void> {
  assertError(await validate(app, access), 403, 4034)
  assertOauthError(await refresh(app, client, latest), 403, 4034, 'invalid_grant')
  const [audit] = await app.sql(
    `select detail->>'reason' as reason from audit_entries where action = 'session.ended' order by id desc limit 1`,
  )
  assert.deepEqual(audit, { reason })
}

test('a refresh', async (t) => {
  const app = await testApp(t, NO_LIMITS)
  const client = await registerApp(app, { key: 'logbook', isPkceRequired: false })

  await t.test('gives a new pair, in exactly the documented fields; the old access token stays valid', async () => {
    const session = await openSession(app, client)
    const answer = await refresh(app, client, session.refresh)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(answer.body), ['access_token', 'refresh_token', 'expires_in', 'token_type'])
    assert.notEqual(answer.body.access_token, session.access)
    assert.notEqual(answer.body.refresh_token, session.refresh)
    for (const token of [session.access, answer.body.access_token])
      assert.equal((await validate(app, token)).status, 200)
  })

  await t.test('can be repeated any number of times, and keeps one row per session', async () => {
    const session = await openSession(app, client)
    let token = session.refresh
    for (let i = 0; i < 40; i++) token = (await refresh(app, client, token)).body.refresh_token
    const last = await refresh(app, client, token)
    assert.equal((await validate(app, last.body.access_token)).status, 200)
    const [row] = await app.sql(
      `select count(*) between 20 and 36 as is_bounded from access_tokens where session_id =
         (select id from sessions order by created_at desc limit 1)`,
    )
    assert.deepEqual(row, { is_bounded: true }, 'and remembers its latest tokens only')
  })

  await t.test(
    'O7: by ten concurrent requests with one token gives them all the same successor, one generation',
    async () => {
      for (let round = 0; round < 20; round++) {
        const session = await openSession(app, client)
        const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(app, client, session.refresh)))
        assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
        assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
        assert.equal(new Set(answers.map(({ body }) => body.access_token)).size, 1)
        const [row] = await app.sql(
          `select s.refresh_counter, (select count(*)::int from access_tokens where session_id = s.id) as tokens
           from sessions s order by created_at desc limit 1`,
        )
        assert.deepEqual(row, { refresh_counter: 1, tokens: 2 })
        assert.equal((await refresh(app, client, answers[0]!.body.refresh_token)).status, 200)
      }
    },
  )

  await t.test('O8: with the previous token after the grace period ends the session, and is audited', async () => {
    const session = await openSession(app, client)
    const next = await refresh(app, client, session.refresh)
    app.advance(31_000)
    assertOauthError(await refresh(app, client, session.refresh), 400, 4008, 'invalid_grant')
    await assertEnded(app, session, next.body.refresh_token, 'refresh token reused')
  })

  await t.test('O8: with the token before the previous one ends the session at once', async () => {
    const session = await openSession(app, client)
    const second = await refresh(app, client, session.refresh)
    const third = await refresh(app, client, second.body.refresh_token)
    assertOauthError(await refresh(app, client, session.refresh), 400, 4008, 'invalid_grant')
    await assertEnded(app, session, third.body.refresh_token, 'refresh token reused')
  })

  await t.test('that arrived before the last refresh, and waited since, does not end the session', async () => {
    const session = await openSession(app, client)
    const second = await refresh(app, client, session.refresh)
    const third = await refresh(app, client, second.body.refresh_token)
    app.advance(-20_000)
    assertOauthError(await refresh(app, client, session.refresh), 400, 4008, 'invalid_grant')
    app.advance(20_000)
    assert.equal((await refresh(app, client, third.body.refresh_token)).status, 200)
  })

  await t.test('O9: whose response was lost works again with the old token, within the grace period', async () => {
    const session = await openSession(app, client)
    const query = String(new URLSearchParams(fieldsOf(client, session.refresh)))
    const socket = openRaw(app.address)
    socket.write(`POST /oauth/token?${query} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`)
    for (let moved = false; !moved; ) {
      const [row] = await app.sql('select refresh_counter from sessions order by created_at desc limit 1')
      moved = row!.refresh_counter === 1
    }
    socket.destroy()
    app.advance(29_000)
    const again = await refresh(app, client, session.refresh)
    assert.equal(again.status, 200, again.text)
    assert.equal((await refresh(app, client, again.body.refresh_token)).status, 200)
  })

  await t.test('O9: by a process that died right afterwards is known to the others', async () => {
    const session = await openSession(app, client)
    const second = await app.startSecond({ PORT: '0', SANDBOX_PORT: '0' })
    const answer = await fetch(`${second.addresses.production}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(fieldsOf(client, session.refresh)),
    })
    const lost = (await answer.json()) as { refresh_token: string; access_token: string }
    await second.stop()
    const again = await refresh(app, client, session.refresh)
    assert.deepEqual([again.body.refresh_token, again.body.access_token], [lost.refresh_token, lost.access_token])
  })

  await t.test("with another app's credentials is refused and ends nothing", async () => {
    const other = await registerApp(app, { key: 'other', isPkceRequired: false })
    const session = await openSession(app, client)
    assertOauthError(await refresh(app, other, session.refresh), 403, 4034, 'invalid_grant')
    assert.equal((await refresh(app, client, session.refresh)).status, 200)
  })

  await t.test('after SESSION_DAYS of inactivity is refused with 4034', async () => {
    const session = await openSession(app, client)
    app.advance(89 * 86_400_000)
    const next = await refresh(app, client, session.refresh)
    assert.equal(next.status, 200, 'each refresh gives it as many days again')
    app.advance(91 * 86_400_000)
    assertOauthError(await refresh(app, client, next.body.refresh_token), 403, 4034, 'invalid_grant')
  })

  await t.test('O10: with any byte of the token changed is refused', async () => {
    const { refresh: token } = await openSession(app, client)
    for (let i = 0; i < token.length; i++) {
      const changed = token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1)
      const answer = await refresh(app, client, changed)
      assert.equal(answer.status, 403, `byte ${i}: ${answer.text}`)
    }
    assert.equal((await refresh(app, client, token)).status, 200)
  })

  await t.test('that races with a logout leaves no valid token', async () => {
    for (let round = 0; round < 20; round++) {
      const session = await openSession(app, client)
      const [answer] = await Promise.all([
        refresh(app, client, session.refresh),
        app.nobody().post('/oauth/logout', { refresh_token: session.refresh }),
      ])
      if (answer.status === 200) assertError(await validate(app, answer.body.access_token), 403, 4034)
      assertError(await validate(app, session.access), 403, 4034)
    }
  })

  await t.test('repeated within the grace period after its access token was revoked gives no dead token', async () => {
    const session = await openSession(app, client)
    const next = await refresh(app, client, session.refresh)
    const own = { client_id: client.clientId, client_secret: client.secret }
    await exchange(app, { token: next.body.access_token, ...own }, 'form', { path: '/oauth/v2/revoke' })
    assertOauthError(await refresh(app, client, session.refresh), 403, 4034, 'invalid_grant')
    assert.equal((await refresh(app, client, next.body.refresh_token)).status, 200, 'the session goes on')
  })

  await t.test('works with a token from before the database was restored from a backup', async () => {
    const session = await openSession(app, client)
    const second = await refresh(app, client, session.refresh)
    const third = await refresh(app, client, second.body.refresh_token)
    await app.sql(`update sessions set refresh_counter = 0 where ended_at is null`)
    assert.equal((await refresh(app, client, third.body.refresh_token)).status, 200)
  })
})

test('4010 is returned for expired access tokens, and for nothing else', async (t) => {
  const app = await testApp(t, NO_LIMITS)
  const client = await registerApp(app, { key: 'logbook', isPkceRequired: false })
  const session = await openSession(app, client)
  app.advance(24 * 3_600_000 + 1000)
  assertError(await validate(app, session.access), 401, 4010, /^Token refresh required$/)
  const next = await refresh(app, client, session.refresh)
  assert.equal((await validate(app, next.body.access_token)).status, 200)
  assertError(await validate(app, session.access), 401, 4010)
  await app.nobody().post('/oauth/logout', { refresh_token: next.body.refresh_token })
  for (const token of [session.access, next.body.access_token]) assertError(await validate(app, token), 403, 4034)
})

test('logout and validate', async (t) => {
  const app = await testApp(t, NO_LIMITS, { withSandbox: true })
  const client = await registerApp(app, { key: 'logbook', isPkceRequired: false })
  const sandbox = await registerApp(app, { key: 'logbook', isPkceRequired: false }, 'sandbox')
  const sessionOf = (token: string) => app.nobody().get('/oauth/session/validate', { refresh_token: token })

  await t.test(
    'a session is ended at once, in every process, by its refresh token in JSON, form or query',
    async () => {
      const second = await app.startSecond({ PORT: '0', SANDBOX_PORT: '0' })
      for (const way of ['json', 'form', 'query'] as const) {
        const session = await openSession(app, client)
        const elsewhere = () =>
          fetch(`${second.addresses.production}/oauth/token/validate`, {
            headers: { authorization: `Bearer ${session.access}` },
          })
        assert.equal((await elsewhere()).status, 200)
        const answer = await exchange(app, { refresh_token: session.refresh }, way, { path: '/oauth/logout' })
        assert.deepEqual([answer.status, answer.body], [200, { success: true }])
        assertError(await validate(app, session.access), 403, 4034)
        const deadline = Date.now() + 1000
        while ((await elsewhere()).status === 200) assert.ok(Date.now() < deadline, 'dead within a second')
        assertError(await sessionOf(session.refresh), 403, 4034)
        const again = await exchange(app, { refresh_token: session.refresh }, way, { path: '/oauth/logout' })
        assert.equal(again.status, 200, 'repeating it is as good')
      }
    },
  )

  await t.test('a Bearer token is enough, and beside a refresh token it is ignored', async () => {
    const one = await openSession(app, client)
    const two = await openSession(app, client)
    const bearer = { authorization: `Bearer ${one.access}` }
    await app.nobody().post('/oauth/logout', { refresh_token: two.refresh }, bearer)
    assert.equal((await validate(app, one.access)).status, 200)
    assertError(await validate(app, two.access), 403, 4034)
    assert.equal((await app.nobody().post('/oauth/logout', undefined, bearer)).status, 200)
    assertError(await validate(app, one.access), 403, 4034)
  })

  await t.test('without a token the parameter is named, and a wrong token ends nothing', async () => {
    assertError(await app.nobody().post('/oauth/logout', {}), 400, 4001, /refresh_token/)
    assertError(await app.nobody().post('/oauth/logout', { refresh_token: 'x' }), 403, 4034)
    assertError(await app.nobody().get('/oauth/session/validate'), 400, 4001, /refresh_token/)
    assertError(await app.nobody().get('/oauth/token/validate'), 401, 4016)
  })

  await t.test('a session can be validated by either token, even when the access token has expired', async () => {
    const session = await openSession(app, client)
    const byRefresh = await sessionOf(session.refresh)
    assert.equal(byRefresh.status, 200)
    assert.equal(byRefresh.body.valid, true)
    app.advance(25 * 3_600_000)
    const bearer = { authorization: `Bearer ${session.access}` }
    const byAccess = await app.nobody().get('/oauth/session/validate', {}, bearer)
    assert.deepEqual(byAccess.body, byRefresh.body)
  })

  await t.test('O15: a session is not valid while its app is suspended or the person is disabled', async () => {
    const session = await openSession(app, client)
    const bearer = { authorization: `Bearer ${session.access}` }
    const both = async (status: number, code: number) => {
      assertError(await sessionOf(session.refresh), status, code)
      assertError(await app.nobody().get('/oauth/session/validate', {}, bearer), status, code)
    }
    await app.sql(`update apps set status = 'suspended' where client_id = '${client.clientId}'`)
    await both(401, 4013)
    await app.sql(`update apps set status = 'approved' where client_id = '${client.clientId}'`)
    await app.sql(`update app_users set withdrawn_at = now()`)
    await both(401, 4019)
    await app.sql(`update app_users set withdrawn_at = null; update people set disabled_at = now()`)
    await both(403, 4034)
    await app.sql(`update people set disabled_at = null`)
    assert.equal((await sessionOf(session.refresh)).status, 200)
  })

  await t.test('O14: tokens of one environment are refused by the other, which says why', async () => {
    const session = await openSession(app, client)
    const there = app.nobody('sandbox')
    const reason = /issued by the production environment; this is sandbox/
    assertError(
      await there.get('/oauth/token/validate', {}, { authorization: `Bearer ${session.access}` }),
      403,
      4034,
      reason,
    )
    assertError(await there.get('/oauth/session/validate', { refresh_token: session.refresh }), 403, 4034, reason)
    assertError(await there.post('/oauth/logout', { refresh_token: session.refresh }), 403, 4034, reason)
    const own = await exchange(app, fieldsOf(sandbox, session.refresh), 'json', { environment: 'sandbox' })
    assertOauthError(own, 403, 4034, 'invalid_grant')
    const foreign = await exchange(app, fieldsOf(client, session.refresh), 'json', { environment: 'sandbox' })
    assertOauthError(foreign, 401, 4013, 'invalid_client')
    assert.match(foreign.body.error_description, /issued by production/)
    assert.equal((await refresh(app, client, session.refresh)).status, 200)
  })
})
