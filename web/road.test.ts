import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { readText, run } from '../src/kernel/imports/testing.ts'
import { checkAccessibility, collectProblems, noChromium, openChromium } from '../src/operations/testing/chromium.ts'
import { isLong } from '../src/operations/testing/sizes.ts'
import { sharedApp } from '../src/operations/testing/testing.ts'
import { listPaths } from './page-paths.ts'
import { assertTablesFit, enterAs, enterByFrontPage, PAGES, SEEN_IN_STORIES, show, signInAs } from './testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' }, { withSandbox: true })
const address = app.environment().url
/** Imports the demo data. The redirect URI of the demo app is a page of this platform. */
await run(app, JSON.parse(readText('demo/demo.json').replaceAll('http://localhost:4000/', `${address}/`)))

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()
const row = (page: Page, lesson: string) => page.getByRole('listitem').filter({ hasText: lesson }).first()

test('a student launches a lesson, finishes it, and the next one is open', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterByFrontPage(page, address, 'Avery')
  await page.getByRole('link', { name: /Preflight Alpha/ }).click()
  await row(page, 'Checklist').getByText('Locked until you pass Walkaround').waitFor()
  await page.getByRole('button', { name: 'Start Walkaround' }).click()

  const dialog = page.getByRole('dialog', { name: 'Allow this lesson’s app?' })
  await dialog.getByText('You have not allowed Demo app by Northwind Training yet.').waitFor()
  await checkAccessibility(page)
  await dialog.getByRole('button', { name: 'Allow and start' }).click()
  await page.waitForURL(/\/demo\/callback\?/)
  await heading(page, 'Walkaround')
  for (const task of ['Fuel caps closed', 'Pitot cover removed', 'Tyres and brakes'])
    await page.getByLabel(task).check()
  await page.getByText('Score 60 of 100').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByLabel('Oil level').check()
  await checkAccessibility(page)
  await page.getByRole('button', { name: 'Finish lesson' }).click()
  await page.getByText('Lesson finished').waitFor()
  await page.getByText(/Passed\. Score 80/).waitFor()
  // The code works only once, so a reload fails. The error shows its code and request id, like every error.
  await page.reload()
  await page.getByText('This code has been used or has expired').waitFor()
  await page.getByRole('button', { name: /^Error 4008, request / }).waitFor()

  await page.getByRole('link', { name: 'Back to class' }).click()
  await row(page, 'Walkaround').getByText('Passed', { exact: true }).waitFor()
  await page.getByText('1 of 3 lessons passed').first().waitFor()
  await page.getByRole('button', { name: 'Start Checklist' }).waitFor()
  await row(page, 'Walkaround').getByRole('button', { name: 'Attempts at Walkaround' }).click()
  await page.getByRole('dialog').getByText('Reported by Demo app', { exact: true }).waitFor()
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await assertTablesFit(page)
  }
  // Ignore errors of these operations: browsers log every error status, even if the page handles it.
  assert.deepEqual(
    problems.filter((problem) => !/\/edu\/v1\/lesson\/launch|\/oauth\/token/.test(problem)),
    [],
  )
})

test('an instructor sees the class, and a student at work as it happens', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await enterAs(page, address, 'Casey', '/dashboard')
  await page.getByRole('link', { name: /Preflight Alpha/ }).click()
  const lucia = page.getByRole('row', { name: /Lucía Fernández/ })
  assert.match(await lucia.innerText(), /95[\s\S]*92[\s\S]*88/)
  await page.getByText('No one is working on a lesson right now.').waitFor()

  const student = await openChromium(t)
  await enterAs(student, address, 'Blake', '/dashboard')
  await student.getByRole('link', { name: /Preflight Alpha/ }).click()
  await student.getByRole('button', { name: 'Start Walkaround' }).click()
  await student.getByRole('button', { name: 'Allow and start' }).click()
  await heading(student, 'Walkaround')
  await page.getByText('Working').waitFor()
  await page
    .getByRole('row', { name: /Blake Moreau/ })
    .getByText('In progress')
    .waitFor()
  await student.getByRole('button', { name: 'Finish lesson' }).click()
  await student.getByText('Not passed').waitFor()
  await page
    .getByRole('row', { name: /Blake Moreau/ })
    .getByText('Failed')
    .waitFor()
  await page.getByText('No one is working on a lesson right now.').waitFor()
  assert.deepEqual(problems, [])
})

