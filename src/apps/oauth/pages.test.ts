import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectProblems, noChromium, openChromium } from '../../operations/testing/chromium.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { exchange, pkcePair, registerApp } from './testing.ts'
import { fillIn, headingOf, signInToAccount, signInUrl, startReceiver } from './testing-pages.ts'

const CALLBACK = 'http://127.0.0.1/callback'

test('signing in to an app, in a real browser', { skip: noChromium }, async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { port } = await startReceiver(t)
  const first = await registerApp(app, { key: 'logbook', name: 'Logbook', redirectUris: [CALLBACK] })
  const second = await registerApp(app, { key: 'radio', name: 'Radio', redirectUris: [CALLBACK] })
  for (const person of ['avery', 'blake', 'casey', 'drew', 'ellis'] as const) await app.givePassword(person)
  await app.givePassword('finley', 'sandbox')
  const redirectUri = `http://127.0.0.1:${port}/callback`
  const { verifier, challenge } = pkcePair()
  const request = { redirectUri, challenge }
  const url = signInUrl(app.address, first, request)
  const arrival = new RegExp(`^${redirectUri}\\?code=(gs_ac_[\\w-]+)&state=xyz$`)

  for (const [javaScriptEnabled, handle] of [
    [false, '@avery'],
    [true, '@blake'],
  ] as const) {
    const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
    await t.test(`ends at the app, with a code first and the state, ${how}; the next time at once`, async (t) => {
      const page = await openChromium(t, { javaScriptEnabled })
      const problems = collectProblems(page)
      const redirects: string[] = []
      page.on('response', (one) => one.status() === 303 && redirects.push(one.headers().location!))
      await page.goto(url)
      assert.equal(await headingOf(page), 'Sign in')
      assert.match(await page.locator('main').innerText(), /to continue to Logbook/)
      await fillIn(page, handle)
      await page.getByRole('heading', { name: 'Allow Logbook?' }).waitFor()
      assert.match(await page.locator('main').innerText(), /your profile.*never sees your password/s)
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL(arrival)
      assert.equal(await headingOf(page), 'The app')
      assert.deepEqual(redirects, [page.url()], 'the first redirect is the last')

      const [, code = ''] = arrival.exec(page.url())!
      const tokens = await exchange(app, {
        grant_type: 'authorization_code',
        code,
        client_id: first.clientId,
        client_secret: first.secret,
        code_verifier: verifier,
      })
      assert.equal(tokens.status, 200, tokens.text)
      assert.equal(tokens.body.token_type, 'Bearer')

      const shown: string[] = []
      page.on('framenavigated', (frame) => shown.push(frame.url()))
      await page.goto(url)
      assert.match(page.url(), arrival)
      assert.deepEqual(shown, [page.url()], 'no page of ours in between')
      assert.deepEqual(problems, [])
    })
  }

  await t.test('can be denied, and the app is told so', async (t) => {
    const page = await openChromium(t)
    await page.goto(url)
    await fillIn(page, '@casey')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${redirectUri}?*`)
    const { error_description: why, ...rest } = Object.fromEntries(new URL(page.url()).searchParams)
    assert.deepEqual(rest, { error: 'access_denied', state: 'xyz' })
    assert.match(why!, /did not allow/)
    await page.goto(url)
    assert.equal(await headingOf(page), 'Allow Logbook?', 'a denial is for once')
  })

  await t.test('says a wrong password on the same page, keeps the handle, and waits for the password', async (t) => {
    const page = await openChromium(t)
    await page.goto(url)
    assert.equal(await page.evaluate('document.activeElement.id'), 'handle')
    await fillIn(page, '@drew', 'wrong')
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByRole('alert').innerText(), 'The handle or the password is wrong.')
    assert.equal(await headingOf(page), 'Sign in')
    assert.equal(await page.getByLabel('Handle').inputValue(), '@drew')
    assert.equal(await page.getByLabel('Password').inputValue(), '')
    assert.equal(await page.evaluate('document.activeElement.id'), 'password')
    await page.keyboard.type('groundschool')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allow Logbook?' }).waitFor()
    await page.reload()
    assert.equal(await headingOf(page), 'Allow Logbook?', 'the form was sent again, and nothing is asked for twice')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(arrival)
    const before = page.url()
    // The consent page was the response to a form, and browsers do not resend forms on their own.
    await assert.rejects(page.goBack(), /ERR_CACHE_MISS/)
    await page.waitForURL(/^chrome-error:/)
    await page.reload()
    assert.match(page.url(), arrival, 'the way back leads to the app again')
    assert.notEqual(page.url(), before, 'with a code of its own')
    await page.goForward()
    assert.equal(await headingOf(page), 'The app')
  })

  await t.test('is done in two tabs at once, each for its own app', async (t) => {
    const one = await openChromium(t)
    const two = await one.context().newPage()
    await one.goto(signInUrl(app.address, first, { ...request, state: 'one' }))
    await two.goto(signInUrl(app.address, second, { ...request, state: 'two' }))
    await fillIn(one, '@ellis')
    await one.getByRole('heading', { name: 'Allow Logbook?' }).waitFor()
    await fillIn(two, '@ellis')
    await two.getByRole('heading', { name: 'Allow Radio?' }).waitFor()
    await one.reload()
    assert.deepEqual([await headingOf(one), await headingOf(two)], ['Allow Logbook?', 'Allow Radio?'])
    await one.getByRole('button', { name: 'Deny' }).click()
    await one.waitForURL(`${redirectUri}?error=access_denied&*state=one`)
    await two.getByRole('button', { name: 'Allow' }).click()
    await two.waitForURL(`${redirectUri}?code=*&state=two`)
    await one.goto(signInUrl(app.address, first, request))
    assert.equal(await headingOf(one), 'Allow Logbook?', 'what the one app was allowed is not for the other')
  })

  await t.test('asks for consent if the app wants it, also after a sign-in', async (t) => {
    const page = await openChromium(t)
    await page.goto(signInUrl(app.address, first, { ...request, prompt: 'consent' }))
    await fillIn(page, '@avery')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(arrival)
    await page.goto(signInUrl(app.address, first, { ...request, prompt: 'login' }))
    await fillIn(page, '@avery')
    await page.waitForURL(arrival)
  })

  await t.test('to production and to the sandbox does not mix in one browser', async (t) => {
    const page = await openChromium(t)
    const handles = async () => {
      const seen: string[] = []
      for (const address of [app.address, app.sandboxAddress]) {
        await page.goto(`${address}/device`)
        const account = page.getByRole('navigation', { name: 'Account' })
        seen.push((await account.count()) === 0 ? 'nobody' : await account.innerText())
      }
      return seen
    }
    assert.deepEqual(await handles(), ['nobody', 'nobody'])
    await signInToAccount(page, app.sandboxAddress, '@finley')
    assert.deepEqual(await handles(), ['nobody', '@finley'])
    await signInToAccount(page, app.address, '@avery')
    assert.deepEqual(await handles(), ['@avery', '@finley'])
    assert.ok((await page.request.post(`${app.sandboxAddress}/account/v1/signout`, { data: {} })).ok())
    assert.deepEqual(await handles(), ['@avery', 'nobody'])
  })
})
