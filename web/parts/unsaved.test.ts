import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../src/kernel/database/test-database.ts'
import { readText, run } from '../../src/kernel/imports/testing.ts'
import { noChromium, openChromium } from '../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../src/operations/testing/testing.ts'
import { enterAs } from '../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))

const ALPHA = '/dashboard/classes/class-alpha'
const countNotes = async (text: string) =>
  Number((await app.sql(`select count(*) as n from notes where text = '${text}'`))[0]?.n)

/** Answers the browser's questions, and returns them. */
function answerQuestions(page: Page, isAgreed: () => boolean): string[] {
  const asked: string[] = []
  page.on('dialog', async (dialog) => {
    asked.push(dialog.message())
    await (isAgreed() ? dialog.accept() : dialog.dismiss())
  })
  return asked
}

test('a half-written note asks before it is lost, survives a lost network, and is stored once', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  let isAgreed = false
  const asked = answerQuestions(page, () => isAgreed)
  await enterAs(page, address, 'Casey', `${ALPHA}/students/student-avery`)
  const field = page.getByRole('textbox', { name: 'New note' })
  const add = page.getByRole('button', { name: 'Create note' })
  const offline = page.getByText('You’re offline. Your input is kept. Try again when you’re connected.')
  await field.fill('Trims well')

  await page.getByRole('link', { name: 'Gradebook' }).click()
  await until('the page asks', () => asked.length === 1)
  assert.equal(asked[0], 'Leave this page? Your changes won’t be saved.')
  assert.equal(await field.inputValue(), 'Trims well')

  await page.context().setOffline(true)
  await add.click()
  await offline.waitFor()
  assert.equal(await add.isEnabled(), true)
  assert.equal(await field.inputValue(), 'Trims well')
  await page.context().setOffline(false)

  // The platform stores the note, but its answer is lost.
  await page.route('**/note', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await add.click()
  await page.getByText('can’t be reached. Your input is kept').waitFor()
  assert.equal(await countNotes('Trims well'), 1)
  await page.unroute('**/note')
  await add.click()
  await page.getByText('Note created').waitFor()
  assert.equal(await countNotes('Trims well'), 1)

  // Nothing is left to lose, so nothing is asked.
  await page.getByRole('link', { name: 'Gradebook' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gradebook' }).waitFor()
  assert.equal(asked.length, 1)
  await page.goBack()
  await field.fill('Another')
  isAgreed = true
  await page.getByRole('link', { name: 'Gradebook' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gradebook' }).waitFor()
  assert.equal(await countNotes('Another'), 0)
})

test('a dialog asks before it discards what was typed, and keeps it while the network is gone', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const asked = answerQuestions(page, () => false)
  await enterAs(page, address, 'Ellis', '/admin/verbs')
  await page.getByRole('button', { name: 'Create verb' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Trimmed')
  await dialog.getByLabel('IRI').fill('https://example.org/verbs/trimmed')
  await page.keyboard.press('Escape')
  await until('the dialog asks', () => asked.length === 1)
  assert.equal(asked[0], 'Discard your changes?')
  await page.context().setOffline(true)
  await dialog.getByRole('button', { name: 'Create verb' }).click()
  await dialog.getByText('You’re offline. Your input is kept').waitFor()
  await page.context().setOffline(false)
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Trimmed')
  await dialog.getByRole('button', { name: 'Create verb' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Trimmed/ }).waitFor()
  assert.equal(asked.length, 1)
})

test('a new lesson that is cancelled leaves nothing in the course', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  await enterAs(page, address, 'Ellis', '/dashboard/courses/course-preflight')
  const lessons = page.getByRole('button', { name: /^Edit / })
  await lessons.first().waitFor()
  const before = await lessons.count()
  await page.getByRole('button', { name: 'Create lesson' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page
    .getByRole('button', { name: /^Create step in/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await lessons.count(), before)
  assert.equal(await page.getByRole('button', { name: 'Save draft' }).isEnabled(), false)
})
