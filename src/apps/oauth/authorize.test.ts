import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf, type Seen, type TestBrowser } from '../../operations/testing/browser.ts'
import { rawRequest, readRaw, sendRaw } from '../../operations/testing/socket.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { exchange, obtainCode, PASSWORD, pkcePair, REDIRECT_URI, registerApp, signInAndAllow } from './testing.ts'

const NO_LIMITS = { RATE_ADDRESS_PER_SECOND: '100000', RATE_ADDRESS_BURST: '1000000' }

const requestOf = (clientId: string, more: Record<string, string> = {}) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: REDIRECT_URI,
  state: 'xyz',
  ...more,
})

/** Asserts that the response is an error page for the person, and not a redirect. */
function assertPage(seen: Seen, status: number, code: number, sentence: RegExp): void {
  assert.deepEqual(
    [seen.status, seen.location, seen.headers.get('errorcode')],
    [status, undefined, String(code)],
    seen.text,
  )
  assert.match(seen.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(seen.text, /<h1>/)
  assert.match(seen.text, sentence)
}

/** Asserts that the response is a redirect to the app with an error. */
function assertRefusal(seen: Seen, error: string, more: Record<string, string> = {}): void {
  assert.equal(seen.status, 303, seen.text)
  const url = new URL(seen.location!)
  assert.ok(seen.location!.startsWith(`${REDIRECT_URI}?error=`), seen.location)
  const { error_description, ...rest } = Object.fromEntries(url.searchParams)
  assert.ok(error_description)
  assert.deepEqual(rest, { error, state: 'xyz', ...more })
}

async function signedIn(app: TestApp, person: 'avery' | 'blake' = 'avery'): Promise<TestBrowser> {
  await app.givePassword(person)
  const browser = app.visitor()
  const page = await browser.get('/account/signin')
  assert.equal((await browser.submit(page, { handle: person, password: PASSWORD })).status, 303)
  return browser
}

test('the sign-in page', async (t) => {
  const app = await testApp(t, NO_LIMITS, { withSandbox: true })
  const { clientId, secret } = await registerApp(app, {
    key: 'logbook',
    name: 'Log <b>book</b>',
    isPkceRequired: false,
  })
  const browser = app.visitor()
  const open = (query: Record<string, string>) => browser.get('/oauth/signin', query)

  await t.test('names the app, works without scripts, and cannot be framed or cached', async () => {
    const page = await open(requestOf(clientId))
    assert.equal(page.status, 200)
    assert.match(page.text, /Log &lt;b&gt;book&lt;\/b&gt;/)
    assert.doesNotMatch(page.text, /<b>book|onclick|style=|<script(?! type="module" src=)/)
    const policy = page.headers.get('content-security-policy')!
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /form-action/)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.equal(page.headers.get('cache-control'), 'no-store')
  })

  await t.test('is a page with a status where the request cannot be used (O5)', async () => {
    assertPage(await open(requestOf(clientId, { response_type: 'token' })), 400, 4002, /response type token/)
    assertPage(
      await open(requestOf(clientId, { response_type: 'implicit' })),
      400,
      4002,
      /implicit flow is not enabled/,
    )
    assertPage(await open(requestOf('gs-nobody')), 404, 4041, /no app with this client ID/)
    assertPage(await open(requestOf('gs-sbx-logbook')), 401, 4013, /issued by the sandbox/)
    assertPage(await open({ client_id: clientId }), 403, 4033, /response_type is missing/)
    assertPage(await open({ response_type: 'code', redirect_uri: REDIRECT_URI }), 403, 4033, /client_id is missing/)
    assertPage(await open({ response_type: 'code', client_id: clientId }), 403, 4033, /redirect_uri is missing/)
    await app.sql(`update apps set status = 'pending' where name = 'second'`)
    assertPage(await open(requestOf('gs-second')), 401, 4013, /pending/)
    const there = await app.visitor('sandbox').get('/oauth/signin', requestOf(clientId))
    assertPage(there, 401, 4013, /issued by production/)
  })

  await t.test('O4: accepts only an exact redirect URI, and shows an error page for any other', async () => {
    const wrong = [
      `${REDIRECT_URI}/`,
      'https://app.example.org/Callback',
      'https://APP.example.org/callback',
      'HTTPS://app.example.org/callback',
      `${REDIRECT_URI}?x=1`,
      `${REDIRECT_URI}?`,
      `${REDIRECT_URI}#x`,
      `${REDIRECT_URI}#`,
      'https://app.example.org:443/callback',
      'https://app.example.org:8443/callback',
      'http://app.example.org/callback',
      'https://user@app.example.org/callback',
      'https://app.example.org@evil.example/callback',
      'https://app.example.org/x/..%2fcallback',
      'https://app.example.org/./callback',
      'https://app.example.org//callback',
      'https://app.example.org/callback%0d%0aset-cookie:x',
      `${REDIRECT_URI}\r\nset-cookie: x=1`,
      `${REDIRECT_URI}\t`,
      ` ${REDIRECT_URI}`,
      'https://app.example.org.evil.example/callback',
      'https://app.example.or/callback',
      'https://аpp.example.org/callback',
      'https://app.example.org\\callback',
      '//app.example.org/callback',
      '/callback',
      'javascript:alert(1)',
      'data:text/html,x',
    ]
    for (const redirect_uri of wrong) {
      const seen = await open(requestOf(clientId, { redirect_uri }))
      assertPage(seen, 400, 4003, /redirect URI is not registered/)
      assert.ok(!seen.headers.get('set-cookie')?.includes('x=1'))
    }
    const query = new URLSearchParams(requestOf(clientId))
    query.append('redirect_uri', 'https://evil.example/')
    assertPage(await browser.send(`/oauth/signin?${query}`), 400, 4003, /sent twice/)
  })

  await t.test('lets the port of a loopback address vary, and nothing else of it', async () => {
    const uris = ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost:4000/cb', 'demo://callback']
    const { clientId: native } = await registerApp(app, { key: 'native', isPkceRequired: false, redirectUris: uris })
    const statusOf = async (redirect_uri: string) => (await open(requestOf(native, { redirect_uri }))).status
    for (const good of [...uris, 'http://127.0.0.1:1/cb', 'http://127.0.0.1:65535/cb', 'http://[::1]:5000/cb'])
      assert.equal(await statusOf(good), 200, good)
    const bad = [
      'http://127.0.0.1:0/cb',
      'http://127.0.0.1:65536/cb',
      'http://127.0.0.1:080/cb',
      'http://127.0.0.1:/cb',
      'http://127.0.0.1:80x/cb',
      'http://127.0.0.1:80@evil.example/cb',
      'http://127.0.0.1:5000/cb/',
      'http://127.0.0.1:5000/CB',
      'http://127.0.0.2:5000/cb',
      'https://127.0.0.1:5000/cb',
      'http://localhost:4001/cb',
      'http://localhost/cb',
      'http://127.1:5000/cb',
      'demo://callback/',
      'demo://callback:5000',
    ]
    for (const uri of bad) assert.equal(await statusOf(uri), 400, uri)
  })

  await t.test('tells the app what is wrong once its redirect URI is known', async () => {
    const { challenge } = pkcePair()
    const { clientId: fresh } = await registerApp(app, { key: 'fresh' })
    assertRefusal(await open(requestOf(fresh)), 'invalid_request')
    const tries: Record<string, string>[] = [
      { code_challenge: challenge, code_challenge_method: 'plain' },
      { code_challenge: challenge },
      { code_challenge_method: 'S256' },
      { code_challenge: `${challenge}=`, code_challenge_method: 'S256' },
      { code_challenge: challenge.slice(1), code_challenge_method: 'S256' },
    ]
    for (const wrong of tries) assertRefusal(await open(requestOf(clientId, wrong)), 'invalid_request')
    assert.equal(
      (await open(requestOf(fresh, { code_challenge: challenge, code_challenge_method: 'S256' }))).status,
      200,
    )
  })

  await t.test('says in words what went wrong, the same for an unknown handle and a wrong password (O18)', async () => {
    await app.givePassword('blake')
    const page = await open(requestOf(clientId))
    const texts: string[] = []
    const password = 'a-wrong-password-4711'
    for (const handle of ['blake', 'nobody-at-all']) {
      const seen = await browser.submit(page, { handle, password })
      assert.equal(seen.status, 401)
      assert.match(seen.text, /role="alert">The handle or the password is wrong\./)
      assert.ok(!seen.text.includes(password), 'the password does not come back')
      assert.ok(!app.log().includes(password), 'nor does it reach the log (O16)')
      texts.push(seen.text.replaceAll(handle, 'HANDLE'))
    }
    assert.equal(texts[0], texts[1])
    for (let i = 0; i < 5; i++) await browser.submit(page, { handle: 'blake', password: 'wrong' })
    const blocked = await browser.submit(page, { handle: 'blake', password: PASSWORD })
    assert.equal(blocked.status, 429)
    assert.match(blocked.text, /Too many failed tries\. Wait \d+ seconds?, then try again\./)
    assert.ok(Number(blocked.headers.get('retry-after')) > 0)
  })

  await t.test('asks for consent once, says what the app sees, and later leads straight through', async () => {
    const person = await signedIn(app)
    const ask = await person.get('/oauth/signin', requestOf(clientId, { state: 'a b&c=d+é' }))
    assert.equal(ask.status, 200)
    for (const words of ['@avery', 'your profile', 'e-mail address', 'Allow', 'Deny', 'app.example.org'])
      assert.ok(ask.text.includes(words), words)
    const allowed = await person.submit(ask, { decision: 'allow' })
    assert.equal(allowed.status, 303)
    assert.match(
      allowed.location!,
      /^https:\/\/app\.example\.org\/callback\?code=gs_ac_[\w-]+&state=a\+b%26c%3Dd%2B%C3%A9$/,
    )
    const through = await person.get('/oauth/signin', requestOf(clientId))
    assert.match(through.location!, /\?code=gs_ac_/)
    const again = await person.get('/oauth/signin', requestOf(clientId, { prompt: 'consent' }))
    assert.match(again.text, /value="allow"/)
    for (const prompt of ['login', 'select_account', 'login consent', 'x login'])
      assert.match((await person.get('/oauth/signin', requestOf(clientId, { prompt }))).text, /name="password"/, prompt)
    for (const prompt of ['none login', 'select_account none'])
      assert.match((await person.get('/oauth/signin', requestOf(clientId, { prompt }))).text, /name="password"/, prompt)
    for (const prompt of ['x', 'create', 'none x'])
      assert.match((await person.get('/oauth/signin', requestOf(clientId, { prompt }))).location!, /\?code=/, prompt)
  })

  await t.test('returns a state of 8000 characters, through sign-in and consent', async () => {
    const state = 'aA0-._~!*()'.repeat(800).slice(0, 8000)
    const other = await registerApp(app, { key: 'stateful', isPkceRequired: false })
    const { redirect } = await obtainCode(app, { clientId: other.clientId, state })
    assert.equal(redirect.searchParams.get('state'), state)
  })

  await t.test('returns it also if each character takes three bytes in the URL', async () => {
    const person = await signedIn(app)
    const query = new URLSearchParams(requestOf(clientId, { state: '"'.repeat(8000) }))
    // Sends a raw request, because the test client cannot send headers of this size.
    const send = async (method: string, path: string, body = '') => {
      const cookie = [...person.cookies].map(([name, value]) => `cookie: ${name}=${value}`)
      const form = 'content-type: application/x-www-form-urlencoded'
      return readRaw(await sendRaw(app.address, rawRequest(method, `${path}?${query}`, [...cookie, form], body)))
    }
    const isBack = (location: string | null) =>
      new RegExp(`^${REDIRECT_URI}\\?code=[\\w-]+&state=(?:%22){8000}$`).test(location ?? '')
    assert.ok(isBack((await send('GET', '/oauth/signin')).headers.get('location')))
    query.set('prompt', 'consent')
    const [form] = formsOf((await send('GET', '/oauth/signin')).text)
    const decision = String(new URLSearchParams({ ...form!.hidden, decision: 'allow' }))
    assert.ok(isBack((await send('POST', '/oauth/consent', decision)).headers.get('location')))
  })

  await t.test('returns a state exactly as it was written, with either encoding of a space', async () => {
    const other = await registerApp(app, { key: 'literal', isPkceRequired: false })
    const fixed = new URLSearchParams({ response_type: 'code', client_id: other.clientId, redirect_uri: REDIRECT_URI })
    const person = await signedIn(app)
    for (const state of ['q1+/Z3==', 'a%20b', 'a+b', '%7B%22x%22%3A1%7D', 'its(~)!*', '%C3%A4%', '100%']) {
      const ask = await person.send(`/oauth/signin?${fixed}&prompt=consent&state=${state}`)
      const seen = await person.submit(ask, { decision: 'allow' })
      assert.equal(/[?&]state=([^&]*)/.exec(seen.location!)![1], state)
    }
    // A `state` inside the value of another parameter is ignored, however it is written.
    for (const other of ['scope=x?state=evil', 'nonce=?state=evil', 'scope=/?x;state=evil', 'x?state=evil=1']) {
      const seen = await person.send(`/oauth/signin?${other}&${fixed}&state=mine`)
      assert.match(seen.location!, /&state=mine$/, other)
      const none = await person.send(`/oauth/signin?${other}&${fixed}`)
      assert.doesNotMatch(none.location!, /state/, other)
    }
    const odd = await person.send(`/oauth/signin?${fixed}&state=${encodeURIComponent('a\r\nb')}`)
    assert.match(odd.location!, /&state=a%0D%0Ab$/)
  })

  await t.test('asks again if the consent form is out of date', async () => {
    const other = await registerApp(app, { key: 'asked', isPkceRequired: false })
    const person = await signedIn(app)
    const ask = await person.get('/oauth/signin', requestOf(other.clientId))
    person.cookies.clear()
    for (const [name, value] of (await signedIn(app)).cookies) person.cookies.set(name, value)
    const seen = await person.submit(ask, { decision: 'allow' })
    assert.deepEqual([seen.status, seen.location], [403, undefined])
    assert.match(seen.text, /role="alert">This page had expired\. Choose again\./)
    assert.match((await person.submit(seen, { decision: 'allow' })).location!, /\?code=/)
    const looked = await person.send(`/oauth/consent?${new URLSearchParams(requestOf(other.clientId))}`)
    assert.match(looked.location!, /\?code=/)
  })

  await t.test('continues for a person who signed in meanwhile in another tab', async () => {
    const tab = app.visitor()
    const page = await tab.get('/oauth/signin', requestOf(clientId))
    await tab.submit(await tab.get('/account/signin'), { handle: 'avery', password: PASSWORD })
    const seen = await tab.submit(page, { handle: '@Avery', password: PASSWORD })
    assert.match(seen.location!, /\?code=/)
    const other = await tab.submit(page, { handle: 'blake', password: PASSWORD })
    assert.equal(other.status, 403, 'somebody else does not go on as the one who is signed in')
    assert.match(other.text, /had expired, or your browser blocks cookies.*value="blake"/s)
  })

  await t.test('tells the app of a denial, with its state (O5)', async () => {
    app.advance(3_600_000) // expires the failures above
    const person = await signedIn(app, 'blake')
    const ask = await person.get('/oauth/signin', requestOf(clientId))
    assertRefusal(await person.submit(ask, { decision: 'deny' }), 'access_denied')
    const silent = await person.get('/oauth/signin', requestOf(clientId, { prompt: 'none' }))
    assertRefusal(silent, 'consent_required')
    assertRefusal(await open(requestOf(clientId, { prompt: 'none' })), 'login_required')
    const [row] = await app.sql(`select count(*)::int as count from audit_entries where action = 'consent.denied'`)
    assert.deepEqual(row, { count: 1 })
  })

  await t.test(
    'O12: takes no form without its key, of another browser, of another purpose or from another site',
    async () => {
      const person = await signedIn(app)
      const other = await registerApp(app, { key: 'other', isPkceRequired: false })
      const ask = await person.get('/oauth/signin', requestOf(other.clientId))
      const [, action = '', key = ''] = /action="([^"]*)"><input type="hidden" name="csrf_token" value="([^"]*)"/.exec(
        ask.text,
      )!
      const path = action.replaceAll('&amp;', '&')
      const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
        person.send(path, {
          method: 'POST',
          body: String(new URLSearchParams({ decision: 'allow', ...fields })),
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        })
      const refused = (seen: Seen) => assert.deepEqual([seen.status, seen.location], [403, undefined], seen.text)
      refused(await post({}))
      refused(await post({ csrf_token: `${key.slice(1)}A` }))
      refused(await post({ csrf_token: key }, { 'sec-fetch-site': 'cross-site' }))
      refused(await post({ csrf_token: key }, { 'sec-fetch-site': 'same-site' }))
      refused(await post({ csrf_token: key }, { origin: 'https://evil.example' }))
      const stranger = await signedIn(app)
      refused(await stranger.post(path, { decision: 'allow', csrf_token: key }))
      // A CSRF token of the consent form for one app, redirect URI or state is not valid for another.
      const forLogbook = await person.get('/oauth/signin', requestOf(clientId, { prompt: 'consent' }))
      const [, keyOfLogbook = ''] = /name="csrf_token" value="([^"]*)"/.exec(forLogbook.text)!
      refused(await post({ csrf_token: keyOfLogbook }))
      assert.equal((await post({ csrf_token: key })).status, 303)
    },
  )

  await t.test('O12: gives a new cookie at sign-in, so that one set by somebody else is worth nothing', async () => {
    await app.givePassword('avery')
    const fixed = app.visitor()
    const page = await fixed.get('/oauth/signin', requestOf(clientId))
    const before = fixed.cookies.get('gs_browser')
    await fixed.submit(page, { handle: 'avery', password: PASSWORD })
    assert.notEqual(fixed.cookies.get('gs_browser'), before)
    const attacker = app.visitor()
    attacker.cookies.set('gs_browser', before!)
    assert.match((await attacker.get('/oauth/signin', requestOf(clientId))).text, /name="password"/)
  })

  await t.test('issues no code for a HEAD request', async () => {
    const person = await signedIn(app)
    const path = `/oauth/signin?${new URLSearchParams(requestOf(clientId))}`
    assert.equal((await person.send(path, { method: 'HEAD' })).status, 405)
  })

  await t.test('gives codes that its app can use', async () => {
    const { code } = await obtainCode(app, { clientId })
    const answer = await exchange(app, {
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      client_secret: secret,
    })
    assert.equal(answer.status, 200)
  })
})

