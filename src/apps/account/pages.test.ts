import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { formsOf } from '../../operations/testing/browser.ts'
import { sharedApp, testApp } from '../../operations/testing/testing.ts'
import { enrolUsers } from '../apps/apps.ts'
import { call, isSignedIn, signInBrowser, UNLIMITED } from './testing.ts'

const PAGE = '/account/signup'
const ROBIN = { handle: ' robin', firstName: 'Robin', lastName: 'Adeyemi', dateOfBirth: '1999-04-02' }
const NEW = { new_password: 'a long password', again: 'a long password' }

test('an app is not shown as allowed before the person has allowed it', async () => {
  const app = await sharedApp()
  const [row] = await app.sql(
    `select a.id::int as app, p.id::int as person from apps a, people p where a.name = 'first' and p.handle_key = 'ellis'`,
  )
  const { db, clock } = app.environment()
  const who = { at: clock(), requestId: 'test', address: 'test' }
  await db.transaction((tx) => enrolUsers(tx, who, [{ appId: Number(row?.app), personId: Number(row?.person) }]))
  const ellis = await signInBrowser(app, 'ellis')
  const read = async () => (await call(ellis, 'GET', '/account/v1/apps')).body[0]
  const enrolled = await read()
  assert.deepEqual([enrolled.sinceDate, enrolled.allowedDate], [who.at.toISOString(), null])
  await app.as('ellis', 'first')
  assert.notEqual((await read()).allowedDate, null)
})

test('an account is made without a script, with a link that was sent', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, SIGN_UP: 'on', ...mailbox.settings })
  const browser = app.visitor()
  const signIn = await browser.get('/account/signin')
  assert.match(signIn.text, /<a href="\/account\/signup">Create account<\/a>/)

  const ask = await browser.get(PAGE)
  const faulty = await browser.submit(ask, { email: '"><script>' })
  assert.equal(faulty.status, 400)
  assert.match(faulty.text, /role="alert">Email must be an e-mail address.*value="&quot;&gt;&lt;script&gt;"/s)
  assert.match((await browser.submit(ask, { email: ' ' })).text, /role="alert">Type your e-mail address\./)
  const asked = await browser.submit(ask, { email: 'robin@example.org' })
  assert.deepEqual([asked.status, asked.location], [303, `${PAGE}?done=sign-up-asked`])
  assert.match((await browser.follow(asked)).text, /role="status">Check your e-mail\./)

  const link = new URL((await mailbox.next()).link!)
  assert.equal(link.pathname, PAGE)
  const code = link.searchParams.get('code')!
  const form = await browser.get(PAGE, { code })
  assert.match(form.text, /autocomplete="username"[\s\S]*autocomplete="bday"[\s\S]*autocomplete="new-password"/)
  for (const [fields, status, why] of [
    [{ ...ROBIN, ...NEW, again: 'x' }, 400, /The two new passwords are not the same\./],
    [{ ...ROBIN, ...NEW, handle: 'no handle' }, 400, /A handle must be 1 to 30 letters/],
    [{ ...ROBIN, ...NEW, dateOfBirth: 'spring' }, 400, /Type the date of birth as year, month and day/],
    [
      { ...ROBIN, ...NEW, dateOfBirth: `${new Date().getFullYear() - 8}-01-01` },
      403,
      /get their account from a parent/,
    ],
    [{ ...ROBIN, ...NEW, handle: '@avery' }, 400, /handle/i],
  ] as const) {
    const seen = await browser.submit(form, fields)
    assert.equal(seen.status, status, seen.text)
    assert.match(seen.text, new RegExp(`role="alert">[^<]*${why.source}`, why.flags))
    assert.ok(seen.text.includes('value="Adeyemi"') && !seen.text.includes(NEW.new_password))
  }
  const made = await browser.submit(form, { ...ROBIN, ...NEW })
  assert.deepEqual([made.status, made.location], [303, '/account'])
  assert.deepEqual((await call(browser, 'GET', '/account/v1/me')).body, { handle: '@robin', name: 'Robin Adeyemi' })

  // The link is used up, so it does not work for anybody else who finds it.
  const again = await app.visitor().get(PAGE, { code })
  assert.match(again.text, /role="alert">This link, or another one for the same address, was already used/)
  assert.deepEqual(Object.keys(formsOf(again.text)[0]!.hidden), ['csrf_token'])
  assert.match((await app.visitor().get(PAGE, { code: 'x' })).text, /role="alert">This link is incomplete/)
})

test('where administrators make accounts, the page says so and the sign-in page leads nowhere', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  const browser = app.visitor()
  assert.doesNotMatch((await browser.get('/account/signin')).text, /signup/)
  for (const query of [{}, { code: 'gs_su_x' }]) {
    const page = await browser.get(PAGE, query as Record<string, string>)
    assert.match(page.text, /Only administrators can create accounts here\./)
    assert.deepEqual(formsOf(page.text), [])
  }
  assert.equal(mailbox.count(), 0)
  assert.equal(await isSignedIn(browser), false)
})
