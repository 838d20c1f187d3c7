import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeAuthenticator, register, signedIn, signIn as signInWithPasskey } from '../../identity/passkeys/testing.ts'
import { formsOf, type Seen, type TestBrowser } from '../../operations/testing/browser.ts'
import { sharedApp } from '../../operations/testing/testing.ts'
import { PASSWORD, pkcePair, REDIRECT_URI, registerApp } from './testing.ts'

// An old Android web view treats the first redirect as the last one, so the redirect to the app must be the only one.
const app = await sharedApp()
await app.givePassword('avery')

const TYPED = { handle: '@avery', password: PASSWORD }

const assertAsks = (seen: Seen, form: 'password' | 'consent', status = 200): void => {
  assert.deepEqual([seen.status, seen.location], [status, undefined], seen.text)
  assert.match(seen.text, form === 'password' ? /name="password"/ : /value="allow"/)
}

const assertAtApp = (seen: Seen, answer = 'code'): void => {
  assert.equal(seen.status, 303, seen.text)
  assert.ok(seen.location!.startsWith(`${REDIRECT_URI}?${answer}=`), seen.location)
  assert.equal(new URL(seen.location!).searchParams.get('state'), 'xyz')
}

const countSignIns = async (): Promise<number> =>
  (await app.sql(`select 1 from audit_entries where action = 'sign-in.password'`)).length

