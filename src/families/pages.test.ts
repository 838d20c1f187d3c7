import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser, UNLIMITED } from '../account/testing.ts'
import { actByHandle, expectDone, openSearch, seeOwn } from '../friends/testing.ts'
import { signInToAccount } from '../oauth/testing-pages.ts'
import { formsOf, type TestBrowser } from '../testing/browser.ts'
import { assertUsable, collectProblems, noChromium, openChromium } from '../testing/chromium.ts'
import { testApp } from '../testing/testing.ts'
import { addChild, CHILD_PASSWORD, KIM, list, PASSWORD, setBirth, signInChild, yearsAgo } from './testing.ts'

const PAGE = '/account/children'
const CHILD = `${PAGE}/child?handle=%40kim`
const FRIENDS = `${PAGE}/friends`

/** Fills in a form of a page. */
const fill = async (browser: TestBrowser, path: string, action: string, fields: Record<string, string> = {}) => {
  const page = await browser.get(path)
  const form = formsOf(page.text).find((one) => one.action === action)
  assert.ok(form, `no form for ${action}: ${page.text}`)
  return browser.post(action, { ...form.hidden, ...fields })
}

test('the pages of one’s children', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, ['blake', 'casey'])
  const avery = await signInBrowser(app, 'avery')
  const blake = await signInBrowser(app, 'blake')

  await t.test('are for adults who are signed in', async () => {
    for (const path of [PAGE, CHILD]) {
      const away = await app.visitor().get(path)
      assert.deepEqual([away.status, away.location], [303, `/account/signin?${new URLSearchParams({ next: path })}`])
    }
    const casey = await signInBrowser(app, 'casey')
    const before = await casey.get(PAGE)
    await setBirth(app, 'casey', yearsAgo(15))
    const page = await casey.get(PAGE)
    assert.match(page.text, /Only an adult can look after a child here/)
    assert.doesNotMatch(page.text, /action="\/account\/children"|>Children<\/a>/)
    const forged = await casey.submit(before, { ...KIM, handle: '@stolen' }, PAGE)
    assert.equal(forged.status, 400)
    assert.deepEqual(await app.sql(`select 1 from people where handle = '@stolen'`), [])
    assert.match((await avery.get('/account')).text, /<a href="\/account\/children">Children<\/a>/)
  })

  await t.test('add a child, or say why not and keep what was typed', async () => {
    const typed = { handle: 'kim', firstName: 'Kim', lastName: '<Ng>', dateOfBirth: KIM.dateOfBirth }
    const passwords = { new_password: CHILD_PASSWORD, again: CHILD_PASSWORD }
    for (const [fields, why] of [
      [{ ...typed, ...passwords, handle: '@blake' }, /The handle @blake is taken/],
      [{ ...typed, ...passwords, again: 'another one' }, /The two passwords are not the same/],
      [{ ...typed, new_password: 'short', again: 'short' }, /password/i],
      [{ ...typed, dateOfBirth: yearsAgo(14) }, /less than 13 years ago/],
      [{ ...typed, dateOfBirth: 'last spring' }, /Type the date of birth as year, month and day/],
      [{}, /Type the date of birth/],
    ] as const) {
      const seen = await fill(avery, PAGE, PAGE, fields)
      assert.equal(seen.status, 400)
      assert.match(seen.text, why)
      if ('lastName' in fields) assert.match(seen.text, /value="&lt;Ng&gt;"/)
      assert.ok(!seen.text.includes(CHILD_PASSWORD))
    }
    const added = await fill(avery, PAGE, PAGE, { ...typed, lastName: 'Ng', ...passwords })
    assert.deepEqual([added.status, added.location], [303, `${CHILD}&done=child-added`])
    assert.match((await avery.follow(added)).text, /<h1><bdi>Kim Ng<\/bdi><\/h1>.*The account is there/s)
    assert.match((await avery.get(PAGE)).text, /<a href="\/account\/children\/child\?handle=%40kim"><bdi>Kim Ng<\/bdi>/)
    await signInChild(app, '@kim')
  })

  await t.test('decide what others see and what apps are told', async () => {
    const on = { publicSearch: 'true', cameraDisabled: 'true', proximityFriends: 'true' }
    assert.equal((await fill(avery, CHILD, `${PAGE}/decisions`, on)).location, `${CHILD}&done=child-saved`)
    const decided = async () => {
      const [{ publicSearch, parentFlags }] = await list(avery)
      return [publicSearch, parentFlags.cameraDisabled, parentFlags.proximityFriends]
    }
    assert.deepEqual(await decided(), [true, true, true])
    assert.equal((await avery.get(CHILD)).text.match(/ checked>/g)?.length, 3)
    await fill(avery, CHILD, `${PAGE}/decisions`, { cameraDisabled: 'true' })
    assert.deepEqual(await decided(), [false, true, false])

    const named = await fill(avery, CHILD, `${PAGE}/names`, { firstName: 'Kimi', lastName: 'Ng', country: 'NZ' })
    assert.equal(named.location, `${CHILD}&done=child-saved`)
    const [child] = await list(avery)
    assert.deepEqual([child.firstName, child.country], ['Kimi', 'NZ'])
    assert.deepEqual(await decided(), [false, true, false], 'names leave decisions alone')
    const form = `${PAGE}/email`
    const typed = { email: 'mum@example.org', password: PASSWORD }
    const refused = await fill(avery, CHILD, form, { ...typed, password: 'wrong' })
    assert.equal(refused.status, 401)
    assert.match(refused.text, /role="alert">The current password is wrong.*value="mum@example.org"/s)
    assert.equal((await fill(avery, CHILD, form, { email: typed.email })).status, 400)
    assert.equal((await fill(avery, CHILD, form, typed)).location, `${CHILD}&done=child-saved`)
    assert.match((await avery.get(CHILD)).text, /go to <strong>mum@example.org<\/strong>/)
    await fill(avery, CHILD, form, { ...typed, email: '' })
    assert.equal((await list(avery))[0].email, '')

    const wrong = await fill(avery, CHILD, `${PAGE}/names`, { firstName: 'x\u202e', lastName: 'Typed' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /role="alert">First name must be one line.*value="Typed"/s)
  })

  await t.test('answer friend requests to a child, ask for it, and end what is between it and others', async () => {
    await app.sql(`update people set public_search = true where handle_key = 'kim'`)
    await expectDone(actByHandle(blake, 'request', '@kim'))
    assert.match((await avery.get(PAGE)).text, /1 friend request to answer/)
    const accepted = await fill(avery, CHILD, `${FRIENDS}/accept`)
    assert.deepEqual([accepted.status, accepted.location], [303, `${FRIENDS}?handle=%40kim&done=friend-accept`])
    assert.match((await avery.follow(accepted)).text, /<h1>Friends of <bdi>Kimi Ng<\/bdi><\/h1>/)
    const kim = await signInChild(app, '@kim')
    assert.deepEqual((await seeOwn(kim)).friends, ['blake'])

    const circle = `${FRIENDS}?handle=%40kim`
    assert.equal(
      (await fill(avery, `${FRIENDS}/remove?handle=%40kim&friend=%40blake`, `${FRIENDS}/remove`)).location,
      `${circle}&done=friend-remove`,
    )
    const asked = await fill(avery, circle, `${FRIENDS}/request`, { friend: 'blake' })
    assert.equal(asked.location, `${circle}&done=friend-request`)
    assert.deepEqual(await seeOwn(kim), { friends: [], received: [], sent: ['blake'], blocked: [] })
    assert.deepEqual((await seeOwn(avery)).sent, [], 'it is the child that asks, not the parent')
    assert.equal((await fill(avery, circle, `${FRIENDS}/cancel`)).location, `${circle}&done=friend-cancel`)
    assert.equal(
      (await fill(avery, `${FRIENDS}/block?handle=%40kim&friend=blake`, `${FRIENDS}/block`)).location,
      `${circle}&done=friend-block`,
    )
    assert.deepEqual((await seeOwn(kim)).blocked, ['blake'])
    assert.equal((await fill(avery, circle, `${FRIENDS}/unblock`)).location, `${circle}&done=friend-unblock`)
    const wrong = await fill(avery, circle, `${FRIENDS}/request`, { friend: '@nobody' })
    assert.equal(wrong.status, 404)
    assert.match(wrong.text, /role="alert">There is no such person.*value="@nobody"/s)
  })

  await t.test('a child of somebody else is nobody', async () => {
    const own = await addChild(blake, { handle: '@max' })
    assert.equal(own.handle, '@max')
    const path = `${PAGE}/child?handle=%40max`
    for (const seen of [
      await blake.get(CHILD),
      await blake.get(`${FRIENDS}?handle=%40kim`),
      await blake.get(`${FRIENDS}/block?handle=%40kim&friend=avery`),
      await fill(blake, path, `${PAGE}/decisions`, { handle: '@kim', publicSearch: 'true' }),
      await fill(blake, path, `${PAGE}/names`, { handle: '@kim', firstName: 'Mine' }),
      await fill(blake, path, `${PAGE}/email`, { handle: '@kim', email: 'mine@example.org', password: PASSWORD }),
      await fill(blake, path, `${PAGE}/password`, {
        handle: '@kim',
        new_password: 'blake was here',
        again: 'blake was here',
        password: PASSWORD,
      }),
      await fill(blake, path, `${PAGE}/leave`, { handle: '@kim' }),
      await fill(blake, path, `${PAGE}/delete`, { handle: '@kim', password: PASSWORD }),
      await fill(blake, `${FRIENDS}?handle=%40max`, `${FRIENDS}/request`, { handle: '@kim', friend: '@casey' }),
    ]) {
      assert.equal(seen.status, 404, seen.text)
      assert.match(seen.text, /You look after no child with that handle/)
      assert.doesNotMatch(seen.text, /Kimi/)
    }
    await signInChild(app, '@kim')
    assert.equal((await blake.get(`${PAGE}/child`)).location, PAGE)
  })

  await t.test('O12: a form without its key, with that of another form or of another browser is refused', async () => {
    const before = await list(avery)
    const keyOf = (text: string, action: string) =>
      formsOf(text).find((one) => one.action === action)!.hidden.csrf_token!
    const [own, others] = [await avery.get(CHILD), await blake.get(`${PAGE}/child?handle=%40max`)]
    const names = `${PAGE}/names`
    const verbs = ['request', 'accept', 'decline', 'cancel', 'remove', 'block', 'unblock'].map(
      (verb) => `friends/${verb}`,
    )
    for (const form of ['', 'decisions', 'email', 'password', 'leave', 'delete', ...verbs]) {
      const path = form === '' ? PAGE : `${PAGE}/${form}`
      for (const key of [undefined, '', keyOf(own.text, names), keyOf(others.text, names)]) {
        const fields = { handle: '@kim', password: PASSWORD, friend: '@blake', publicSearch: 'true' }
        const seen = await avery.post(path, { ...fields, ...(key === undefined ? {} : { csrf_token: key }) })
        assert.equal(seen.status, 403, `${path} ${key}`)
      }
    }
    assert.deepEqual(await list(avery), before)
  })

  await t.test('set a password and delete the account, with the parent’s own password', async () => {
    const fresh = 'kims own new words'
    const form = { new_password: fresh, again: fresh }
    for (const [fields, status, why] of [
      [{ ...form, password: 'wrong' }, 401, /The current password is wrong/],
      [{ ...form, again: 'x', password: PASSWORD }, 400, /The two passwords are not the same/],
      [{ password: PASSWORD }, 400, /password/i],
    ] as const) {
      const seen = await fill(avery, CHILD, `${PAGE}/password`, fields)
      assert.equal(seen.status, status)
      assert.match(seen.text, why)
    }
    const set = await fill(avery, CHILD, `${PAGE}/password`, { ...form, password: PASSWORD })
    assert.equal(set.location, `${CHILD}&done=child-password`)
    await signInChild(app, '@kim', fresh)

    const left = await fill(avery, CHILD, `${PAGE}/leave`)
    assert.equal(left.status, 400)
    assert.match(left.text, /role="alert">You are the only parent of this child/)
    const refused = await fill(avery, CHILD, `${PAGE}/delete`, { password: 'wrong' })
    assert.equal(refused.status, 401)
    assert.match(refused.text, /<details open>\s*<summary>Delete this account/)
    const gone = await fill(avery, CHILD, `${PAGE}/delete`, { password: PASSWORD })
    assert.deepEqual([gone.status, gone.location], [303, `${PAGE}?done=child-deleted`])
    assert.deepEqual(await list(avery), [])
    assert.equal((await avery.get(CHILD)).status, 404)
  })

  await t.test('one of two parents can stop', async () => {
    await app.sql(`insert into guardians (child_id, parent_id, created_at)
      select c.id, p.id, now() from people c, people p where c.handle = '@max' and p.handle = '@avery'`)
    const left = await fill(avery, `${PAGE}/child?handle=%40max`, `${PAGE}/leave`)
    assert.equal(left.location, `${PAGE}?done=child-left`)
    assert.deepEqual([await list(avery), (await list(blake)).length], [[], 1])
  })
})

