import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser, UNLIMITED } from '../account/testing.ts'
import { yearsAgo } from '../families/testing.ts'
import { signInToAccount } from '../oauth/testing-pages.ts'
import { formsOf, type TestBrowser } from '../testing/browser.ts'
import { assertUsable, collectProblems, noChromium, openChromium } from '../testing/chromium.ts'
import { testApp } from '../testing/testing.ts'
import { actByHandle, expectDone, NOBODY, openSearch, seeOwn, VERBS } from './testing.ts'

const FRIENDS = '/account/friends'
const everybody = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley'] as const

/** Presses a button of the page for somebody. */
async function press(browser: TestBrowser, verb: string, friend: string, path: string = FRIENDS) {
  const page = await browser.get(path)
  const form = formsOf(page.text).find(
    ({ action, hidden }) => action === `${FRIENDS}/${verb}` && [undefined, friend].includes(hidden.friend),
  )
  assert.ok(form, `no button for ${verb} ${friend}: ${page.text}`)
  return browser.post(form.action, { friend, ...form.hidden })
}

test('the page of one’s friends', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSearch(app, everybody)
  const avery = await signInBrowser(app, 'avery')
  const blake = await signInBrowser(app, 'blake')

  await t.test('is for whoever is signed in', async () => {
    for (const path of [FRIENDS, `${FRIENDS}/block?friend=%40drew`]) {
      const away = await app.visitor().get(path)
      assert.deepEqual([away.status, away.location], [303, `/account/signin?${new URLSearchParams({ next: path })}`])
    }
  })

  await t.test('asks, cancels, declines, accepts, removes, blocks and unblocks', async () => {
    const asked = await press(avery, 'request', 'blake')
    assert.deepEqual([asked.status, asked.location], [303, `${FRIENDS}?done=friend-request`])
    assert.match((await avery.follow(asked)).text, /role="status">The request is on its way/)
    assert.deepEqual(await seeOwn(blake), { ...NOBODY, received: ['avery'] })
    assert.equal((await press(avery, 'cancel', '@blake')).location, `${FRIENDS}?done=friend-cancel`)
    assert.deepEqual(await seeOwn(blake), NOBODY)

    await press(avery, 'request', '@blake')
    assert.equal((await press(blake, 'accept', '@avery')).location, `${FRIENDS}?done=friend-accept`)
    assert.deepEqual(await seeOwn(avery), { ...NOBODY, friends: ['blake'] })

    const list = await avery.get(FRIENDS)
    assert.match(list.text, /<a href="\/account\/friends\/remove\?friend=%40blake" aria-label="Remove @blake">Remove</)
    assert.ok(!formsOf(list.text).some(({ action }) => /\/(remove|block)$/.test(action)), 'not without a question')
    const removing = `${FRIENDS}/remove?friend=%40blake`
    assert.match((await avery.get(removing)).text, /<h1>Remove a friend\?<\/h1>.*<bdi>@blake<\/bdi>/s)
    assert.deepEqual(await seeOwn(avery), { ...NOBODY, friends: ['blake'] }, 'the question changes nothing')
    const removed = await press(avery, 'remove', '@blake', removing)
    assert.equal(removed.location, `${FRIENDS}?done=friend-remove`)
    assert.deepEqual([await seeOwn(avery), await seeOwn(blake)], [NOBODY, NOBODY])

    const blocked = await press(avery, 'block', '@blake', `${FRIENDS}/block?friend=blake`)
    assert.equal(blocked.location, `${FRIENDS}?done=friend-block`)
    assert.deepEqual([await seeOwn(avery), await seeOwn(blake)], [{ ...NOBODY, blocked: ['blake'] }, NOBODY])
    assert.equal((await press(avery, 'unblock', '@blake')).location, `${FRIENDS}?done=friend-unblock`)

    await press(blake, 'request', '@avery')
    assert.equal((await press(avery, 'decline', '@blake')).location, `${FRIENDS}?done=friend-decline`)
    assert.deepEqual(await seeOwn(avery), NOBODY)
  })

  await t.test('says what is wrong on the same page, with what was typed', async () => {
    for (const [friend, status, why] of [
      ['@nobody<b>', 404, /role="alert">There is no such person, or they are not to be found\./],
      ['', 400, /role="alert">Type a handle\./],
    ] as const) {
      const seen = await press(avery, 'request', friend)
      assert.equal(seen.status, status)
      assert.match(seen.text, why)
      assert.match(seen.text, /<h1>Friends<\/h1>/)
      assert.ok(seen.text.includes(`value="${friend.replace('<b>', '&lt;b&gt;')}"`))
    }
  })

  await t.test('a second click on an old page finds that it is over', async () => {
    await press(avery, 'request', '@drew')
    const page = await avery.get(FRIENDS)
    for (const location of [`${FRIENDS}?done=friend-cancel`, `${FRIENDS}?done=gone`])
      assert.equal((await avery.submit(page, {}, `${FRIENDS}/cancel`)).location, location)
  })

  await t.test('names are shown as text, whatever is in them', async () => {
    const casey = await signInBrowser(app, 'casey')
    await app.sql(`update people set first_name = '<b>\u202eC', last_name = '"''&' where handle_key = 'casey'`)
    await expectDone(actByHandle(casey, 'request', '@drew'))
    const drew = await signInBrowser(app, 'drew')
    const { text } = await drew.get(FRIENDS)
    assert.match(text, /<bdi>&lt;b&gt;\u202eC &quot;&#39;&amp;<\/bdi> <span class="quiet-text"><bdi>@casey<\/bdi>/)
    assert.match((await drew.get(`${FRIENDS}/block?friend=%22%3E%3Cb%3E`)).text, /<bdi>@&quot;&gt;&lt;b&gt;<\/bdi>/)
    assert.equal((await drew.get(`${FRIENDS}/block`)).location, FRIENDS)
  })

  await t.test('a parent answers for a child, which blocks by itself', async () => {
    const ellis = await signInBrowser(app, 'ellis')
    await expectDone(actByHandle(avery, 'request', '@ellis'))
    const before = await ellis.get(FRIENDS)
    await app.sql(`update people set date_of_birth = '${yearsAgo(8)}' where handle_key = 'ellis'`)
    const page = await ellis.get(FRIENDS)
    assert.match(page.text, /A parent asks and answers for you until you are 13/)
    const forms = formsOf(page.text).map(({ action }) => action)
    assert.ok(!forms.some((action) => /accept|request|decline|unblock/.test(action)), String(forms))
    const forged = await ellis.submit(before, {}, `${FRIENDS}/accept`)
    assert.equal(forged.status, 400)
    assert.match(forged.text, /role="alert">A parent answers friend requests to a child/)
    const blocked = await press(ellis, 'block', '@avery', `${FRIENDS}/block?friend=avery`)
    assert.equal(blocked.location, `${FRIENDS}?done=friend-block`)
    const after = await ellis.get(FRIENDS)
    assert.match(after.text, /Blocked \(1\)/)
    assert.ok(!formsOf(after.text).some(({ action }) => action.endsWith('/unblock')))
  })

  await t.test('blocks and unblocks whoever is hidden by their handle, and nobody in the same words', async () => {
    await openSearch(app, ['finley'], false)
    const finley = await signInBrowser(app, 'finley')
    for (const friend of ['finley', 'nobody-at-all']) {
      const blocked = await press(blake, 'block', `@${friend}`, `${FRIENDS}/block?friend=${friend}`)
      assert.equal(blocked.location, `${FRIENDS}?done=friend-block`)
      assert.match((await blake.follow(blocked)).text, /They are blocked, if there is such a person.*Nobody\./s)
      if (friend === 'finley') assert.equal((await actByHandle(finley, 'request', 'blake')).status, 404)
      assert.equal((await press(blake, 'unblock', friend)).location, `${FRIENDS}?done=friend-unblock`)
      if (friend === 'finley') await expectDone(actByHandle(finley, 'request', 'blake'))
    }
    await expectDone(actByHandle(finley, 'cancel', 'blake'))
    await openSearch(app, ['finley'])
  })

  await t.test('long lists have pages of their own', async () => {
    await app.sql(`
      insert into people (handle, handle_key, first_name, created_at)
        select '@many' || n, 'many' || n, 'Many ' || lpad(n::text, 3, '0'), now() from generate_series(1, 120) n;
      insert into blocks (blocker_id, blocked_id, created_at)
        select f.id, p.id, now() from people f, people p where f.handle_key = 'finley' and p.handle_key like 'many%'`)
    const finley = await signInBrowser(app, 'finley')
    const rows = (text: string) => text.match(/<button class="other small" aria-label="Unblock/g)?.length ?? 0
    const first = await finley.get(FRIENDS)
    assert.match(first.text, /Blocked \(120\).*<a href="\/account\/friends\?list=blocked">All 120<\/a>/s)
    assert.equal(rows(first.text), 50)
    const one = await finley.get(FRIENDS, { list: 'blocked' })
    assert.equal(rows(one.text), 100)
    assert.match(one.text, /Page 1 of 2.*list=blocked&amp;page=2">Next page/s)
    for (const page of ['2', '100']) {
      const last = await finley.get(FRIENDS, { list: 'blocked', page })
      assert.equal(rows(last.text), 20)
      assert.match(last.text, /Previous page.*Page 2 of 2/s)
    }
    assert.match((await finley.get(FRIENDS, { list: 'constructor' })).text, /Blocked \(120\)/)
  })

  await t.test('O12: a form without its key, with that of another form or of another browser is refused', async () => {
    const before = await seeOwn(avery)
    const own = formsOf((await avery.get(FRIENDS)).text).find(({ action }) => action === `${FRIENDS}/request`)!
    const others = formsOf((await blake.get(FRIENDS)).text).find(({ action }) => action === `${FRIENDS}/request`)!
    for (const verb of VERBS) {
      for (const key of [undefined, '', own.hidden.csrf_token!, others.hidden.csrf_token!]) {
        if (verb === 'request' && key === own.hidden.csrf_token) continue
        const fields = { friend: '@blake', ...(key === undefined ? {} : { csrf_token: key }) }
        assert.equal((await avery.post(`${FRIENDS}/${verb}`, fields)).status, 403, verb)
      }
    }
    assert.deepEqual(await seeOwn(avery), before)
  })
})

test('friends in a real browser, without scripts', { skip: noChromium }, async (t) => {
  const app = await testApp(t)
  await openSearch(app, everybody)
  for (const person of ['drew', 'ellis'] as const)
    await expectDone(actByHandle(await signInBrowser(app, person), 'request', '@avery'))
  await app.sql(
    `update people set first_name = 'Ellis', last_name = '${'Quinn'.repeat(20)}' where handle_key = 'ellis'`,
  )
  await app.givePassword('avery')
  const page = await openChromium(t, { javaScriptEnabled: false })
  const problems = collectProblems(page)
  await signInToAccount(page, app.address, '@avery')
  await page.getByRole('link', { name: 'Friends' }).click()
  await page.getByRole('heading', { name: 'Requests to answer (2)' }).waitFor()
  await page.getByRole('button', { name: 'Accept @ellis' }).click()
  await page.getByText('The request is accepted.').waitFor()
  await page.getByLabel('Ask somebody to be your friend').fill('finley')
  await page.keyboard.press('Enter')
  await page.getByText('The request is on its way.').waitFor()
  await page.getByText('Block somebody by their handle').click()
  await page.getByLabel('Handle', { exact: true }).fill('blake')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Block this person?' }).waitFor()
  await assertUsable(page, 'a question')
  await page.getByRole('button', { name: 'Block' }).click()
  await page.getByText('They are blocked, if there is such a person.').waitFor()
  await assertUsable(page, 'all lists')
  await page.getByRole('link', { name: 'Remove @ellis' }).click()
  await page.getByRole('link', { name: 'No, go back' }).click()
  await page.getByRole('button', { name: 'Cancel @finley' }).click()
  await page.getByText('The request is taken back.').waitFor()
  await page.goto(`${app.address}/account/friends?list=friends`)
  await assertUsable(page, 'one list')
  assert.deepEqual(problems, [])
})
