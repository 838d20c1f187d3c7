import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { testApp } from '../testing.ts'
import { noChromium, openChromium } from '../testing-chromium.ts'
import { pkcePair, registerApp } from './testing.ts'
import { fillIn, headingOf, signInUrl, startReceiver } from './testing-pages.ts'

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

test('O12: a page of somebody else, in the browser of a person who is signed in', { skip: noChromium }, async (t) => {
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
  // The platform is 127.0.0.1 here: the first is another site to a browser, the second the same site at another port, which gets its cookies.
  const strangers = { 'another site': `http://localhost:${port}/`, 'another port': `http://127.0.0.1:${port}/` }

  const page = await openChromium(t)
  await page.goto(`${app.address}/account`)
  await fillIn(page, '@avery')
  await page.getByRole('heading', { name: 'Your apps and devices' }).waitFor()

  /** What a frame on a stranger's page shows. */
  async function showFramed(on: Page, stranger: string, url: string): Promise<Frame> {
    await on.goto(stranger)
    await on.setContent(`<h1>Win a prize</h1><iframe src="${escape(url)}" title="Prize"></iframe>`)
    const element = await on.waitForSelector('iframe')
    const frame = (await element.contentFrame())!
    await frame.waitForLoadState()
    return frame
  }
  const framed = { consent, 'sign-in': signIn, account: `${app.address}/account`, error: `${app.address}/oauth/signin` }

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

  /** Has a stranger's page post a form of ours, with a key that was really made for this browser. */
  async function postFrom(stranger: string, url: string, fields: Record<string, string>) {
    await page.goto(url)
    const form = page.locator('form[method="post"]')
    const action = new URL((await form.getAttribute('action'))!, app.address)
    const formKey = await form.locator('[name="form_key"]').inputValue()
    const inputs = Object.entries({ form_key: formKey, ...fields }).map(
      ([name, value]) => `<input name="${name}" value="${escape(value)}">`,
    )
    const post = async () => {
      await page.setContent(
        `<form method="post" action="${escape(action.href)}">${inputs.join('')}<button>Win</button></form>`,
      )
      const [answer] = await Promise.all([
        page.waitForResponse((one) => one.request().method() === 'POST'),
        page.getByRole('button', { name: 'Win' }).click(),
      ])
      return answer.status()
    }
    await page.goto(stranger)
    const refused = await post()
    return { refused, heading: await headingOf(page), action }
  }

  for (const [where, stranger] of Object.entries(strangers))
    await t.test(`cannot send our forms, from ${where}`, async () => {
      const allow = await postFrom(stranger, consent, { decision: 'allow' })
      assert.equal(allow.action.pathname, '/oauth/consent')
      assert.deepEqual([allow.refused, allow.heading], [403, 'This is not allowed'])
      await page.goto(consent)
      assert.equal(await headingOf(page), 'Allow Logbook?', 'nothing was allowed')

      const enter = await postFrom(stranger, signIn, { handle: '@blake', password: 'groundschool' })
      assert.equal(enter.action.pathname, '/oauth/signin')
      assert.deepEqual([enter.refused, enter.heading], [403, 'This is not allowed'])
      await page.goto(`${app.address}/account`)
      assert.equal(await page.getByRole('navigation', { name: 'Account' }).innerText(), '@avery')
    })
})