test('a developer registers an app, an administrator approves it, and what was typed never runs', {
  skip: noChromium,
}, async (t) => {
  const developer = await openChromium(t)
  const problems = collectProblems(developer)
  await enterAs(developer, address, 'Drew', '/console/apps')
  await developer.getByRole('link', { name: 'Create app' }).click()
  await developer.getByRole('button', { name: 'Create app' }).click()
  await developer.getByText('Enter a name').waitFor()
  await developer.getByText('Enter at least one URL').waitFor()
  await checkAccessibility(developer)
  const name = 'Logbook <img src=x onerror="document.title=1"><script>1</script>'
  await developer.getByLabel('Name').fill(name)
  await developer.getByLabel('Redirect URLs').fill('https://logbook.example.org/callback\nlogbook://callback')
  await developer.getByRole('button', { name: 'Create app' }).click()
  const dialog = developer.getByRole('dialog', { name: 'Save your client secret' })
  const secret = await dialog.locator('code').innerText()
  assert.match(secret, /^gs_cs_[\w-]{40,}$/)
  await developer.keyboard.press('Escape')
  await checkAccessibility(developer)
  await dialog.getByRole('button', { name: 'I’ve saved it' }).click()
  await heading(developer, name)
  await developer.getByText('Waiting for approval').first().waitFor()
  assert.ok(!(await developer.content()).includes(secret), 'the secret is shown once')

  const administrator = await openChromium(t)
  await enterAs(administrator, address, 'Ellis', '/admin/approvals')
  await heading(administrator, name)
  await administrator.getByRole('button', { name: `Approve ${name}` }).click()
  await administrator.getByText('Nothing to approve').waitFor()
  await developer.reload()
  await developer.getByText('Approved').waitFor()
  await administrator.getByRole('button', { name: 'Undo' }).click()
  await administrator.getByText(`${name} suspended`).waitFor()
  await developer.reload()
  await developer.getByText('No one can sign in, and its tokens don’t work.').waitFor()
  assert.equal(await developer.getByRole('button', { name: 'Approve' }).count(), 0)
  await administrator.goto(developer.url())
  await administrator.getByRole('button', { name: 'Approve' }).click()
  await administrator.getByRole('button', { name: 'Suspend' }).click()
  const asked = administrator.getByRole('dialog', { name: `Suspend ${name}?` })
  await asked.getByText('its tokens stop working immediately').waitFor()
  await checkAccessibility(administrator)
  await asked.getByRole('button', { name: 'Suspend' }).click()
  await asked.getByText('Enter a reason').waitFor()
  await asked.getByLabel('Reason').fill('Its name misleads people')
  await asked.getByRole('button', { name: 'Suspend' }).click()
  await asked.waitFor({ state: 'hidden' })
  await developer.reload()
  await developer.getByText('Reason: Its name misleads people').waitFor()
  await administrator.getByRole('button', { name: 'Approve' }).click()
  await administrator.getByText('People can sign in.', { exact: true }).waitFor()

  await app.sql(`update apps set status = 'pending' where client_id = '${developer.url().split('/').at(-1)}'`)
  await administrator.goto(`${address}/admin/approvals`)
  await administrator.getByRole('button', { name: `Reject ${name}` }).click()
  const refusal = administrator.getByRole('dialog', { name: `Reject ${name}?` })
  await refusal.getByText('its developers see the reason').waitFor()
  await checkAccessibility(administrator)
  await refusal.getByLabel('Reason').fill('Register it for the right organisation')
  await refusal.getByRole('button', { name: 'Reject' }).click()
  await administrator.getByText(`${name} suspended`).waitFor()
  await administrator.getByText('Nothing to approve').waitFor()
  await administrator.goto(developer.url())
  await administrator.getByRole('button', { name: 'Approve' }).click()
  await administrator.getByText(`${name} approved`).waitFor()
  await developer.reload()
  await developer.getByText('Approved').waitFor()
  await developer.getByRole('link', { name: 'Apps' }).first().click()
  await developer.getByRole('link', { name }).waitFor()
  assert.deepEqual(problems, [])
})

test('an old sign-in is renewed where it is needed, and nothing that was typed is lost', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  await enterAs(page, address, 'Drew', '/console/apps')
  await page.getByRole('link', { name: 'Create app' }).click()
  await page.getByLabel('Name').fill('Late')
  await page.getByLabel('Redirect URLs').fill('late://callback')
  app.advance(11 * 60_000)
  await page.getByRole('button', { name: 'Create app' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await dialog.getByText('The password of every demo person is groundschool.').waitFor()
  await dialog.getByRole('textbox', { name: 'Password' }).fill('wrong')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('The handle or the password is wrong').waitFor()
  await checkAccessibility(page)
  await dialog.getByRole('textbox', { name: 'Password' }).fill('groundschool')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await heading(page, 'Late')
})

test('whoever is not signed in does that first and comes back; the sandbox cannot be missed', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t)
  const sandbox = app.environment('sandbox').url
  await page.goto(`${sandbox}/console/apps`)
  await page.getByLabel('Handle').fill('@drew')
  await page.getByLabel('Password').fill('groundschool')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${sandbox}/console/apps`)
  await page.getByText('gs-sbx-demo-app').waitFor()
  await page.getByText('Test data only.').waitFor()
  await page.getByRole('button', { name: 'Environment: Sandbox' }).click()
  await page.getByRole('menuitem', { name: /^Production/ }).click()
  // Each environment needs its own sign-in.
  await page.waitForURL(new RegExp(`^${address}/account/signin\\?next=%2Fconsole%2Fapps`))

  await page.goto(`${sandbox}/`)
  await page.getByRole('button', { name: 'Account menu of Drew Castellanos' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
})

test('the sign-in of the README ends with tokens, in either environment', { skip: noChromium }, async (t) => {
  for (const [here, client] of [
    [address, 'gs-demo-app'],
    [app.environment('sandbox').url, 'gs-sbx-demo-app'],
  ] as const) {
    const page = await openChromium(t)
    const fields = { response_type: 'code', client_id: client, redirect_uri: `${address}/demo/callback`, state: 's1' }
    await page.goto(`${here}/oauth/signin?${new URLSearchParams(fields)}`)
    await page.getByLabel('Handle').fill('@casey')
    await page.getByLabel('Password').fill('groundschool')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${here}/demo/callback?*`)
    await page.getByText('s1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Exchange code' }).click()
    await page.getByText('Tokens received').waitFor()
    await page.getByText('Casey Okafor (@casey)').waitFor()
  }
})

