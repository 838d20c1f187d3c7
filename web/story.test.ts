import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startExample } from '../examples/testing.ts'
import { readText, run } from '../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../src/operations/testing/chromium.ts'
import { findFreePort } from '../src/operations/testing/ports.ts'
import { sharedApp } from '../src/operations/testing/testing.ts'
import { enterByFrontPage } from './testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
const [enginePort, helperPort, scoutPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
/** The demo data. Its plugins are those in examples/, each started in its own process below. */
const demo = readText('demo/demo.json')
  .replaceAll('http://localhost:4000/', `${address}/`)
  .replaceAll('localhost:4101', `localhost:${enginePort}`)
  .replaceAll('localhost:4102', `localhost:${helperPort}`)
const what = JSON.parse(demo)
what.courses[0].lessons[0].maxAttempts = 1
await run(app, what)

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first().waitFor()
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).click()
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).first().click()
const area = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name }).click()
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).click()
const choose = async (page: Page, box: string, option: string) => {
  await page.getByRole('combobox', { name: box }).click()
  await page.getByRole('option', { name: option }).click()
}

/** Opens a browser for a person who knows only the URL of the front page. */
async function enter(t: TestContext, person: string) {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterByFrontPage(page, address, person)
  return { page, problems }
}

const settings = (port: number, clientId: string, secret: string) => ({
  PLATFORM_URL: address,
  CLIENT_ID: clientId,
  CLIENT_SECRET: secret,
  PORT: String(port),
})

