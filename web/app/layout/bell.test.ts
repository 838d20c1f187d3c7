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
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))

const ALPHA = '/dashboard/classes/class-alpha'
const bell = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const panel = (page: Page) => page.getByRole('dialog', { name: 'Notifications' })

async function announce(page: Page, title: string, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Create announcement' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill(title)
  await dialog.getByLabel('Text').fill(text)
  await dialog.getByRole('button', { name: 'Send announcement' }).click()
  await page.getByRole('status').getByText('Announcement sent').first().waitFor()
  await until(
    'it is distributed',
    async () => (await app.sql(`select from jobs where kind = 'announcement'`)).length === 0,
  )
}

test('an instructor announces something, and the student’s bell shows it without a reload', {
  skip: noChromium,
}, async (t) => {
  const casey = await openChromium(t)
  const problems = collectProblems(casey)
  await enterAs(casey, address, 'Casey', ALPHA)
  const avery = await openChromium(t, { viewport: { width: 360, height: 740 } })
  const averyProblems = collectProblems(avery)
  await enterAs(avery, address, 'Avery', '/account')
  await bell(avery, 'Notifications').waitFor()

  await casey.getByRole('button', { name: 'Create announcement' }).click()
  const dialog = casey.getByRole('dialog', { name: 'Announcement to Preflight Alpha' })
  await dialog.getByText(/^\d+ people will be notified\.$/).waitFor()
  await dialog.getByRole('button', { name: 'Send announcement' }).click()
  await dialog.getByText('Enter a title').waitFor()
  await dialog.getByText('Enter a text').waitFor()
  await look(casey)
  await dialog.getByLabel('Title').fill('Simulator closed')
  await dialog.getByLabel('Text').fill('<b>Friday</b> moves to Monday.\nSame time.')
  await dialog.getByRole('button', { name: 'Send announcement' }).click()
  await casey.getByRole('link', { name: 'Simulator closed' }).waitFor()

  await bell(avery, 'Notifications, 1 unread').click()
  await panel(avery).getByText('<b>Friday</b> moves to Monday.').waitFor()
  await look(avery)
  assert.equal(
    await avery.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    0,
    'it scrolls sideways',
  )
  await panel(avery)
    .getByRole('link', { name: /Preflight Alpha: Simulator closed/ })
    .click()
  await avery.getByRole('heading', { level: 1, name: 'Simulator closed' }).waitFor()
  await bell(avery, 'Notifications').waitFor()
  await look(avery)
  await avery.getByRole('link', { name: 'Open Preflight Alpha' }).click()
  await avery.getByRole('list', { name: 'Announcements' }).getByText('Same time.').waitFor()
  assert.equal(await avery.getByRole('button', { name: 'Create announcement' }).count(), 0)

  await announce(casey, 'Two', 'Second')
  await bell(avery, 'Notifications, 1 unread').click()
  await panel(avery).getByRole('button', { name: 'Mark all as read' }).click()
  await panel(avery).getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' })
  await avery.keyboard.press('Escape')
  await bell(avery, 'Notifications').waitFor()
  assert.equal(await avery.evaluate('document.activeElement.getAttribute("aria-label")'), 'Notifications')

  await bell(avery, 'Notifications').click()
  await panel(avery).getByRole('link', { name: 'All notifications and settings' }).click()
  await avery.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
  const about = 'An announcement to a class or an organisation'
  // The new choice is shown a moment after the click, too late for `uncheck` on a busy machine.
  await avery.getByRole('checkbox', { name: `Bell: ${about}` }).click()
  await avery.getByRole('status').getByText('Settings saved').first().waitFor()
  await avery.getByLabel(`E-mail: ${about}`).selectOption('Off')
  await until('both are off', async () => {
    const [row] = await app.sql(`select app, email from notification_settings where kind = 'announcement'`)
    return row?.app === false && row.email === 'off'
  })
  await look(avery)
  await announce(casey, 'Three', 'Third')
  await avery.reload()
  await avery.getByRole('link', { name: 'Preflight Alpha: Two' }).waitFor()
  assert.equal(await avery.getByRole('link', { name: /Three/ }).count(), 0)
  await bell(avery, 'Notifications').waitFor()

  await casey.getByRole('button', { name: 'Delete the announcement “Three”' }).click()
  await casey.getByRole('dialog', { name: 'Delete “Three”?' }).getByRole('button', { name: 'Delete' }).click()
  await casey.getByRole('link', { name: 'Three' }).waitFor({ state: 'detached' })
  assert.deepEqual([...problems, ...averyProblems], [])
})

/** A script that makes the page believe that its tab is hidden, or shown again. */
const setVisibility = (state: string) =>
  `Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
   document.dispatchEvent(new Event('visibilitychange'))`

test('a hidden tab is not connected, and catches up when it is shown', { skip: noChromium }, async (t) => {
  const casey = await openChromium(t)
  await enterAs(casey, address, 'Casey', ALPHA)
  const blake = await openChromium(t)
  const opened = blake.waitForResponse(/notifications\/events/)
  await enterAs(blake, address, 'Blake', '/account')
  await opened
  const closed = blake.waitForEvent('requestfailed', (request) => request.url().endsWith('/notifications/events'))
  await blake.evaluate(setVisibility('hidden'))
  await closed
  const before = await bell(blake, 'Notifications').count()
  await announce(casey, 'While hidden', 'Nobody looked')
  assert.equal(await blake.getByRole('button', { name: /^Notifications/ }).count(), 1)
  assert.equal(await bell(blake, 'Notifications').count(), before)
  await blake.evaluate(setVisibility('visible'))
  await blake.getByRole('button', { name: /^Notifications, \d+ unread$/ }).waitFor()
})

test('without the live stream, the number is read once a minute', { skip: noChromium }, async (t) => {
  const casey = await openChromium(t)
  await enterAs(casey, address, 'Casey', ALPHA)
  await announce(casey, 'Lost', 'Found')
  const blake = await openChromium(t)
  await blake.route('**/notifications/events', (route) => route.abort())
  let reads = 0
  blake.on('request', (request) => {
    if (request.url().includes('/account/v1/notifications?')) reads++
  })
  await enterAs(blake, address, 'Blake', '/account')
  await blake.getByRole('button', { name: /^Notifications, \d+ unread$/ }).waitFor()
  assert.ok(reads <= 2, String(reads))
})

test('an owner announces to the organisation, in the console', { skip: noChromium }, async (t) => {
  const [owner] = await app.sql(
    `select o.key from organisations o join organisation_members m on m.organisation_id = o.id join people p on p.id = m.person_id
      where m.role = 'owner' and p.handle_key = 'ellis' limit 1`,
  )
  const ellis = await openChromium(t)
  await enterAs(ellis, address, 'Ellis', `/console/organisations/${owner?.key ?? 'sandhills'}`)
  await announce(ellis, 'Spring fly-in', 'On the first Sunday in May.')
  await ellis.getByRole('link', { name: 'Spring fly-in' }).click()
  await ellis.getByRole('heading', { level: 1, name: 'Spring fly-in' }).waitFor()
  await ellis.getByText('On the first Sunday in May.').waitFor()
  await look(ellis)
  await ellis.getByRole('button', { name: 'Delete the announcement' }).click()
  await ellis.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await ellis.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
})
