import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readText, run } from '../../../src/kernel/imports/testing.ts'
import { browse, complete } from '../../../src/learning/progress/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../../src/operations/testing/testing.ts'
import { enterAs, look } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))
await app.sql(`update organisations set time_zone = 'Asia/Tokyo' where key = 'sandhills'`)

const DATES = '/dashboard/classes/class-alpha/dates'
const CLASS = '/dashboard/classes/class-alpha'

async function enter(t: Parameters<typeof openChromium>[0], person: string, path: string, options = {}) {
  const page = await openChromium(t, { timezoneId: 'Europe/Berlin', ...options })
  const problems = collectProblems(page)
  await enterAs(page, address, person, path)
  return { page, problems }
}

test('an instructor sets dates, and students see what is open, due and late', { skip: noChromium }, async (t) => {
  await t.test('mistakes are shown at their fields, and the dates are in the zone of the organisation', async (t) => {
    const { page, problems } = await enter(t, 'Casey', DATES, { viewport: { width: 360, height: 740 } })
    await page.getByText('time zone: Asia/Tokyo').waitFor()
    const field = (name: string) => page.getByLabel(`${name}: Walkaround`)
    await field('Opens').fill('2190-05-02T09:00')
    await field('Due').fill('2190-05-01T09:00')
    await page.getByRole('button', { name: 'Save dates' }).click()
    await page.getByText('“Walkaround” would be due before it opens').first().waitFor()
    assert.equal(await field('Due').getAttribute('aria-invalid'), 'true')
    await look(page)
    await field('Due').fill('2190-05-03T09:00')
    await page.getByRole('button', { name: 'Save dates' }).click()
    await page.getByText('Dates saved').first().waitFor()
    await page.reload()
    assert.equal(await field('Due').inputValue(), '2190-05-03T09:00')
    const [row] = await app.sql(
      `select to_char(due_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as due from lesson_dates`,
    )
    assert.equal(row!.due, '2190-05-03 00:00')
    assert.deepEqual(
      problems.filter((problem) => !/400/.test(String(problem))),
      [],
    )
  })

  await t.test('a student reads in their own zone when the lesson opens', async (t) => {
    const { page, problems } = await enter(t, 'Avery', CLASS)
    await page.getByText('Opens 2 May 2190, 02:00').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Start Walkaround' }).count(), 0)
    await look(page)
    assert.deepEqual(problems, [])
  })

  await t.test('an instructor gives one student other dates', async (t) => {
    const { page, problems } = await enter(t, 'Casey', DATES)
    await page.getByRole('button', { name: 'Add dates for a student' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Student' }).fill('Avery')
    await page.getByRole('option', { name: /Avery/ }).click()
    await dialog.getByRole('combobox', { name: 'Lesson' }).click()
    await page.getByRole('option', { name: 'Walkaround' }).click()
    await dialog.getByLabel('Opens: Walkaround').fill('2020-01-01T09:00')
    await dialog.getByRole('button', { name: 'Save dates' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(/Opens 2020-01-01 09:00/).waitFor()
    await look(page)
    assert.deepEqual(problems, [])
  })

  await t.test('the student is on time, and late after an earlier due date', async (t) => {
    // Without an app, the student completes the lesson on the platform.
    await app.sql(
      `update lesson_versions v set kind = 'activity', app_id = null from lessons l where l.id = v.lesson_id and l.key = 'lesson-walkaround'`,
    )
    await complete(await browse(app, 'avery'), { lessonId: 'lesson-walkaround', classId: 'class-alpha' }, {})
    const { page, problems } = await enter(t, 'Avery', CLASS)
    await page.getByText('Due 3 May 2190, 02:00').first().waitFor()
    assert.equal(await page.getByText('Late', { exact: true }).count(), 0)

    const { page: staff } = await enter(t, 'Casey', `${CLASS}/students/student-avery`)
    await staff.getByRole('button', { name: 'Actions for Walkaround' }).click()
    await staff.getByRole('menuitem', { name: 'Change dates' }).click()
    await staff.getByRole('dialog').getByLabel('Due: Walkaround').fill('2020-02-01T09:00')
    await staff.getByRole('button', { name: 'Save dates' }).click()
    await staff.getByText('Late', { exact: true }).first().waitFor()
    await look(staff)
    await staff.goto(`${address}${CLASS}/gradebook?state=late`)
    await staff.getByRole('gridcell', { name: /Late/ }).first().click()
    await staff.getByRole('dialog').getByText('Late', { exact: true }).waitFor()

    await page.reload()
    await page.getByText('Late', { exact: true }).first().waitFor()
    await look(page)
    assert.deepEqual(problems, [])
  })
})

test('an owner chooses the time zone of the organisation', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Ellis', '/console/organisations/sandhills')
  const zone = page.getByRole('combobox', { name: 'Dates of classes are entered in' })
  await zone.click()
  await zone.fill('Europe/Ber')
  await page.getByRole('option', { name: 'Europe/Berlin' }).click()
  await page.getByText('Dates are now entered in Europe/Berlin').first().waitFor()
  await look(page)
  assert.deepEqual(problems, [])
})
