import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { until } from '../../../src/kernel/database/test-database.ts'
import { readText, run } from '../../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../../src/operations/testing/testing.ts'
import { enterAs, look } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))

async function enter(t: Parameters<typeof openChromium>[0], person: string, path: string) {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, person, path)
  return { page, problems }
}

/** Fills in the dialog of a question and saves it. */
async function writeQuestion(
  page: Page,
  kind: string,
  text: string,
  fill: (dialog: ReturnType<Page['getByRole']>) => Promise<void>,
) {
  const dialog = page.getByRole('dialog', { name: 'Create question' })
  await dialog.getByLabel('Kind').selectOption(kind)
  await dialog.getByLabel('Question', { exact: true }).fill(text)
  await fill(dialog)
  await dialog.getByRole('button', { name: 'Save question' }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('an author writes questions and a quiz, a student takes it, and the instructor grades it', {
  skip: noChromium,
}, async (t) => {
  await t.test('the author creates questions in the bank, and is told what is missing', async (t) => {
    const { page, problems } = await enter(t, 'Ellis', '/dashboard/questions/sandhills')
    await page.getByText('Put the legs of the circuit in order.').waitFor()
    await page.getByRole('button', { name: 'Create question' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Create question' })
    await dialog.getByRole('button', { name: 'Save question' }).click()
    await dialog.getByText('Write the question').waitFor()
    await dialog.getByText('Fill in at least two').waitFor()
    await look(page)
    await writeQuestion(page, 'Single choice', 'Which light is red?', async (dialog) => {
      await dialog.getByLabel('Option 1', { exact: true }).fill('Port')
      await dialog.getByLabel('Option 2', { exact: true }).fill('Starboard')
      await dialog.getByLabel('Option 1 is correct').check()
      await dialog.getByLabel('Tags').fill('Lights')
    })
    await page.getByRole('button', { name: 'Create question' }).first().click()
    await writeQuestion(page, 'Ordering', 'Order the legs of a circuit', async (dialog) => {
      await dialog.getByLabel('Item 1', { exact: true }).fill('Downwind')
      await dialog.getByLabel('Item 2', { exact: true }).fill('Final')
    })
    await page.getByRole('row').filter({ hasText: 'Order the legs' }).waitFor()
    await page.getByRole('textbox', { name: 'Search' }).fill('red')
    await page.getByRole('button', { name: 'Apply' }).click()
    await until('one row', async () => (await page.locator('tbody tr').count()) === 1)
    await page.getByRole('button', { name: 'Edit Which light is red?' }).click()
    await page.getByRole('dialog', { name: 'Edit question' }).getByLabel('Explanation').fill('Red is on the left.')
    await page.getByRole('button', { name: 'Save question' }).click()
    await page.getByText('Question saved').first().waitFor()
    await look(page)
    assert.deepEqual(problems, [])
  })

  await t.test('the author builds a quiz from the bank and publishes it', async (t) => {
    const { page, problems } = await enter(t, 'Ellis', '/dashboard/courses/course-preflight')
    await page.getByRole('button', { name: 'Create lesson' }).click()
    const dialog = page.getByRole('dialog').first()
    await dialog.getByLabel('Name').fill('Lights quiz')
    await dialog.getByRole('combobox', { name: 'Kind of lesson' }).click()
    await page.getByRole('option', { name: 'Quiz', exact: true }).click()
    await dialog.getByRole('button', { name: 'Add questions' }).click()
    const picker = page.getByRole('dialog', { name: 'Choose questions' })
    await picker.getByLabel('Which light is red?').check()
    await picker.getByLabel('Order the legs of a circuit').check()
    await picker.getByRole('button', { name: 'Add 2 questions' }).click()
    await dialog.getByRole('button', { name: 'Create question' }).click()
    await writeQuestion(page, 'Essay', 'Why are lights needed?', async () => {})
    await dialog.getByText('3. Why are lights needed?').waitFor()
    await look(page)
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('You’re viewing the draft.').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page
      .getByRole('dialog', { name: /^Publish version/ })
      .getByRole('button', { name: 'Publish' })
      .click()
    await page.getByText('Version 2', { exact: true }).waitFor()
    assert.deepEqual(problems, [])
  })
  await app.sql(
    `update classes c set version_id = k.version_id, is_sequential = false from courses k where k.id = c.course_id and k.key = 'course-preflight'`,
  )
  const [row] = await app.sql(
    `select l.key from lesson_versions v join lessons l on l.id = v.lesson_id where v.name = 'Lights quiz'`,
  )
  const path = `/dashboard/classes/class-alpha/lessons/${row!.key}`

  await t.test(
    'a student takes the quiz on a phone, with the keyboard alone, loses no answer, and resumes it',
    async (t) => {
      const { page, problems } = await enter(t, 'Avery', path)
      await page.setViewportSize({ width: 360, height: 740 })
      await page.getByText('You see the correct answers after you submit.').waitFor()
      await look(page)
      await page.getByRole('button', { name: 'Start quiz' }).focus()
      await page.keyboard.press('Enter')
      await page.getByText('Question 1 of 3').waitFor()
      await page.getByRole('radio', { name: 'Port' }).focus()
      const loseResponse = async (route: Route) => {
        await route.fetch()
        await route.abort()
      }
      await page.route('**/edu/v1/quiz/answer', loseResponse, { times: 1 })
      await page.keyboard.press('Space')
      await page.getByText('Not saved yet. Trying again…').waitFor()
      for (const key of ['ArrowDown', 'ArrowUp']) {
        await page.keyboard.press(key)
        await page.getByText('All answers saved').waitFor()
      }
      const lost = [...problems]
      assert.match(lost.join(), /^[^,]*quiz.answer: Failed to load resource: net::ERR_FAILED$/)
      await page.getByRole('button', { name: 'Next' }).focus()
      await page.keyboard.press('Enter')
      await page.getByText('Question 2 of 3').waitFor()
      const first = () => page.getByRole('listitem').filter({ hasText: '1.' }).innerText()
      if (!(await first()).includes('Downwind')) {
        await page.getByRole('button', { name: 'Move Downwind up' }).focus()
        await page.keyboard.press('Enter')
      } else {
        await page.getByRole('button', { name: 'Keep this order' }).focus()
        await page.keyboard.press('Enter')
      }
      await page.getByText('All answers saved').waitFor()
      await look(page)
      await page.getByRole('link', { name: 'All lessons' }).click()
      await page.waitForURL('**/class-alpha')
      await page.goBack()
      await page.getByRole('button', { name: 'Question 2, answered' }).waitFor()
      await page.reload()
      await page.getByRole('button', { name: 'Question 2, answered' }).waitFor()
      await page.getByRole('button', { name: 'Question 3, not answered' }).click()
      await page.getByRole('button', { name: 'Submit quiz' }).click()
      await page.getByText('1 question is not answered.').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('textbox').fill('To be seen at night.')
      await page.getByText('All answers saved').waitFor()
      await page.getByRole('button', { name: 'Submit quiz' }).click()
      await page.getByRole('dialog', { name: 'Submit quiz?' }).getByRole('button', { name: 'Submit quiz' }).click()
      await page.getByText('Your instructor grades the remaining answers.').waitFor()
      await page.getByText('Red is on the left.').waitFor()
      assert.equal(await page.getByText('Correct', { exact: true }).count(), 2)
      await look(page)
      assert.deepEqual(problems, lost)
    },
  )

  await t.test('the instructor sees results per question, and grades the essay', async (t) => {
    const [attempt] = await app.sql(
      `select t.key from attempts t join quiz_attempts q on q.attempt_id = t.id where t.awaits_grade and t.reported_via is distinct from 'import'`,
    )
    const { page, problems } = await enter(t, 'Casey', '/dashboard/classes/class-alpha/gradebook')
    await page.getByRole('gridcell').filter({ hasText: 'To grade' }).first().click()
    const panel = page.getByRole('dialog')
    await panel.getByRole('link', { name: 'Grade answers' }).waitFor()
    assert.equal(await panel.getByRole('button', { name: 'Save grade' }).count(), 0)
    await look(page)
    await panel.getByRole('button', { name: 'Close' }).first().click()
    await page.getByRole('link', { name: 'Grading' }).click()
    await page.getByRole('heading', { name: 'Grading' }).waitFor()
    await look(page)
    await page.getByRole('link', { name: /^Grade Avery.*, Lights quiz$/ }).click()
    await page.waitForURL(`**/quizzes/${attempt!.key}`)
    await page.getByRole('heading', { name: 'Lights quiz' }).waitFor()
    await page.getByText('To be seen at night.').waitFor()
    await page.getByLabel('Points (0–1)').fill('1')
    await page.getByLabel('Remark').fill('Right.')
    await look(page)
    await page.getByRole('button', { name: 'Save grade' }).click()
    await page.getByText('Passed with 100 %').waitFor()
    await page.getByRole('link', { name: 'Results of the quiz' }).click()
    await page.getByRole('row').filter({ hasText: 'Port' }).getByText('1 (100 %)').waitFor()
    await look(page)
    assert.deepEqual(problems, [])
  })
})
