import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readText, run } from '../../../src/kernel/imports/testing.ts'
import { setDates } from '../../../src/learning/calendar/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../../src/operations/testing/testing.ts'
import { enterAs, look, signInAs } from '../../testing.ts'
import { monthOf, sayMonth, shiftMonth } from './calendar-model.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))
await app.sql(
  `delete from lesson_dates; update classes set ended_at = now() where key <> 'class-alpha'; update organisations set time_zone = 'America/New_York'`,
)
const assertFits = async (page: Page) =>
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)
const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const NEXT = shiftMonth(monthOf(new Date()), 1)

test('the home of a student shows what to do next, what is overdue and what is coming up', {
  skip: noChromium,
}, async (t) => {
  await app.sql('delete from lesson_dates')
  for (const width of [1280, 360]) {
    const page = await openChromium(t, { viewport: { width, height: 800 } })
    const problems = collectProblems(page)
    await app.sql('delete from lesson_dates')
    await enterAs(page, address, 'Avery', '/dashboard')
    // Nothing has a date.
    await page.getByText('Nothing is due in the next 14 days.').waitFor()
    const { next } = await (await page.request.get(`${address}/edu/v1/agenda`)).json()
    const { lessonId, lessonName, passed, total, inProgress } = next[0]
    await setDates(app, { classId: 'class-alpha', lessonId, due: at(-2) })
    await setDates(app, { classId: 'class-alpha', due: at(5) })
    await page.reload()
    const card = page.getByRole('article').filter({ hasText: lessonName })
    await card.getByText(`${passed} of ${total} · overdue since`).waitFor()
    const overdue = page.getByRole('list', { name: 'Overdue' })
    await overdue.getByRole('link', { name: lessonName }).waitFor()
    const coming = page.getByRole('list', { name: 'Coming up' })
    await coming.getByRole('link', { name: 'Preflight Alpha: all lessons' }).waitFor()
    assert.match(await coming.locator('time').first().innerText(), /^due \w+day$/)
    assert.match((await coming.locator('time').first().getAttribute('title'))!, /\d{4}, \d\d:\d\d$/)
    await assertFits(page)
    await look(page)
    await card.getByRole('link', { name: `${inProgress ? 'Continue' : 'Start'} ${lessonName}` }).click()
    await page.getByRole('heading', { level: 1, name: lessonName }).waitFor()
    assert.deepEqual(problems, [])
  }
})

test('the calendar shows the dates of the organisation in the time zone of the reader', {
  skip: noChromium,
}, async (t) => {
  await app.sql('delete from lesson_dates')
  const casey = await openChromium(t)
  await signInAs(casey, address, 'Casey')
  // 20:00 in New York is the next day in Tokyo.
  const set = await casey.request.put(`${address}/edu/v1/class/dates`, {
    data: { classId: 'class-alpha', dates: [{ lessonId: 'lesson-checkride', due: `${NEXT}-15T20:00` }] },
  })
  assert.equal(set.status(), 200, await set.text())
  const [row] = await app.sql(`select due_at from lesson_dates`)
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'Asia/Tokyo' })
  const expected = `${clock.format(new Date(row!.due_at as string))} Due`

  const page = await openChromium(t, { viewport: { width: 1280, height: 900 }, timezoneId: 'Asia/Tokyo' })
  const problems = collectProblems(page)
  await enterAs(page, address, 'Avery', '/dashboard')
  await page.getByRole('link', { name: 'Calendar', exact: true }).click()
  await page.getByRole('link', { name: 'Next month' }).click()
  await page.waitForURL(`**/dashboard/calendar?month=${NEXT}`)
  const table = page.getByRole('table', { name: `Dates in ${sayMonth(NEXT)}` })
  const cell = table.getByRole('cell').filter({ has: page.locator(`time[datetime="${NEXT}-16"]`) })
  await cell.getByRole('link', { name: expected }).waitFor()
  await page.getByText('Times are in your time zone (Asia/Tokyo).').waitFor()
  await look(page)
  await page.getByRole('link', { name: 'Today' }).click()
  await page.getByRole('heading', { level: 2, name: sayMonth(monthOf(new Date())) }).waitFor()
  await page.goBack()
  await cell.getByRole('link', { name: expected }).click()
  // The lesson is locked, so the link leads to the class, which says why.
  await page.getByRole('heading', { level: 1, name: 'Preflight Alpha' }).waitFor()
  assert.deepEqual(problems, [])

  const phone = await openChromium(t, { viewport: { width: 360, height: 740 }, timezoneId: 'Asia/Tokyo' })
  await enterAs(phone, address, 'Avery', `/dashboard/calendar?month=${NEXT}`)
  const day = phone.getByRole('listitem').filter({ has: phone.locator(`h3 time[datetime="${NEXT}-16"]`) })
  await day.getByRole('link', { name: expected }).waitFor()
  assert.equal(await phone.getByRole('table').count(), 0)
  await assertFits(phone)
  await look(phone)
  await phone.goto(`${address}/dashboard/calendar?month=${shiftMonth(NEXT, 3)}`)
  await phone.getByText(`No dates in ${sayMonth(shiftMonth(NEXT, 3))}`).waitFor()
})

test('a person creates, replaces and deletes the address for calendar programs', { skip: noChromium }, async (t) => {
  const page = await openChromium(t, { viewport: { width: 1280, height: 900 } })
  const problems = collectProblems(page)
  await enterAs(page, address, 'Avery', '/dashboard/calendar')
  const readUrl = async () => {
    const dialog = page.getByRole('dialog', { name: 'Save your calendar address' })
    const url = await dialog.locator('code').innerText()
    await look(page)
    await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
    await dialog.waitFor({ state: 'hidden' })
    return url
  }
  await page.getByRole('button', { name: 'Create address' }).click()
  const first = await readUrl()
  assert.equal((await fetch(first)).status, 200)
  await page.getByRole('button', { name: 'Replace' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  const second = await readUrl()
  assert.deepEqual([(await fetch(first)).status, (await fetch(second)).status], [404, 200])
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Create address' }).waitFor()
  assert.equal((await fetch(second)).status, 404)
  assert.deepEqual(problems, [])
})
