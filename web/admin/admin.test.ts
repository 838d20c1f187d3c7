import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openEngine } from '../../src/extensions/planner/testing.ts'
import { AUDIT_ACTIONS } from '../../src/kernel/audit/actions.ts'
import { until } from '../../src/kernel/database/test-database.ts'
import { readText, run } from '../../src/kernel/imports/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../src/operations/testing/testing.ts'
import { assertSorts, assertTablesFit, enterAs, look, signInAs } from '../testing.ts'
import { ACTIONS } from './audit-words.ts'
import { adminWords } from './words.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))

test('a plugin that was given no organisation loses a permission in none', () => {
  const { withdrawText } = adminWords.permissions
  assert.match(withdrawText('Engine', 0), /^Engine loses this permission immediately\. /)
  assert.match(withdrawText('Engine', 1), /^Engine loses this permission immediately, in 1 organisation\. /)
})

test('every action that the platform records has words of its own', () => {
  assert.deepEqual(Object.keys(ACTIONS).toSorted(), AUDIT_ACTIONS.toSorted())
  assert.equal(new Set(Object.values(ACTIONS)).size, AUDIT_ACTIONS.length)
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()

test('an administrator finds somebody, disables them with a reason, and the audit log says so', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/approvals')
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByLabel('Find').fill('lucía')
  await button(page, 'Apply')
  await page.waitForURL(/query=/)
  await page.getByRole('link', { name: 'Lucía Fernández' }).click()
  await heading(page, 'Lucía Fernández')
  await button(page, 'Disable account')
  const dialog = page.getByRole('dialog', { name: 'Disable Lucía Fernández?' })
  await dialog.getByRole('button', { name: 'Disable account' }).click()
  await dialog.getByText('Enter a reason').waitFor()
  await look(page)
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Left <b>the school</b>')
  await dialog.getByRole('button', { name: 'Disable account' }).click()
  await page.getByText(/: Left <b>the school<\/b>/).waitFor()
  await look(page)
  await page.getByRole('link', { name: 'View in audit log' }).click()
  const entry = page.getByRole('row', { name: /Account disabled/ })
  await entry.getByText('Left <b>the school</b>').waitFor()
  await entry.getByRole('link', { name: /Ellis/ }).waitFor()
  await page.goBack()
  await button(page, 'Enable account')
  await page.getByRole('textbox', { name: 'Reason' }).fill('Came back')
  await page.getByRole('dialog').getByRole('button', { name: 'Enable account' }).click()
  await page.getByRole('button', { name: 'Disable account' }).waitFor()
  await button(page, 'Sign out everywhere')
  await page.getByRole('textbox', { name: 'Reason' }).fill('To be sure')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('Lucía Fernández signed out everywhere').waitFor()
  assert.deepEqual(problems, [])
})

test('an approved app that its developer changes is looked at once more, or suspended', {
  skip: noChromium,
}, async (t) => {
  const developer = await openChromium(t)
  await signInAs(developer, address, 'Drew')
  const change = async (fields: object) => {
    const data = { clientId: 'gs-demo-app', ...fields }
    assert.equal((await developer.request.post(`${address}/app/v1/app`, { data })).status(), 200)
  }
  const evil = '<img src=x onerror=alert(1)>'
  await change({ name: evil, origins: ['https://demo.example.org'] })
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/approvals')
  await heading(page, 'Changed since approval')
  const changes = page.getByRole('region', { name: 'Changed since approval' })
  await changes.getByText('Before: Demo app').waitFor()
  await changes.getByText(`Now: ${evil}`).waitFor()
  await changes.getByText('Now: https://demo.example.org').waitFor()
  await changes.getByText('@drew, just now').first().waitFor()
  assert.equal(await page.locator('img[src=x]').count(), 0)
  await look(page)
  await change({ name: 'Demo app' })
  await button(page, `Mark as reviewed: ${evil}`)
  await page.getByRole('alert').getByText('changed again in the meantime').waitFor()
  await page.reload()
  await button(page, 'Mark as reviewed: Demo app')
  await page.getByText('Demo app reviewed').waitFor()
  await changes.waitFor({ state: 'hidden' })

  await change({ origins: [] })
  await page.reload()
  await button(page, 'Suspend Demo app')
  const dialog = page.getByRole('dialog', { name: 'Suspend Demo app?' })
  await dialog.getByText('its tokens stop working immediately').waitFor()
  await dialog.getByLabel('Reason').fill('Under review')
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  await page.getByText('Demo app suspended').waitFor()
  await changes.waitFor({ state: 'hidden' })
  await app.sql(`update apps set status = 'approved' where client_id = 'gs-demo-app'`)
  assert.deepEqual(
    problems.filter((one) => !/status of 409/.test(one)),
    [],
  )
})

test('several waiting apps are approved at once', { skip: noChromium }, async (t) => {
  const developer = await openChromium(t)
  await signInAs(developer, address, 'Drew')
  for (const name of ['Checklists', 'Weather', 'Radio'])
    await developer.request.put(`${address}/app/v1/app`, {
      data: { organisation: 'northwind', name, redirectUris: ['https://app.example.org/callback'] },
    })
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/approvals')
  await page.getByRole('checkbox', { name: 'Select Weather' }).check()
  await page.getByRole('checkbox', { name: 'Select Radio' }).check()
  await look(page)
  await button(page, 'Approve 2 apps')
  await page.getByText('2 apps approved').waitFor()
  const statuses = await app.sql(
    `select name, status from apps where name in ('Checklists', 'Weather', 'Radio') order by name`,
  )
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['pending', 'approved', 'approved'],
  )
  assert.deepEqual(problems, [])
})

