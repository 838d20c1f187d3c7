import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf, type Seen } from '../testing/browser.ts'
import { testApp } from '../testing/testing.ts'
import { call, isSignedIn, PASSWORD, signInBrowser, UNLIMITED } from './testing.ts'

const AVERY = { handle: 'avery', password: PASSWORD }
const COOKIE = 'gs_browser'

/** What two pages have to have in common: all but the keys, and what was typed. */
const plain = ({ text }: Seen): string => text.replace(/value="[^"]*"/g, 'value=""')

test('signing in to the platform itself', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.givePassword('avery')

  await t.test('the account page shows the sign-in form to a stranger, and the account afterwards', async () => {
    const browser = app.visitor()
    const page = await browser.get('/account')
    assert.equal(page.status, 200)
    assert.equal(page.text.match(/<h1>/g)?.length, 1)
    for (const field of ['handle', 'password'])
      assert.match(page.text, new RegExp(`<label for="${field}">[^<]+</label>\\s*<input id="${field}"`))
    assert.match(page.text, /autocomplete="username[^"]*"[\s\S]*autocomplete="current-password"/)
    const seen = await browser.submit(page, AVERY)
    assert.deepEqual([seen.status, seen.location], [303, '/account'])
    assert.match((await browser.follow(seen)).text, /You are signed in as <strong><bdi>@avery<\/bdi><\/strong>/)
    // Who is signed in needs no form.
    assert.equal((await browser.get('/account/signin')).location, '/account')
  })

  await t.test('an unknown handle and a wrong password give the same page, with the handle still there', async () => {
    const pages: Seen[] = []
    for (const handle of ['avery', 'nobody-at-all']) {
      const browser = app.visitor()
      const seen = await browser.submit(await browser.get('/account'), { handle, password: 'wrong password' })
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
    const page = await browser.get('/account')
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
    const page = await browser.get('/account')
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

  await t.test('O12: the cookie changes at sign-in, and the one from before is worth nothing', async () => {
    const attacker = app.visitor()
    await attacker.get('/account')
    const fixed = attacker.cookies.get(COOKIE)!
    assert.match(fixed, /^gs_br_/)

    const victim = app.visitor()
    victim.cookies.set(COOKIE, fixed)
    const page = await victim.get('/account')
    assert.equal(victim.cookies.get(COOKIE), fixed)
    assert.equal((await victim.submit(page, AVERY)).status, 303)
    assert.notEqual(victim.cookies.get(COOKIE), fixed)
    assert.equal(await isSignedIn(victim), true)
    assert.equal(await isSignedIn(attacker), false)
    // Nor is a form key from before.
    const form = formsOf(page.text)[0]!
    const before = await victim.post('/account/signin', { ...form.hidden, ...AVERY })
    assert.equal(before.status, 403)
  })

  await t.test('O12: signing in again leaves the cookie before it worthless too', async () => {
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
      const avery = await signInBrowser(app, 'avery')
      const blake = await signInBrowser(app, 'blake')
      await app.as('avery', 'first')
      const own = formsOf((await avery.get('/account')).text)
      const others = formsOf((await blake.get('/account')).text)
      const keyOf = (forms: typeof own, action: string) =>
        forms.find((form) => form.action === action)!.hidden.csrf_token!
      const session = own.find((form) => form.action === '/account/session/end')!.hidden
      const wrong = [
        {},
        { csrf_token: '' },
        { csrf_token: 'x'.repeat(43) },
        { csrf_token: keyOf(others, '/account/signout') },
        { csrf_token: keyOf(own, '/account/signout') },
      ]
      for (const fields of wrong) {
        const seen = await avery.post('/account/session/end', { sessionId: session.sessionId!, ...fields } as Record<
          string,
          string
        >)
        assert.equal(seen.status, 403)
        assert.match(seen.text, /role="alert">This form does not belong to this browser any more/)
        assert.match(seen.headers.get('content-type')!, /^text\/html/)
      }
      for (const path of [
        '/account/signout',
        '/account/sessions/end-all',
        '/account/password',
        '/account/reset',
        '/account/signin',
      ])
        assert.equal((await avery.post(path, { csrf_token: keyOf(others, '/account/signout') })).status, 403, path)
      assert.equal(await isSignedIn(avery), true)
      assert.equal((await avery.post('/account/session/end', session)).status, 303)
    },
  )

  await t.test('O12: a form that another site posts is refused, even with its key', async () => {
    const avery = await signInBrowser(app, 'avery')
    const form = formsOf((await avery.get('/account')).text).find(({ action }) => action === '/account/signout')!
    const post = (headers: Record<string, string>) =>
      avery.send(form.action, {
        method: 'POST',
        body: String(new URLSearchParams(form.hidden)),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      })
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: `${app.address}0` },
    ]
    for (const headers of foreign) assert.equal((await post(headers)).status, 403, JSON.stringify(headers))
    assert.equal(await isSignedIn(avery), true)
    assert.equal((await post({ 'sec-fetch-site': 'same-origin' })).status, 303)
    assert.equal(await isSignedIn(avery), false)
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

  await t.test('after signing out, people go on likewise', async () => {
    for (const [next, where] of [
      ['/device', '/device'],
      ['//evil.example', '/account?done=signed-out'],
    ] as const) {
      const browser = await signInBrowser(app, 'avery')
      const { hidden } = formsOf((await browser.get('/account')).text).find(
        ({ action }) => action === '/account/signout',
      )!
      const seen = await browser.post(`/account/signout?${new URLSearchParams({ next })}`, {
        csrf_token: hidden.csrf_token!,
      })
      assert.deepEqual([seen.status, seen.location], [303, where])
      assert.equal(browser.cookies.has(COOKIE), false)
    }
  })

  await t.test('a password in the address is not looked at', async () => {
    const browser = app.visitor()
    const form = formsOf((await browser.get('/account')).text)[0]!
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
      const seen = await browser.submit(await browser.get('/account'), { handle, password: PASSWORD })
      assert.equal(seen.status, 401)
    }
  })

  await t.test('every sign-in and sign-out is in the audit log', async () => {
    const since = Number((await app.sql('select max(id)::int as id from audit_entries'))[0]?.id)
    const browser = await signInBrowser(app, 'ellis')
    await browser.submit(await browser.get('/account'), {}, '/account/signout')
    const rows = await app.sql(
      `select e.action, p.handle_key as person from audit_entries e left join people p on p.id = e.person_id where e.id > ${since} order by e.id`,
    )
    assert.deepEqual(rows, [
      { action: 'sign-in.password', person: 'ellis' },
      { action: 'sign-out', person: 'ellis' },
    ])
  })
})