test('the implicit flow', async (t) => {
  const app = await testApp(t, NO_LIMITS)
  const { clientId, secret } = await registerApp(app, { key: 'classic', isImplicitEnabled: true })
  const browser = app.visitor()
  const query = requestOf(clientId, { response_type: 'implicit' })
  const address = `${browser.address}/oauth/signin?${new URLSearchParams(query)}`

  await t.test('gives tokens in the query, in the order of the interface', async () => {
    const url = await signInAndAllow(app, browser, { address })
    assert.deepEqual([...url.searchParams.keys()], ['access_token', 'refresh_token', 'expires_in', 'state'])
    assert.deepEqual([url.searchParams.get('expires_in'), url.searchParams.get('state')], ['1d', 'xyz'])
    const bearer = { authorization: `Bearer ${url.searchParams.get('access_token')}` }
    assert.equal((await app.nobody().get('/oauth/token/validate', {}, bearer)).status, 200)
    const refreshed = await exchange(app, {
      grant_type: 'refresh_token',
      refresh_token: url.searchParams.get('refresh_token')!,
      client_id: clientId,
      client_secret: secret,
    })
    assert.equal(refreshed.status, 200, refreshed.text)
  })

  await t.test('says in headers and in the log that it is deprecated, and until when it works', async () => {
    const seen = await browser.send(address)
    assert.equal(seen.status, 303)
    assert.match(seen.headers.get('deprecation')!, /^@\d+$/)
    const sunset = Date.parse(seen.headers.get('sunset')!)
    const deprecated = Number(seen.headers.get('deprecation')!.slice(1)) * 1000
    assert.ok(sunset - deprecated >= 365 * 86_400_000, 'twelve months at least')
    assert.match(seen.headers.get('link')!, /rel="deprecation"/)
    assert.match(app.log(), /implicit flow, which is deprecated/)
    const code = await browser.get('/oauth/signin', { ...query, response_type: 'code', ...challengeFields() })
    assert.equal(code.headers.get('deprecation'), null)
  })
})

const challengeFields = () => ({ code_challenge: pkcePair().challenge, code_challenge_method: 'S256' })
