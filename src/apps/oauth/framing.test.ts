import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { html } from '../../kernel/pages/html.ts'
import { noChromium, openChromium } from '../../operations/testing/chromium.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { PASSWORD, pkcePair, registerApp } from './testing.ts'
import { headingOf, signInToAccount, signInUrl, startReceiver } from './testing-pages.ts'

test('O12: a foreign page, in the browser of a person who is signed in', { skip: noChromium }, async (t) => {
  const app = await testApp(t)
  const { port } = await startReceiver(t)
  const client = await registerApp(app, {
    key: 'logbook',
    name: 'Logbook',
    redirectUris: ['http://127.0.0.1/callback'],
  })
  await app.givePassword('avery')
  await app.givePassword('blake')
  const request = { redirectUri: `http://127.0.0.1:${port}/callback`, challenge: pkcePair().challenge }
  const consent = signInUrl(app.address, client, request)
  const signIn = signInUrl(app.address, client, { ...request, prompt: 'login' })
  // The platform is at 127.0.0.1. To a browser, `localhost` is another site; another port of 127.0.0.1 is the same
  // site, so requests from there include the platform's cookies.
  const strangers = { 'another site': `http://localhost:${port}/`, 'another port': `http://127.0.0.1:${port}/` }

  const page = await openChromium(t)
  await signInToAccount(page, app.address, '@avery')

  /** Shows the URL in a frame on a foreign page, and returns the frame. */
  async function showFramed(on: Page, stranger: string, url: string): Promise<Frame> {
    await on.goto(stranger)
    await on.setContent(html`<h1>Win a prize</h1><iframe src="${url}" title="Prize"></iframe>`.text)
    const element = await on.waitForSelector('iframe')
    const frame = (await element.contentFrame())!
    await frame.waitForLoadState()
    return frame
  }
  const framed = {
    consent,
    'sign-in': signIn,
    account: `${app.address}/account/security`,
    device: `${app.address}/device`,
    error: `${app.address}/oauth/signin`,
  }

  for (const [where, stranger] of Object.entries(strangers))
    await t.test(`cannot show ours in a frame, from ${where}`, async () => {
      for (const [name, url] of Object.entries(framed)) {
        const frame = await showFramed(page, stranger, url)
        assert.equal(frame.url(), 'chrome-error://chromewebdata/', name)
        assert.doesNotMatch(await frame.content(), /Groundschool|Logbook|@avery/)
      }
    })

  await t.test('could show them if we did not forbid it: so the test above can fail', async () => {
    const open = await page.context().newPage()
    await open.route(
      ({ pathname }) => pathname === '/oauth/signin',
      async (route) => {
        const response = await route.fetch()
        const { 'x-frame-options': _, 'content-security-policy': __, ...headers } = response.headers()
        await route.fulfill({ response, headers })
      },
    )
    const frame = await showFramed(open, strangers['another port'], consent)
    assert.match(await frame.content(), /Allow Logbook\?.*@avery/s)
  })

  /** Posts one of the platform's forms from a foreign page, with a CSRF token that was made for this browser. */
  async function postFrom(stranger: string, url: string, fields: Record<string, string>) {
    await page.goto(url)
    const form = page.locator('form[method="post"]')
    const { href, pathname } = new URL((await form.getAttribute('action'))!, app.address)
    const all = { ...fields, csrf_token: await form.locator('[name="csrf_token"]').inputValue() }
    const inputs = Object.entries(all).map(([name, value]) => html`<input name="${name}" value="${value}">`)
    await page.goto(stranger)
    await page.setContent(html`<form method="post" action="${href}">${inputs}<button>Win</button></form>`.text)
    const [answer] = await Promise.all([
      page.waitForResponse((one) => one.request().method() === 'POST'),
      page.getByRole('button', { name: 'Win' }).click(),
    ])
    return { pathname, status: answer.status(), said: await page.getByRole('alert').innerText() }
  }
  const refused = { status: 403, said: "In a browser, only the platform's own pages can do this." }

  for (const [where, stranger] of Object.entries(strangers))
    await t.test(`cannot send our forms, from ${where}`, async () => {
      const allowed = await postFrom(stranger, consent, { decision: 'allow' })
      assert.deepEqual(allowed, { pathname: '/oauth/consent', ...refused })
      await page.goto(consent)
      assert.equal(await headingOf(page), 'Allow Logbook?', 'nothing was allowed')

      const entered = await postFrom(stranger, signIn, { handle: '@blake', password: PASSWORD })
      assert.deepEqual(entered, { pathname: '/oauth/signin', ...refused })
      await page.goto(`${app.address}/device`)
      assert.equal(await page.getByRole('navigation', { name: 'Account' }).innerText(), '@avery')
    })
})
