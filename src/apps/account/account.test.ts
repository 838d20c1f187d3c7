import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'
import { until } from '../../kernel/database/test-database.ts'
import { type Answer, assertError, Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { call, isSignedIn, PASSWORD, signInBrowser, UNLIMITED } from './testing.ts'

const LIST = '/app/v1/bucket/list'
const APPS = '/account/v1/apps'
const WITHIN_MS = 1_000
const NOBODYS_ID = '00000000-0000-4000-8000-000000000000'

const audited = async (app: TestApp, since = 0): Promise<string[]> =>
  (await app.sql(`select action from audit_entries where id > ${since} order by id`)).map(({ action }) =>
    String(action),
  )
const lastAudit = async (app: TestApp): Promise<number> =>
  Number((await app.sql('select coalesce(max(id), 0)::int as id from audit_entries'))[0]?.id)

test('the account operations', async (t) => {
  const app = await testApp(t, UNLIMITED, { withSandbox: true })
  const second = await app.startSecond()
  const onSecond = (client: Client) => new Client(second.addresses.production, client.token, client.userId)
  const sessionsOf = async (browser: Parameters<typeof call>[0], clientId: string) =>
    (await call(browser, 'GET', APPS)).body.find((one: { clientId: string }) => one.clientId === clientId)?.sessions
  const isDead = async (client: Client) => {
    const answer = await client.get(LIST)
    if (answer.status === 200) return false
    assertError(answer, 403, 4034)
    return true
  }
  const assertDeadEverywhere = (client: Client) =>
    Promise.all([client, onSecond(client)].map((one) => until('the token is refused', () => isDead(one), WITHIN_MS)))
  const assertAlive = async (client: Client) => {
    for (const one of [client, onSecond(client)]) assert.equal((await one.get(LIST)).status, 200)
  }

  await t.test('signing in returns who it is, and the cookie works until they sign out', async () => {
    await app.sql(`update people set first_name = 'Avery', last_name = 'Example' where handle_key = 'avery'`)
    await app.givePassword('avery')
    const browser = app.visitor()
    assertError(await call(browser, 'GET', '/account/v1/me'), 401, 4016)
    const answer = await call(browser, 'POST', '/account/v1/signin', { handle: 'Avery', password: PASSWORD })
    assert.deepEqual(answer.body, { handle: '@avery', name: 'Avery Example' })
    assert.match(answer.headers.getSetCookie()[0]!, /^gs_browser=gs_br_[\w-]{49}; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.deepEqual((await call(browser, 'GET', '/account/v1/me')).body, { handle: '@avery', name: 'Avery Example' })
    const cookie = `gs_browser=${browser.cookies.get('gs_browser')}`
    const out = await call(browser, 'POST', '/account/v1/signout', {})
    assert.deepEqual(out.body, { success: true })
    assert.match(out.headers.get('set-cookie')!, /^gs_browser=; .*Max-Age=0$/)
    assertError(await call(app.visitor(), 'GET', '/account/v1/me', undefined, { cookie }), 401, 4016)
  })

  await t.test('a browser is remembered for 12 hours, or for 30 days where that was asked for', async () => {
    const browsers = [app.visitor(), app.visitor()] as const
    for (const [i, browser] of browsers.entries()) {
      const body = { handle: 'avery', password: PASSWORD, keep: i === 1 }
      const answer = await call(browser, 'POST', '/account/v1/signin', body)
      assert.equal(/Max-Age=2592000/.test(answer.headers.get('set-cookie')!), i === 1)
    }
    const hour = 3_600_000
    app.advance(12 * hour - 60_000)
    assert.deepEqual(await Promise.all(browsers.map(isSignedIn)), [true, true])
    app.advance(120_000)
    assert.deepEqual(await Promise.all(browsers.map(isSignedIn)), [false, true])
    app.advance(30 * 24 * hour)
    assert.deepEqual(await Promise.all(browsers.map(isSignedIn)), [false, false])
  })

  await t.test('a wrong password and an unknown handle get the same answer', async () => {
    const answers: Answer[] = []
    for (const handle of ['avery', 'nobody-at-all'])
      answers.push(await call(app.visitor(), 'POST', '/account/v1/signin', { handle, password: 'wrong password' }))
    for (const answer of answers) assertError(answer, 401, 4011)
    assert.equal(answers[0]!.text, answers[1]!.text)
    for (const answer of answers) assert.equal(answer.headers.get('set-cookie'), null)
  })

  await t.test('people see the apps that they use, with the open sessions', async () => {
    await app.sql(`
      insert into organisations (key, name, created_at) values ('club', 'Flying Club', now());
      update apps set organisation_id = (select id from organisations) where name = 'first';
      update apps set owner_id = (select id from people where handle_key = 'drew') where name = 'second'`)
    const casey = await signInBrowser(app, 'casey')
    assert.deepEqual((await call(casey, 'GET', APPS)).body, [])
    const first = await app.as('casey', 'first')
    await app.as('casey', 'first')
    await app.as('casey', 'second')
    await app.as('blake', 'first')
    const { body } = await call(casey, 'GET', APPS)
    assert.deepEqual(
      body.map((one: Record<string, unknown[]>) => [one.clientId, one.name, one.owner, one.sessions?.length]),
      [
        ['gs-second', 'second', '@drew', 1],
        ['gs-first', 'first', 'Flying Club', 2],
      ],
    )
    for (const one of body) {
      assert.deepEqual(Object.keys(one), [
        'clientId',
        'name',
        'owner',
        'sinceDate',
        'allowedDate',
        'scopes',
        'sessions',
      ])
      for (const date of [one.sinceDate, one.allowedDate]) assert.ok(!Number.isNaN(Date.parse(date)))
      for (const session of one.sessions) {
        assert.deepEqual(Object.keys(session), ['sessionId', 'device', 'door', 'createdDate', 'lastUsedDate'])
        assert.deepEqual([session.device, session.door], ['test', 'basic'])
      }
    }
    assert.ok(!JSON.stringify(body).includes(first.userId), 'the id that one app knows is nobody else’s business')
    await app.sql(
      `update sessions set expires_at = now() - interval '1 day' where app_id = (select id from apps where name = 'second')`,
    )
    assert.deepEqual(await sessionsOf(casey, 'gs-second'), [])
    await app.sql(`delete from sessions`)
  })

  await t.test('a session ends within a second on every process, and no other does (O15)', async () => {
    const blake = await signInBrowser(app, 'blake')
    const one = await app.as('blake')
    const other = await app.as('blake')
    await Promise.all([assertAlive(one), assertAlive(other)])
    const [, { sessionId }] = await sessionsOf(blake, 'gs-first')
    const since = await lastAudit(app)
    assert.deepEqual((await call(blake, 'POST', '/account/v1/session/end', { sessionId })).body, { success: true })
    await assertDeadEverywhere(one)
    await assertAlive(other)
    assert.equal((await sessionsOf(blake, 'gs-first')).length, 1)
    // Ending the same session again changes nothing.
    assert.deepEqual((await call(blake, 'POST', '/account/v1/session/end', { sessionId })).body, { success: true })
    assert.deepEqual(await audited(app, since), ['session.ended'])
  })

  await t.test("someone else's session cannot be ended, and looks like one that does not exist", async () => {
    const drew = await signInBrowser(app, 'drew')
    const victim = await app.as('ellis')
    const [row] = await app.sql(
      `select s.id from sessions s join people p on p.id = s.person_id where p.handle_key = 'ellis'`,
    )
    const since = await lastAudit(app)
    const answers: string[] = []
    for (const sessionId of [String(row!.id), NOBODYS_ID, 'x', "'; drop table sessions--"]) {
      const answer = await call(drew, 'POST', '/account/v1/session/end', { sessionId })
      assertError(answer, 404, 4042)
      answers.push(answer.text)
    }
    assert.equal(new Set(answers).size, 1)
    assert.equal((await victim.get(LIST)).status, 200)
    assert.deepEqual(await audited(app, since), [])
  })

  await t.test('people see their browsers and end them, but not those of others', async () => {
    const here = await signInBrowser(app, 'ellis')
    const there = await signInBrowser(app, 'ellis')
    const stranger = await signInBrowser(app, 'drew')
    const { body } = await call(here, 'GET', '/account/v1/browsers')
    assert.equal(body.length, 2)
    for (const one of body)
      assert.deepEqual(Object.keys(one), ['browserId', 'device', 'address', 'createdDate', 'lastUsedDate', 'isCurrent'])
    assert.deepEqual(
      body.map((one: { isCurrent: boolean }) => one.isCurrent),
      [true, false],
    )
    const [, { browserId }] = body
    for (const id of [browserId, NOBODYS_ID, 'x'])
      assertError(await call(stranger, 'POST', '/account/v1/browser/end', { browserId: id }), 404, 4042)
    assert.deepEqual((await call(here, 'POST', '/account/v1/browser/end', { browserId })).body, { success: true })
    assert.deepEqual(await Promise.all([here, there, stranger].map(isSignedIn)), [true, false, true])
  })

  await t.test('everything else ends at once: sessions of all apps, and all other browsers (O15)', async () => {
    const here = await signInBrowser(app, 'finley')
    const there = await signInBrowser(app, 'finley')
    const clients = [await app.as('finley', 'first'), await app.as('finley', 'second')]
    const bystander = await app.as('ellis')
    await Promise.all([...clients, bystander].map(assertAlive))
    const since = await lastAudit(app)
    assert.deepEqual((await call(here, 'POST', '/account/v1/sessions/end-all', {})).body, {
      success: true,
      passkeys: [],
    })
    await Promise.all(clients.map(assertDeadEverywhere))
    await assertAlive(bystander)
    assert.deepEqual(await Promise.all([here, there].map(isSignedIn)), [true, false])
    assert.deepEqual(await audited(app, since), ['sign-out.elsewhere', 'sessions.ended'])
    assert.equal((await call(here, 'GET', '/account/v1/browsers')).body.length, 1)
    assert.equal((await call(here, 'POST', '/account/v1/sessions/end-all', {})).status, 200)
    assert.equal(await isSignedIn(here), true)
  })

  await t.test('of two browsers that end each other at once, one stays', async () => {
    const browsers = [await signInBrowser(app, 'finley'), await signInBrowser(app, 'finley')]
    const answers = await Promise.all(browsers.map((one) => call(one, 'POST', '/account/v1/sessions/end-all', {})))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
    const left = await Promise.all(browsers.map(isSignedIn))
    assert.deepEqual(
      left,
      answers.map(({ status }) => status === 200),
    )
  })

  await t.test('withdrawn consent kills the tokens of that app alone; new consent gives the same userId', async () => {
    const blake = await signInBrowser(app, 'blake')
    const inFirst = [await app.as('blake', 'first'), await app.as('blake', 'first')]
    const inSecond = await app.as('blake', 'second')
    const bystander = await app.as('drew', 'first')
    await Promise.all([...inFirst, inSecond, bystander].map(assertAlive))
    const since = await lastAudit(app)
    const withdraw = () => call(blake, 'POST', '/account/v1/app/withdraw', { clientId: 'gs-first' })
    assert.deepEqual((await withdraw()).body, { success: true })
    await Promise.all(inFirst.map(assertDeadEverywhere))
    await Promise.all([inSecond, bystander].map(assertAlive))
    assert.deepEqual(await audited(app, since), ['consent.withdrawn', 'sessions.ended'])
    assert.equal(await sessionsOf(blake, 'gs-first'), undefined)
    assertError(await withdraw(), 404, 4042)
    const [gone] = await app.sql(
      `select epoch, withdrawn_at is not null as withdrawn from app_users where user_id = '${inFirst[0]!.userId}'`,
    )
    assert.deepEqual(gone, { epoch: 1, withdrawn: true })

    const again = await app.as('blake', 'first')
    assert.equal(again.userId, inFirst[0]!.userId)
    await assertAlive(again)
    for (const old of inFirst) assertError(await old.get(LIST), 403, 4034)
  })

  await t.test('consent that was never given cannot be withdrawn', async () => {
    const drew = await signInBrowser(app, 'drew')
    const bystander = await app.as('ellis', 'second')
    for (const clientId of ['gs-second', 'gs-none', 'gs-sbx-first'])
      assertError(await call(drew, 'POST', '/account/v1/app/withdraw', { clientId }), 404, 4042)
    await assertAlive(bystander)
  })

  await t.test('a session that is opened while consent is withdrawn is ended or has new consent', async () => {
    const ellis = await signInBrowser(app, 'ellis')
    for (let round = 0; round < 10; round++) {
      const before = await app.as('ellis', 'first')
      const basic = app.nobody().get('/auth/basic', undefined, {
        authorization: `Basic ${Buffer.from(`ellis:${PASSWORD}`).toString('base64')}`,
        clientid: 'gs-first',
      })
      const [signedIn] = await Promise.all([
        basic,
        call(ellis, 'POST', '/account/v1/app/withdraw', { clientId: 'gs-first' }),
      ])
      const token = signedIn.headers.get('access_token')!
      const [state] = await app.sql(`
        select u.withdrawn_at is null as consented, count(s.id) filter (where s.ended_at is null)::int as live
          from app_users u left join sessions s on s.user_id = u.user_id
         where u.user_id = '${before.userId}' group by 1`)
      const isAlive = (await new Client(app.address, token).get(LIST)).status === 200
      assert.equal(isAlive, state!.consented)
      assert.equal(state!.live, isAlive ? 1 : 0)
      await assertDeadEverywhere(before)
    }
  })

  await t.test('O14: a cookie of one environment is worthless in the other', async () => {
    const sandbox = await signInBrowser(app, 'avery', 'sandbox')
    assert.equal(await isSignedIn(sandbox), true)
    const token = sandbox.cookies.get('gs_sbx_browser')
    for (const cookie of [`gs_browser=${token}`, `gs_sbx_browser=${token}`])
      assertError(await call(app.visitor(), 'GET', '/account/v1/me', undefined, { cookie }), 401, 4016)
  })

  await t.test('O12: what another site makes a browser send is refused, whatever it is', async () => {
    const avery = await signInBrowser(app, 'avery')
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    const writes = operations.filter(
      ({ who, method }) => (who.name === 'person' || who.name === 'visitor') && method !== 'GET',
    )
    assert.ok(writes.length > 50)
    for (const { method, path, name } of writes)
      for (const headers of foreign) {
        const answer = await call(avery, method as 'POST', path, {}, headers)
        assert.deepEqual([answer.status, answer.body.error_code], [403, 4032], name)
      }
    assert.equal(await isSignedIn(avery), true)
  })
})