test('on a phone the navigation is a drawer, and everything can be done with the keyboard', {
  skip: noChromium,
}, async (t) => {
  const page = await openChromium(t, { viewport: { width: 360, height: 700 } })
  await enterAs(page, address, 'Ellis', '/admin/approvals')
  const open = page.getByRole('button', { name: 'Open navigation' })
  await open.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Developer console' }).waitFor()
  await checkAccessibility(page)
  await page.getByRole('link', { name: 'Developer console' }).focus()
  await page.keyboard.press('Enter')
  await heading(page, 'Apps')
  await page.getByRole('button', { name: 'Open navigation' }).waitFor()

  await page.getByRole('button', { name: /^Account menu of Ellis/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Account' }).waitFor()
  await checkAccessibility(page)
  await page.getByRole('menuitem', { name: 'Dark' }).click()
  await page.waitForFunction('document.documentElement.dataset.mantineColorScheme === "dark"')
  await page.reload()
  await page.waitForFunction('document.documentElement.dataset.mantineColorScheme === "dark"')
})

/** Compressed script and style of a page, in bytes. The first page that people see has a budget of its own. */
const BUDGET_BYTES = 250_000
const FRONT_BUDGET_BYTES = 152_000
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

test('every page can be used by everybody, light and dark, wide and narrow, and is small', {
  skip: noChromium,
}, async (t) => {
  const people = new Map<string, Page>()
  /** Compressed size of each file in bytes. Names contain a hash of the content, so a size is valid for all pages. */
  const sizes = new Map<string, number>()
  for (const [index, one] of PAGES.entries())
    await t.test(one.name, async () => {
      const key = one.person ?? ''
      if (!people.has(key)) {
        people.set(key, await openChromium({ after } as never))
        if (one.person !== undefined) await signInAs(people.get(key)!, address, one.person)
      }
      const page = people.get(key)!
      const problems = collectProblems(page)
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      const received = new Map<string, string>()
      const loaded = new Set<string>()
      session.on('Network.responseReceived', ({ requestId, type, response }) => {
        if (['Script', 'Stylesheet'].includes(type)) received.set(requestId, response.url)
      })
      session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        const url = received.get(requestId)
        if (url === undefined) return
        loaded.add(url)
        // Files from the cache are reported with length 0.
        if (encodedDataLength > 0) sizes.set(url, encodedDataLength)
      })
      const assertFits = async (width: number) => {
        await page.setViewportSize({ width, height: 800 })
        // Wait a moment, because some components adapt by script after a resize.
        const scrolls = async () => Number(await page.evaluate(OVERFLOW)) !== 0
        for (let tries = 0; tries < 20 && (await scrolls()); tries++) await page.waitForTimeout(50)
        assert.ok(!(await scrolls()), `it scrolls sideways at ${width}`)
        await assertTablesFit(page)
        for (const colorScheme of ['light', 'dark'] as const) {
          // Short runs check one of the four combinations per page, because all four take three seconds.
          const isTurn = colorScheme === (index % 2 === 0 ? 'light' : 'dark') && width === (index % 4 < 2 ? 1280 : 360)
          if (!isLong && (!isTurn || one.isLongText)) continue
          await page.emulateMedia({ colorScheme })
          await checkAccessibility(page)
        }
      }
      await show(page, address, one)
      const bytes = loaded.values().reduce((sum, url) => sum + sizes.get(url)!, 0)
      assert.ok(
        bytes > 1_000 && bytes < (one.name.startsWith('front') ? FRONT_BUDGET_BYTES : BUDGET_BYTES),
        `${bytes} bytes of script and style`,
      )
      await assertFits(1280)
      if (one.name.startsWith('front'))
        assert.ok(Number(await page.evaluate('document.documentElement.scrollHeight')) <= 800, 'it is one screen')
      await assertFits(360)
      await session.detach()
      assert.deepEqual(problems, [])
    })
})

test('every page of the router is one that tests look at', async () => {
  const paths = (await listPaths()).filter(({ hasPage }) => hasPage).map(({ path }) => path)
  assert.ok(paths.length > 50, String(paths))
  const isShown = (path: string) =>
    SEEN_IN_STORIES.includes(path) ||
    PAGES.some((one) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}(?:\\?|$)`).test(one.path))
  assert.deepEqual(
    paths.filter((path) => !isShown(path)),
    [],
  )
})
