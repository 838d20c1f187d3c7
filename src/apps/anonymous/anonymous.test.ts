import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { accountKindAt, ageOn, canBeBirth } from '../../identity/people/ages.ts'
import { isHandle, isReserved } from '../../identity/people/handles.ts'
import { listPeople } from '../../identity/people/people.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import { endSession } from '../../kernel/sessions/sessions.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import { rawRequest, readRaw, sendRaw } from '../../operations/testing/socket.ts'
import { type Answer, assertError, Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { exchange, registerApp } from '../oauth/testing.ts'
import { ADULT, type Anonymous, join, leftOf, PROFILE } from './testing.ts'

const DAY_MS = 24 * 3_600_000
const OPERATOR: Caller = { at: new Date(), requestId: 'anonymous-test', address: '127.0.0.1' }
const countPeople = async (app: TestApp, environment?: EnvironmentName): Promise<number> =>
  Number((await app.sql('select count(*) as n from people', environment))[0]?.n)

test('age goes by the calendar: the birthday counts, and 29 February is 1 March where there is none', () => {
  const rows: [born: string, day: string, age: number][] = [
    ['2013-05-01', '2026-04-30', 12],
    ['2013-05-01', '2026-05-01', 13],
    ['2013-05-01', '2026-05-02', 13],
    ['2008-05-01', '2026-04-30', 17],
    ['2008-05-01', '2026-05-01', 18],
    ['2012-12-31', '2026-01-01', 13],
    ['2013-01-01', '2026-12-31', 13],
    ['2012-02-29', '2025-02-28', 12],
    ['2012-02-29', '2025-03-01', 13],
    ['2012-02-29', '2028-02-28', 15],
    ['2012-02-29', '2028-02-29', 16],
    ['2013-03-01', '2026-02-28', 12],
    ['2026-05-01', '2026-05-01', 0],
    ['2025-05-02', '2026-05-01', 0],
  ]
  for (const [born, day, age] of rows) {
    assert.equal(ageOn(new Date(`${day}T00:00:00.000Z`), new Date(born)), age, `${born} ${day}`)
    assert.equal(ageOn(new Date(`${day}T23:59:59.999Z`), new Date(`${born}T23:59:59Z`)), age, `${born} ${day} late`)
  }
})

test('under 13 is a child and a Kid, under 18 a teen-minor and an Adult, from 18 on an adult and an Adult', () => {
  for (const age of [0, 12]) assert.deepEqual(accountKindAt(age), { userType: 'child', accountType: 'Kid' })
  for (const age of [13, 17]) assert.deepEqual(accountKindAt(age), { userType: 'teen-minor', accountType: 'Adult' })
  for (const age of [18, 150]) assert.deepEqual(accountKindAt(age), { userType: 'adult', accountType: 'Adult' })
})

test('a birth is not in the future, and at most 150 years ago', () => {
  const day = new Date('2026-02-28T12:00:00Z')
  for (const good of ['2026-02-28', '2026-02-27', '1876-02-28', '1876-02-29'])
    assert.ok(canBeBirth(day, new Date(good)), good)
  for (const bad of ['2026-03-01', '2027-01-01', '1876-02-27', '1875-12-31', '0001-01-01'])
    assert.ok(!canBeBirth(day, new Date(bad)), bad)
})

test('an anonymous user', async (t) => {
  const app = await testApp(t, { RATE_ANONYMOUS_BURST: '1000' }, { withSandbox: true })
  const rowOf = async ({ userId }: Anonymous, environment?: EnvironmentName) => {
    const [row] = await app.sql(
      `select p.handle, p.handle_key, p.first_name, p.last_name, p.email, p.country, p.date_of_birth::text as born,
              p.public_search, p.administrator, p.developer, p.anonymous, p.password_hash, a.name as app, u.withdrawn_at,
              s.door, s.device, s.push_token, s.ended_at, u.user_id
         from app_users u join people p on p.id = u.person_id join apps a on a.id = u.app_id
         join sessions s on s.user_id = u.user_id where u.user_id = '${userId}'`,
      environment,
    )
    return row
  }

  const ask = (fields: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    app
      .nobody()
      .send('PUT', PROFILE, { body: { anonymous: true, clientId: 'gs-first', dateOfBirth: ADULT, ...fields }, headers })

  for (const environment of ['production', 'sandbox'] as const) {
    const clientId = environment === 'production' ? 'gs-first' : 'gs-sbx-first'
    const fields = { anonymous: 'true', clientId, dateOfBirth: ADULT, deviceToken: 'push-1' }
    const asForm = {
      raw: String(new URLSearchParams(fields)),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Tablet 7' },
    }
    const asJson = { body: { ...fields, anonymous: true }, headers: { 'user-agent': 'Tablet 7' } }
    for (const [way, init] of Object.entries({ asForm, asJson })) {
      await t.test(`in ${environment}, ${way}: a profile without names, and the tokens in the headers`, async () => {
        const answer = await app.nobody(environment).send('PUT', PROFILE, init)
        assert.equal(answer.status, 200, answer.text)
        const { userId, handle, ...rest } = answer.body
        assert.deepEqual(rest, {
          firstName: '',
          lastName: '',
          userType: 'adult',
          accountType: 'Adult',
          country: 'US',
          profilePic: `p-${userId}-0`,
          coverPhoto: `c-${userId}-0`,
          anonymous: true,
          position: '',
          role: 'user',
          organizationRoles: {},
          email: '',
          gender: '',
          trainer: false,
          trainee: false,
        })
        assert.match(handle, /^@anonymous-[0-9a-f]{20}$/)
        assert.ok(isHandle(handle))
        assert.ok(isReserved(handle), 'nobody with an account is called like that')
        const { headers } = answer
        assert.equal(headers.get('token_type'), 'Bearer')
        assert.equal(headers.get('expires_in'), '1d')
        assert.equal(headers.get('access_token'), headers.get('accesstoken'))
        assert.equal(headers.get('refresh_token'), headers.get('refreshtoken'))
        assert.equal(headers.get('cache-control'), 'no-store')
        const user = new Client(app.nobody(environment).address, headers.get('access_token')!, userId)
        const valid = await user.get('/oauth/token/validate')
        assert.deepEqual([valid.status, valid.body.userId], [200, userId])
        assert.deepEqual((await user.get(PROFILE)).body, answer.body, 'what is made is what is read')
        assert.equal((await user.put('/app/v1/bucket', { id: `${way} own` })).status, 200)
        const kept = await rowOf({ userId } as Anonymous, environment)
        assert.deepEqual(kept, {
          handle,
          handle_key: handle.slice(1),
          first_name: '',
          last_name: '',
          email: null,
          country: null,
          born: ADULT,
          public_search: false,
          administrator: false,
          developer: false,
          anonymous: true,
          password_hash: null,
          app: 'first',
          withdrawn_at: null,
          door: 'anonymous',
          device: 'Tablet 7',
          push_token: 'push-1',
          ended_at: null,
          user_id: userId,
        })
      })
    }
  }

  await t.test('is audited as a sign-in, and as nothing else', async () => {
    const { userId } = await join(app)
    const entries = await app.sql(
      `select e.action from audit_entries e join app_users u on u.person_id = e.person_id where u.user_id = '${userId}'`,
    )
    assert.deepEqual(entries, [{ action: 'sign-in.anonymous' }])
  })

  await t.test('has the type that their age on this day makes', async () => {
    // Set the clock to noon, so that midnight does not pass during the test.
    app.advance(DAY_MS - (app.environment().clock().getTime() % DAY_MS) + DAY_MS / 2)
    const now = app.environment().clock()
    const bornYearsAgo = (years: number, days: number) =>
      new Date(Date.UTC(now.getUTCFullYear() - years, now.getUTCMonth(), now.getUTCDate() + days))
    const rows: [years: number, days: number, kind: string][] = [
      [0, 0, 'child Kid'],
      [13, 1, 'child Kid'],
      [13, 0, 'teen-minor Adult'],
      [13, -1, 'teen-minor Adult'],
      [18, 1, 'teen-minor Adult'],
      [18, 0, 'adult Adult'],
      [150, 0, 'adult Adult'],
    ]
    for (const [years, days, kind] of rows) {
      const born = bornYearsAgo(years, days)
      const american = `${born.getUTCMonth() + 1}/${born.getUTCDate()}/${born.getUTCFullYear()}`
      for (const dateOfBirth of [born.toISOString(), born.toISOString().slice(0, 10), american]) {
        const { answer, client } = await join(app, { dateOfBirth })
        assert.equal(`${answer.body.userType} ${answer.body.accountType}`, kind, dateOfBirth)
        assert.deepEqual((await client.get(PROFILE)).body, answer.body)
      }
    }
    for (const [years, days] of [
      [0, 1],
      [-1, 0],
      [150, -1],
      [1000, 0],
    ] as const) {
      const dateOfBirth = bornYearsAgo(years, days).toISOString()
      assertError(await ask({ dateOfBirth }), 400, 4003, /dateOfBirth must be a day in the past/)
    }
  })

  await t.test('is refused for what is missing or wrong, and nothing is kept', async () => {
    const before = await countPeople(app)
    for (const anonymous of [undefined, false, 'false', null, '', 'nil', 0, 1, 'yes', [], {}, [true]])
      assertError(await ask({ anonymous }), 400, 4003, /anonymous must be true/)
    assertError(await ask({ clientId: undefined }), 400, 4001, /clientId/)
    assertError(await ask({ clientId: '' }), 400, 4001, /clientId/)
    assertError(await ask({ clientId: 7 }), 400, 4005, /clientId/)
    for (const dateOfBirth of [undefined, null, '', 'nil'])
      assertError(await ask({ dateOfBirth }), 400, 4001, /dateOfBirth/)
    for (const dateOfBirth of ['yesterday', '2013-02-30', '2013-13-01', '31/12/1990', '0000-00-00'])
      assertError(await ask({ dateOfBirth }), 400, 4003, /dateOfBirth/)
    assertError(await ask({ dateOfBirth: 946684800 }), 400, 4005, /dateOfBirth/)
    assertError(await ask({ deviceToken: 'x'.repeat(4097) }), 400, 4003, /deviceToken/)
    assertError(await ask({ deviceToken: {} }), 400, 4005, /deviceToken/)
    assertError(await app.nobody().send('PUT', PROFILE, { query: { anonymous: true } }), 400, 4001)
    assert.equal(await countPeople(app), before)
    assert.equal((await ask({ anonymous: 'TRUE', deviceToken: 'x'.repeat(4096) })).status, 200)
  })

  await t.test('may come with the client ID in a header, in either spelling; a field counts before it', async () => {
    for (const name of ['clientId', 'client_id']) {
      const answer = await ask({ clientId: undefined }, { [name]: 'gs-first' })
      assert.equal(answer.status, 200, answer.text)
    }
    const user = (await ask({ clientId: 'gs-second' }, { clientId: 'gs-first' })).body
    assert.equal((await rowOf(user))?.app, 'second')
    assertError(await ask({ clientId: undefined }, { clientId: 'gs-first', client_id: 'gs-second' }), 400, 4000)
  })

  await t.test('belongs to an approved app of this environment', async () => {
    const before = [await countPeople(app), await countPeople(app, 'sandbox')]
    assertError(await ask({ clientId: 'gs-nothing' }), 401, 4013, /no app with this client ID/)
    assertError(await ask({ clientId: 'gs-sbx-first' }), 401, 4013, /issued by the sandbox/)
    const foreign = { anonymous: true, clientId: 'gs-first', dateOfBirth: ADULT }
    assertError(await app.nobody('sandbox').put(PROFILE, foreign), 401, 4013, /issued by production/)
    for (const status of ['suspended', 'pending']) {
      await app.sql(`update apps set status = '${status}' where name = 'second'`)
      assertError(await ask({ clientId: 'gs-second' }), 401, 4013, new RegExp(status))
    }
    await app.sql(`update apps set status = 'approved' where name = 'second'`)
    assert.deepEqual([await countPeople(app), await countPeople(app, 'sandbox')], before)
  })

  await t.test('is refused if the app allows none, and existing ones stay', async () => {
    const before = await join(app)
    await app.sql(`update apps set anonymous_enabled = false where name = 'first'`)
    const people = await countPeople(app)
    assertError(await ask(), 403, 4035, /^This app does not allow anonymous users; sign in/)
    assert.equal(await countPeople(app), people)
    assert.equal((await before.client.get('/app/v1/bucket/list')).status, 200)
    assert.equal((await ask({ clientId: 'gs-second' })).status, 200)
    await app.sql(`update apps set anonymous_enabled = true where name = 'first'`)
    assert.equal((await ask()).status, 200)
  })

  await t.test('is not created for a signed-in user; an expired token does not matter', async () => {
    const before = await countPeople(app)
    const avery = await app.as('avery')
    const anonymous = await join(app)
    for (const token of [avery.token!, anonymous.client.token!]) {
      const answer = await ask({}, { authorization: `Bearer ${token}` })
      assertError(answer, 400, 4006, /already signed in; to create another user, leave out the Authorization header/)
    }
    assertError(await ask({}, { authorization: 'Bearer not a token' }), 401, 4016)
    const twice = Array(2).fill(`authorization: Bearer ${avery.token}`)
    const body = JSON.stringify({ anonymous: true, clientId: 'gs-first', dateOfBirth: ADULT })
    const raw = await sendRaw(
      app.address,
      rawRequest('PUT', PROFILE, ['content-type: application/json', ...twice], body),
    )
    assertError(readRaw(raw), 400, 4000)
    assert.equal(await countPeople(app), before + 1)
    await app.nobody().post('/oauth/logout', { refresh_token: anonymous.refreshToken })
    for (const token of [anonymous.client.token!, mintToken('access', 'production'), 'nonsense'])
      assert.equal((await ask({}, { authorization: `Bearer ${token}` })).status, 200)
    assert.equal((await ask({}, { authorization: '' })).status, 200)
  })

  await t.test('D2: cannot say more about themselves than their birth', async () => {
    const avery = await app.as('avery')
    const smuggled = {
      userId: avery.userId,
      personId: 1,
      id: 1,
      handle: '@avery',
      firstName: 'A',
      first_name: 'A',
      lastName: 'B',
      email: 'a@example.org',
      country: 'DE',
      userType: 'adult',
      accountType: 'Parent',
      trainer: true,
      trainee: true,
      administrator: true,
      developer: true,
      public_search: true,
      publicSearch: true,
      password: 'groundschool',
      password_hash: 'x',
      appId: 2,
      door: 'basic',
      scope: 'all',
      epoch: 7,
      disabled_at: null,
      __proto__: { anonymous: false },
    }
    const { answer, userId } = await join(app, { dateOfBirth: '2020-01-01', ...smuggled })
    assert.notEqual(userId, avery.userId)
    const other = (await join(app, { dateOfBirth: '2020-01-01' })).answer.body
    const { handle, profilePic, coverPhoto } = other
    assert.deepEqual({ ...answer.body, userId: other.userId, handle, profilePic, coverPhoto }, other)
    assert.deepEqual([answer.body.userType, answer.body.accountType], ['child', 'Kid'])
    assert.deepEqual([answer.body.trainer, answer.body.trainee], [false, false])
    const row = await rowOf({ userId } as Anonymous)
    const { first_name, last_name, email, country, public_search, administrator, developer, door } = row ?? {}
    assert.deepEqual(
      { first_name, last_name, email, country, public_search, administrator, developer, door },
      {
        first_name: '',
        last_name: '',
        email: null,
        country: null,
        public_search: false,
        administrator: false,
        developer: false,
        door: 'anonymous',
      },
    )
    assert.deepEqual([row?.anonymous, row?.app, row?.password_hash], [true, 'first', null])
    assertError(await ask({ ...smuggled, anonymous: false }), 400, 4003)
  })

  await t.test('cannot sign in with a password, or get a link for one, and is in no list', async () => {
    const { answer } = await join(app)
    const { handle } = answer.body
    for (const password of ['', 'groundschool', 'null']) {
      const authorization = `Basic ${Buffer.from(`${handle}:${password}`).toString('base64')}`
      assertError(await app.nobody().get('/auth/basic', {}, { authorization, clientId: 'gs-first' }), 401, 4011)
    }
    await app.nobody().post('/account/v1/password/reset/ask', { handle })
    assert.deepEqual(await app.sql('select person_id from password_resets'), [])
    const listed: string[] = []
    for await (const person of listPeople(app.environment().db)) listed.push(person.handle)
    assert.deepEqual(
      listed,
      ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley'].map((name) => `@${name}`),
    )
  })

  assert.ok(!app.log().includes('push-1'), 'a device token reached the log')
})

test('the creation of anonymous users is limited by network, in addition to other limits', async (t) => {
  const app = await testApp(t, {
    RATE_ANONYMOUS_PER_SECOND: '1',
    RATE_ANONYMOUS_BURST: '3',
    TRUST_PROXY: '127.0.0.1',
  })
  app.holdClock()
  const fields = { anonymous: true, clientId: 'gs-first', dateOfBirth: ADULT }
  const from = (address: string) => app.nobody().put(PROFILE, fields, { 'x-forwarded-for': address })
  for (const network of ['192.0.2.1', '2001:db8::']) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => from(network.includes(':') ? `${network}${i}` : network)),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 5)
    for (const answer of refused) {
      assertError(answer, 429, 4291)
      assert.ok(Number(answer.headers.get('retry-after')) >= 1)
      assert.equal(answer.headers.get('ratelimit-policy'), '"anonymous";q=3;w=3')
    }
  }
  assert.equal(await countPeople(app), 6 + 6)
  assert.equal((await app.nobody().get('/auth/basic', {}, { 'x-forwarded-for': '192.0.2.1' })).status, 400)
  app.advance(1_000)
  assert.deepEqual([(await from('192.0.2.1')).status, (await from('192.0.2.1')).status], [200, 429])
})

