import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isSignedIn, PASSWORD, signInBrowser, UNLIMITED } from '../account/testing.ts'
import { yearsAgo } from '../families/testing.ts'
import { signInToAccount } from '../oauth/testing-pages.ts'
import { formsOf, type TestBrowser } from '../testing/browser.ts'
import { assertUsable, collectProblems, noChromium, openChromium } from '../testing/chromium.ts'
import { type TestApp, testApp } from '../testing/testing.ts'
import { unzip } from './testing.ts'

const DATA = '/account/data'
const DOWNLOAD = `${DATA}/download`
const DELETE = `${DATA}/delete`

const isThere = async (app: TestApp, handle: string) =>
  (await app.sql(`select 1 from people where handle = '${handle}'`)).length === 1

/** Fills in a form as a browser does, and gives the bytes of what comes back. */
async function fill(browser: TestBrowser, action: string, fields: Record<string, string>) {
  const form = formsOf((await browser.get(DATA)).text).find((one) => one.action === action)!
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${browser.address}${action}`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ ...form.hidden, ...fields }),
    redirect: 'manual',
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, bytes, text: bytes.toString('utf8') }
}

test('the page of one’s data', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await signInBrowser(app, 'avery')

  await t.test('is for whoever is signed in', async () => {
    const away = await app.visitor().get(DATA)
    assert.deepEqual([away.status, away.location], [303, '/account/signin?next=%2Faccount%2Fdata'])
    assert.match((await avery.get('/account')).text, /<a href="\/account\/data">Your data<\/a>/)
  })

  await t.test('gives everything as a zip, for the password', async () => {
    for (const [fields, status, why] of [
      [{ password: 'wrong' }, 401, /role="alert">The current password is wrong/],
      [{ password: '' }, 400, /role="alert">Password is missing/],
    ] as const) {
      const seen = await fill(avery, DOWNLOAD, fields)
      assert.equal(seen.status, status)
      assert.match(seen.text, why)
      assert.match(seen.text, /<h1>Your data<\/h1>/)
    }
    const got = await fill(avery, DOWNLOAD, { password: PASSWORD })
    assert.equal(got.status, 200)
    assert.equal(got.headers.get('content-type'), 'application/zip')
    assert.match(got.headers.get('content-disposition')!, /^attachment; filename="groundschool-avery-[\d-]+\.zip"$/)
    assert.equal(got.headers.get('cache-control'), 'no-store')
    const files = unzip(got.bytes)
    assert.equal(JSON.parse(files.get('profile.json')!.toString('utf8')).handle, '@avery')
    await app.sql('delete from sign_in_failures')
  })

  await t.test('O12: a form without its key, with that of another form or of another browser is refused', async () => {
    const blake = await signInBrowser(app, 'blake')
    const keyOf = async (browser: TestBrowser, action: string) =>
      formsOf((await browser.get(DATA)).text).find((one) => one.action === action)!.hidden.csrf_token!
    for (const [action, other] of [
      [DOWNLOAD, DELETE],
      [DELETE, DOWNLOAD],
    ] as const) {
      for (const key of [undefined, '', await keyOf(avery, other), await keyOf(blake, action)]) {
        const fields = { handle: '@avery', password: PASSWORD, ...(key === undefined ? {} : { csrf_token: key }) }
        assert.equal((await avery.post(action, fields)).status, 403)
      }
    }
    assert.ok(await isThere(app, '@avery'))
  })

  await t.test('deletes the account for the handle and the password, and not without', async () => {
    const elsewhere = await signInBrowser(app, 'avery')
    const inApp = await app.as('avery')
    for (const [fields, status, why] of [
      [{ handle: '@blake', password: PASSWORD }, 400, /role="alert">Handle must be your own, @avery/],
      [{ handle: '', password: PASSWORD }, 400, /role="alert">Handle must be your own, @avery/],
      [{ handle: '@avery', password: 'wrong' }, 401, /role="alert">The current password is wrong/],
      [{ handle: '@avery', password: '' }, 400, /role="alert">Password is missing/],
    ] as const) {
      const seen = await fill(avery, DELETE, fields)
      assert.equal(seen.status, status)
      assert.match(seen.text, why)
      assert.ok(seen.text.includes(`value="${fields.handle}"`), 'what was typed is kept')
    }
    assert.ok(await isThere(app, '@avery'))
    const page = await avery.get(DATA)
    const gone = await avery.submit(page, { handle: 'Avery', password: PASSWORD }, DELETE)
    assert.deepEqual([gone.status, gone.location], [303, '/account?done=account-deleted'])
    assert.match(gone.headers.get('set-cookie')!, /max-age=0/i)
    assert.match((await avery.follow(gone)).text, /Your account is deleted\..*<h1>Sign in|<h1>Sign in.*is deleted/s)
    assert.equal(await isThere(app, '@avery'), false)
    assert.equal(await isSignedIn(elsewhere), false)
    assert.equal((await inApp.get('/user/v1/my/profile')).status, 403)
  })

  await t.test('a child asks a parent', async () => {
    const casey = await signInBrowser(app, 'casey')
    const before = await casey.get(DATA)
    await app.sql(`update people set date_of_birth = '${yearsAgo(9)}' where handle_key = 'casey'`)
    await app.sql(`insert into guardians (child_id, parent_id, created_at)
      select c.id, p.id, now() from people c, people p where c.handle = '@casey' and p.handle = '@drew'`)
    const page = await casey.get(DATA)
    assert.match(page.text, /A parent can delete your account/)
    assert.ok(!formsOf(page.text).some(({ action }) => action === DELETE))
    const forged = await casey.submit(before, { handle: '@casey', password: PASSWORD }, DELETE)
    assert.equal(forged.status, 403)
    assert.match(forged.text, /role="alert">You cannot delete your account yet: ask a parent/)
    assert.ok(await isThere(app, '@casey'))
  })

  await t.test('and goes by itself where there is none', async () => {
    await app.sql(`delete from guardians`)
    await app.sql(`update people set date_of_birth = '${yearsAgo(9)}' where handle_key = 'casey'`)
    const casey = await signInBrowser(app, 'casey')
    assert.equal((await fill(casey, DELETE, { handle: '@casey', password: 'wrong' })).status, 401)
    assert.equal((await fill(casey, DELETE, { handle: '@casey', password: PASSWORD })).status, 303)
    assert.equal(await isThere(app, '@casey'), false)
  })

  await t.test('whoever has no password has to have signed in just now', async () => {
    const drew = await signInBrowser(app, 'drew')
    await app.sql(`update people set password_hash = null where handle_key = 'drew'`)
    assert.equal((await fill(drew, DOWNLOAD, { password: '' })).status, 200)
    app.advance(11 * 60_000)
    const late = await fill(drew, DELETE, { handle: '@drew', password: '' })
    assert.equal(late.status, 401)
    assert.match(late.text, /role="alert">Sign in again first/)
    assert.ok(await isThere(app, '@drew'))
  })
})

test('one’s data in a real browser, without scripts', { skip: noChromium }, async (t) => {
  const app = await testApp(t)
  await app.givePassword('avery')
  const page = await openChromium(t, { javaScriptEnabled: false })
  const problems = collectProblems(page)
  await signInToAccount(page, app.address, '@avery')
  await page.getByRole('link', { name: 'Your data' }).click()
  const download = page.waitForEvent('download')
  await page.locator('#download-password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  const file = await download
  assert.match(file.suggestedFilename(), /^groundschool-avery-[\d-]+\.zip$/)
  assert.ok(unzip(readFileSync(await file.path())).has('README.txt'))
  assert.equal(new URL(page.url()).pathname, DATA, 'the page stays')

  await page.getByLabel('Your handle, typed once more').fill('@blake')
  await page.locator('#delete-password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Delete @avery for good' }).click()
  await page.getByRole('alert').waitFor()
  const { y } = (await page.getByRole('alert').boundingBox())!
  assert.ok(y >= 0 && y < 720, `the alert is in sight, at ${y}`)
  await assertUsable(page, 'a handle of somebody else')
  await page.getByLabel('Your handle, typed once more').fill('@avery')
  await page.locator('#delete-password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByText('Your account is deleted.').waitFor()
  assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Sign in')
  assert.deepEqual(problems, [])
})