test('the whole story, from the front page on', { skip: noChromium }, async (t) => {
  /** Runs one part of the story. Later parts depend on earlier ones, so the first failure ends the test. */
  const tell = async (name: string, part: () => Promise<void>) => {
    await part().catch((error) => assert.fail(new Error(name, { cause: error })))
    t.diagnostic(name)
  }
  const { page: drew, problems: drews } = await enter(t, 'Drew')
  let scout = { clientId: '', secret: '' }

  await tell('a developer registers an app and a plugin', async () => {
    await link(drew, 'Create app')
    await drew.getByLabel('Name').fill('Logbook')
    await drew.getByLabel('Redirect URLs').fill('https://logbook.example.org/callback')
    await button(drew, 'Create app')
    await button(drew, 'I’ve saved it')
    await drew.getByText('Waiting for approval').first().waitFor()

    await link(drew, 'Plugins')
    await link(drew, 'Create plugin')
    await drew.getByLabel('AI engine').check()
    await drew.getByLabel('Name').fill('Scout')
    await drew.getByLabel('URL for capabilities').fill(`http://localhost:${scoutPort}/capabilities`)
    await drew.getByLabel('URL for candidates').fill(`http://localhost:${scoutPort}/candidates`)
    await button(drew, 'Create plugin')
    const secret = await drew.getByRole('dialog').locator('code').innerText()
    await button(drew, 'I’ve saved it')
    await heading(drew, 'Scout')
    scout = { clientId: await drew.locator('dd code').first().innerText(), secret }
    assert.equal(await drew.getByRole('button', { name: 'Activate' }).isDisabled(), true)
  })

  const { page: ellis, problems: ellises } = await enter(t, 'Ellis')
  await tell('an administrator approves both', async () => {
    await area(ellis, 'Administration')
    await link(ellis, 'Approvals')
    await button(ellis, 'Approve Logbook')
    await ellis.getByText('Nothing to approve').waitFor()
    await link(ellis, 'Permissions')
    for (const permission of ['Learning records', 'Mission planner']) {
      await button(ellis, `Grant ${permission} to Scout`)
      await ellis.getByRole('button', { name: `Revoke ${permission} from Scout` }).waitFor()
    }
    // Ellis also owns the school, and gives the plugin access to the school's people.
    await area(ellis, 'Developer console')
    await link(ellis, 'Plugins')
    await link(ellis, 'Scout')
    await link(ellis, 'Permissions')
    await choose(ellis, 'Organisation', 'Sandhills Aviation School')
    await button(ellis, 'Grant access')
    await ellis.getByText('Access to Sandhills Aviation School granted').waitFor()
    await drew.reload()
    await button(drew, 'Activate')
    await drew.getByText('Scout activated').waitFor()
  })

  const { page: casey, problems: caseys } = await enter(t, 'Casey')
  await tell('an owner starts a class, and its instructor fills it from a CSV', async () => {
    await area(ellis, 'Training')
    await link(ellis, /^Preflight Version/)
    await button(ellis, 'Create class')
    await ellis.getByRole('dialog').getByLabel('Name').fill('Preflight Charlie')
    await inDialog(ellis, 'Create class')
    await heading(ellis, 'Roster')
    await link(ellis, 'Settings')
    // The roster has a field of the same name.
    await heading(ellis, 'Settings')
    await ellis.getByLabel('Handle').fill('@casey')
    await button(ellis, 'Add')
    await ellis.getByText('@casey added').waitFor()

    await casey.reload()
    await link(casey, /Preflight Charlie/)
    await link(casey, 'Roster')
    await button(casey, 'Import students')
    const dialog = casey.getByRole('dialog', { name: 'Import students' })
    const buffer = Buffer.from('\uFEFFhandle,action\r\n@avery,add\r\n"@blake",add\r\n')
    await dialog.locator('input[type=file]').setInputFiles({ name: 'charlie.csv', mimeType: 'text/csv', buffer })
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('Preview', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Import 2 students' }).click()
    await dialog.getByText('Import complete').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await casey.getByText('2 active').waitFor()
    await link(casey, 'Overview')
    await casey.getByText('No one is working on a lesson right now.').waitFor()
  })

  const { page: avery, problems: averys } = await enter(t, 'Avery')
  await tell('a student launches, pauses and finishes, and the instructor sees it live', async () => {
    await link(avery, /Preflight Charlie/)
    await button(avery, 'Start Walkaround')
    await button(avery, 'Allow and start')
    await heading(avery, 'Walkaround')
    await casey.getByText('Working').waitFor()
    await button(avery, 'Pause')
    await casey.getByText('Paused').first().waitFor()
    await button(avery, 'Resume')
    await casey.getByText('Working').waitFor()
    for (const task of ['Fuel caps closed', 'Pitot cover removed', 'Tyres and brakes', 'Oil level'])
      await avery.getByLabel(task).check()
    await button(avery, 'Finish lesson')
    await avery.getByText('Lesson finished').waitFor()
    const row = casey.getByRole('row', { name: /Avery Lindqvist/ })
    await row.getByText('Passed').waitFor()
  })

  await tell('the instructor writes a note and gives an extra attempt; the student reads both', async () => {
    await casey
      .getByRole('row', { name: /Avery Lindqvist/ })
      .getByRole('link')
      .first()
      .click()
    await heading(casey, 'Avery Lindqvist')
    await casey.getByLabel('New note').fill('Look under the cowling, too.')
    await button(casey, 'Create note')
    await casey.getByText('Look under the cowling, too.').first().waitFor()
    await button(casey, 'Actions for Walkaround')
    await casey.getByRole('menuitem', { name: 'Give extra attempts', exact: true }).click()
    await casey.getByRole('dialog').getByLabel('Reason').fill('For the badge.')
    await inDialog(casey, 'Give attempts')
    await casey.getByText('Extra attempts given: 1 attempt left').waitFor()
    await link(avery, 'Back to class')
    await avery.getByText('Look under the cowling, too.').first().waitFor()
    await avery.getByRole('button', { name: /^(Open|Try) Walkaround again$/ }).waitFor()
  })

  await tell('an ATO request runs to completion with the example plugin', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gs-story-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const DATA_FILE = join(folder, 'requests.json')
    const helper = await startExample(t, 'ato-plugin', {
      ...settings(helperPort, 'gs-demo-ato', 'gs-demo-secret'),
      DATA_FILE,
    })
    await link(drew, 'ATO requests')
    await choose(drew, 'App', 'Logbook')
    await button(drew, 'Create package')
    await drew.getByRole('dialog').getByLabel('Name').fill('Logbook 2.1')
    await inDialog(drew, 'Create package')
    await heading(drew, 'Logbook 2.1')
    await button(drew, 'Create request')
    await drew.getByLabel('Demo ATO helper').check()
    await inDialog(drew, 'Create request')
    await heading(drew, 'Timeline')
    const request = drew.url()
    await helper.wrote(/request started: Logbook 2\.1/)
    await button(drew, 'Open plugin')
    await button(drew, 'Allow and open')
    await heading(drew, 'Logbook 2.1')
    for (const status of ['in-progress', 'under-review', 'completed']) {
      await drew.getByLabel('Next status').selectOption(status)
      await button(drew, 'Change status')
      await drew.getByText(`Status changed to ${status}`).waitFor()
    }
    await drew.goto(request)
    await drew.getByText('Completed').first().waitFor()
  })

  await tell('a search of the planner asks two engines, and its plan is kept', async () => {
    await startExample(t, 'ai-plugin', settings(enginePort, 'gs-demo-ai', 'gs-demo-secret'))
    await startExample(t, 'ai-plugin', settings(scoutPort, scout.clientId, scout.secret))
    await area(ellis, 'Mission planner')
    await ellis.getByRole('checkbox', { name: 'Scout' }).check()
    await ellis.getByRole('checkbox', { name: 'Demo engine' }).check()
    await ellis.getByRole('textbox', { name: 'Mission' }).fill('Preflight checks before dawn')
    await button(ellis, 'Find capabilities')
    await ellis.waitForURL(/\/planner\/searches\//)
    await button(ellis, 'Find candidates')
    await ellis.getByText(/\d+ people, best match first/).waitFor()
    await ellis.getByRole('checkbox', { name: 'Compare Avery Lindqvist' }).check()
    await button(ellis, 'Save as plan')
    await ellis.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Dawn patrol')
    await inDialog(ellis, 'Save plan')
    await heading(ellis, 'Dawn patrol')
  })

  // Ignore these errors: browsers log every error status, even if the page handles it; and the plugin has no favicon.
  const told = [...drews, ...ellises, ...caseys, ...averys].filter(
    (problem) => !/\/lesson\/launch|\/ato\/request\/open|favicon/.test(problem),
  )
  assert.deepEqual(told, [])
})