test('a permission of a plugin is withdrawn and granted again', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/approvals')
  await page.getByRole('link', { name: 'Permissions' }).click()
  await button(page, 'Revoke Badges from Demo engine')
  await page.getByRole('dialog', { name: 'Revoke Badges?' }).getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Badges revoked from Demo engine').waitFor()
  await button(page, 'Grant Badges to Demo engine')
  const granted = page.getByRole('alert').filter({ hasText: 'Badges granted to Demo engine' })
  await granted.getByRole('button', { name: 'Undo' }).click()
  await button(page, 'Grant Badges to Demo engine')
  await page.getByRole('button', { name: 'Revoke Badges from Demo engine' }).waitFor()
  await page.getByRole('button', { name: 'Revoke Skills from Demo engine' }).waitFor()
  assert.deepEqual(problems, [])
})

test('an administrator sees what organisations store, and changes a limit', { skip: noChromium }, async (t) => {
  await app.sql(`
    insert into file_storage (organisation_id, used_bytes, limit_bytes) select id, 2040109466, 2147483648 from organisations where key = 'sandhills'
    on conflict (organisation_id) do update set used_bytes = excluded.used_bytes, limit_bytes = excluded.limit_bytes`)
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/approvals')
  await page.getByRole('link', { name: 'Storage' }).click()
  const row = page.getByRole('row', { name: /Sandhills/ })
  for (const text of ['1.9 GiB of 2.0 GiB', 'Almost full', 'Own limit']) await row.getByText(text).waitFor()
  await assertSorts(page, 'Organisation', 'name')
  await page.getByLabel('Find organisation').fill('no such organisation')
  await page.getByText('No results').waitFor()
  await page.getByLabel('Find organisation').fill('sandhills')
  const change = async (limit: string) => {
    await button(page, /^Change limit of Sandhills/)
    const dialog = page.getByRole('dialog', { name: /Change limit of Sandhills/ })
    await dialog.getByLabel('Limit in GiB').fill(limit)
    await dialog.getByRole('button', { name: 'Save' }).click()
    return dialog
  }
  const dialog = await change('-1')
  await dialog.getByText('Enter a number of 0 or more').waitFor()
  await look(page)
  await dialog.getByLabel('Limit in GiB').fill('2.5')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/can use 2\.5 GiB/).waitFor()
  await row.getByText('1.9 GiB of 2.5 GiB').waitFor()
  await change('')
  await row.getByText('Platform limit').waitFor()
  await row.getByText('1.9 GiB of 5.0 GiB').waitFor()
  await page.goto(`${address}/admin/audit?action=organisation.storage`)
  await page.getByRole('row', { name: /Ellis/ }).nth(1).waitFor()
  assert.deepEqual(problems, [])
})

