import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../src/kernel/database/test-database.ts'
import { readText, run } from '../../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../../src/operations/testing/testing.ts'
import { makeTestKey } from '../../../src/records/credentials/testing.ts'
import { enterAs, look } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))

test('Ctrl-K finds what one may see and goes there by keyboard; an address that is no page says so', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Casey', '/dashboard')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'A class, lesson, person, app or page' })
  await field.waitFor()
  // Before anything is typed, the search lists the pages of the person's areas.
  await page.getByRole('option', { name: 'My classes' }).waitFor()
  assert.equal(await page.getByRole('option', { name: 'Audit log' }).count(), 0)
  await field.fill('lucia')
  const student = page
    .getByRole('group', { name: 'Students' })
    .getByRole('option', { name: /Lucía Fernández/ })
    .first()
  await student.waitFor()
  await look(page)
  assert.equal(await field.getAttribute('aria-activedescendant'), await student.getAttribute('id'))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Lucía Fernández' }).waitFor()
  await field.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Search everything' }).click()
  await field.fill('<img src=x onerror=alert(1)>')
  await page.getByText('No results').first().waitFor()
  await field.fill('preflight')
  await page.getByRole('option', { name: /Preflight Alpha/ }).waitFor()
  await field.fill('')
  await page.getByRole('option', { name: 'Plans' }).waitFor()
  const chosen = () => page.locator('[role=option][aria-selected=true]').innerText()
  const first = await chosen()
  await page.keyboard.press('ArrowUp')
  assert.notEqual(await chosen(), first)
  await page.keyboard.press('ArrowDown')
  assert.equal(await chosen(), first)
  await page.setViewportSize({ width: 360, height: 800 })
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])

  const answer = await page.goto(`${address}/dashboard/nonsense`)
  assert.equal(answer!.status(), 404)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})

test('the search keeps letters from the first key press, and finds lessons and friends', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  await enterAs(page, address, 'Avery', '/dashboard')
  // The code of the search arrives late, as it does on a slow line.
  await page.route('**/assets/search-*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400))
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('walkarx')
  await page.keyboard.press('Backspace')
  const field = page.getByRole('combobox', { name: 'A class, lesson, person, app or page' })
  await field.waitFor()
  await page.keyboard.type('ound')
  assert.equal(await field.inputValue(), 'walkaround')
  const lesson = page.getByRole('group', { name: 'Lessons' }).getByRole('option', { name: /Walkaround/ })
  await lesson.first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Preflight Alpha' }).waitFor()
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('moreau')
  await page
    .getByRole('group', { name: 'Friends' })
    .getByRole('option', { name: /Blake Moreau/ })
    .waitFor()
})

test('the focus goes to the heading of a new page, whose title names the class; a filter keeps it', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  const focused = () => page.evaluate('document.activeElement.tagName + " " + document.activeElement.textContent')
  await enterAs(page, address, 'Casey', '/dashboard/classes/class-alpha')
  await page.getByRole('navigation', { name: 'Pages of Training' }).getByRole('link', { name: 'Calendar' }).waitFor()
  await page.getByRole('link', { name: 'Gradebook' }).click()
  await until('the heading has the focus', async () => (await focused()) === 'H1 Gradebook')
  assert.equal(await page.title(), 'Gradebook · Preflight Alpha · Groundschool')
  await page.getByRole('link', { name: 'Preflight Alpha' }).click()
  await until('the heading has the focus', async () => (await focused()) === 'H1 Preflight Alpha')
  assert.equal(await page.title(), 'Preflight Alpha · Groundschool')

  await enterAs(page, address, 'Ellis', '/admin/verbs')
  const field = page.getByRole('textbox', { name: 'Find verb' })
  await field.pressSequentially('pass')
  await page.waitForURL(/query=pass/)
  assert.equal(await field.evaluate((element) => element === document.activeElement), true)
  await page.getByRole('link', { name: 'Audit log' }).click()
  await until('the heading has the focus', async () => (await focused()) === 'H1 Audit log')
  assert.deepEqual(problems, [])
})

test('statements come while one looks, and what is shown is exported', { skip: noChromium }, async (t) => {
  const key = await makeTestKey(app)
  const send = async (name: string) => {
    const answer = await fetch(`${address}/xapi/statements`, {
      method: 'POST',
      headers: { authorization: key.basic, 'content-type': 'application/json', 'x-experience-api-version': '2.0.0' },
      body: JSON.stringify({
        actor: { mbox: 'mailto:sim@example.org', name },
        verb: { id: `http://adlnet.gov/expapi/verbs/${name === 'Other' ? 'failed' : 'passed'}` },
        object: { id: 'https://example.org/activities/1' },
      }),
    })
    assert.equal(answer.status, 200, await answer.text())
  }
  const page = await openChromium(t)
  const problems = collectProblems(page)
  const passed = encodeURIComponent('http://adlnet.gov/expapi/verbs/passed')
  await enterAs(page, address, 'Ellis', `/admin/record-store/statements?verb=${passed}`)
  await page.getByText('No results').waitFor()
  const begins = page.waitForResponse((response) => response.url().includes('/lrs/v1/statements/stream'))
  await page.getByRole('switch', { name: 'Live' }).check()
  await begins
  assert.match(page.url(), /live=true/)
  await send('Other')
  await send('<b>Newcomer</b>')
  await page.getByRole('row', { name: /<b>Newcomer<\/b>/ }).waitFor()
  assert.equal(await page.getByRole('row', { name: /Other/ }).count(), 0)
  await page.getByText('1 statement, by verb').waitFor()
  await look(page)
  const coming = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export JSONL' }).click()
  const file = await (await coming).createReadStream()
  const text = (await file.toArray()).join('')
  assert.deepEqual(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).actor.name),
    ['<b>Newcomer</b>'],
  )
  assert.deepEqual(problems, [])
  // The live mode is part of the URL, so it stays on after a reload. This time the stream cannot be opened.
  await page.route('**/lrs/v1/statements/stream?*', (route) => route.abort())
  await page.reload()
  await page.getByText('Connection lost. Reconnecting…').waitFor()
})