for (const path of ['/oauth/signin', '/oauth/v2/signin']) {
  const version = path.includes('v2') ? 'v2' : 'v1'
  let apps = 0

  /** Registers a new app to which nobody has consented, and returns a function that opens its sign-in page. */
  async function makeApp() {
    const { clientId } = await registerApp(app, { key: `app-${version}-${apps++}` })
    const open = (browser: TestBrowser, more: Record<string, string> = {}): Promise<Seen> =>
      browser.get(path, {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: REDIRECT_URI,
        state: 'xyz',
        code_challenge: pkcePair().challenge,
        code_challenge_method: 'S256',
        ...more,
      })
    const allow = async (more: Record<string, string> = {}): Promise<Seen> => {
      const browser = app.visitor()
      const ask = await browser.submit(await open(browser, more), TYPED)
      assertAsks(ask, 'consent')
      return browser.submit(ask, { decision: 'allow' })
    }
    return { clientId, open, allow }
  }

  test(`${path}: a good sign-in answers the consent page itself, or leads straight to the app`, async () => {
    const { open, allow } = await makeApp()
    const browser = app.visitor()
    const page = await open(browser)
    assertAsks(page, 'password')
    const before = browser.cookies.get('gs_browser')
    const ask = await browser.submit(page, TYPED)
    assertAsks(ask, 'consent')
    assert.match(ask.text, /<nav aria-label="Account"><a href="\/account">@avery</, 'it says who is signed in')
    assert.notEqual(browser.cookies.get('gs_browser'), before)
    assertAtApp(await browser.submit(ask, { decision: 'deny' }), 'error')
    assertAtApp(await allow())
    const again = app.visitor()
    assertAtApp(await again.submit(await open(again), TYPED))
    assertAtApp(await open(again))
  })

  test(`${path}: so it does with whatever an app writes into the address`, async () => {
    const { open, allow } = await makeApp()
    for (const more of [{ app_login: 'true' }, { scope: 'user', nonce: 'n' }, { prompt: 'login' }]) {
      const fresh = await makeApp()
      assertAtApp(await fresh.allow(more))
    }
    assertAtApp(await allow({ app_login: '1' }))
    for (const prompt of ['login', 'select_account', 'x']) {
      const browser = app.visitor()
      assertAtApp(await browser.submit(await open(browser, { prompt, app_login: 'true' }), TYPED))
    }
    for (const prompt of ['consent', 'login consent']) {
      const browser = app.visitor()
      const ask = await browser.submit(await open(browser, { prompt }), TYPED)
      assertAsks(ask, 'consent')
      assertAtApp(await browser.submit(ask, { decision: 'allow' }))
    }
    // Sign in as a person other than the one who is signed in.
    await app.givePassword('blake')
    const browser = app.visitor()
    await browser.submit(await open(browser), TYPED)
    const other = await open(browser, { prompt: 'login' })
    assertAsks(await browser.submit(other, { handle: 'blake', password: PASSWORD }), 'consent')
  })

  test(`${path}: so it does after a wrong password, and a wrong one leads nowhere`, async () => {
    const { open } = await makeApp()
    const browser = app.visitor()
    const wrong = await browser.submit(await open(browser), { ...TYPED, password: 'a-wrong-one' })
    assertAsks(wrong, 'password', 401)
    const ask = await browser.submit(wrong, TYPED)
    assertAsks(ask, 'consent')
    assertAtApp(await browser.submit(ask, { decision: 'allow' }))
  })

  test(`${path}: a reload and the way back send the form again, and do no harm`, async () => {
    const { open } = await makeApp()
    const browser = app.visitor()
    const page = await open(browser)
    const ask = await browser.submit(page, TYPED)
    const count = await countSignIns()
    const cookie = browser.cookies.get('gs_browser')
    const reloaded = await browser.submit(page, TYPED)
    assertAsks(reloaded, 'consent')
    assert.deepEqual(
      [await countSignIns(), browser.cookies.get('gs_browser')],
      [count, cookie],
      'nobody signs in twice',
    )
    assertAtApp(await browser.submit(ask, { decision: 'allow' }), 'code')
    assertAtApp(await browser.submit(page, TYPED))
    assertAtApp(await browser.submit(ask, { decision: 'allow' }))
    // A different handle, or a missing cookie, means that this person is not signed in.
    assertAsks(await browser.submit(page, { ...TYPED, handle: 'casey' }), 'password', 403)
    browser.cookies.clear()
    assertAsks(await browser.submit(page, TYPED), 'password', 403)
  })

  test(`${path}: a consent form that is kept, looked at or late leads to no page of ours either`, async () => {
    const { open } = await makeApp()
    const browser = app.visitor()
    const ask = await browser.submit(await open(browser), TYPED)
    const { action } = formsOf(ask.text).find((one) => one.action.includes('/consent'))!
    assertAsks(await browser.get(action), 'consent')
    await app.sql('delete from browsers')
    assertAsks(await browser.get(action), 'password')
    const late = await browser.submit(ask, { decision: 'allow' })
    assertAsks(late, 'password')
    const asked = await browser.submit(late, TYPED)
    assertAsks(asked, 'consent')
    assertAtApp(await browser.submit(asked, { decision: 'allow' }))
    assertAtApp(await browser.get(action))
  })

  test(`${path}: so it does with a passkey, whose script goes where the form would`, async () => {
    const { open, allow } = await makeApp()
    const authenticator = makeAuthenticator(app)
    await register(await signedIn(app, 'avery'), authenticator, version)
    const enter = async (): Promise<Seen> => {
      const browser = app.visitor()
      const [form] = formsOf((await open(browser, { prompt: 'login' })).text)
      assert.equal((await signInWithPasskey(browser, authenticator)).status, 200)
      return browser.get(form!.action)
    }
    assertAsks(await enter(), 'consent')
    await allow()
    assertAtApp(await enter())
  })
}

test('the implicit flow leads from the sign-in form straight to the app, too', async () => {
  const { clientId } = await registerApp(app, { key: 'implicit', isImplicitEnabled: true })
  const query = { response_type: 'implicit', client_id: clientId, redirect_uri: REDIRECT_URI, state: 'xyz' }
  const browser = app.visitor()
  const ask = await browser.submit(await browser.get('/oauth/signin', query), TYPED)
  assertAsks(ask, 'consent')
  assertAtApp(await browser.submit(ask, { decision: 'allow' }), 'access_token')
  const again = app.visitor()
  const arrived = await again.submit(await again.get('/oauth/signin', query), TYPED)
  assertAtApp(arrived, 'access_token')
  assert.match(arrived.headers.get('deprecation')!, /^@\d+$/)
})