test('a verb comes into the library and goes, and can be had back', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/approvals')
  await page.getByRole('link', { name: 'Verb library' }).click()
  await button(page, 'Create verb')
  const dialog = page.getByRole('dialog', { name: 'Create verb' })
  await dialog.getByRole('button', { name: 'Create verb' }).click()
  await dialog.getByText('Enter a name').waitFor()
  await dialog.getByLabel('Name').fill('flew')
  await dialog.getByLabel('IRI').fill('https://example.org/verbs/flew')
  await look(page)
  await dialog.getByRole('button', { name: 'Create verb' }).click()
  await page.getByLabel('Find verb').fill('flew')
  await button(page, 'Delete flew')
  await page.getByRole('dialog').getByText('0 statements so far.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No results').waitFor()
  await button(page, 'Undo')
  await page.getByText('https://example.org/verbs/flew').waitFor()

  // Invalid values in the URL are ignored: the page shows its normal content.
  for (const [path, shown] of [
    ['/admin/audit?from=abc&to=2026-99-99&cursor=nonsense&page=-5', 'IP address'],
    ['/admin/record-store/statements?since=yesterday&cursor=7&live=maybe', 'Perfect Sequence'],
    ['/admin/people?page=-5&status=tall', '@avery'],
    ['/planner/plans?page=1e99', 'Night search over the hills'],
    ['/dashboard/classes/class-alpha/students/student-lucia.fernandez?from=1&to=9007199254740991', 'Most recent first'],
  ] as const) {
    await page.goto(`${address}${path}`)
    await page.getByText(shown).first().waitFor()
  }
  assert.deepEqual(problems, [])
})

const STATEMENT = '11111111-2222-4333-8444-555555555555'
const EVIL = '<img src=x onerror="document.title=1">'

test('a key is made, suspended, renewed and revoked; statements that it sent are found, and never run', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/approvals')
  await page.getByRole('link', { name: 'Record store' }).click()
  await page.getByRole('link', { name: 'Keys' }).click()
  await button(page, 'Create key')
  const dialog = page.getByRole('dialog', { name: 'Create key' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Hall 2')
  await look(page)
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const shown = page.getByRole('dialog', { name: 'Save your secret' })
  const secret = await shown.locator('code').innerText()
  await shown.getByRole('button', { name: 'I’ve saved it' }).click()
  const row = page.getByRole('row', { name: /Hall 2/ })
  const key = await row.locator('code').innerText()
  const statements = [EVIL, 'Radio calls'].map((name, i) => ({
    ...(i === 0 && { id: STATEMENT }),
    actor: { mbox: 'mailto:sim@example.org', name: i === 0 ? EVIL : 'Sim' },
    verb: { id: `http://adlnet.gov/expapi/verbs/${i === 0 ? 'passed' : 'failed'}` },
    object: { id: `https://example.org/activities/${i}`, definition: { name: { en: name } } },
  }))
  const sent = await fetch(`${address}/xapi/statements`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
      'content-type': 'application/json',
      'x-experience-api-version': '2.0.0',
    },
    body: JSON.stringify(statements),
  })
  assert.equal(sent.status, 200, await sent.text())

  const act = async (name: string) => {
    await button(page, 'Actions for Hall 2')
    await page.getByRole('menuitem', { name }).click()
  }
  await act('Suspend')
  await row.getByText('Suspended').waitFor()
  await act('Resume')
  await row.getByText('Active').waitFor()
  await act('Create new secret')
  assert.notEqual(await shown.locator('code').innerText(), secret)
  await shown.getByRole('button', { name: 'I’ve saved it' }).click()
  await row.getByText('Two valid secrets').waitFor()
  await look(page)
  assert.match(await assertSorts(page, 'Name', 'name'), /^Hall 2/)
  await assertSorts(page, 'Last used', 'used')
  await page.getByRole('link', { name: 'Keys' }).click()
  await act('Revoke key')
  await page.getByLabel('Enter Hall 2 to confirm').fill('Hall 2')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await row.getByText('Revoked').waitFor()

  await page.getByRole('link', { name: 'Statements' }).click()
  await page.getByText('18 statements, by verb').waitFor()
  const list = page.getByRole('region', { name: 'Statements' })
  await list.getByText('Lucía Fernández').first().waitFor()
  await list.getByText('Walkaround', { exact: true }).first().waitFor()
  assert.equal(await list.getByText(/^@|^lesson-/).count(), 0)
  await page.getByRole('combobox', { name: 'Activity' }).fill('walkar')
  await page.getByRole('option', { name: /Walkaround$/ }).waitFor()
  await page.getByRole('combobox', { name: 'Activity' }).fill('')
  await page.getByRole('combobox', { name: 'Actor' }).fill('sim@example.org')
  await page.getByRole('combobox', { name: 'Verb' }).fill('Passed')
  await button(page, 'Apply')
  await page.getByText('1 statement, by verb').waitFor()
  assert.match(page.url(), /verb=Passed/)
  // The offers to undo what happened above cover the link.
  const close = page.getByRole('status').getByRole('button', { name: 'Close' })
  while ((await close.count()) > 0) await close.first().click()
  await page.getByRole('link', { name: /^Open: / }).click()
  await page.waitForURL(new RegExp(STATEMENT))
  await page.getByText(JSON.stringify(EVIL)).first().waitFor()
  assert.equal(await page.locator('img[src=x]').count(), 0)
  await look(page)
  assert.deepEqual(problems, [])
})