test('a parent in a real browser, without scripts', { skip: noChromium }, async (t) => {
  const app = await testApp(t)
  await openSearch(app, ['blake'])
  await app.givePassword('avery')
  const page = await openChromium(t, { javaScriptEnabled: false })
  const problems = collectProblems(page)
  await signInToAccount(page, app.address, '@avery')
  await page.getByRole('link', { name: 'Children' }).click()
  await page.getByLabel('Handle').fill('kim')
  await page.getByLabel('First name').fill('Kim')
  await page.getByLabel('Date of birth').fill(KIM.dateOfBirth)
  await page.getByRole('button', { name: 'Add child' }).click()
  await page.getByText('The account is there.').waitFor()
  await page.getByLabel('can find it').check()
  await page.getByRole('button', { name: 'Save decisions' }).click()
  await page.getByText('This is saved.').waitFor()
  assert.ok(await page.getByLabel('can find it').isChecked())
  await expectDone(actByHandle(await signInBrowser(app, 'blake'), 'request', '@kim'))
  await page.reload()
  await page.getByText('Delete this account').click()
  await page.getByText('Stop looking after this child').click()
  await assertUsable(page, 'a child')
  await page.getByRole('button', { name: 'Accept @blake' }).click()
  await page.getByRole('heading', { name: 'Friends of Kim' }).waitFor()
  await assertUsable(page, 'friends of a child')
  await page.getByRole('link', { name: 'Back to Kim' }).click()
  await page.getByRole('link', { name: 'All children' }).click()
  await assertUsable(page, 'children')
  assert.deepEqual(problems, [])
})
