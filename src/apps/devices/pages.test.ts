import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedIn } from '../../identity/passkeys/testing.ts'
import { formsOf } from '../../operations/testing/browser.ts'
import { checkAccessibility, collectProblems, noChromium, openChromium } from '../../operations/testing/chromium.ts'
import { sharedApp, testApp } from '../../operations/testing/testing.ts'
import { assertRfcError, PASSWORD } from '../oauth/testing.ts'
import { poll, registerTv, start, type } from './testing.ts'

const WRONG_CODE = 'BBBB-BBBB'

// An app shared by the tests that do not guess codes.
const app = await sharedApp()
const tv = await registerTv(app)

test('a code in the address is filled in, and nothing happens by itself', async () => {
  const codes = await start(app, tv)
  const browser = await signedIn(app, 'avery')
  const page = await browser.get('/device', { user_code: codes.user_code })
  assert.ok(page.text.includes(`value="${codes.user_code}"`))
  assert.match(page.text, /Check that your device shows the same code/)
  assert.doesNotMatch(page.text, /Cockpit TV/)
  const nasty = await browser.get('/device', { user_code: '"><script>' })
  assert.doesNotMatch(nasty.text, /<script>/)
  assert.match(page.headers.get('content-security-policy')!, /frame-ancestors 'none'/)
})

test('somebody who is not signed in comes back with their code', async () => {
  const codes = await start(app, tv)
  await app.givePassword('avery')
  const browser = app.visitor()
  const typed = await type(browser, codes.user_code.toLowerCase())
  assert.equal(typed.location, `/account/signin?next=${encodeURIComponent(`/device?user_code=${codes.user_code}`)}`)
  const back = await browser.submit(await browser.follow(typed), { handle: '@avery', password: PASSWORD })
  assert.equal(back.location, `/device?user_code=${codes.user_code}`)
  const page = await browser.submit(await browser.follow(back), { user_code: codes.user_code })
  assert.match(page.text, /Cockpit TV/)
})

test('case, dashes and spaces in typed codes are forgiven', async () => {
  const { user_code } = await start(app, tv)
  const browser = await signedIn(app, 'avery')
  const letters = user_code.replace('-', '')
  for (const typed of [
    letters.toLowerCase(),
    ` ${user_code} `,
    letters.split('').join(' '),
    letters.replace(/.{4}/, '$& – '),
  ])
    assert.match((await type(browser, typed)).text, /Cockpit TV/, typed)
  for (const typed of ['', 'x', `${letters}B`, 'AEIO-UYAE', '1234-5678']) {
    const page = await type(browser, typed)
    assert.equal(page.status, 400)
    assert.match(page.text, /8 letters/)
  }
  assert.deepEqual(await app.sql('select 1 from sign_in_failures'), [], 'what cannot be a code is no guess')
})

test('wrong codes lead to growing waits, for the person and for the address', async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  const codes = await start(app, tv)
  const browser = await signedIn(app, 'avery')
  for (let tries = 0; tries < 5; tries++) assert.equal((await type(browser, WRONG_CODE)).status, 404)
  const blocked = await type(browser, codes.user_code)
  assert.equal(blocked.status, 429, 'the right code too')
  assert.ok(Number(blocked.headers.get('retry-after')) >= 1)
  assert.match((await type(await signedIn(app, 'blake'), codes.user_code)).text, /Cockpit TV/)
  app.advance(2_000)
  assert.equal((await type(browser, WRONG_CODE)).status, 404)
  assert.equal((await type(browser, WRONG_CODE)).status, 429)
  app.advance(3_000)
  assert.match((await type(browser, codes.user_code)).text, /Cockpit TV/)
  const wrong = await app.sql(`select count(*)::int as count from audit_entries where action = 'device.code-wrong'`)
  assert.deepEqual(wrong, [{ count: 6 }])
  // A person who has mistyped codes can still sign in.
  await app.givePassword('avery')
  const visitor = app.visitor()
  const seen = await visitor.submit(await visitor.get('/account/signin'), { handle: '@avery', password: PASSWORD })
  assert.equal(seen.status, 303)
})

test('O12: a decision counts for the device, the browser and the person that it was shown for', async () => {
  const [mine, theirs] = [await start(app, tv), await start(app, tv)]
  const browser = await signedIn(app, 'avery')
  const page = await type(browser, mine.user_code)
  const [form] = formsOf(page.text)
  const post = (fields: Record<string, string>, by = browser) =>
    by.post('/device/decision', { decision: 'allow', ...form!.hidden, ...fields })
  assert.equal((await post({ user_code: theirs.user_code })).status, 403)
  assert.equal((await post({ csrf_token: '' })).status, 403)
  assert.equal((await post({}, await signedIn(app, 'blake'))).status, 403)
  const cross = await browser.send('/device/decision', {
    method: 'POST',
    body: String(new URLSearchParams({ ...form!.hidden, decision: 'allow' })),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
  })
  assert.equal(cross.status, 403)
  assertRfcError(await poll(app, tv, mine), 400, 'authorization_pending', 4006)
  assertRfcError(await poll(app, tv, theirs), 400, 'authorization_pending', 4006)
  assert.equal((await post({})).status, 303)
})

test('the pages of a device work in a real browser, without scripts, for everybody', {
  skip: noChromium,
}, async (t) => {
  const app = await testApp(t)
  const tv = await registerTv(app)
  await app.givePassword('avery')
  for (const colorScheme of ['light', 'dark'] as const) {
    const codes = await start(app, tv)
    const chromium = await openChromium(t, { javaScriptEnabled: false, colorScheme })
    const problems = collectProblems(chromium)
    await chromium.goto(`${app.environment().url}/device?user_code=${codes.user_code}`)
    await checkAccessibility(chromium)
    await chromium.getByRole('button', { name: 'Continue' }).click()
    await chromium.getByLabel('Handle').fill('@avery')
    await chromium.getByLabel('Password').fill(PASSWORD)
    await chromium.getByRole('button', { name: 'Sign in', exact: true }).click()
    await chromium.getByLabel('Code').fill(WRONG_CODE)
    await chromium.getByRole('button', { name: 'Continue' }).click()
    await chromium.getByRole('alert').waitFor()
    await checkAccessibility(chromium)
    await chromium.getByLabel('Code').fill(codes.user_code.toLowerCase())
    await chromium.getByRole('button', { name: 'Continue' }).click()
    await chromium.getByRole('heading', { name: 'Allow Cockpit TV on a device?' }).waitFor()
    await checkAccessibility(chromium)
    await chromium.getByRole('button', { name: 'Allow' }).click()
    await chromium.getByRole('heading', { name: 'Go back to your device' }).waitFor()
    await checkAccessibility(chromium)
    assert.equal((await poll(app, tv, codes)).status, 200)
    assert.deepEqual(problems, [])
  }
})
