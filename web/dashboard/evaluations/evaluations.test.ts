import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../../src/kernel/database/test-database.ts'
import { readText, run } from '../../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../../src/operations/testing/testing.ts'
import { enterAs, look } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
const demo = JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`))
const STUDENTS = ['avery', 'blake', 'lucia.fernandez', 'martin.alvarez', 'camila.nunez']
await run(app, {
  ...demo,
  courses: [
    ...demo.courses,
    {
      key: 'course-rating',
      organisation: 'sandhills',
      name: 'Rating',
      lessons: [
        { id: 'essay', name: 'Essay', instructorGraded: true, threshold: 50 },
        {
          id: 'ride',
          name: 'Check ride',
          kind: 'instructor-led',
          threshold: 70,
          rubric: [
            { id: 'landing', name: 'Crosswind landing', description: 'On the centre line', points: 5 },
            { id: 'radio', name: 'Radio', points: 10, objective: 'safety' },
          ],
        },
      ],
      objectives: [{ id: 'safety', name: 'Safety', lessons: ['ride'] }],
    },
  ],
  classes: [
    ...demo.classes,
    {
      key: 'class-rating',
      course: 'course-rating',
      name: 'Rating',
      instructors: ['@casey'],
      observers: ['@drew'],
      students: STUDENTS.map((name) => ({ handle: `@${name}`, id: `rating-${name}` })),
      attempts: ['blake', 'martin.alvarez'].map((name) => ({
        id: `essay-${name}`,
        handle: `@${name}`,
        lesson: 'essay',
        started: '2025-09-01T08:00:00Z',
        completed: '2025-09-01T09:00:00Z',
        answers: [{ question: 'Why does it fly?', answerText: 'Because it is asked to', isSure: true }],
      })),
    },
  ],
})

const CLASS = '/dashboard/classes/class-rating'
const EVALUATE = `${CLASS}/lessons/ride/evaluate`
const studentsOf = (...names: string[]) =>
  `${EVALUATE}?students=${encodeURIComponent(JSON.stringify(names.map((name) => `rating-${name}`)))}`
const PHONE = { viewport: { width: 360, height: 740 } }

const countEvaluations = async (name: string): Promise<number> =>
  (
    await app.sql(
      `select count(*)::int as n from evaluations v join enrolments e on e.id = v.enrolment_id where e.key = 'rating-${name}'`,
    )
  )[0]!.n as number

async function fill(page: Page, points: { landing: string; radio: string }, remarks: string): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Crosswind landing' }).getByText(points.landing, { exact: true }).click()
  await page.getByRole('spinbutton', { name: 'Radio' }).fill(points.radio)
  await page.getByRole('textbox', { name: 'Remarks' }).fill(remarks)
}

/** A time of day in the page's time zone, as its fields take it. */
const halfAnHourAgo = (page: Page) =>
  page.evaluate<string>('new Date(Date.now() - 30 * 60000).toTimeString().slice(0, 5)')

test('an instructor evaluates two students on a phone without a connection, and it is sent when it returns', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t, PHONE)
  await enterAs(page, address, 'Casey', studentsOf('avery', 'blake'))
  await page.getByRole('heading', { name: 'Evaluate: Check ride' }).waitFor()
  await page.getByRole('heading', { level: 2, name: 'Avery' }).waitFor()
  await look(page)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)

  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Save and next' }).click()
  await page.getByText('Choose passed or failed').waitFor()
  await fill(page, { landing: '4', radio: '8' }, 'Calm and precise')
  assert.equal(await page.getByRole('spinbutton', { name: 'Score' }).inputValue(), '80')
  assert.ok(await page.getByRole('radio', { name: 'Passed' }).isChecked())
  await page.getByRole('button', { name: 'Save and next' }).click()
  await page.getByText('1 evaluation saved on this device. It will be sent when you are back online.').waitFor()

  // The form of the next student is a draft that a reload keeps.
  await page.getByRole('heading', { level: 2, name: 'Blake' }).waitFor()
  await fill(page, { landing: '1', radio: '3' }, 'Landed on the taxiway')
  assert.ok(await page.getByRole('radio', { name: 'Failed' }).isChecked())
  await page.context().setOffline(false)
  await until('the first is sent', async () => (await countEvaluations('avery')) === 1)
  await page.getByText('saved on this device').waitFor({ state: 'hidden' })
  await page.reload()
  await page.getByRole('button', { name: /^Blake.* Draft$/ }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Remarks' }).inputValue(), 'Landed on the taxiway')
  await page.getByRole('button', { name: 'Save and next' }).click()
  await page.getByText(/Evaluation of Blake .*recorded/).waitFor()
  assert.deepEqual([await countEvaluations('avery'), await countEvaluations('blake')], [1, 1])
})

test('what was saved without a connection is sent at the next visit of the class', { skip: noChromium }, async (t) => {
  const page = await openChromium(t, PHONE)
  await enterAs(page, address, 'Casey', studentsOf('camila.nunez'))
  await page.getByRole('textbox', { name: 'Remarks' }).waitFor()
  await page.context().setOffline(true)
  await fill(page, { landing: '5', radio: '10' }, '')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('1 evaluation saved on this device').waitFor()
  // The tab is closed, and the class is opened again later.
  const { context } = { context: page.context() }
  await page.close()
  await context.setOffline(false)
  const later = await context.newPage()
  await later.goto(`${address}${CLASS}/gradebook`)
  await until('it is sent', async () => (await countEvaluations('camila.nunez')) === 1)
})

test('an evaluation that is refused after it was saved offline stays in sight until it is corrected or discarded', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t, PHONE)
  await enterAs(page, address, 'Casey', studentsOf('camila.nunez'))
  const save = async () => {
    await fill(page, { landing: '5', radio: '10' }, '')
    await page.getByLabel('Date').fill('2025-03-01')
    await page.getByLabel('Start time').fill('10:00')
    await page.getByRole('button', { name: 'Save' }).click()
  }
  await save()
  await page.getByText('Evaluation of Camila Núñez recorded').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: /^Camila/ }).click()
  await save()
  await page.getByText('1 evaluation saved on this device').waitFor()
  const context = page.context()
  await page.close()
  await context.setOffline(false)
  const later = await context.newPage()
  await later.goto(`${address}${CLASS}/gradebook`)
  await later.getByText('Couldn’t record the evaluation of Camila Núñez').waitFor()
  await look(later)
  await later.reload()
  await later.getByRole('link', { name: 'Open the evaluation of Camila Núñez' }).click()
  await later.getByRole('button', { name: 'Change', exact: true }).waitFor()
  await later.goto(`${address}${CLASS}/roster`)
  await later.getByRole('button', { name: 'Discard the evaluation of Camila Núñez' }).click()
  await later.getByText('Couldn’t record').waitFor({ state: 'hidden' })
  await later.reload()
  await later.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await later.getByText('Couldn’t record').count(), 0)
})

test('the same values are recorded for several students, and one who is refused can be corrected', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Casey', studentsOf('lucia.fernandez', 'martin.alvarez'))
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await fill(page, { landing: '5', radio: '9' }, 'Simulator session')
  // One of them gets a value of their own before all are saved.
  await page.getByRole('button', { name: /^Martín/ }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Remarks' }).inputValue(), 'Simulator session')
  await page.getByRole('textbox', { name: 'Remarks' }).fill('Left early')
  await page.getByRole('button', { name: 'Back to all' }).click()
  await page.getByText('except for the changes you made for Martín Álvarez').waitFor()
  await look(page)
  await page.getByRole('button', { name: 'Save for 2 students' }).click()
  await page.getByText('2 evaluations recorded').waitFor()
  await page.getByText('Every student in this list is evaluated').waitFor()
  const rows = await app.sql(
    `select e.key, v.remarks from evaluations v join enrolments e on e.id = v.enrolment_id
     where e.key in ('rating-lucia.fernandez', 'rating-martin.alvarez') order by 1`,
  )
  assert.deepEqual(
    rows.map(({ remarks }) => remarks),
    ['Simulator session', 'Left early'],
  )

  // A second one follows the first by itself.
  await page.getByRole('button', { name: /^Lucía/ }).click()
  await fill(page, { landing: '5', radio: '9' }, 'Second ride')
  await page.getByRole('button', { name: 'Save and next' }).click()
  await page.getByText('Evaluation of Lucía Fernández recorded').waitFor()
  // A third one at the same time overlaps them.
  await page.getByRole('button', { name: /^Lucía/ }).click()
  await fill(page, { landing: '5', radio: '9' }, 'Again')
  await page.getByLabel('Minutes').fill('30')
  await page.getByLabel('Start time').fill(await halfAnHourAgo(page))
  await page.getByRole('button', { name: 'Save and next' }).click()
  await page.getByText('Couldn’t record the evaluation of Lucía Fernández').waitFor()
  await look(page)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Remarks' }).inputValue(), 'Again')
  await page.getByLabel('Date').fill('2025-03-01')
  await page.getByRole('button', { name: 'Save and next' }).click()
  await page.getByText('Evaluation of Lucía Fernández recorded').waitFor()
  assert.equal(await countEvaluations('lucia.fernandez'), 3)
  assert.deepEqual(problems, [])
})

test('the overview, the grading page and selected students of the roster lead to evaluations', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t, PHONE)
  const problems = collectProblems(page)
  const go = async () => {
    await page.getByRole('button', { name: 'Record evaluations' }).click()
    await page.getByRole('menuitem', { name: 'Check ride' }).click()
    await page.getByRole('heading', { name: 'Evaluate: Check ride' }).waitFor()
  }
  await enterAs(page, address, 'Casey', CLASS)
  await go()
  await page.goto(`${address}${CLASS}/grading`)
  await go()
  await page.goto(`${address}${CLASS}/roster`)
  await page.getByRole('checkbox', { name: /Avery/ }).check()
  await page.getByRole('checkbox', { name: /Blake/ }).check()
  await go()
  const list = page.getByRole('checkbox', { name: /^Select / })
  await until('both are listed', async () => (await list.count()) === 3)
  assert.deepEqual(problems, [])
})

test('a student finds an evaluation on the class page, reads it and acknowledges it', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t, PHONE)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Avery', CLASS)
  await page.getByText('1 evaluation to acknowledge').waitFor()
  await look(page)
  await page.getByRole('link', { name: 'Read the evaluation of Check ride' }).click()
  await page.getByText('Calm and precise').waitFor()
  await page.getByText('4 of 5').waitFor()
  await page.getByText(/By Casey/).waitFor()
  await look(page)
  await page.getByRole('textbox', { name: 'Comment' }).fill('Thank you')
  await page.getByRole('button', { name: 'Acknowledge the evaluation of Check ride' }).click()
  await page.getByText(/^Acknowledged .*Thank you$/).waitFor()
  await page.getByRole('link', { name: 'All lessons' }).click()
  await page.getByRole('link', { name: /Open Check ride/ }).waitFor()
  await page.getByText('to acknowledge').waitFor({ state: 'hidden' })
  assert.deepEqual(problems, [])
})

test('an observer cannot record, and other lessons have no evaluations', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  await enterAs(page, address, 'Drew', EVALUATE)
  await page.getByText('Only instructors of the class can record evaluations').waitFor()
  await enterAs(page, address, 'Casey', `${CLASS}/lessons/essay/evaluate`)
  await page.getByText('This lesson is not instructor-led').waitFor()
})

test('an author writes a rubric, and moves and deletes its criteria', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/dashboard/courses/course-rating')
  await page.getByRole('button', { name: 'Edit Check ride' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByRole('button', { name: 'Add criterion' }).click()
  await form.getByRole('button', { name: 'Apply' }).click()
  await form.getByText('Enter a name, or delete the criterion').waitFor()
  const added = form.getByRole('group', { name: 'Criterion 3' })
  await added.getByRole('textbox', { name: 'Criterion' }).fill('Checklist')
  const checklist = form.getByRole('group', { name: 'Checklist' })
  await checklist.getByRole('spinbutton', { name: 'Points' }).fill('20')
  await form.getByRole('button', { name: 'Move Checklist up' }).click()
  await form.getByRole('button', { name: 'Delete Crosswind landing' }).click()
  await look(page)
  await form.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await until('the draft is saved', async () => {
    const [row] = await app.sql(`select draft from courses where key = 'course-rating'`)
    const ride = JSON.parse(JSON.stringify(row?.draft ?? null))?.lessons?.find(
      ({ id }: { id: string }) => id === 'ride',
    )
    return ride?.rubric?.map(({ name }: { name: string }) => name).join() === 'Checklist,Radio'
  })
  assert.deepEqual(problems, [])
})

test('an instructor grades in the gradebook with the keyboard alone', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Casey', `${CLASS}/gradebook`)
  const grid = page.getByRole('grid', { name: 'Gradebook' })
  const waiting = grid.getByRole('gridcell').filter({ hasText: 'To grade' })
  await waiting.first().waitFor()
  assert.equal(await waiting.count(), 2)
  const focused = () => page.evaluate<string | undefined>('document.activeElement.dataset.place')
  const [first, second] = await waiting.evaluateAll((cells) =>
    cells.map((cell) => (cell as unknown as { dataset: { place: string } }).dataset.place),
  )
  await waiting.first().focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('dialog')
  await panel.getByText('Because it is asked to').waitFor()
  await panel.getByText('Answer text').waitFor()
  await look(page)
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'hidden' })
  assert.equal(await focused(), first)

  await page.keyboard.press('Enter')
  await panel.getByRole('spinbutton', { name: 'Score' }).fill('40')
  await page.keyboard.press('Enter')
  // The panel goes on to the next attempt that waits.
  const title = page.getByRole('dialog', { name: /Essay/ })
  await until('the next is open', async () => (await waiting.count()) === 1 && (await title.count()) === 1)
  await panel.getByRole('spinbutton', { name: 'Score' }).fill('90')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing else to grade').waitFor()
  await panel.waitFor({ state: 'hidden' })
  assert.equal(await focused(), second)
  await grid.getByRole('columnheader', { name: /Essay/ }).getByText('Mean 65 · 20 % passed').waitFor()
  assert.deepEqual(problems, [])
})

test('the gradebook is filtered by state and sorted by totals', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Casey', `${CLASS}/gradebook`)
  const grid = page.getByRole('grid', { name: 'Gradebook' })
  await grid.getByRole('button', { name: 'Mean score' }).click()
  await page.waitForURL(/sort=mean/)
  await page.getByRole('combobox', { name: 'State' }).selectOption('Failed')
  await page.waitForURL(/state=failed/)
  await until('two have failed something', async () => (await grid.getByRole('rowheader').count()) === 2)
  await page.getByRole('combobox', { name: 'Lesson' }).selectOption('Essay')
  await page.waitForURL(/in=essay/)
  await until('one has failed the essay', async () => (await grid.getByRole('rowheader').count()) === 1)
  await look(page)
  await page.getByRole('combobox', { name: 'State' }).selectOption('Waiting for a grade')
  await page.getByText('No results').waitFor()
  assert.deepEqual(problems, [])
})

test('an evaluation is changed in the gradebook, and the student acknowledges it again', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Casey', `${CLASS}/gradebook?search=avery`)
  const grid = page.getByRole('grid', { name: 'Gradebook' })
  await grid.getByRole('gridcell').filter({ hasText: '80' }).first().click()
  const panel = page.getByRole('dialog')
  await panel.getByText('Calm and precise').waitFor()
  await panel.getByRole('button', { name: 'Change' }).click()
  await panel.getByRole('spinbutton', { name: 'Radio' }).fill('10')
  assert.equal(await panel.getByRole('spinbutton', { name: 'Score' }).inputValue(), '93.33')
  await panel.getByRole('button', { name: 'Change' }).click()
  await panel.getByText('Enter a reason').waitFor()
  await look(page)
  await panel.getByRole('textbox', { name: 'Reason' }).fill('Listened to the tape')
  await panel.getByRole('button', { name: 'Change' }).click()
  await panel.getByText('Not acknowledged yet').waitFor()
  await page.keyboard.press('Escape')
  await grid.getByRole('gridcell').filter({ hasText: '93.33' }).first().waitFor()
  assert.deepEqual(problems, [])
})
