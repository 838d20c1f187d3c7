import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readText, run } from '../src/kernel/imports/testing.ts'
import { testMailbox } from '../src/kernel/messages/testing.ts'
import { collectProblems, noChromium, openChromium } from '../src/operations/testing/chromium.ts'
import { testApp } from '../src/operations/testing/testing.ts'
import { enterByFrontPage } from './testing.ts'

const PASSWORD = 'a long password of my own'
const STUDENTS = ['Ada', 'Ben', 'Cleo', 'Dina', 'Emil', 'Fay', 'Gus', 'Hana', 'Ivo', 'June']
const addressOf = (name: string) => `${name.toLowerCase()}@skyhigh.example`
const CSV = [
  'email,givenName,familyName,role',
  `${addressOf('Iris')},Iris,Instructor,instructor`,
  ...STUDENTS.map((name) => `${addressOf(name)},${name},Student,member`),
].join('\r\n')

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).click()
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).first().click()
const area = (page: Page, name: string | RegExp) =>
  page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name }).click()

test('a school is run in the browser, from the front page on', { skip: noChromium }, async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...mailbox.settings, RATE_ADDRESS_BURST: '100000' })
  const address = app.environment().url
  await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))
  /** Runs one part of the story. Later parts depend on earlier ones, so the first failure ends the test. */
  const tell = async (name: string, part: () => Promise<void>) => {
    await part().catch((error) => assert.fail(new Error(name, { cause: error })))
    t.diagnostic(name)
  }
  const links = new Map<string, string>()

  const ellis = await openChromium(t)
  const problems = collectProblems(ellis)
  await tell('an administrator invites an instructor and ten students from a CSV file', async () => {
    await enterByFrontPage(ellis, address, 'Ellis')
    await area(ellis, 'Developer console')
    await link(ellis, 'Organisations')
    await button(ellis, 'Create organisation')
    const create = ellis.getByRole('dialog', { name: 'Create organisation' })
    await create.getByLabel('Name').fill('Skyhigh')
    await create.getByLabel('Key').fill('skyhigh')
    await create.getByRole('button', { name: 'Create organisation' }).click()
    await ellis.getByRole('heading', { level: 1, name: 'Skyhigh' }).waitFor()
    await button(ellis, 'Import people')
    const dialog = ellis.getByRole('dialog', { name: 'Import people' })
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) }
    await dialog.locator('input[type=file]').setInputFiles(file)
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByRole('button', { name: 'Import 11 people' }).click()
    await dialog.getByText('Import complete').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await ellis.getByRole('switch', { name: 'Instructors can create courses' }).click()
    await ellis.getByText('Instructors can now create courses').waitFor()
    for (let i = 0; i < 11; i++) {
      const { to, link } = await mailbox.next()
      links.set(to, link!)
    }
    assert.deepEqual([...links.keys()].toSorted(), ['Iris', ...STUDENTS].map(addressOf).toSorted())
  })

  /** Follows the link in a person's message and sets a password. */
  const claim = async (name: string, width = 1280): Promise<Page> => {
    const page = await openChromium(t, { viewport: { width, height: 800 } })
    await page.goto(links.get(addressOf(name))!)
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Confirm new password').fill(PASSWORD)
    await page.screenshot({ path: '/tmp/school-claim.png' })
    await page.getByRole('button', { name: /password/ }).first().click()
    await page.waitForTimeout(1500)
    await page.screenshot({ path: '/tmp/school-claimed.png' })
    await page.goto(`${address}/dashboard`)
    return page
  }

  const iris = await claim('Iris')
  const complaints = collectProblems(iris)
  const dialog = iris.getByRole('dialog')
  const createLesson = async (name: string, kind: string, fill: () => Promise<void>) => {
    await button(iris, 'Create lesson')
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await dialog.getByRole('combobox', { name: 'Kind of lesson' }).click()
    await iris.getByRole('option', { name: kind, exact: true }).click()
    await fill()
    await dialog.first().getByRole('button', { name: 'Apply' }).click()
    await iris.getByRole('button', { name: `Edit ${name}`, exact: true }).waitFor()
  }
  await tell('the instructor creates a course with a page, a quiz, a check ride and an app lesson', async () => {
    await button(iris, 'Create course')
    await dialog.getByLabel('Name').fill('Night flying')
    await dialog.getByRole('button', { name: 'Create course' }).click()
    await iris.getByRole('heading', { level: 1, name: 'Night flying' }).waitFor()
    await createLesson('Briefing', 'Page', () =>
      dialog.getByRole('textbox', { name: 'Text', exact: true }).fill('# Lights\n\nRed is **port**.'),
    )
    await createLesson('Lights quiz', 'Quiz', async () => {
      await dialog.getByRole('button', { name: 'Create question' }).click()
      const question = iris.getByRole('dialog', { name: 'Create question' })
      await question.getByLabel('Kind').selectOption('Single choice')
      await question.getByLabel('Question', { exact: true }).fill('Which light is red?')
      await question.getByLabel('Option 1', { exact: true }).fill('Port')
      await question.getByLabel('Option 2', { exact: true }).fill('Starboard')
      await question.getByLabel('Option 1 is correct').check()
      await question.getByRole('button', { name: 'Save question' }).click()
      await question.waitFor({ state: 'detached' })
    })
    await createLesson('Check ride', 'Instructor-led', async () => {})
    await createLesson('Walkaround', 'App', async () => {
      await dialog.getByRole('combobox', { name: 'App', exact: true }).fill('demo')
      await iris.getByRole('option', { name: /^Demo app/ }).click()
      await dialog.getByRole('combobox', { name: 'Launch URL' }).click()
      await iris.getByRole('option', { name: /demo\/callback/ }).click()
      await dialog.getByLabel(/Sign the student in/).check()
    })
    await button(iris, 'Save draft')
    await iris.getByText('You’re viewing the draft.').waitFor()
    await button(iris, 'Publish')
    await iris
      .getByRole('dialog', { name: /^Publish version/ })
      .getByRole('button', { name: 'Publish' })
      .click()
    await iris.getByText('Version 1', { exact: true }).waitFor()
    await iris.screenshot({ path: '/tmp/school-course.png' })
  })
  assert.deepEqual([problems, complaints], [[], []])
})
