import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { pages } from '../../app.ts'
import { unsubscribeLinks } from '../../identity/notifications/unsubscribe.ts'
import { makeResetLink } from '../../identity/people/resets.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { assertUsable, collectProblems, noChromium, openChromium } from '../../operations/testing/chromium.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { connectProvider, WITH_PROVIDERS } from '../providers/testing-connected.ts'
import { startLiar } from '../providers/testing-liar.ts'
import { exchange, PASSWORD, pkcePair, registerApp } from './testing.ts'
import { fillIn, signInToAccount, signInUrl, startReceiver } from './testing-pages.ts'

const open = async (page: Page, url: string, heading: string | RegExp): Promise<void> => {
  await page.goto(url)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
}

/** Whether a path of a page, which may contain names of fields, is this one. */
const matchesPath = (path: string, one: string): boolean =>
  new RegExp(
    `^${path
      .split(/\{\w+\}/)
      .map(RegExp.escape)
      .join('[^/]+')}$`,
  ).test(one)

async function settle(app: TestApp) {
  const client = await registerApp(app, { key: 'logbook', name: 'Logbook', owner: '@blake' })
  const tv = await registerApp(app, { key: 'tv', name: 'Cockpit TV', isPublic: true, isDeviceEnabled: true })
  const device = await exchange(app, { client_id: tv.clientId }, 'form', { path: '/oauth/v2/device/authorize' })
  await app.givePassword('avery')
  await app.as('avery')
  await app.sql(`
    update people set first_name = 'Avery', last_name = '${'Quinn'.repeat(20)}' where handle_key = 'avery';
    insert into organisations (key, name, sign_up_domains, created_at) values ('school', 'School', '{example.org}', now());
    insert into organisation_members (organisation_id, person_id, role) select o.id, p.id, 'owner' from organisations o, people p where p.handle_key = 'avery';
    insert into passkeys select gen_random_uuid(), 'x', id, '', 0, '{}', 'Laptop', now(), null from people where handle_key = 'avery'`)
  const who = { at: new Date(), requestId: 'test', address: '127.0.0.1' }
  const link = await makeResetLink(app.environment().db, who, { handle: 'avery' }, app.environment().get(messagePolicy))
  const unsubscribe = app.environment().get(unsubscribeLinks).makeUrl(1, 'assigned')
  const request = { redirectUri: 'https://app.example.org/callback', challenge: pkcePair().challenge }
  return {
    signIn: signInUrl(app.address, client, request),
    userCode: String(device.body.user_code),
    resetPath: link.slice(app.environment().url.length),
    unsubscribePath: unsubscribe.slice(app.environment().url.length),
  }
}

