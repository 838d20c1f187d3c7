import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enrolUsers } from '../apps/apps.ts'
import { until } from '../database/test-database.ts'
import { formsOf } from '../testing/browser.ts'
import { type Client, testApp } from '../testing/testing.ts'
import { call, isSignedIn, signInBrowser, UNLIMITED } from './testing.ts'

const WITHIN_MS = 1_000
const isDead = async (client: Client) => (await client.get('/app/v1/bucket/list')).status === 403

test('the page of one’s apps and devices', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.sql(`
    insert into organisations (key, name, created_at) values ('club', 'Flying Club', now());
    update apps set organisation_id = (select id from organisations) where name = 'first';
    update apps set owner_id = (select id from people where handle_key = 'drew') where name = 'second'`)

  await t.test('says of no app that one consented before one did', async () => {
    const [row] = await app.sql(
      `select a.id::int as app, p.id::int as person from apps a, people p where a.name = 'first' and p.handle_key = 'ellis'`,
    )
    const { db, clock } = app.environment()
    const who = { at: clock(), requestId: 'test', address: 'test' }
    await enrolUsers(db, who, [{ appId: Number(row?.app), personId: Number(row?.person) }])
    const ellis = await signInBrowser(app, 'ellis')
    const [enrolled] = (await call(ellis, 'GET', '/account/v1/apps')).body
    assert.deepEqual([enrolled.sinceDate, enrolled.allowedDate], [who.at.toISOString(), null])
    const before = (await ellis.get('/account')).text
    assert.match(before, /You were enrolled .*, and are asked when you first sign in there\./)
    assert.ok(!before.includes('You consented'))
    await app.as('ellis', 'first')
    const after = (await ellis.get('/account')).text
    assert.match(after, /You consented /)
    assert.ok(!after.includes('You were enrolled'))
  })

  await t.test('shows all of it, and does what the operations do', async () => {
    const casey = await signInBrowser(app, 'casey')
    const elsewhere = await signInBrowser(app, 'casey')
    const inFirst = await app.as('casey', 'first')
    const inSecond = await app.as('casey', 'second')
    const page = await casey.get('/account')
    assert.equal(page.status, 200)
    assert.equal(page.text.match(/<h1>/g)?.length, 1)
    assert.match(page.text, /<h1>Your apps and devices<\/h1>/)
    for (const word of ['Flying Club', '@drew', '@casey', 'Withdraw consent', 'Sign out everywhere else'])
      assert.ok(page.text.includes(word), word)
    assert.equal(page.text.match(/You consented /g)?.length, 2)
    assert.doesNotMatch(page.text, /<script(?! type="module" src="\/web\/[\w.-]+"><)|style=|javascript:| on[a-z]+="/i)
    assert.match(page.headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')

    const ended = await casey.submit(page, {}, '/account/session/end')
    assert.deepEqual([ended.status, ended.location], [303, '/account?done=session-ended'])
    assert.match((await casey.follow(ended)).text, /role="status">The session has ended\./)
    await until('one of the two is dead', async () => (await isDead(inFirst)) !== (await isDead(inSecond)), WITHIN_MS)
    // A second click on the same button of a page that is out of date.
    assert.equal((await casey.submit(page, {}, '/account/session/end')).location, '/account?done=session-ended')

    for (const clientId of ['gs-first', 'gs-second'])
      assert.equal(
        (await casey.submit(page, { clientId }, '/account/app/withdraw')).location,
        '/account?done=withdrawn',
      )
    assert.equal(
      (await casey.submit(page, { clientId: 'gs-first' }, '/account/app/withdraw')).location,
      '/account?done=gone',
    )
    for (const client of [inFirst, inSecond]) await until('the token is dead', () => isDead(client), WITHIN_MS)

    assert.equal((await casey.submit(page, {}, '/account/browser/end')).location, '/account?done=browser-ended')
    assert.equal(await isSignedIn(elsewhere), false)
    assert.equal((await casey.submit(page, {}, '/account/sessions/end-all')).location, '/account?done=all-ended')
    const out = await casey.submit(page, {}, '/account/signout')
    assert.deepEqual([out.status, out.location], [303, '/account?done=signed-out'])
    const after = await casey.follow(out)
    assert.match(after.text, /You are signed out here\..*action="\/account\/signin"/s)
    // The page is still open in another window; its buttons do nothing any more.
    assert.equal((await casey.submit(page, {}, '/account/session/end')).status, 403)
  })

  await t.test('gives one of a few notices; an address cannot make it say anything else', async () => {
    const browser = app.visitor()
    for (const done of ['<b>hello', 'constructor', '__proto__', 'Your account is locked, call 555'])
      assert.doesNotMatch((await browser.get('/account', { done })).text, /hello|role="status"|function|locked/)
  })

  await t.test('shows names of apps and devices as text, whatever is in them', async () => {
    const drew = await signInBrowser(app, 'drew')
    await app.as('drew', 'first')
    await app.sql(`update apps set name = '<img src=x>"''&' where client_id = 'gs-first';
      update sessions set device = '<script>alert(1)</script>\u202e' where ended_at is null`)
    const { text } = await drew.get('/account')
    assert.match(text, /<h3><bdi>&lt;img src=x&gt;&quot;&#39;&amp;<\/bdi><\/h3>/)
    assert.match(text, /<p>&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/p>/)
    assert.doesNotMatch(text, /<img|<script>/)
    assert.ok(formsOf(text).length >= 4)
    await app.sql(`update apps set name = 'first' where client_id = 'gs-first'`)
  })
})
