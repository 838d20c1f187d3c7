import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REDIRECT_URI, registerApp } from '../oauth/testing.ts'
import { formsOf } from '../testing/browser.ts'
import { checkAccessibility, collectProblems, noChromium, openChromium } from '../testing/chromium.ts'
import { testApp } from '../testing/testing.ts'
import { expectDone, list, makeAuthenticator, PROOF, register, signedIn } from './testing.ts'

const REMOVE = '/account/passkey/remove'
const RENAME = '/account/passkey/rename'

test('the passkeys of the account page', async (t) => {
  const app = await testApp(t)
  await app.givePassword('avery')

  await t.test('are listed, renamed and removed by plain forms', async () => {
    const browser = await signedIn(app, 'avery')
    await register(browser, makeAuthenticator(app), '<b>Laptop</b>')
    const page = await browser.get('/account')
    assert.match(page.text, /<p>&lt;b&gt;Laptop&lt;\/b&gt;<\/p>\n<p class="quiet">Added .*, not used yet<\/p>/)
    assert.match(page.headers.get('content-security-policy')!, /script-src 'self'; connect-src 'self'/)
    const renamed = await browser.submit(page, { name: 'Desk' }, RENAME)
    assert.deepEqual([renamed.status, renamed.location], [303, '/account?done=passkey-renamed'])
    assert.equal((await list(browser)).body[0].name, 'Desk')
    const removed = await browser.submit(await browser.submit(page, {}, REMOVE), PROOF, REMOVE)
    assert.deepEqual([removed.status, removed.location], [303, '/account?done=passkey-removed'])
    assert.deepEqual((await list(browser)).body, [])
    for (const [path, fields] of [
      [REMOVE, PROOF],
      [RENAME, { name: 'x' }],
    ] as const)
      assert.equal((await browser.submit(page, fields, path)).location, '/account?done=gone')
  })

  await t.test('O19: are removed with the password, also just after signing in', async () => {
    const browser = await signedIn(app, 'avery')
    await register(browser, makeAuthenticator(app), 'Laptop')
    const asked = await browser.submit(await browser.get('/account'), {}, REMOVE)
    assert.equal(asked.status, 403)
    assert.match(asked.text, /with <strong>Laptop<\/strong>.*<label for="password">Password<\/label>/s)
    assert.doesNotMatch(asked.text, /role="alert"/)
    assert.equal((await list(browser)).body.length, 1)
    const wrong = await browser.submit(asked, { password: 'wrong' }, REMOVE)
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /role="alert">The current password is wrong\./)
    assert.equal((await list(browser)).body.length, 1)
    const right = await browser.submit(wrong, { password: 'groundschool' }, REMOVE)
    assert.equal(right.location, '/account?done=passkey-removed')
    assert.deepEqual((await list(browser)).body, [])
  })

  await t.test('cannot be changed by a form that we did not show to this browser, or by nobody', async () => {
    const browser = await signedIn(app, 'avery')
    const { passkeyId } = await register(browser, makeAuthenticator(app), 'Laptop')
    const other = await signedIn(app, 'avery')
    const forms = formsOf((await other.get('/account')).text)
    for (const path of [REMOVE, RENAME]) {
      const { hidden } = forms.find(({ action }) => action === path)!
      assert.equal((await browser.post(path, { passkeyId, name: 'x' })).status, 403)
      assert.equal((await browser.post(path, { ...hidden, name: 'x' })).status, 403)
    }
    assert.equal((await expectDone(list(browser)))[0].name, 'Laptop')
    // Signed out meanwhile, in another tab.
    await app.sql('delete from browsers')
    const left = await other.post(REMOVE, forms.find(({ action }) => action === REMOVE)!.hidden)
    assert.deepEqual([left.status, left.location], [303, '/account'])
  })
})

test('in a real browser', { skip: noChromium }, async (t) => {
  const app = await testApp(t)
  const { url } = app.environment()
  await app.givePassword('avery')
  const page = await openChromium(t)
  const problems = collectProblems(page)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const verify = (isUserVerified: boolean) =>
    devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  const signInWithPassword = async () => {
    await page.goto(`${url}/account`)
    await page.getByLabel('Handle').fill('@avery')
    await page.getByLabel('Password').fill('groundschool')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
  }
  const signOut = async () => {
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }

  await t.test('a person adds a passkey on the account page and signs in with it', async () => {
    await signInWithPassword()
    await page.getByLabel('Name of a new passkey').fill('This laptop')
    await page.getByLabel('Your password').fill('groundschool')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The passkey is added.').waitFor()
    assert.match(
      await page.locator('section', { hasText: 'Passkeys' }).last().innerText(),
      /This laptop\s+Added just now, not used yet/,
    )
    await checkAccessibility(page)
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
    assert.deepEqual(
      credentials.map(({ isResidentCredential, rpId, userName }) => ({ isResidentCredential, rpId, userName })),
      [{ isResidentCredential: true, rpId: 'localhost', userName: '@avery' }],
    )

    await page.getByLabel('Your password').fill('groundschool')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('This device has a passkey for your account already.').waitFor()
    await checkAccessibility(page)

    await signOut()
    await checkAccessibility(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('last used just now').waitFor()
    assert.equal(page.url(), `${url}/account`)
    assert.deepEqual(problems, [])
  })

  await t.test('an app that wants the person to sign in anew is answered with a passkey', async () => {
    const { clientId } = await registerApp(app, { key: 'tower', name: 'Tower', isPkceRequired: false })
    const request = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      state: 's',
      prompt: 'login',
    })
    await page.goto(`${url}/oauth/signin?${request}`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Tower' }).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Allow' }).isVisible())
    assert.deepEqual(problems, [])
  })

  await t.test('a wrong finger is told in words, and so is what the server refuses', async () => {
    await page.goto(`${url}/account`)
    await signOut()
    await verify(false)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No passkey was chosen, or it took too long. Try again.').waitFor()
    await verify(true)
    await app.sql('delete from passkeys')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey was not accepted; try again, or sign in with your password.').waitFor()
  })

  await t.test('O19: the password is asked for, or one of the passkeys where there is none', async () => {
    await signInWithPassword()
    await page.getByLabel('Your password').fill('wrong')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The current password is wrong.').waitFor()
    await page.getByLabel('Your password').fill('groundschool')
    await checkAccessibility(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The passkey is added.').waitFor()
    await page.goto(`${url}/account/password`)
    await page.getByRole('group', { name: 'Passkeys' }).getByLabel('Remove Passkey, added just now').waitFor()
    await checkAccessibility(page)
    await page.goto(`${url}/account`)
    await page.getByRole('button', { name: 'Remove Passkey' }).click()
    await page.getByRole('heading', { name: 'Remove a passkey' }).waitFor()
    await checkAccessibility(page)

    await app.sql(`update people set password_hash = null where handle_key = 'avery'`)
    await page.goto(`${url}/account`)
    assert.equal(await page.getByLabel('Your password').count(), 0)
    await page.getByRole('button', { name: 'Remove Passkey' }).click()
    await page.getByText('Prove that it is you: use one of your passkeys.').waitFor()
    await checkAccessibility(page)
    await verify(false)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No passkey was chosen, or it took too long. Try again.').waitFor()
    await verify(true)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The passkey is removed.').waitFor()
    await app.givePassword('avery')
  })

  await t.test('without scripts there is no button that does nothing', async (part) => {
    const plain = await openChromium(part, { javaScriptEnabled: false })
    await plain.goto(`${url}/account`)
    assert.equal(await plain.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false)
  })
})