test('every page can be used by everybody', { skip: noChromium }, async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { SIGN_UP: 'on', ...WITH_PROVIDERS, ...mailbox.settings })
  const { signIn, userCode, resetPath, unsubscribePath } = await settle(app)
  await app.nobody().post('/account/v1/signup/ask', { email: 'robin@example.org' })
  const { pathname, search } = new URL((await mailbox.next()).link!)
  await connectProvider(app, 'school', await startLiar(t, { sub: 'a-1' }))
  const page = await openChromium(t)
  const problems = collectProblems(page)
  const seen = new Set<string>()
  page.on('framenavigated', (frame) => seen.add(new URL(frame.url()).pathname))
  const check = (name: string, show: () => Promise<void>) =>
    t.test(name, async () => {
      await show()
      await assertUsable(page, name)
      assert.deepEqual(problems, [])
    })
  const view = (path: string, heading: string) =>
    check(path.replace(/(code|token)=.*/, '$1=…'), () => open(page, `${app.address}${path}`, heading))

  await check('sign-in for an app', () => open(page, signIn, 'Sign in'))
  await check('a wrong password', async () => {
    await open(page, signIn, 'Sign in')
    await fillIn(page, '@avery', 'wrong')
    await page.getByRole('alert').waitFor()
  })
  await check('a request that cannot be used', () => open(page, `${app.address}/oauth/v2/signin`, /./))
  await view('/account/signin', 'Sign in')
  await view('/account/reset', 'Forgot your password?')
  await view('/account/reset?done=link-asked', 'Forgot your password?')
  await view(resetPath, 'Set a new password')
  await view('/account/reset?done=password-reset', 'Password changed')
  await view('/account/signup?done=sign-up-asked', 'Create account')
  await view(`${pathname}${search}`, 'Create account')
  await view('/account/join?organisation=school', 'Join School')
  await view('/account/provider?organisation=school', 'Sign in with School')
  await view('/account/provider/school/callback?state=x', 'You are not signed in')
  await view('/account/provider/signed-out', 'You are signed out')
  await view('/device', 'Connect a device')
  await view(unsubscribePath, 'Unsubscribe')

  await signInToAccount(page, app.address, '@avery')
  await check('consent', () => open(page, signIn, 'Allow Logbook?'))
  await check('a device’s code', async () => {
    await open(page, `${app.address}/device`, 'Connect a device')
    await page.getByLabel('Code').fill(userCode)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allow Cockpit TV on a device?' }).waitFor()
  })
  await view('/device/decided?decision=allow', 'Go back to your device')
  await view('/account/apps', 'What your apps can do')
  await view('/account/provider/test?organisation=school', 'Test the sign-in of School')
  await view('/oauth/v2/logout', 'Sign out?')
  await view('/oauth/v2/logout/confirm', 'Sign out?')

  // A GET of the consent path shows the same pages as the sign-in path, which are checked above.
  const showsNothing = (path: string) => path.endsWith('/consent')
  const isSeen = (path: string) => [...seen].some((one) => matchesPath(path, one))
  const unseen = pages.filter(({ method, path }) => method === 'GET' && !isSeen(path) && !showsNothing(path))
  assert.deepEqual(
    unseen.map(({ path }) => path),
    [],
    'a page that no test has looked at',
  )
})

test('everything can be done with the keyboard alone', { skip: noChromium }, async (t) => {
  const app = await testApp(t)
  const { port } = await startReceiver(t)
  const redirectUri = `http://127.0.0.1:${port}/callback`
  const client = await registerApp(app, { key: 'logbook', name: 'Logbook', redirectUris: [redirectUri] })
  await app.givePassword('avery')
  const page = await openChromium(t)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const tabTo = async (name: string) => {
    for (let steps = 0; steps < 20; steps++) {
      await press('Tab')
      if ((await page.evaluate('document.activeElement.textContent')) === name) return
    }
    assert.fail(`the Tab key does not lead to ${name}`)
  }
  await page.goto(signInUrl(app.address, client, { redirectUri, challenge: pkcePair().challenge }))
  await page.keyboard.type('@avery')
  await press('Tab')
  await page.keyboard.type(PASSWORD)
  await press('Tab', 'Space', 'Enter')
  await page.getByRole('heading', { name: 'Allow Logbook?' }).waitFor()
  const cookie = (await page.context().cookies()).find(({ name }) => name === 'gs_browser')
  assert.ok(cookie!.expires > Date.now() / 1000 + 86_400, 'the box for staying signed in was ticked')
  await tabTo('Allow')
  await press('Enter')
  await page.waitForURL(`${redirectUri}?code=*`)

  await page.goto(`${app.address}/account/security`)
  await page.getByRole('button', { name: 'Revoke access for Logbook' }).waitFor()
  await tabTo('Revoke access')
  await press('Enter')
  await page.getByRole('dialog').waitFor()
  await tabTo('Revoke access')
  await press('Enter')
  await page.getByText('Access revoked for Logbook').waitFor()
  await page.goto(`${app.address}/account`)
  await page.getByRole('heading', { level: 1, name: '@avery' }).waitFor()
  await tabTo('@avery')
  await press('Enter')
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  await press('ArrowUp', 'Enter')
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
})
