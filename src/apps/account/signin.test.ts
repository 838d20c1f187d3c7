import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf, type Seen } from '../../operations/testing/browser.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { call, isSignedIn, PASSWORD, signInBrowser, UNLIMITED } from './testing.ts'

const AVERY = { handle: 'avery', password: PASSWORD }
const COOKIE = 'gs_browser'

/** Returns the page without form tokens and typed values, so that two pages can be compared. */
const plain = ({ text }: Seen): string => text.replace(/value="[^"]*"/g, 'value=""')

test('signing in to the platform itself', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.givePassword('avery')

  await t.test(
    'a stranger is shown a form that works without a script, and led to the account afterwards',
    async () => {
      const browser = app.visitor()
      const page = await browser.get('/account/signin')
      assert.equal(page.status, 200)
      assert.equal(page.text.match(/<h1>/g)?.length, 1)
      for (const field of ['handle', 'password'])
        assert.match(page.text, new RegExp(`<label for="${field}">[^<]+</label>\\s*<input id="${field}"`))
      assert.match(page.text, /autocomplete="username[^"]*"[\s\S]*autocomplete="current-password"/)
      const seen = await browser.submit(page, AVERY)
      assert.deepEqual([seen.status, seen.location], [303, '/account'])
      assert.equal(await isSignedIn(browser), true)
      // A person who is already signed in is redirected, and does not see the form.
      assert.equal((await browser.get('/account/signin')).location, '/account')
    },
  )

  await t.test('an unknown handle and a wrong password give the same page, with the handle still there', async () => {
    const pages: Seen[] = []
    for (const handle of ['avery', 'nobody-at-all']) {
      const browser = app.visitor()
      const seen = await browser.submit(await browser.get('/account/signin'), { handle, password: 'wrong password' })
      assert.equal(seen.status, 401)
      assert.match(seen.text, /role="alert">The handle or the password is wrong\./)
      assert.match(seen.text, new RegExp(`id="handle" name="handle" value="${handle}"`))
      assert.doesNotMatch(seen.text, /wrong password"/)
      assert.equal(await isSignedIn(browser), false)
      pages.push(seen)
    }
    assert.equal(plain(pages[0]!), plain(pages[1]!))
  })

  await t.test('what was typed is shown as text, and a form that is not filled in is shown again', async () => {
    const browser = app.visitor()
    const page = await browser.get('/account/signin')
    const handle = '"><script>alert(1)</script>'
    const seen = await browser.submit(page, { handle, password: 'x' })
    assert.match(seen.text, /value="&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;"/)
    for (const fields of [
      {},
      { handle: 'casey' },
      { password: 'x' },
      { handle: 'x'.repeat(3000), password: 'y'.repeat(3000) },
    ])
      assert.equal((await browser.submit(page, fields as Record<string, string>)).status, 401)
  })

  await t.test('too many failures show the wait in words, with 429', async () => {
    const browser = app.visitor()
    const page = await browser.get('/account/signin')
    const waits = new Set<string>()
    for (const handle of ['blake', 'nobody-else']) {
      for (let i = 0; i < 10; i++) {
        const seen = await browser.submit(page, { handle, password: 'wrong password' })
        if (seen.status !== 429) {
          assert.equal(seen.status, 401)
          continue
        }
        assert.match(seen.text, /role="alert">Too many failed tries\. Wait \d+ seconds?, then try again\./)
        assert.match(seen.headers.get('retry-after')!, /^\d+$/)
        assert.match(seen.text, new RegExp(`name="handle" value="${handle}"`))
        waits.add(handle)
      }
    }
    assert.deepEqual([...waits], ['blake', 'nobody-else'])
    app.advance(3_600_000)
  })

  await t.test('O12: the cookie changes at sign-in, and the previous one is worthless', async () => {
    const attacker = app.visitor()
    await attacker.get('/account/signin')
    const fixed = attacker.cookies.get(COOKIE)!
    assert.match(fixed, /^gs_br_/)

    const victim = app.visitor()
    victim.cookies.set(COOKIE, fixed)
    const page = await victim.get('/account/signin')
    assert.equal(victim.cookies.get(COOKIE), fixed)
    assert.equal((await victim.submit(page, AVERY)).status, 303)
    assert.notEqual(victim.cookies.get(COOKIE), fixed)
    assert.equal(await isSignedIn(victim), true)
    assert.equal(await isSignedIn(attacker), false)
    // A CSRF token from before the sign-in is no longer accepted.
    const form = formsOf(page.text)[0]!
    const before = await victim.post('/account/signin', { ...form.hidden, ...AVERY })
    assert.equal(before.status, 403)
  })

  await t.test('O12: signing in again makes the previous cookie worthless too', async () => {
    const browser = await signInBrowser(app, 'avery')
    const old = browser.cookies.get(COOKIE)!
    assert.equal((await call(browser, 'POST', '/account/v1/signin', AVERY)).status, 200)
    const copy = app.visitor()
    copy.cookies.set(COOKIE, old)
    assert.deepEqual(await Promise.all([isSignedIn(browser), isSignedIn(copy)]), [true, false])
  })

  await t.test(
    'O12: a form without its key, with the key of another browser or of another form is refused',
    async () => {
      const [browser, other] = [app.visitor(), app.visitor()]
      const keyOf = async (from: typeof browser, path: string) =>
        formsOf((await from.get(path)).text)[0]!.hidden.csrf_token!
      for (const [path, another] of [
        ['/account/signin', '/account/reset'],
        ['/account/reset', '/account/signin'],
        ['/account/signup', '/account/reset'],
      ] as const)
        for (const key of [
          undefined,
          '',
          'x'.repeat(43),
          await keyOf(other, '/account/signin'),
          await keyOf(browser, another),
        ]) {
          if (path === '/account/signin' && key !== undefined && key === (await keyOf(browser, path))) continue
          const seen = await browser.post(path, { ...AVERY, ...(key !== undefined && { csrf_token: key }) })
          assert.equal(seen.status, 403, path)
          assert.match(seen.headers.get('content-type')!, /^text\/html/)
        }
      assert.equal(await isSignedIn(browser), false)
    },
  )

  await t.test('O12: a form that another site posts is refused, even with its key', async () => {
    const browser = app.visitor()
    const form = formsOf((await browser.get('/account/signin')).text)[0]!
    const post = (headers: Record<string, string>) =>
      browser.send(form.action, {
        method: 'POST',
        body: String(new URLSearchParams({ ...form.hidden, ...AVERY })),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      })
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: `${app.address}0` },
    ]
    for (const headers of foreign) assert.equal((await post(headers)).status, 403, JSON.stringify(headers))
    assert.equal(await isSignedIn(browser), false)
    assert.equal((await post({ 'sec-fetch-site': 'same-origin' })).status, 303)
    assert.equal(await isSignedIn(browser), true)
  })

  await t.test('shows one of a few notices; a URL cannot make it show anything else', async () => {
    const browser = app.visitor()
    const look = async (done: string) => (await browser.get('/account/signin', { done })).text
    assert.match(await look('account-deleted'), /role="status">Account deleted\./)
    for (const done of ['<b>hello', 'constructor', '__proto__', 'Your account is locked, call 555'])
      assert.doesNotMatch(await look(done), /hello|role="status"|function|locked/)
  })

  await t.test('after signing in, people go on to where they came from, and nowhere else', async () => {
    const next = '/device?user_code=ABCD-EFGH'
    const browser = app.visitor()
    const page = await browser.get('/account/signin', { next })
    const failed = await browser.submit(page, { handle: 'avery', password: 'wrong password' })
    assert.equal(failed.status, 401)
    const seen = await browser.submit(failed, AVERY)
    assert.deepEqual([seen.status, seen.location], [303, next])
    assert.equal((await browser.get('/account/signin', { next })).location, next)

    for (const bad of ['https://evil.example/', '//evil.example', '/\\evil.example', '/\t/evil.example', 'x', '']) {
      const stranger = app.visitor()
      const form = await stranger.get('/account/signin', { next: bad })
      assert.equal(form.status, 200)
      assert.equal(formsOf(form.text)[0]!.action, '/account/signin')
      const key = formsOf(form.text)[0]!.hidden
      const answer = await stranger.post(`/account/signin?${new URLSearchParams({ next: bad })}`, { ...key, ...AVERY })
      assert.equal(answer.location, '/account', bad)
      assert.equal((await stranger.get('/account/signin', { next: bad })).location, '/account', bad)
    }
    assert.equal((await app.visitor().send('/account/signin?next=/a&next=/b')).status, 400)
  })

  await t.test('a password in the address is not looked at', async () => {
    const browser = app.visitor()
    const form = formsOf((await browser.get('/account/signin')).text)[0]!
    const seen = await browser.post(`/account/signin?${new URLSearchParams(AVERY)}`, form.hidden)
    assert.equal(seen.status, 401)
  })

  await t.test('somebody who was disabled or has no password does not come in', async () => {
    await app.givePassword('casey')
    const casey = await signInBrowser(app, 'casey')
    await app.sql(`update people set disabled_at = now() where handle_key = 'casey'`)
    assert.equal(await isSignedIn(casey), false)
    for (const handle of ['casey', 'drew']) {
      const browser = app.visitor()
      const seen = await browser.submit(await browser.get('/account/signin'), { handle, password: PASSWORD })
      assert.equal(seen.status, 401)
    }
  })

  await t.test('every sign-in and sign-out is in the audit log', async () => {
    const since = Number((await app.sql('select max(id)::int as id from audit_entries'))[0]?.id)
    const browser = await signInBrowser(app, 'ellis')
    await call(browser, 'POST', '/account/v1/signout', {})
    const rows = await app.sql(
      `select e.action, p.handle_key as person from audit_entries e left join people p on p.id = e.person_id where e.id > ${since} order by e.id`,
    )
    assert.deepEqual(rows, [
      { action: 'sign-in.password', person: 'ellis' },
      { action: 'sign-out', person: 'ellis' },
    ])
  })
})
