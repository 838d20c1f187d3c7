import assert from 'node:assert/strict'
import { test } from 'node:test'
import { c, write } from '../../kernel/database/statement.ts'
import { until } from '../../kernel/database/test-database.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { formsOf } from '../../operations/testing/browser.ts'
import { assertError, Client, testApp } from '../../operations/testing/testing.ts'
import { call, isSignedIn, PASSWORD, signInBrowser, UNLIMITED } from './testing.ts'

const LIST = '/app/v1/bucket/list'
const NEW = 'a new password'
/** Starts a new epoch, as signing out everywhere else does. */
const growEpoch = write('test.account.growEpoch', {
  params: { handle: c.text },
  row: { epoch: c.int4 },
  text: `update people set epoch = epoch + 1 where handle_key = :handle returning epoch`,
})
const twice = (password: string) => ({ new_password: password, again: password })

test("changing one's own password", async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  const second = await app.startSecond(mailbox.settings)
  await app.sql(`update people set email = handle_key || '@example.org'`)
  const canSignIn = async (handle: string, password: string) =>
    (await call(app.visitor(), 'POST', '/account/v1/signin', { handle, password })).status === 200
  /** Sets up a person with two browsers, and a token that both processes have cached. */
  const settle = async (person: 'avery' | 'blake' | 'casey' | 'drew' | 'ellis') => {
    const here = await signInBrowser(app, person)
    const there = await signInBrowser(app, person)
    const token = await app.as(person)
    const clients = [token, new Client(second.addresses.production, token.token)]
    for (const client of clients) assert.equal((await client.get(LIST)).status, 200)
    const assertEnded = async () => {
      for (const client of clients)
        await until('the token is dead', async () => (await client.get(LIST)).status === 403, 1_000)
      assert.equal(await isSignedIn(there), false)
    }
    return { here, there, assertEnded }
  }

  await t.test(
    'a change ends everything else, and the person stays signed in here with a new cookie (O15)',
    async () => {
      const { here, assertEnded } = await settle('avery')
      const old = here.cookies.get('gs_browser')!
      const answer = await call(here, 'POST', '/account/v1/password', { password: PASSWORD, newPassword: NEW })
      assert.deepEqual(answer.body, { success: true, passkeys: [] })
      await assertEnded()
      assert.equal(await isSignedIn(here), true)
      assert.notEqual(here.cookies.get('gs_browser'), old)
      const copy = app.visitor()
      copy.cookies.set('gs_browser', old)
      assert.equal(await isSignedIn(copy), false)
      assert.deepEqual(await Promise.all([canSignIn('avery', PASSWORD), canSignIn('avery', NEW)]), [false, true])
      assert.match((await mailbox.next()).to, /avery@example\.org/)
    },
  )

  await t.test('a kept browser stays kept', async () => {
    await app.givePassword('casey')
    const browser = app.visitor()
    await call(browser, 'POST', '/account/v1/signin', { handle: 'casey', password: PASSWORD, keep: true })
    const answer = await call(browser, 'POST', '/account/v1/password', { password: PASSWORD, newPassword: NEW })
    assert.match(answer.headers.get('set-cookie')!, /Max-Age=2592000/)
    await mailbox.next()
  })

  await t.test('mistakes are explained, and change nothing', async () => {
    const casey = await signInBrowser(app, 'casey')
    for (const [password, newPassword, status, words] of [
      ['wrong password', NEW, 401, /The current password is wrong/],
      [PASSWORD, 'short', 400, /8 to 1000 characters/],
      [PASSWORD, PASSWORD, 400, /must differ/],
    ] as const) {
      const answer = await call(casey, 'POST', '/account/v1/password', { password, newPassword })
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.body.error_description, words)
      assert.ok(!answer.text.includes(NEW) && !answer.text.includes('wrong password'))
    }
    assert.equal(await isSignedIn(casey), true)
    assert.equal(await canSignIn('casey', PASSWORD), true)
  })

  await t.test('guessing the current password leads to waits', async () => {
    const drew = await signInBrowser(app, 'drew')
    let waited = 0
    for (let i = 0; i < 10; i++) {
      const fields = { password: `guess ${i}`, newPassword: NEW }
      const answer = await call(drew, 'POST', '/account/v1/password', fields)
      if (answer.status !== 429) continue
      waited++
      assert.match(answer.headers.get('retry-after')!, /^\d+$/)
    }
    assert.ok(waited > 0)
    app.advance(3_600_000)
  })

  await t.test(
    'who is signed out from elsewhere meanwhile is told so, and not that the password is wrong',
    async () => {
      const browser = await signInBrowser(app, 'blake')
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      /** Runs `change`, and signs the person out from elsewhere before it writes the new password. */
      const changeMeanwhile = async <T>(change: () => Promise<T>): Promise<T> => {
        let changing: Promise<T> | undefined
        await app.environment().db.transaction(async (tx) => {
          await tx.first(growEpoch, { handle: 'blake' })
          changing = change()
          await until('the change waits', async () => (await app.sql(waiting)).length > 0)
        })
        return changing!
      }
      const fields = { password: PASSWORD, newPassword: NEW }
      const answer = await changeMeanwhile(() => call(browser, 'POST', '/account/v1/password', fields))
      assertError(answer, 400, 4006, /changed in another browser in the meantime; sign in and try again/)
      assert.equal(await isSignedIn(browser), false)

      assert.equal(await canSignIn('blake', PASSWORD), true)
    },
  )

  await t.test('a forgotten password is replaced with a link, which ends everything else', async () => {
    const { here, assertEnded } = await settle('ellis')
    const browser = app.visitor()
    const ask = await browser.get('/account/reset')
    const asked = await browser.submit(ask, { handle: '@Ellis' })
    assert.deepEqual([asked.status, asked.location], [303, '/account/reset?done=link-asked'])
    assert.match((await browser.follow(asked)).text, /role="status">If an account with that handle/)
    const { link, to } = await mailbox.next()
    assert.match(to, /ellis@example\.org/)
    const { pathname, searchParams } = new URL(link!)
    assert.equal(pathname, '/account/reset')

    const form = await browser.get('/account/reset', { code: searchParams.get('code')! })
    assert.match(form.text, /value="@ellis" autocomplete="username" readonly/)
    assert.match(form.text, /At least 8 characters/)
    assert.equal(form.text.match(/autocomplete="new-password"/g)?.length, 2)
    for (const [fields, words] of [
      [twice('short'), /8 to 1000 characters/],
      [{ new_password: NEW, again: 'x' }, /not the same/],
    ] as const) {
      const again = await browser.submit(form, fields)
      assert.equal(again.status, 400)
      assert.match(again.text, words)
      assert.match(again.text, /<h1>Set a new password<\/h1>/)
    }
    assert.equal(await isSignedIn(here), true)

    const seen = await browser.submit(form, twice(NEW))
    assert.deepEqual([seen.status, seen.location], [303, '/account/reset?done=password-reset'])
    const done = (await browser.follow(seen)).text
    assert.match(done, /@ellis/)
    assert.match(done, /<h1>Password changed<\/h1>.* If you came from an app, go back to it and sign in again\./s)
    await assertEnded()
    assert.equal(await isSignedIn(here), false)
    assert.equal(await canSignIn('ellis', NEW), true)
    await mailbox.next()

    const used = await app.visitor().get('/account/reset', { code: searchParams.get('code')! })
    assert.equal(used.status, 400)
    assert.match(used.text, /role="alert">This link was already used.*<h1>|<h1>Forgot your password\?<\/h1>/s)
  })

  await t.test('an invalid link, and an expired one, lead to the form for another', async () => {
    for (const code of ['x', 'gs_pr_'.padEnd(60, 'x')]) {
      const seen = await app.visitor().get('/account/reset', { code })
      assert.equal(seen.status, 401)
      assert.match(seen.text, /<h1>Forgot your password\?<\/h1>[\s\S]*role="alert"[\s\S]*name="handle"/)
    }
    await call(app.visitor(), 'POST', '/account/v1/password/reset/ask', { handle: 'avery' })
    const code = new URL((await mailbox.next()).link!).searchParams.get('code')!
    const browser = app.visitor()
    const form = await browser.get('/account/reset', { code })
    app.advance(31 * 60_000)
    const late = await browser.submit(form, twice('yet another password'))
    assert.equal(late.status, 401)
    assert.match(late.text, /<h1>Forgot your password\?<\/h1>/)
    assert.equal(await isSignedIn(browser), false)
  })

  await t.test('asking gives the same answer for every handle', async () => {
    const answers = await Promise.all(
      ['avery', 'nobody-at-all'].map((handle) =>
        call(app.visitor(), 'POST', '/account/v1/password/reset/ask', { handle }),
      ),
    )
    for (const answer of answers) assert.deepEqual([answer.status, answer.text], [200, '{"success":true}'])
    await mailbox.next()
    const pages = await Promise.all(
      ['casey', 'nobody-at-all'].map(async (handle) => {
        const browser = app.visitor()
        return browser.follow(await browser.submit(await browser.get('/account/reset'), { handle }))
      }),
    )
    const plain = pages.map(({ text }) => text.replace(/value="[^"]*"/g, ''))
    assert.equal(plain[0], plain[1])
    await mailbox.next()
    const browser = app.visitor()
    const empty = await browser.submit(await browser.get('/account/reset'), { handle: ' ' })
    assert.equal(empty.status, 400)
    assert.match(
      empty.text,
      /role="alert">Type your handle or e-mail address\.[\s\S]*<label for="handle">Handle or e-mail address</,
    )
  })

  await t.test('the operation accepts a code once, however many try at once', async () => {
    await call(app.visitor(), 'POST', '/account/v1/password/reset/ask', { handle: 'drew' })
    const code = new URL((await mailbox.next()).link!).searchParams.get('code')!
    assertError(await call(app.visitor(), 'POST', '/account/v1/password/reset', { code, password: 'short' }), 400, 4003)
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        call(app.visitor(), 'POST', '/account/v1/password/reset', { code, password: `${NEW} ${i}` }),
      ),
    )
    const winner = answers.findIndex(({ status }) => status === 200)
    for (const [i, answer] of answers.entries())
      if (i === winner) assert.deepEqual(answer.body, { success: true, passkeys: [] })
      else assertError(answer, 400, 4008)
    assert.equal(await canSignIn('drew', `${NEW} ${winner}`), true)
    assertError(
      await call(app.visitor(), 'POST', '/account/v1/password/reset', { code: 'x', password: NEW }),
      401,
      4015,
    )
  })
})

test('without a way to send messages, the page says whom to ask', async (t) => {
  const app = await testApp(t, { MESSAGES: 'off' })
  const browser = app.visitor()
  const page = await browser.get('/account/reset')
  assert.equal(page.status, 200)
  assert.match(page.text, /can’t send e-mails\. Ask an administrator/)
  assert.deepEqual(formsOf(page.text), [])
  assertError(await call(browser, 'POST', '/account/v1/password/reset/ask', { handle: 'avery' }), 400, 4006)
})
