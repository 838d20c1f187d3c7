import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../src/kernel/database/test-database.ts'
import { readText, run } from '../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../src/operations/testing/testing.ts'
import { assertSorts, enterAs, look } from '../testing.ts'

const STUDENTS = 1000
const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
const demo = JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`))
const pupils = Array.from({ length: STUDENTS }, (_, i) => String(i + 1).padStart(4, '0'))
// Import the demo data, and a class of a thousand students with a lesson that an instructor grades.
await run(app, {
  ...demo,
  people: [
    ...demo.people,
    ...pupils.map((number) => ({
      handle: `@pupil.${number}`,
      firstName: 'Pupil',
      lastName: number,
      email: `pupil.${number}@example.org`,
      dateOfBirth: '2000-01-01',
      organisations: { sandhills: 'student' },
    })),
  ],
  courses: [
    ...demo.courses,
    {
      key: 'course-soaring',
      organisation: 'sandhills',
      name: 'Soaring',
      lessons: [
        { id: 'lesson-essay', name: 'Essay', instructorGraded: true, maxAttempts: 1, threshold: 50 },
        { id: 'lesson-winch', name: 'Winch launch' },
      ],
    },
  ],
  classes: [
    ...demo.classes,
    {
      key: 'class-large',
      course: 'course-soaring',
      name: 'Soaring Large',
      instructors: ['@casey'],
      observers: ['@drew'],
      students: pupils.map((number) => ({ handle: `@pupil.${number}`, id: `pupil-${number}` })),
      attempts: [1, 2, 3].map((number) => ({
        id: `essay-${number}`,
        handle: `@pupil.000${number}`,
        lesson: 'lesson-essay',
        started: `2025-09-0${number}T08:00:00Z`,
        completed: `2025-09-0${number}T08:30:00Z`,
      })),
    },
  ],
})

const LARGE = '/dashboard/classes/class-large'
const ALPHA = '/dashboard/classes/class-alpha'
const LUCIA = `${ALPHA}/students/student-lucia.fernandez`
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const item = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text }).first()
const focused = (page: Page) => page.evaluate('document.activeElement.dataset.place')

async function enter(t: Parameters<typeof openChromium>[0], person: string, path: string) {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, person, path)
  return { page, problems }
}

/** Ends the live stream of the bell, which would keep the network busy. */
const closeBell = (page: Page) => page.route('**/notifications/events', (route) => route.fulfill({ status: 204 }))

test('a gradebook of a thousand students has few rows, and keys of a spreadsheet', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Casey', `${LARGE}/gradebook`)
  const grid = page.getByRole('grid', { name: 'Gradebook' })
  await grid.getByText('Pupil 0001').waitFor()
  assert.equal(await grid.getAttribute('aria-rowcount'), String(STUDENTS + 1))
  assert.ok((await grid.getByRole('row').count()) < 60)
  await look(page)

  await grid.getByRole('rowheader').first().focus()
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft', 'ArrowLeft'])
    await page.keyboard.press(key)
  assert.equal(await focused(page), '1-0')
  await page.keyboard.press('Control+End')
  await grid.getByText('Pupil 1000').waitFor()
  assert.equal(await focused(page), '999-4')
  assert.ok((await grid.getByRole('row').count()) < 60)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await look(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await grid.locator('[data-place="999-4"]').focus()
  await page.keyboard.press('Escape')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Keyboard shortcuts')
  await grid.locator('[data-place="999-4"]').focus()
  await page.keyboard.press('Enter')
  await heading(page, 'Pupil 1000')
  await page.goBack()

  // From the first row, the arrow leads to the heads, where Enter sorts.
  await grid.locator('[data-place="0-1"]').focus()
  await page.keyboard.press('ArrowUp')
  assert.equal(await focused(page), '-1-1')
  const firstIs = (name: string) => grid.locator('[data-place="0-0"]').getByText(name).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(/sort=result&lesson=lesson-essay/)
  await firstIs('Pupil 0004')
  await page.keyboard.press('Enter')
  await page.waitForURL(/sort=-result&lesson=lesson-essay/)
  await firstIs('Pupil 0003')
  assert.equal(await focused(page), '-1-1')
  assert.equal(await grid.getByRole('columnheader', { name: 'Essay' }).getAttribute('aria-sort'), 'descending')
  await look(page)
  await grid.getByRole('button', { name: 'Student' }).click()
  await page.waitForURL(/sort=name$/)
  await grid.getByRole('button', { name: 'Student' }).click()
  await firstIs('Pupil 1000')
  const csv = await page.request.get(
    `${address}${await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')}`,
  )
  assert.match(await csv.text(), /"pupil\.0999"/)
  assert.deepEqual(problems, [])
})