test('an administrator sorts people, selects several, and disables them with one reason', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/people?query=ma')
  const names = () => page.getByRole('row').getByRole('link').allInnerTexts()
  const head = page.getByRole('columnheader', { name: 'Name' })
  await head.getByRole('button').click()
  await page.waitForURL(/sort=name/)
  await page.locator('th[aria-sort=ascending]').waitFor()
  // Accents do not matter: Á is sorted like A.
  await until('the order is ascending', async () => (await names())[0] === 'Martín Álvarez')
  const ascending = await names()
  await head.getByRole('button').click()
  await page.waitForURL(/sort=-name/)
  await page.locator('th[aria-sort=descending]').waitFor()
  await until('the order is reversed', async () => (await names()).join() === ascending.toReversed().join())

  const bar = page.getByRole('group', { name: 'Selection' })
  await bar.getByText('None selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select Cécile Marchand' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('checkbox', { name: 'Select Caio Magalhães' }).check()
  await bar.getByRole('status').getByText('2 selected').waitFor()
  const all = page.getByRole('checkbox', { name: 'Select all on this page' })
  assert.equal(await all.evaluate((box) => (box as unknown as { indeterminate: boolean }).indeterminate), true)
  await look(page)
  await bar.getByRole('button', { name: 'Disable 2 accounts' }).click()
  const dialog = page.getByRole('dialog', { name: 'Disable 2 accounts?' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('End of term')
  await dialog.getByRole('button', { name: 'Disable 2 accounts' }).click()
  await page.getByText('2 accounts disabled').waitFor()
  await bar.getByText('None selected').waitFor()
  const disabled = await app.sql(`select handle from people where disabled_at is not null order by handle`)
  assert.equal(disabled.length, 2)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await bar.getByRole('button', { name: 'Enable 2 accounts' }).click()
  await page.getByRole('textbox', { name: 'Reason' }).fill('A new term')
  await page.getByRole('dialog').getByRole('button', { name: 'Enable 2 accounts' }).click()
  await page.getByText('2 accounts enabled').waitFor()
  // A failure names the person, and says why.
  await page.goto(`${address}/admin/people?query=ellis`)
  await page.getByRole('checkbox', { name: 'Select Ellis Haverford' }).check()
  await bar.getByRole('button', { name: 'Disable 1 account' }).click()
  await page.getByRole('textbox', { name: 'Reason' }).fill('By mistake')
  await page.getByRole('dialog').getByRole('button', { name: 'Disable 1 account' }).click()
  await page.getByRole('alert').getByText('@ellis: You cannot disable your own account').waitFor()
  assert.deepEqual(
    problems.filter((one) => !one.includes('/person/disable')),
    [],
  )
})

test('a planner asks two engines, compares candidates, and keeps them as a plan', { skip: noChromium }, async (t) => {
  const one = await openEngine(app, { after }, { key: 'one', organisations: ['sandhills'] })
  const two = await openEngine(app, { after }, { key: 'two', organisations: ['sandhills'] })
  await one.name(['@avery', 0.9, `Flew at night ${EVIL}`], ['@blake', 0.4])
  await two.name(['@blake', 0.8, 'Knows the coast'])
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/approvals')
  await page.getByRole('link', { name: 'Mission planner' }).first().click()
  await page.getByRole('checkbox', { name: 'Demo engine' }).uncheck()
  await button(page, 'Find capabilities')
  await page.getByText('Describe the mission').waitFor()
  await page.getByRole('textbox', { name: 'Mission' }).fill('A night search over water')
  await button(page, 'Find capabilities')
  await page.waitForURL(/\/planner\/searches\//)
  await page.getByRole('checkbox', { name: 'Over water' }).first().uncheck()
  await look(page)
  await button(page, 'Find candidates')
  await page.getByText('2 people, best match first').waitFor()
  await page.getByText(`Flew at night ${EVIL}`).waitFor()
  await page.getByRole('checkbox', { name: 'Compare Avery Lindqvist' }).check()
  await page.getByRole('checkbox', { name: 'Compare Blake Moreau' }).check()
  const side = page.getByRole('region', { name: 'Side by side' })
  assert.match(await side.getByRole('row', { name: /^Overall/ }).innerText(), /45 %[\s\S]*60 %|60 %[\s\S]*45 %/)
  await side.getByText('Not suggested').waitFor()
  assert.match(page.url(), /compare=/)
  await look(page)
  await page.setViewportSize({ width: 360, height: 800 })
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
  await assertTablesFit(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  await button(page, 'Save as plan')
  const dialog = page.getByRole('dialog', { name: 'Save as plan' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Coast watch')
  await look(page)
  await dialog.getByRole('button', { name: 'Save plan' }).click()
  await heading(page, 'Coast watch')
  await look(page)
  await button(page, 'Edit')
  await page.getByRole('textbox', { name: 'Notes' }).fill('Ask them on Monday')
  await button(page, 'Save')
  await page.getByText('Ask them on Monday').waitFor()
  await button(page, 'Share')
  const sharing = page.getByRole('dialog', { name: 'Share plan' })
  await sharing.getByRole('button', { name: 'Share' }).click()
  await sharing.getByText('Enter a handle or choose an organisation').waitFor()
  await sharing.getByLabel('Person').fill('@blake')
  await sharing.getByRole('button', { name: 'Share', exact: true }).click()
  await sharing.getByText('Blake Moreau (@blake)').waitFor()
  await look(page)
  await sharing.getByRole('button', { name: 'Done' }).click()
  const reader = await openChromium(t)
  await enterAs(reader, address, 'Blake', '/planner/plans')
  await reader.getByRole('row', { name: /Coast watch.*Ellis/ }).waitFor()
  await reader.getByRole('link', { name: 'Coast watch' }).click()
  await reader.getByText('Read-only').waitFor()
  assert.equal(await reader.getByRole('button', { name: 'Delete plan' }).count(), 0)
  await look(reader)
  await button(page, 'Remove Avery Lindqvist')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Avery Lindqvist removed from the plan').waitFor()
  await page.getByRole('link', { name: 'Plans' }).first().click()
  await page
    .getByRole('row', { name: /Coast watch/ })
    .getByText('1 person')
    .waitFor()
  await page.getByRole('link', { name: 'Coast watch' }).click()
  await button(page, 'Delete plan')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete plan' }).click()
  await page.getByRole('link', { name: 'Night search over the hills' }).click()
  await page
    .getByRole('listitem')
    .filter({ hasText: 'No evidence of search and rescue.' })
    .getByText('0 %', { exact: true })
    .waitFor()
  await look(page)
  await page.getByText('Sandhills Aviation School').waitFor()
  await page.getByRole('link', { name: 'Plans' }).first().click()
  await page.getByRole('link', { name: 'Night search over the hills' }).waitFor()
  await page.getByRole('link', { name: 'Coast watch' }).waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('an administrator creates a person, resends the invitation, makes an administrator, and deletes an account', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Ellis', '/admin/people')
  await button(page, 'Create person')
  const create = page.getByRole('dialog', { name: 'Create person' })
  await create.getByRole('button', { name: 'Create person' }).click()
  await create.getByText('Enter a name, a handle or an e-mail address').waitFor()
  await create.getByLabel('Given name').fill('Noor')
  await create.getByLabel('Family name').fill('Haddad')
  await create.getByLabel('E-mail address').fill('ellis@example.org')
  await create.getByRole('button', { name: 'Create person' }).click()
  await create.getByText('ellis@example.org belongs to @ellis').waitFor()
  await create.getByRole('checkbox', { name: 'Allow a second account with this address' }).waitFor()
  await create.getByLabel('E-mail address').fill('noor@example.org')
  const organisation = create.getByRole('combobox', { name: 'Organisation' })
  await organisation.fill('sandh')
  await page.getByRole('option', { name: 'Sandhills' }).click()
  await create.getByLabel('Role in the organisation').selectOption('Instructor')
  await look(page)
  await create.getByRole('button', { name: 'Create person' }).click()
  await page.getByText('Noor Haddad created and invited').waitFor()

  await page.goto(`${address}/admin/people?status=invited`)
  await page.getByRole('checkbox', { name: 'Select Noor Haddad' }).check()
  await button(page, 'Send 1 invitation')
  await page.getByText('1 invitation sent').waitFor()
  await look(page)
  await page.getByRole('link', { name: 'Noor Haddad' }).click()
  await heading(page, 'Noor Haddad')
  await button(page, 'Edit')
  const edit = page.getByRole('dialog', { name: 'Edit Noor Haddad' })
  await edit.getByLabel('Handle').fill('@noor')
  await edit.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/people\/(@|%40)noor$/)
  await look(page)
  await button(page, 'Withdraw invitation')
  const withdraw = page.getByRole('dialog')
  await withdraw.getByRole('button', { name: 'Withdraw invitation' }).click()
  await page.getByText('Invitation of Noor Haddad withdrawn').waitFor()
  assert.deepEqual(await app.sql(`select from people where email = 'noor@example.org'`), [])

  await page.goto(`${address}/admin/people/@drew`)
  await button(page, 'Make administrator')
  const promote = page.getByRole('dialog')
  await promote.getByLabel('Reason').fill('Runs the office')
  await promote.getByRole('button', { name: 'Make administrator' }).click()
  await page.getByText(/is an administrator/).waitFor()
  await button(page, 'Remove administrator role')
  await page.getByRole('dialog').getByLabel('Reason').fill('Left the office')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove administrator role' }).click()
  await page.getByText(/is no longer an administrator/).waitFor()
  await button(page, 'Delete account')
  const remove = page.getByRole('dialog')
  await remove.getByText('You can’t undo this').waitFor()
  await look(page)
  assert.match(problems.join(), /^[^,]*person: Failed to load resource: [^,]* 409 [^,]*$/)
})

test('people who run a school find its people and settings outside the console', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  await enterAs(page, address, 'Ellis', '/dashboard')
  await page.getByRole('link', { name: 'People and settings of Sandhills Aviation School' }).click()
  await heading(page, 'Sandhills Aviation School')
  const areas = page.getByRole('navigation', { name: 'Areas' })
  assert.equal(await areas.getByRole('link', { name: 'Organisations' }).getAttribute('aria-current'), 'page')
  await page.setViewportSize({ width: 1000, height: 700 })
  const { x, width } = (await page.getByRole('button', { name: /^Account menu/ }).boundingBox())!
  assert.ok(x + width <= 1000, 'the areas leave room for the menu')
  await look(page)
  await page.goto(`${address}/admin/people`)
  await button(page, 'Import people')
  const dialog = page.getByRole('dialog', { name: 'Import people' })
  await dialog.getByRole('combobox', { name: 'Organisation' }).fill('sandh')
  await page.getByRole('option', { name: 'Sandhills' }).click()
  await dialog.getByText('The columns are email or handle').waitFor()
  await look(page)
})

test('administrators land on the overview, and each line leads to the page where it is dealt with', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t, { viewport: { width: 360, height: 800 } })
  const problems = collectProblems(page)
  await app.sql(
    `insert into people (handle, handle_key, first_name, last_name, created_at, search_version, unclaimed, invited_until)
     values ('@late', 'late', 'Late', 'Comer', now(), 0, true, now() - interval '1 day');
     insert into jobs (kind, payload, created_at, run_at, given_up_at, problem)
     values ('message', '{}', now(), now(), now() - interval '1 hour', 'refused')`,
  )
  await page.goto(address)
  await page.getByRole('button', { name: /^Sign in as Ellis / }).click()
  await page.waitForURL(`${address}/admin`)
  await heading(page, 'Overview')
  await look(page)
  await page.getByRole('link', { name: 'E-mails could not be sent' }).waitFor()
  await page.getByText('1 in the last 7 days').waitFor()
  await page.getByRole('row', { name: /^People/ }).waitFor()
  await page.getByRole('link', { name: /invitations? expired$/ }).click()
  await page.waitForURL(`${address}/admin/people?status=expired`)
  await page.getByRole('link', { name: 'Late Comer' }).waitFor()
  await app.sql(`delete from people where handle = '@late'; delete from jobs where problem = 'refused'`)
  assert.deepEqual(problems, [])
})