test('an anonymous user is deleted with the last session', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { clientId, secret } = await registerApp(app, { key: 'quiz' })
  const here = (fields: object = {}) => join(app, { clientId, ...fields })
  const refresh = (token: string) =>
    exchange(app, { grant_type: 'refresh_token', refresh_token: token, client_id: clientId, client_secret: secret })
  const logOut = (fields: object, token?: string) => new Client(app.address, token).post('/oauth/logout', fields)
  const assertGone = async (user: Anonymous) => {
    assert.deepEqual(await leftOf(app, user), [])
    assertError(await user.client.get('/oauth/token/validate'), 403, 4034)
    assertError(await user.client.get('/app/v1/bucket/list'), 403, 4034)
    const again = await refresh(user.refreshToken)
    assert.deepEqual([again.status, again.body.error_code], [403, 4034])
  }
  const assertHere = async (user: Anonymous) => {
    assert.deepEqual(await leftOf(app, user), ['people', 'app_users', 'sessions', 'access_tokens'])
    assert.equal((await user.client.get('/oauth/token/validate')).status, 200)
  }

  await t.test('when logged out by refresh token, and doing it again is as good', async () => {
    const [user, other] = [await here(), await here()]
    await assertHere(user)
    const answer = await logOut({ refresh_token: user.refreshToken })
    assert.deepEqual([answer.status, answer.body], [200, { success: true }])
    await assertGone(user)
    assert.equal((await logOut({ refresh_token: user.refreshToken })).status, 200)
    await assertHere(other)
  })

  await t.test('when logged out by access token', async () => {
    const user = await here()
    assert.equal((await logOut({}, user.client.token)).status, 200)
    await assertGone(user)
    assertError(await logOut({}, user.client.token), 403, 4034)
  })

  await t.test('when logged out by many requests at once', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await here()
      const answers = await Promise.all(Array.from({ length: 8 }, () => logOut({ refresh_token: user.refreshToken })))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      await assertGone(user)
    }
  })

  await t.test('and the log says so, without a name or a token', async () => {
    const user = await here()
    const [person] = await app.sql(`select person_id from app_users where user_id = '${user.userId}'`)
    await logOut({ refresh_token: user.refreshToken })
    const entries = await app.sql(
      `select action, detail::text from audit_entries where person_id = ${person?.person_id} order by id`,
    )
    assert.deepEqual(entries, [
      { action: 'sign-in.anonymous', detail: '{}' },
      { action: 'session.ended', detail: '{"reason":"logout"}' },
      { action: 'person.removed', detail: '{"reason":"the last session of an anonymous user ended"}' },
    ])
  })

  await t.test('a person with a name stays', async () => {
    const avery = await app.as('avery')
    await logOut({}, avery.token)
    await tidy(app.environment())
    assert.equal((await app.sql(`select from people where handle = '@avery'`)).length, 1)
  })

  await t.test('but not while they have another one', async () => {
    const user = await here()
    const [second] = await app.sql(
      `insert into sessions (id, app_id, person_id, user_id, door, refreshed_at, created_at, expires_at)
       select '${randomUUID()}', app_id, person_id, user_id, 'code', refreshed_at, created_at, expires_at
         from sessions where user_id = '${user.userId}' returning id`,
    )
    await logOut({ refresh_token: user.refreshToken })
    await tidy(app.environment())
    assert.deepEqual(await leftOf(app, user), ['people', 'app_users', 'sessions', 'access_tokens'])
    const { db, clock } = app.environment()
    await endSession(db, { ...OPERATOR, at: clock() }, { sessionId: String(second?.id), reason: 'test' })
    await tidy(app.environment())
    await assertGone(user)
  })

  await t.test('when a refresh token is used twice, or the app gives it back, or an operator ends it', async () => {
    const [reused, given, ended] = [await here(), await here(), await here()]
    assert.equal((await refresh(reused.refreshToken)).status, 200)
    app.advance(31_000)
    const again = await refresh(reused.refreshToken)
    assert.deepEqual([again.status, again.body.error_code], [400, 4008])
    const credentials = { client_id: clientId, client_secret: secret }
    await exchange(app, { token: given.refreshToken, ...credentials }, 'form', { path: '/oauth/v2/revoke' })
    const [session] = await app.sql(`select id from sessions where user_id = '${ended.userId}'`)
    await endSession(app.environment().db, OPERATOR, { sessionId: String(session?.id), reason: 'test' })
    await tidy(app.environment())
    for (const user of [reused, given, ended]) await assertGone(user)
  })

  await t.test('when it was not refreshed in time, and not a moment earlier', async () => {
    const [left, kept] = [await here(), await here()]
    app.advance(89 * DAY_MS)
    await tidy(app.environment())
    assert.equal((await refresh(kept.refreshToken)).status, 200)
    // The user's tokens are no longer in the database, because they expired a month ago; the other rows still are.
    const waiting = ['people', 'app_users', 'sessions']
    assert.deepEqual(await leftOf(app, left), waiting)
    app.advance(DAY_MS)
    const late = await refresh(left.refreshToken)
    assert.deepEqual([late.status, late.body.error_code], [403, 4034])
    assert.deepEqual(await leftOf(app, left), waiting)
    const second = await app.startSecond()
    await Promise.all([tidy(app.environment()), ...second.environments.map(tidy)])
    await assertGone(left)
    assert.deepEqual(await leftOf(app, kept), [...waiting, 'access_tokens'])
  })

  await t.test('even if the clean-up has not run for months', async () => {
    const user = await here()
    app.advance(365 * DAY_MS)
    await tidy(app.environment())
    await assertGone(user)
  })

  await t.test('250 at once, in both environments, and nobody else', async () => {
    const live = await here()
    for (const name of ['production', 'sandbox'] as const) {
      await app.sql(
        `with p as (
           insert into people (handle, handle_key, anonymous, created_at)
           select '@anonymous-t' || n, 'anonymous-t' || n, true, now() from generate_series(1, 250) n returning id
         ), u as (
           insert into app_users (user_id, app_id, person_id, consented_at)
           select 'u' || id, (select min(id) from apps), id, now() from p returning *
         )
         insert into sessions (id, app_id, person_id, user_id, door, refreshed_at, created_at, expires_at)
         select gen_random_uuid(), app_id, person_id, user_id, 'anonymous', now(), now(), now() - interval '1 day' from u`,
        name,
      )
      await tidy(app.environment(name))
      assert.deepEqual(await app.sql(`select from people where handle like '@anonymous-t%'`, name), [])
    }
    await assertHere(live)
  })
})