test('a timeline is a picture to scale and a table, and notes on it never run', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Casey', LUCIA)
  await heading(page, 'Lucía Fernández')
  const bars = page.locator('svg rect[class*=progress]')
  await bars.first().waitFor()
  const widthOf = async (n: number) => Number(await bars.nth(n).getAttribute('width'))
  // Days without activity are folded into breaks, so that attempts of less than an hour are wide enough to read.
  const before = await widthOf(1)
  assert.ok(before > 24, String(before))
  assert.ok((await page.locator('svg rect[class*=fold]').count()) > 0)
  await page.getByRole('button', { name: 'Checklist 1', exact: true }).click()
  await page.waitForURL(/from=\d+&to=\d+/)
  assert.ok((await widthOf(1)) > 2 * before)
  // These attempts took 40 and 44 minutes, and both bars are drawn to the same scale.
  const [first, second] = [await widthOf(1), await widthOf(2)]
  assert.ok(Math.abs(Math.min(first, second) / Math.max(first, second) - 40 / 44) < 0.01)
  const table = page.getByRole('table', { name: 'Activity' })
  await table.getByText('Finished attempt 1: Failed, score 61').waitFor()
  await table.getByText('Imported', { exact: true }).first().waitFor()
  await page.getByText('Passed with 92 points (80 required)').waitFor()
  // The statement is drawn inside its attempt, at the time when it happened. If it were drawn at the time of the
  // import, x would be huge.
  const tick = Number(await page.locator('svg line[class*=tick]').nth(1).getAttribute('x1'))
  assert.ok(tick > -100_000 && tick < 100_000)
  await table.getByRole('button', { name: 'Open Statement: Repeated Steps' }).waitFor()

  const text = 'Look <img src=x onerror="document.title=1"> again'
  await page.getByLabel('New note').fill(text)
  await page.getByRole('button', { name: 'Create note' }).click()
  await table.getByText(text).waitFor()
  await look(page)
  await page.getByRole('button', { name: /^Delete the note “Look/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await table.getByText(text).waitFor({ state: 'hidden' })
  // A pause is a gap in the picture, and a row in the table.
  await page.goto(`${address}${ALPHA}/students/student-etienne.gagnon`)
  await table.getByText('Paused, ongoing').waitFor()
  assert.deepEqual(problems, [])
})

test('the page of a student does not move while it loads', { skip: noChromium }, async (t) => {
  const { page } = await enter(t, 'Casey', ALPHA)
  // The sum of all layout shifts, as browsers report them; up to 0.1 counts as good.
  await page.addInitScript(`
    window.shifts = 0
    new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts += one.value })
      .observe({ type: 'layout-shift', buffered: true })`)
  await closeBell(page)
  await page.goto(`${address}${LUCIA}`)
  await page.locator('svg rect[class*=progress]').first().waitFor()
  await page.waitForLoadState('networkidle')
  const shifts = await page.evaluate<number>('window.shifts')
  assert.ok(shifts < 0.05, String(shifts))
})

test('an instructor sorts the grading queue and grades several attempts at once', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Casey', `${LARGE}/grading`)
  const students = () => page.getByRole('row').getByRole('link').allInnerTexts()
  await page.getByRole('link', { name: 'Pupil 0003' }).waitFor()
  assert.deepEqual(await students(), ['Pupil 0001', 'Pupil 0002', 'Pupil 0003'])
  await page.getByRole('columnheader', { name: 'Finished' }).getByRole('button').click()
  await page.waitForURL(/sort=-completed/)
  await until('the newest is first', async () => (await students())[0] === 'Pupil 0003')
  await page.getByRole('checkbox', { name: 'Select Pupil 0003, Essay' }).check()
  await page.getByRole('checkbox', { name: 'Select Pupil 0002, Essay' }).check()
  await page.getByRole('status').getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Grade 2 attempts' }).click()
  const dialog = page.getByRole('dialog', { name: 'Grade 2 attempts' })
  await look(page)
  await dialog.getByRole('button', { name: 'Grade 2 attempts' }).click()
  await page.getByText('2 attempts graded').waitFor()
  await page.getByText('None selected').waitFor()
  assert.deepEqual(await students(), ['Pupil 0001'])
  assert.deepEqual(problems, [])
})

