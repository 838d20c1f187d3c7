import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { collectProblems, noChromium, openChromium } from '../../operations/testing/chromium.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { pkcePair, registerApp } from './testing.ts'
import { fillIn, signInToAccount, signInUrl, startReceiver } from './testing-pages.ts'

const CUSTOM = ['demo://callback', 'com.example.logbook:/callback']

/** Clicks Allow and returns the last URL that the browser requests, even if it has a custom scheme. */
async function leave(page: Page, redirectUri: string): Promise<string> {
  const [asked] = await Promise.all([
    page.waitForRequest((one) => one.isNavigationRequest() && one.url().startsWith(`${redirectUri}?`)),
    page.getByRole('button', { name: 'Allow' }).click(),
  ])
  return asked.url()
}

test('Chromium holds redirects after a form to the policy of the page, which', { skip: noChromium }, async (t) => {
  const app = await testApp(t)
  const { port, visits } = await startReceiver(t)
  const six = await startReceiver(t, '::1').catch(() => undefined)
  const local = `http://localhost:${port}/callback`
  const bounces = [`http://127.0.0.1:${port}/home`, 'demo://home'].map(
    (to) => `${local}?${new URLSearchParams({ to })}`,
  )
  const uris = ['http://127.0.0.1/callback', 'http://[::1]/callback', local, ...CUSTOM, ...bounces]
  const client = await registerApp(app, { key: 'native', redirectUris: uris })
  await app.givePassword('avery')
  const challenge = pkcePair().challenge
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await signInToAccount(page, app.address, '@avery')
  const ask = (on: Page, redirectUri: string) =>
    on.goto(signInUrl(app.address, client, { redirectUri, challenge, prompt: 'consent' }))

  const loopbacks = [`http://127.0.0.1:${port}/callback`, local, ...(six ? [`http://[::1]:${six.port}/callback`] : [])]
  for (const redirectUri of loopbacks)
    await t.test(`lets it through to ${redirectUri.replace(/\d+(?=\/callback)/, '<port>')}`, async () => {
      await ask(page, redirectUri)
      const url = await leave(page, redirectUri)
      await page.waitForURL(url)
      assert.match(url.slice(redirectUri.length), /^\?code=gs_ac_[\w-]+&state=xyz$/)
      assert.ok([...visits, ...(six?.visits ?? [])].includes(`/callback${url.slice(redirectUri.length)}`))
      assert.deepEqual(problems, [])
    })

  for (const redirectUri of CUSTOM)
    await t.test(`lets it through to the system for ${redirectUri}`, async () => {
      const tab = await page.context().newPage()
      const complaints = collectProblems(tab)
      await ask(tab, redirectUri)
      // No program handles this scheme in the test, so the navigation fails.
      const [url] = await Promise.all([leave(tab, redirectUri), tab.waitForEvent('requestfailed')])
      assert.match(url.slice(redirectUri.length), /^\?code=gs_ac_[\w-]+&state=xyz$/)
      assert.deepEqual(complaints, [])
    })

  for (const redirectUri of bounces) {
    const to = new URL(redirectUri).searchParams.get('to')!
    await t.test(`lets the app lead on to ${to.replace(/\d+(?=\/home)/, '<port>')}`, async () => {
      const tab = await page.context().newPage()
      const complaints = collectProblems(tab)
      await ask(tab, redirectUri)
      await Promise.all([
        tab.waitForRequest((one) => one.url() === to),
        tab.getByRole('button', { name: 'Allow' }).click(),
      ])
      assert.deepEqual(complaints, [])
    })
  }

  await t.test('lets it through after the sign-in form, too, where the app was allowed before', async (t) => {
    const fresh = await openChromium(t)
    const complaints = collectProblems(fresh)
    await fresh.goto(signInUrl(app.address, client, { redirectUri: local, challenge }))
    await fillIn(fresh, '@avery')
    await fresh.waitForURL(`${local}?code=*`)
    assert.deepEqual(complaints, [])
  })

  await t.test('would stop it otherwise: so the tests above can fail', async () => {
    for (const redirectUri of [loopbacks[0]!, CUSTOM[0]!]) {
      const strict = await page.context().newPage()
      await strict.route(
        ({ pathname }) => pathname === '/oauth/signin',
        async (route) => {
          const response = await route.fetch()
          const { 'content-security-policy': policy = '', ...headers } = response.headers()
          const stricter = `${policy}; form-action 'self'`
          await route.fulfill({ response, headers: { ...headers, 'content-security-policy': stricter } })
        },
      )
      await ask(strict, redirectUri)
      const asked: string[] = []
      strict.on('request', (one) => asked.push(one.url()))
      const [complaint] = await Promise.all([
        strict.waitForEvent('console', (one) => one.type() === 'error'),
        strict.getByRole('button', { name: 'Allow' }).click(),
      ])
      assert.match(complaint.text(), /violates the following Content Security Policy directive: "form-action 'self'"/)
      assert.ok(!asked.some((url) => url.startsWith(redirectUri)))
    }
  })
})
