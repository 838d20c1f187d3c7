import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { readText, run } from '../../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../../src/operations/testing/testing.ts'
import { enterAs, look } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
const demo = JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`))
const course = (key: string, name: string) => ({
  key,
  organisation: 'sandhills',
  name,
  lessons: [
    { id: `${key}-a`, name: 'Alpha', childLessons: [{ id: `${key}-a1`, name: 'Taxi' }] },
    { id: `${key}-b`, name: 'Bravo', kind: 'page', text: 'Look at the sky.' },
    { id: `${key}-c`, name: 'Charlie', prerequisites: [`${key}-a`] },
  ],
})
await run(app, {
  ...demo,
  courses: [
    ...demo.courses,
    course('course-order', 'Order'),
    course('course-faults', 'Faults'),
    course('course-copies', 'Copies'),
    course('course-kinds', 'Kinds'),
  ],
})

const enter = async (t: Parameters<typeof openChromium>[0], person: string, path: string, width = 1280) => {
  const page = await openChromium(t, { viewport: { width, height: 1400 } })
  const problems = collectProblems(page)
  await enterAs(page, address, person, path)
  return { page, problems }
}
const editor = (key: string) => `/dashboard/courses/${key}`
const row = (page: Page, name: string) =>
  page.locator('li').filter({ has: page.getByRole('button', { name: `Edit ${name}`, exact: true }) })
const grip = (page: Page, name: string) => page.getByRole('button', { name: `Move ${name}. Drag it` })
const order = async (page: Page) =>
  (await page.getByRole('button', { name: /^Edit / }).evaluateAll((all) => all.map((one) => one.ariaLabel!))).map(
    (label) => label.slice(5),
  )
const act = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByText('You’re viewing the draft.').waitFor()
}
const draftOf = async (key: string) =>
  (await app.sql(`select draft from courses where key = '${key}'`))[0]!.draft as {
    lessons: { id: string; name: string; prerequisites?: string[]; childLessons?: { id: string; name: string }[] }[]
  }

test('lessons and steps are moved with the keyboard, and the move is announced', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Ellis', editor('course-order'))
  await grip(page, 'Bravo').focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.getByText('Bravo moved to position 1 of 3').waitFor({ state: 'attached' })
  assert.deepEqual(await order(page), ['Bravo', 'Alpha', 'Taxi', 'Charlie'])
  // The focus stays, so that the next key moves the same lesson.
  await page.keyboard.press('Alt+ArrowDown')
  assert.deepEqual(await order(page), ['Alpha', 'Taxi', 'Bravo', 'Charlie'])
  await grip(page, 'Taxi').focus()
  await page.keyboard.press('Alt+ArrowDown')
  await page.getByText('Taxi moved to Bravo, position 1 of 1').waitFor({ state: 'attached' })
  assert.deepEqual(await order(page), ['Alpha', 'Bravo', 'Taxi', 'Charlie'])
  await save(page)
  assert.deepEqual(
    (await draftOf('course-order')).lessons.map(({ name, childLessons = [] }) => [name, childLessons.length]),
    [
      ['Alpha', 0],
      ['Bravo', 1],
      ['Charlie', 0],
    ],
  )
  await look(page)
  assert.deepEqual(problems, [])
})

const drag = async (page: Page, from: Locator, to: Locator, part: number) => {
  await to.scrollIntoViewIfNeeded()
  const [start, end] = [(await from.boundingBox())!, (await to.boundingBox())!]
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2)
  await page.mouse.down()
  await page.mouse.move(start.x, start.y + 20)
  await page.mouse.move(end.x + 20, end.y + end.height * part, { steps: 4 })
  await page.mouse.up()
}

test('lessons and steps are moved by dragging', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Ellis', editor('course-copies'))
  await drag(page, grip(page, 'Charlie'), row(page, 'Bravo'), 0.2)
  assert.deepEqual(await order(page), ['Alpha', 'Taxi', 'Charlie', 'Bravo'])
  await drag(page, grip(page, 'Taxi'), row(page, 'Bravo'), 0.8)
  assert.deepEqual(await order(page), ['Alpha', 'Charlie', 'Bravo', 'Taxi'])
  // A lesson takes its steps with it.
  await drag(page, grip(page, 'Bravo'), row(page, 'Alpha'), 0.2)
  assert.deepEqual(await order(page), ['Bravo', 'Taxi', 'Alpha', 'Charlie'])
  assert.deepEqual(problems, [])
})

test('mistakes are shown at their lessons and fields, and go away when corrected', { skip: noChromium }, async (t) => {
  const { page } = await enter(t, 'Ellis', editor('course-faults'))
  // Charlie comes before its prerequisite, Alpha.
  await page.getByRole('button', { name: 'Move Charlie up' }).click()
  await page.getByRole('button', { name: 'Move Charlie up' }).click()
  await page.getByRole('button', { name: 'Create lesson' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Sim')
  await dialog.getByRole('combobox', { name: 'Kind of lesson' }).click()
  await page.getByRole('option', { name: 'App', exact: true }).click()
  // The fields of this kind are loaded when it is chosen, and move the button.
  await dialog.getByRole('combobox', { name: 'App', exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByText('Choose the app that delivers the lesson').waitFor()
  await look(page)
  await dialog.getByRole('combobox', { name: 'App', exact: true }).fill('demo')
  await page.getByRole('option', { name: /^Demo app/ }).click()
  await dialog.getByRole('combobox', { name: 'Launch URL' }).click()
  await page.getByRole('option', { name: /demo\/callback/ }).click()
  await dialog.getByRole('button', { name: 'Add parameter' }).click()
  await dialog.getByLabel('Name of parameter 1').fill('code')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('button', { name: 'Save draft' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'The draft was not saved' })
  await alert.getByText('2 things to correct').waitFor()
  await row(page, 'Charlie').getByText('Move this lesson after its prerequisite, Alpha.').waitFor()
  await row(page, 'Sim').getByText('Choose another name. Groundschool adds code itself.').waitFor()
  await look(page)
  await alert.getByRole('button', { name: 'Correct Sim' }).click()
  const field = dialog.getByLabel('Name of parameter 1')
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  await dialog.getByText('Choose another name. Groundschool adds code itself.').waitFor()
  await field.fill('level')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await row(page, 'Sim').getByText('Choose another name').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Move Charlie down' }).click()
  await page.getByRole('button', { name: 'Move Charlie down' }).click()
  await save(page)
})

test('an author tests the launch of an app, and reads what to do', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Ellis', editor('course-preflight'))
  await page.getByRole('button', { name: 'Edit Walkaround' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Test launch' }).click()
  await dialog.getByText('Demo app can deliver this lesson.').waitFor()
  await dialog.getByText('The launch URL is one of the app’s redirect URIs.').waitFor()
  await dialog.getByText(/The app responds at the launch URL/).waitFor()
  await look(page)
  // The lesson signs the author in, so they have to allow the app first.
  const first = page.context().waitForEvent('page')
  await dialog.getByRole('button', { name: 'Open as yourself' }).click()
  await first
  const allow = page.getByRole('dialog', { name: 'Allow this app?' })
  await allow.getByText('You have not allowed Demo app').waitFor()
  const second = page.context().waitForEvent('page')
  await allow.getByRole('button', { name: 'Allow and open' }).click()
  await (await second).waitForURL(/\/demo/)
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('/course/lesson/launch')),
    [],
  )
})

test('lessons, courses and classes are duplicated', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'Ellis', editor('course-copies'))
  await act(page, 'Alpha', 'Duplicate')
  assert.deepEqual(await order(page), ['Alpha', 'Taxi', 'Copy of Alpha', 'Taxi', 'Bravo', 'Charlie'])
  await save(page)
  const ids = (await draftOf('course-copies')).lessons.flatMap(({ id, childLessons = [] }) => [
    id,
    ...childLessons.map((one) => one.id),
  ])
  assert.equal(new Set(ids).size, 6)
  await act(page, 'Copies', 'Duplicate course')
  const dialog = page.getByRole('dialog', { name: 'Duplicate course' })
  await look(page)
  await dialog.getByRole('button', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { level: 1, name: 'Copy of Copies' }).waitFor()

  await page.goto(`${address}/dashboard/classes/class-alpha/settings`)
  await page.getByRole('button', { name: 'Duplicate' }).click()
  const copy = page.getByRole('dialog', { name: 'Duplicate class' })
  await copy.getByLabel('Name of the copy').fill('Preflight Next')
  await look(page)
  await copy.getByRole('button', { name: 'Duplicate' }).click()
  await page.getByText('Preflight Next').first().waitFor()
  await page.getByRole('heading', { level: 1, name: 'Roster' }).waitFor()
  assert.deepEqual(problems, [])
})

const countAttempts = () => app.sql('select count(*) from attempts')

test('a lesson of each kind is created, and previewed as a student on a phone', { skip: noChromium }, async (t) => {
  const before = await countAttempts()
  const { page, problems } = await enter(t, 'Ellis', editor('course-kinds'), 360)
  const dialog = page.getByRole('dialog')
  for (const kind of ['Page', 'Instructor-led', 'Activity outside the platform']) {
    await page.getByRole('button', { name: 'Create lesson' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill(`A ${kind}`)
    await dialog.getByRole('combobox', { name: 'Kind of lesson' }).click()
    await page.getByRole('option', { name: kind, exact: true }).click()
    if (kind === 'Page') await dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('Read me to the end.')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await row(page, `A ${kind}`).waitFor()
  }
  await save(page)
  await look(page)
  const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  assert.equal(wide, false)
  await act(page, 'A Page', 'Preview as a student')
  await page.getByText('Nothing you do here is recorded.').waitFor()
  await page.getByText('Read me to the end.').waitFor()
  await page.getByRole('link', { name: 'All lessons' }).click()
  await page.getByRole('link', { name: 'A Instructor-led' }).waitFor()
  await look(page)
  assert.deepEqual(await countAttempts(), before)
  assert.deepEqual(problems, [])
})

test('instructors are told whom to ask, until an owner lets them create courses', { skip: noChromium }, async (t) => {
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, r.role from (values ('@casey', 'instructor'), ('@drew', 'owner')) r(handle, role), organisations o, people p
      where o.key = 'sandhills' and p.handle = r.handle
     on conflict (organisation_id, person_id) do update set role = excluded.role`,
  )
  const { page } = await enter(t, 'Casey', '/dashboard')
  await page.getByText(/^In Sandhills Aviation School, ask .*Drew/).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Create course' }).count(), 0)
  // Instructors find the packages of their organisation without a course of their own.
  await page.getByRole('link', { name: 'Content packages of sandhills' }).waitFor()
  await look(page)
  const { page: owner, problems } = await enter(t, 'Drew', '/console/organisations/sandhills')
  await owner.getByRole('switch', { name: 'Instructors can create courses' }).click()
  await owner.getByText('Instructors can now create courses').waitFor()
  await look(owner)
  await page.reload()
  await page.getByRole('button', { name: 'Create course' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create course' })
  await dialog.getByLabel('Name').fill('Casey’s course')
  await dialog.getByRole('button', { name: 'Create course' }).click()
  await page.getByRole('heading', { level: 1, name: 'Casey’s course' }).waitFor()
  assert.equal(await page.getByText('Want to create a course?').count(), 0)
  assert.deepEqual(problems, [])
})