test('an instructor grades, gives attempts, resets and locks, and takes a lock back', {
  skip: noChromium,
}, async (t) => {
  const { page, problems } = await enter(t, 'Casey', `${LARGE}/grading`)
  await page.getByRole('button', { name: 'Grade Pupil 0001, Essay' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save grade' }).click()
  await dialog.getByText('Enter a score').waitFor()
  await dialog.getByText('Imported', { exact: true }).waitFor()
  await look(page)
  await dialog.getByLabel('Score', { exact: true }).fill('40')
  await dialog.getByRole('button', { name: 'Save grade' }).click()
  await page.getByText('Nothing to grade').waitFor()

  await page.goto(`${address}${LARGE}/students/pupil-0001`)
  await item(page, 'Essay').getByText('Failed', { exact: true }).waitFor()
  await page.getByText(/^Recorded by Casey .* · Entered later · Started before enrolment$/).waitFor()
  const choose = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for Essay' }).click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }
  await choose('Give extra attempts')
  await dialog.getByRole('button', { name: 'Give attempts' }).click()
  await dialog.getByText('Enter a reason. The student can read it.').waitFor()
  await dialog.getByLabel('Reason').fill('Once more, with sources.')
  await dialog.getByRole('button', { name: 'Give attempts' }).click()
  await page.getByText('Extra attempts given: 1 attempt left').waitFor()
  await choose('Reset lesson')
  await dialog.getByText('Their 1 attempt stays in the history but no longer counts.').waitFor()
  await dialog.getByLabel('Reason').fill('It was another’s.')
  await dialog.getByRole('button', { name: 'Reset lesson' }).click()
  await item(page, 'Essay').getByText('Not started').waitFor()
  await choose('Lock for this student')
  await item(page, 'Essay').getByText('Locked, set for this student').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await item(page, 'Essay').getByText('Locked, set for this student').waitFor({ state: 'hidden' })

  await page.goto(`${address}${LARGE}`)
  await page.getByRole('combobox', { name: 'Lock for Winch launch' }).click()
  await page.getByRole('option', { name: 'Locked', exact: true }).click()
  await page.getByText('Winch launch: Locked').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Winch launch: Locked').waitFor({ state: 'hidden' })
  // The notification closes before the platform has responded, so wait for the change in the database.
  await until('the lock is cleared', async () => (await app.sql('select * from lesson_locks')).length === 0)
  assert.deepEqual(problems, [])
})

test('a roster is checked before it is written, and a student who was dropped comes back', {
  skip: noChromium,
}, async (t) => {
  const { page, problems } = await enter(t, 'Casey', `${ALPHA}/roster`)
  await page.getByRole('button', { name: 'Import students' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import students' })
  const buffer = Buffer.from('handle\n@pupil.0001\n@avery\n@nobody.at.all\n')
  await dialog.locator('input[type=file]').setInputFiles({ name: 'roster.csv', mimeType: 'text/csv', buffer })
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('Preview', { exact: true }).waitFor()
  await dialog.getByText('Invited: 1').waitFor()
  await look(page)
  assert.equal(await page.getByRole('link', { name: 'Pupil 0001' }).count(), 0)
  await dialog.getByRole('button', { name: 'Import 2 students' }).click()
  await dialog.getByText('Import complete').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('link', { name: 'Pupil 0001' }).waitFor()
  await page.getByText('11 active').waitFor()

  await page.getByRole('button', { name: 'Actions for Pupil 0001' }).click()
  await page.getByRole('menuitem', { name: 'Drop from class' }).click()
  await page.getByText('10 active, 1 dropped').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('11 active').waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Dropped' }).click()
  await page.waitForURL(/status=dropped/)
  await page.getByText('No students').waitFor()
  assert.deepEqual(problems, [])
})

test('several students are suspended and dropped after one question, and come back', {
  skip: noChromium,
}, async (t) => {
  const { page, problems } = await enter(t, 'Casey', `${LARGE}/roster`)
  const roster = page.getByRole('region', { name: 'Roster' })
  const students = () => roster.getByRole('row').getByRole('link').allInnerTexts()
  await roster.getByRole('link', { name: 'Pupil 0001' }).waitFor()
  assert.match(await assertSorts(page, 'Name', 'name'), /Pupil 0001/)
  assert.equal((await students())[0], 'Pupil 1000')

  const select = async (...pupils: string[]) => {
    for (const pupil of pupils) await page.getByRole('checkbox', { name: `Select ${pupil}` }).check()
  }
  await select('Pupil 1000', 'Pupil 0999', 'Pupil 0998')
  await page.getByRole('button', { name: 'Suspend 3' }).click()
  await page.getByRole('dialog', { name: 'Suspend 3 students?' }).getByRole('button', { name: 'Suspend 3' }).click()
  await page.getByText('997 active, 3 suspended').waitFor()

  // One of them leaves the class meanwhile, so the change fails for this one, by name.
  await page.getByText('None selected').waitFor()
  await select('Pupil 1000', 'Pupil 0999', 'Pupil 0997')
  await page.getByRole('button', { name: 'Drop 3' }).click()
  await page.route('**/class/student/drop', (route, request) =>
    request.postData()!.includes('pupil-0999')
      ? route.fulfill({ status: 403, json: { error_code: 4032, error_description: 'Not any more' } })
      : route.continue(),
  )
  const dialog = page.getByRole('dialog', { name: /^Drop/ })
  await look(page)
  await dialog.getByRole('button', { name: 'Drop 3' }).click()
  await dialog.getByText('1 of 3 failed').waitFor()
  await dialog.getByText('@pupil.0999: Not any more').waitFor()
  await page.unroute('**/class/student/drop')
  await page.getByText('996 active, 2 suspended, 2 dropped').waitFor()
  await dialog.getByRole('button', { name: 'Drop 1', exact: true }).click()
  await page.getByText('996 active, 1 suspended, 3 dropped').waitFor()

  // The two dropped together come back as they were: one suspended, one active.
  await page.getByText('2 students dropped').locator('..').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('997 active, 2 suspended, 1 dropped').waitFor()
  await page.getByText('1 student dropped').locator('..').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('997 active, 3 suspended').waitFor()
  await select('Pupil 1000', 'Pupil 0999', 'Pupil 0998')
  await page.getByRole('button', { name: 'Reinstate 3' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reinstate 3' }).click()
  await page.getByText('1000 active').waitFor()
  assert.deepEqual(
    problems.filter((one) => !one.includes('403')),
    [],
  )
})

test('a stranger is invited to a class, accepts, and leaves it again', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Casey', `${ALPHA}/roster`)
  await app.sql('delete from invitations')
  await page.reload()
  await page.getByLabel('Handle').fill('@drew')
  await page.getByRole('button', { name: 'Enrol', exact: true }).click()
  await page.getByText('Invitation sent to @drew').waitFor()
  await page.getByRole('button', { name: 'Withdraw the invitation to @drew' }).waitFor()
  await look(page)

  const { page: own, problems: ownProblems } = await enter(t, 'Drew', '/dashboard')
  await own.getByText('You have 1 invitation').waitFor()
  await look(own)
  await own.getByRole('link', { name: 'Review' }).click()
  await own.getByText('Preflight Alpha, as Student').waitFor()
  await own.getByText('can see the progress and results of you').waitFor()
  await look(own)
  await own.getByRole('button', { name: 'Accept the invitation to Preflight Alpha' }).click()
  await own.getByText('Joined Preflight Alpha').waitFor()
  await own.getByText('No invitations').waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Drew Castellanos' }).waitFor()
  assert.equal(await page.getByText('Pending invitations').count(), 0)

  await own.goto(`${address}${ALPHA}`)
  await own.getByRole('button', { name: 'Leave class' }).click()
  const asked = own.getByRole('dialog', { name: 'Leave Preflight Alpha?' })
  await asked.getByText('Your records stay with the class').waitFor()
  await look(own)
  await asked.getByRole('button', { name: 'Leave class' }).click()
  await own.getByText('You left Preflight Alpha').waitFor()
  await own.waitForURL(/\/dashboard$/)
  assert.equal(await own.getByRole('link', { name: /Preflight Alpha/ }).count(), 0)
  assert.deepEqual([problems, ownProblems], [[], []])
})

test('a lost live connection is said, and mends itself', { skip: noChromium }, async (t) => {
  const { page } = await enter(t, 'Casey', ALPHA)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.route('**/edu/v1/class/events*', (route) => route.abort())
  await page.reload()
  await page.getByText('Connection lost. Reconnecting…').waitFor()
  await page.unroute('**/edu/v1/class/events*')
  await page.getByText('Live', { exact: true }).waitFor()
})

test('an observer sees the same and finds nothing to change', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Drew', LARGE)
  await page.getByText('You’re an observer').waitFor()
  assert.deepEqual(
    await page.getByRole('navigation', { name: 'Pages of Soaring Large' }).getByRole('link').allInnerTexts(),
    ['Overview', 'Gradebook', 'Roster', 'Dates'],
  )
  assert.equal(await page.getByRole('combobox').count(), 0)
  await page.goto(`${address}${LARGE}/students/pupil-0002`)
  await item(page, 'Winch launch').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Actions for/ }).count(), 0)
  assert.equal(await page.getByLabel('New note').count(), 0)
  await page.goto(`${address}${LARGE}/roster`)
  const roster = page.getByRole('region', { name: 'Roster' })
  await roster.getByRole('link', { name: 'Pupil 0001' }).waitFor()
  assert.deepEqual(await roster.getByRole('columnheader').allInnerTexts(), ['Name', 'Status', 'Since'])
  assert.equal(await roster.locator('tbody').getByRole('button').count(), 0)
  assert.equal(await page.getByRole('checkbox').count(), 0)
  for (const name of ['Import students', 'Enrol'])
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  assert.equal(await page.getByLabel('Handle').count(), 0)
  assert.deepEqual(problems, [])
})

test('an owner makes a course, and it is a draft without lessons', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Ellis', '/dashboard')
  await page.getByRole('button', { name: 'Create course' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create course' })
  await dialog.getByRole('button', { name: 'Create course' }).click()
  await dialog.getByText('Enter a name').waitFor()
  await look(page)
  await dialog.getByLabel('Name').fill('Élan & Glide')
  await dialog.getByRole('combobox', { name: 'Organisation' }).fill('aviation school')
  await page.getByRole('option', { name: 'Northwind Training' }).waitFor({ state: 'detached' })
  await page.getByRole('option', { name: 'Sandhills Aviation School' }).click()
  await dialog.getByRole('button', { name: 'Create course' }).click()
  await page.waitForURL(/\/dashboard\/courses\/elan-glide-[0-9a-f]{8}$/)
  await heading(page, 'Élan & Glide')
  await page.getByText('Sandhills Aviation School · not published yet').waitFor()
  await page.getByText('No lessons yet').waitFor()
  await page.getByRole('button', { name: 'Publish' }).waitFor()
  assert.deepEqual(problems, [])
  const { page: student } = await enter(t, 'Blake', '/dashboard')
  await closeBell(student)
  await student.reload()
  await student.getByRole('link', { name: /Preflight Alpha/ }).waitFor()
  await student.waitForLoadState('networkidle')
  assert.equal(await student.getByRole('button', { name: 'Create course' }).count(), 0)
})

test('an author adds a lesson, and students get it when it is published', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Ellis', '/dashboard/courses/course-soaring')
  await page.getByRole('button', { name: 'Create lesson' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Thermals')
  await dialog.getByRole('combobox', { name: 'Prerequisites' }).click()
  await page.getByRole('option', { name: 'Winch launch' }).click()
  await dialog.getByLabel('Name').click()
  await look(page)
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await item(page, 'Thermals').getByText('After Winch launch').waitFor()
  await page.getByRole('button', { name: 'Move Thermals up' }).click()
  await page.getByRole('button', { name: 'Save draft' }).click()
  // The lesson was moved before its prerequisite: the mistake is shown at the lesson, and the person's changes are not
  // lost.
  await item(page, 'Thermals').getByText('Move this lesson after its prerequisite, Winch launch.').waitFor()
  await page.getByRole('button', { name: 'Move Thermals down' }).click()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByText('You’re viewing the draft.').waitFor()
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog', { name: 'Publish version 2?' }).getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 2', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Create class' }).click()
  await dialog.getByLabel('Name').fill('Soaring Small')
  await dialog.getByRole('button', { name: 'Create class' }).click()
  await heading(page, 'Roster')
  await page.getByRole('link', { name: 'Gradebook' }).click()
  await page.getByText('No students yet').waitFor()
  const rows = await app.sql(
    `select v.number from classes c join course_versions v on v.id = c.version_id where c.name = 'Soaring Small'`,
  )
  assert.deepEqual(rows, [{ number: 2 }])
  // Ignore errors of these operations: browsers log every error status, even if the page handles it.
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('/edu/v1/course')),
    [],
  )
})
