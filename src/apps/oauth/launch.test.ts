import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { type Answer, assertError, Client, testApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser } from '../account/testing.ts'
import { findLaunchMistake, isLaunchOf } from '../apps/redirect-uris.ts'
import { exchange, obtainCode, pkcePair, REDIRECT_URI, type RegisteredApp, registerApp } from './testing.ts'

const LAUNCH = '/account/v1/launch'

test('a launch address is a registered one up to its query, and keeps the query that is registered', () => {
  const rows: [given: string, registered: string, isLaunch: boolean][] = [
    ['https://a.example/lesson', 'https://a.example/lesson', true],
    ['https://a.example/lesson?', 'https://a.example/lesson', true],
    ['https://a.example/lesson?level=3', 'https://a.example/lesson', true],
    ['https://a.example/lesson?u=https://b.example/?x', 'https://a.example/lesson', true],
    ['https://a.example/lesson/', 'https://a.example/lesson', false],
    ['https://a.example/lesson/../other', 'https://a.example/lesson', false],
    ['https://a.example/lesson%3Fx', 'https://a.example/lesson', false],
    ['https://A.example/lesson', 'https://a.example/lesson', false],
    ['https://a.example:443/lesson', 'https://a.example/lesson', false],
    ['http://a.example/lesson', 'https://a.example/lesson', false],
    ['https://user@a.example/lesson', 'https://a.example/lesson', false],
    ['https://a.example@b.example/lesson', 'https://a.example/lesson', false],
    ['https://a.example.b.example/lesson', 'https://a.example/lesson', false],
    ['https://b.example/?https://a.example/lesson', 'https://a.example/lesson', false],
    ['https://a.example/lesson?app=1', 'https://a.example/lesson?app=1', true],
    ['https://a.example/lesson?app=1&level=3', 'https://a.example/lesson?app=1', true],
    ['https://a.example/lesson?app=12', 'https://a.example/lesson?app=1', false],
    ['https://a.example/lesson?level=3&app=1', 'https://a.example/lesson?app=1', false],
    ['https://a.example/lesson', 'https://a.example/lesson?app=1', false],
    ['myapp://lesson?level=3', 'myapp://lesson', true],
    ['http://127.0.0.1:4711/lesson?level=3', 'http://127.0.0.1/lesson', true],
    ['http://localhost:4711/lesson', 'http://localhost/lesson', false],
  ]
  for (const [given, registered, isLaunch] of rows)
    assert.equal(isLaunchOf(given, registered), isLaunch, `${given} for ${registered}`)
})

test('a launch address has no fragment, and no parameter that the platform sets', () => {
  const at = 'https://a.example/lesson'
  for (const good of [at, `${at}?`, `${at}?level=3&postcode=1&barcode=2&statement=x`, `${at}?x=code=1`, `${at}?x=%20`])
    assert.equal(findLaunchMistake(good), undefined, good)
  for (const bad of ['#', '#x', '?x=1#code=2']) assert.match(findLaunchMistake(at + bad)!, /fragment/, bad)
  for (const bad of [' ', '?x=a b', '?x=ä', '\r\nx: y', '?x=\0'])
    assert.match(findLaunchMistake(at + bad)!, /plain/, bad)
  for (const name of ['code', 'state', 'error', 'iss', 'access_token', 'refresh_token', 'error_description'])
    assert.match(findLaunchMistake(`${at}?x=1&${name}=2`)!, /the platform sets it/, name)
  for (const bad of ['code', 'code[]=1', 'CODE=1', 'c%6fde=1', '%20code=1', '+code=1', 'x=1;code=2', '&&code=1'])
    assert.match(findLaunchMistake(`${at}?${bad}`)!, /not have code/, bad)
})

