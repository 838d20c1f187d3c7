import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REDIRECT_URI, registerApp } from '../../apps/oauth/testing.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { checkAccessibility, collectProblems, noChromium, openChromium } from '../../operations/testing/chromium.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { addVirtualAuthenticator } from './testing-chromium.ts'

/** A script that creates a passkey like the account page does, but works on pages that have no form for it. */
const MAKE = `(async () => {
  const post = async (path, fields) => (await fetch('/account/v1/passkey' + path, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) })).json()
  const options = await post('/options', { password: 'groundschool' })
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  await post('', { response: credential.toJSON(), name: 'Laptop' })
})()`

test('signing in with a passkey, in a real browser', { skip: noChromium }, async (t) => {
  const app = await testApp(t)
  const { url } = app.environment()
  await app.givePassword('avery')
  const page = await openChromium(t)
  const problems = collectProblems(page)
  const verify = await addVirtualAuthenticator(page)
  const signOut = async () => {
    await page.context().clearCookies()
    await page.goto(`${url}/account/signin?next=/device`)
  }

  await t.test('by the button of the sign-in page, which leads on', async () => {
    await page.goto(`${url}/account/signin?next=/device`)
    await page.getByLabel('Handle').fill('@avery')
    await page.getByLabel('Password').fill('groundschool')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
    // Run the script on this page, because its content security policy allows scripts.
    await page.goto(`${url}/account/signin?again=true`)
    await page.evaluate(MAKE)
    await signOut()
    await checkAccessibility(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
    assert.equal(page.url(), `${url}/device`)
    assert.deepEqual(problems, [])
  })

  await t.test("an app's request for a new sign-in can be met with a passkey", async () => {
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

  await t.test('a failed user verification is explained, and so is a refusal by the server', async () => {
    await signOut()
    await verify(false)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No passkey was chosen, or it took too long. Try again.').waitFor()
    await verify(true)
    await app.sql('delete from passkeys')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey was not accepted; try again, or sign in with your password.').waitFor()
  })

  await t.test('without scripts there is no button that does nothing', async (part) => {
    const plain = await openChromium(part, { javaScriptEnabled: false })
    await plain.goto(`${url}/account/signin`)
    assert.equal(await plain.getByRole('button', { name: 'Sign in with a passkey' }).isVisible(), false)
  })
})

test('the page of an invitation creates a passkey instead of a password', { skip: noChromium }, async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings)
  const { url } = app.environment()
  await app.givePassword('ellis')
  await app.sql(`update people set administrator = true where handle = '@ellis'`)
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await page.request.post(`${url}/account/v1/signin`, { data: { handle: '@ellis', password: 'groundschool' } })
  await page.request.put(`${url}/admin/v1/person`, { data: { firstName: 'Noor', email: 'noor@example.org' } })
  await page.context().clearCookies()
  await addVirtualAuthenticator(page)
  await page.setViewportSize({ width: 360, height: 700 })
  await page.goto((await mailbox.next()).link!)
  await page.getByRole('heading', { name: 'Set up your account' }).waitFor()
  await checkAccessibility(page)
  await page.getByRole('button', { name: 'Create a passkey instead' }).click()
  await page.waitForURL(`${url}/account/reset?done=account-ready`)
  await page.getByRole('heading', { name: 'Your account is ready' }).waitFor()
  const [row] = await app.sql(
    `select p.unclaimed, count(*)::int as passkeys from people p join passkeys k on k.person_id = p.id where p.handle = '@noor' group by 1`,
  )
  assert.deepEqual(row, { unclaimed: false, passkeys: 1 })
  assert.deepEqual(problems, [])
})