test('lesson launch', async (t) => {
  const app = await testApp(t)
  const quiz = await registerApp(app, { key: 'quiz', redirectUris: [REDIRECT_URI, 'https://quiz.example/play?v=2'] })
  const other = await registerApp(app, { key: 'other', redirectUris: ['https://other.example/back', REDIRECT_URI] })
  const open = await registerApp(app, { key: 'open', isPublic: true })

  /**
   * Returns a browser in which the person is signed in and has allowed the app, and the person's user id in the app.
   */
  const allow = async (person: 'avery' | 'blake', { clientId, secret }: RegisteredApp) => {
    const { verifier, challenge } = pkcePair()
    const { code, browser } = await obtainCode(app, { clientId, person, challenge })
    const answer = await redeem(code, { clientId, secret }, { code_verifier: verifier })
    return { browser, userId: await userIdOf(answer) }
  }
  const redeem = (code: string, { clientId, secret }: RegisteredApp, more: Record<string, string> = {}) =>
    exchange(app, {
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      ...(secret ? { client_secret: secret } : {}),
      ...more,
    })
  const userIdOf = async (answer: Answer): Promise<string> => {
    assert.equal(answer.status, 200, answer.text)
    const state = await new Client(app.address, answer.body.access_token).get('/oauth/token/validate')
    return state.body.userId
  }
  const launch = (browser: TestBrowser, fields: object = {}) =>
    call(browser, 'POST', LAUNCH, { clientId: quiz.clientId, launchUri: REDIRECT_URI, ...fields })
  const codeOf = ({ status, body, text }: Answer): string => {
    assert.equal(status, 200, text)
    return new URL(body.uri).searchParams.get('code')!
  }

  const avery = await allow('avery', quiz)
  const blake = await allow('blake', quiz)

  await t.test(
    'gives the launch address with a fresh code at its end, which the app redeems without PKCE',
    async () => {
      // A `state` in the request is ignored: only the platform sets it.
      const answer = await launch(avery.browser, { launchUri: `${REDIRECT_URI}?level=3&x=%C3%A4`, state: 'mine' })
      assert.deepEqual(Object.keys(answer.body), ['uri'])
      assert.match(answer.body.uri, /^https:\/\/app\.example\.org\/callback\?level=3&x=%C3%A4&code=gs_ac_[\w-]+$/)
      assert.equal(await userIdOf(await redeem(codeOf(answer), quiz)), avery.userId)
      const [session] = await app.sql(`select door from sessions order by created_at desc limit 1`)
      assert.deepEqual(session, { door: 'launch' })
      const bare = await launch(avery.browser)
      assert.match(bare.body.uri, /^https:\/\/app\.example\.org\/callback\?code=gs_ac_/)
      assert.notEqual(codeOf(bare), codeOf(answer))
    },
  )

  await t.test('takes a form, too, and a registered query', async () => {
    const fields = { clientId: quiz.clientId, launchUri: 'https://quiz.example/play?v=2&lesson=7' }
    const seen = await avery.browser.post(LAUNCH, fields)
    assert.equal(seen.status, 200, seen.text)
    const uri = new URL(JSON.parse(seen.text).uri)
    assert.deepEqual([...uri.searchParams.keys()], ['v', 'lesson', 'code'])
    const code = uri.searchParams.get('code')!
    const [kept] = await app.sql('select redirect_uri, door from authorization_codes order by created_at desc limit 1')
    assert.deepEqual(kept, { redirect_uri: 'https://quiz.example/play?v=2', door: 'launch' })
    const wrong = await redeem(code, quiz, { redirect_uri: fields.launchUri })
    assert.deepEqual([wrong.status, wrong.body.error_code], [400, 4003])
    const right = await redeem(code, quiz, { redirect_uri: 'https://quiz.example/play?v=2' })
    assert.equal(await userIdOf(right), avery.userId)
  })

  await t.test('O13: a code is for the caller, whatever else the request says', async () => {
    const [person] = await app.sql(`select id::int from people where handle = '@avery'`)
    const named = { userId: avery.userId, personId: person?.id, handle: '@avery', studentId: avery.userId, person: 1 }
    assert.equal(await userIdOf(await redeem(codeOf(await launch(blake.browser, named)), quiz)), blake.userId)
    assert.equal(await userIdOf(await redeem(codeOf(await launch(avery.browser)), quiz)), avery.userId)
    assert.notEqual(avery.userId, blake.userId)
  })

  await t.test(
    'O13: a code is for one app: another one, with its own secret, gets nothing and spoils nothing',
    async () => {
      const code = codeOf(await launch(avery.browser))
      const stolen = await redeem(code, other)
      assert.deepEqual([stolen.status, stolen.body.error_code, stolen.body.error], [401, 4015, 'invalid_grant'])
      const unproved = await redeem(code, { clientId: quiz.clientId, secret: '' })
      assert.deepEqual([unproved.status, unproved.body.error_code], [401, 4011])
      const disguised = await redeem(code, { clientId: quiz.clientId, secret: other.secret })
      assert.deepEqual([disguised.status, disguised.body.error_code], [401, 4011])
      assert.equal(await userIdOf(await redeem(code, quiz)), avery.userId)
    },
  )

  await t.test('O13: a public app is not launched, because it cannot authenticate', async () => {
    await allow('avery', open)
    assertError(await launch(avery.browser, { clientId: open.clientId }), 400, 4006, /public client/)
  })

  await t.test('O13: an address that is not registered for this app is refused', async () => {
    for (const launchUri of [
      'https://other.example/back',
      'https://evil.example/callback',
      `${REDIRECT_URI}/more`,
      'https://quiz.example/play',
      'https://quiz.example/play?v=3',
      'javascript:alert(1)',
      '/callback',
      'callback',
    ])
      assertError(await launch(avery.browser, { launchUri }), 400, 4003, /not registered for this app/)
    for (const launchUri of [`${REDIRECT_URI}#x`, `${REDIRECT_URI}?code=mine`, `${REDIRECT_URI}?state=1`])
      assertError(await launch(avery.browser, { launchUri }), 400, 4003, /launchUri must/)
    assertError(await launch(avery.browser, { launchUri: `${REDIRECT_URI}?x=${'y'.repeat(4000)}` }), 400, 4003)
    assertError(await launch(avery.browser, { launchUri: undefined }), 400, 4001, /launchUri/)
    assertError(await launch(avery.browser, { clientId: undefined }), 400, 4001, /clientId/)
  })

  await t.test('O13: an app that is unknown, of the other environment, or suspended is refused', async () => {
    assertError(await launch(avery.browser, { clientId: 'gs-nothing' }), 404, 4041)
    assertError(await launch(avery.browser, { clientId: 'gs-sbx-first' }), 401, 4013, /sandbox/)
    await app.sql(`update apps set status = 'suspended' where client_id = '${quiz.clientId}'`)
    assertError(await launch(avery.browser), 401, 4013, /suspended/)
    await app.sql(`update apps set status = 'approved' where client_id = '${quiz.clientId}'`)
    assert.equal((await launch(avery.browser)).status, 200)
  })

  await t.test('a person who has not allowed the app, or has withdrawn consent, is told so', async () => {
    assertError(await launch(avery.browser, { clientId: other.clientId }), 401, 4019, /allow/)
    const casey = await signInBrowser(app, 'casey')
    assertError(await launch(casey), 401, 4019)
    const code = codeOf(await launch(blake.browser))
    await call(blake.browser, 'POST', '/account/v1/app/withdraw', { clientId: quiz.clientId })
    assertError(await launch(blake.browser), 401, 4019)
    const late = await redeem(code, quiz)
    assert.deepEqual([late.status, late.body.error_code], [401, 4015])
  })

  await t.test('nobody who is not signed in here, no app, and no page of another site gets a code', async () => {
    const fields = { clientId: quiz.clientId, launchUri: REDIRECT_URI }
    assertError(await app.nobody().post(LAUNCH, fields), 401, 4016)
    assertError(await (await app.as('avery')).post(LAUNCH, fields), 401, 4016)
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as const)
      assertError(await call(avery.browser, 'POST', LAUNCH, fields, { ...headers }), 403, 4032)
  })

  await t.test(
    'O13: a code holds for a minute and for one use; a second use ends the session of the first',
    async () => {
      const late = codeOf(await launch(avery.browser))
      app.advance(60_001)
      const expired = await redeem(late, quiz)
      assert.deepEqual([expired.status, expired.body.error_code], [401, 4015])
      const code = codeOf(await launch(avery.browser))
      const first = await redeem(code, quiz)
      assert.equal(await userIdOf(first), avery.userId)
      const again = await redeem(code, quiz)
      assert.deepEqual([again.status, again.body.error_code, again.body.error], [400, 4008, 'invalid_grant'])
      const holder = new Client(app.address, first.body.access_token)
      assertError(await holder.get('/oauth/token/validate'), 403, 4034)
    },
  )

  await t.test('O13: one code, ten requests at once: one session', async () => {
    for (let round = 0; round < 5; round++) {
      const code = codeOf(await launch(avery.browser))
      const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(code, quiz)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    }
  })
})
