import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FrameLocator, Page } from 'playwright-core'
import { call, signInBrowser } from '../../../src/apps/account/testing.ts'
import { until } from '../../../src/kernel/database/test-database.ts'
import { run } from '../../../src/kernel/imports/testing.ts'
import { openSchool } from '../../../src/learning/courses/testing.ts'
import { auOf, blockOf, courseOf } from '../../../src/learning/packages/testing-cmi5.ts'
import { buildZip } from '../../../src/learning/packages/testing-zip.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { openClass as openClassByPage, publishPackage } from '../../../src/operations/testing/package-story.ts'
import { type Person, sharedApp } from '../../../src/operations/testing/testing.ts'
import { makePackageCourse } from '../../../src/records/launches/testing.ts'
import { CONTENT_PAGE } from '../../../src/records/launches/testing-content.ts'
import { look, lookOnPhone } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000', RATE_TOKEN_BURST: '100000' })
const address = app.environment().url
await openSchool(app)
const finley = await signInBrowser(app, 'finley')

const ITEMS = [
  blockOf('urn:b', {
    children: [
      auOf('urn:fuel', { attributes: 'moveOn="CompletedAndPassed" masteryScore="0.8"' }),
      auOf('urn:oil', { attributes: 'moveOn="Completed"' }),
    ].join(''),
  }),
  auOf('urn:own', { attributes: 'moveOn="Completed" launchMethod="OwnWindow"' }),
  auOf('urn:app', { url: 'simulator://start/circuit', attributes: 'moveOn="Passed"' }),
].join('')

/** Makes a class whose lessons are the units of a package: a group of Fuel and Oil, Own window and Simulator. */
async function openClass(key: string): Promise<string> {
  await makePackageCourse(finley, {
    ...{ course: key, items: ITEMS, page: CONTENT_PAGE },
    lessons: (lesson) => [
      lesson(`${key}-group`, 0, {
        name: 'Before the flight',
        childLessons: [lesson(`${key}-fuel`, 1, { name: 'Fuel' }), lesson(`${key}-oil`, 2, { name: 'Oil' })],
      }),
      lesson(`${key}-own`, 3, { name: 'Own window' }),
      lesson(`${key}-app`, 4, { name: 'Simulator' }),
    ],
  })
  const made = await call(finley, 'PUT', '/edu/v1/class', { classId: key, courseId: key, name: `Class ${key}` })
  assert.equal(made.status, 200, made.text)
  await app.sql(`
    insert into class_staff (class_id, person_id, role) select c.id, p.id, r.role
      from classes c, people p join (values ('@casey', 'instructor'), ('@ellis', 'observer')) r(handle, role) on r.handle = p.handle where c.key = '${key}';
    insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
    select 'avery-${key}', c.id, p.id, 'active', now(), now() from classes c, people p where c.key = '${key}' and p.handle = '@avery'`)
  return `/dashboard/classes/${key}`
}

async function enter(t: Parameters<typeof openChromium>[0], person: Person, path: string, width = 1280) {
  const page = await openChromium(t, { viewport: { width, height: 800 } })
  const seen = collectProblems(page)
  // A student who has no preferences is normal, and the browser reports the 404.
  const problems = () => seen.filter((problem) => !problem.includes('cmi5LearnerPreferences'))
  const { cookies } = await signInBrowser(app, person)
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: address })))
  await page.goto(`${address}${path}`)
  await heading(page)
  return { page, problems }
}

const heading = (page: Page, name?: string) =>
  page
    .getByRole('heading', { level: 1, ...(name !== undefined && { name, exact: true }) })
    .first()
    .waitFor()
const contentOf = (page: Page) => page.frameLocator('iframe')
const says = (content: FrameLocator | Page, text: string) =>
  content.locator('output').filter({ hasText: text }).waitFor()
const press = (content: FrameLocator | Page, name: string) => content.getByRole('button', { name, exact: true }).click()

test('a student passes content in the dashboard, and the gradebook shows it', { skip: noChromium }, async (t) => {
  const path = await openClass('pass')
  const { page, problems } = await enter(t, 'avery', path)
  await page.getByRole('link', { name: 'Open Before the flight' }).click()
  await heading(page, 'Before the flight')
  await page.getByText('0 of 2 lessons passed').waitFor()
  await look(page)
  await lookOnPhone(page)
  await page.getByRole('link', { name: 'Start Fuel' }).click()
  await heading(page, 'Fuel')
  await page.getByText('Complete the content, and pass it with at least 80 %').waitFor()
  await look(page)

  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const window = page.getByRole('dialog', { name: 'Fuel' })
  const content = contentOf(page)
  await says(content, 'initialized')
  assert.match(
    (await page.locator('iframe').getAttribute('src')) ?? '',
    /^http:\/\/p[0-9a-f]+\.content\.localhost:\d+\/p\//,
  )
  assert.equal(await page.locator('#root').evaluate((root) => (root as unknown as { inert: boolean }).inert), true)
  await look(page)
  await press(content, 'Pass')
  await says(content, 'completed')
  // The content returns to the platform, which closes the window over the page.
  await press(content, 'Exit')
  await window.waitFor({ state: 'detached' })
  await page.getByText('Passed', { exact: true }).waitFor()
  await page.getByText('90 %', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Review' }).waitFor()
  await until('the button has the focus', () => page.evaluate(`document.activeElement.textContent === 'Review'`))
  assert.equal(new URL(page.url()).search, '')
  await look(page)

  const staff = await enter(t, 'casey', `${path}/gradebook`)
  const cell = staff.page.getByRole('grid').getByRole('gridcell', { name: /^Passed 90 1 attempt/ })
  await cell.waitFor()
  await staff.page.getByRole('grid').getByRole('columnheader', { name: 'Fuel' }).waitFor()
  assert.deepEqual([...problems(), ...staff.problems()], [])
})

test('a package is uploaded, taught and completed in the browser alone', { skip: noChromium }, async (t) => {
  const archive = buildZip([
    { name: 'cmi5.xml', data: courseOf(auOf('urn:story', { attributes: 'moveOn="Passed"' }), 'urn:course:story') },
    { name: 'index.html', data: CONTENT_PAGE },
  ])
  // A member of the organisation is enrolled at once; others are invited.
  await run(app, { people: [{ handle: '@blake', organisations: { school: 'member' } }] })
  const { page: owner, problems } = await enter(t, 'finley', '/dashboard')
  await publishPackage(owner, 'Story', { name: 'story.zip', mimeType: 'application/zip', buffer: archive })
  const path = await openClassByPage(owner, 'Story class', '@blake')
  const { page, problems: complaints } = await enter(t, 'blake', '/dashboard')
  await page.getByRole('link', { name: 'Story class' }).first().click()
  await page.getByRole('link', { name: 'Start Walkaround', exact: true }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await says(contentOf(page), 'initialized')
  await press(contentOf(page), 'Pass')
  await says(contentOf(page), 'completed')
  await press(contentOf(page), 'Exit')
  await page.getByText('Passed', { exact: true }).waitFor()
  await owner.goto(`${address}${path}`)
  await owner.getByRole('link', { name: 'Gradebook' }).click()
  await owner
    .getByRole('grid')
    .getByRole('gridcell', { name: /^Passed 90 1 attempt/ })
    .waitFor()
  assert.deepEqual([...problems(), ...complaints()], [])
})

test('the way back of the browser leads from the content to the lesson, which can be continued', {
  skip: noChromium,
}, async (t) => {
  const path = await openClass('back')
  const { page, problems } = await enter(t, 'avery', `${path}/lessons/back-oil`)
  const window = page.getByRole('dialog', { name: 'Oil' })
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await says(contentOf(page), 'initialized')
  await page.waitForURL(/\?content=open$/)
  await page.goBack()
  await window.waitFor({ state: 'detached' })
  await page.getByText('In progress', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await says(contentOf(page), 'initialized')
  await press(contentOf(page), 'Complete')
  await says(contentOf(page), 'completed')
  await window.getByRole('button', { name: 'Back to the lesson' }).click()
  await window.waitFor({ state: 'detached' })
  await page.getByText('Passed', { exact: true }).waitFor()
  // A launch works once, so a page that is loaded again shows the lesson.
  await page.goto(`${address}${path}/lessons/back-oil?content=open`)
  await page.getByRole('button', { name: 'Review' }).waitFor()
  await page.waitForURL(/back-oil$/)
  assert.equal(await page.locator('iframe').count(), 0)
  assert.deepEqual(problems(), [])
})

test('content fills a phone, and says when it was saved and when its session was ended', {
  skip: noChromium,
}, async (t) => {
  const path = await openClass('phone')
  const { page, problems } = await enter(t, 'avery', `${path}/lessons/phone-fuel`, 360)
  await page.clock.install()
  await look(page)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const content = contentOf(page)
  await says(content, 'initialized')
  const box = (await page.locator('iframe').boundingBox())!
  assert.deepEqual([box.x, box.width, box.y + box.height], [0, 360, 800])
  assert.ok(box.y > 30 && box.y < 60, String(box.y))
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await page.clock.fastForward(20_000)
  await page.getByText(/^Saved \d\d:\d\d$/).waitFor()
  await look(page)
  const casey = await signInBrowser(app, 'casey')
  const { body } = await call(casey, 'GET', '/edu/v1/package/sessions?classId=phone')
  const ended = await call(casey, 'POST', '/edu/v1/package/session/end', { sessionId: body.docs[0].sessionId })
  assert.equal(ended.status, 200, ended.text)
  await page.clock.fastForward(20_000)
  await page.getByText('This session was ended, so nothing more is saved.').waitFor()
  await page.getByRole('button', { name: /^Back/ }).click()
  await page.getByRole('button', { name: 'Continue' }).waitFor()
  assert.deepEqual(problems(), [])
})

test('content cannot read what the page stores, or lead the page elsewhere', { skip: noChromium }, async (t) => {
  const path = await openClass('shut')
  const { page } = await enter(t, 'avery', `${path}/lessons/shut-fuel`)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const content = contentOf(page)
  await says(content, 'initialized')
  await press(content, 'Escape')
  await says(content, 'storage closed, document closed, cookies closed, top closed')
  await page.getByRole('dialog', { name: 'Fuel' }).waitFor()
  assert.match(page.url(), /shut-fuel\?content=open$/)
  // Only the frame can say that it has finished.
  await page.evaluate(`postMessage({ groundschool: 'content-finished' }, '*')`)
  await press(content, 'Fail')
  await says(content, 'failed')
  await page.getByRole('dialog', { name: 'Fuel' }).getByRole('button', { name: /^Back/ }).click()
  await page.getByText('Failed', { exact: true }).waitFor()
})

test('content with a window of its own opens in a new tab, by a link if the browser stops it, or in its app', {
  skip: noChromium,
}, async (t) => {
  const path = await openClass('own')
  const { page, problems } = await enter(t, 'avery', `${path}/lessons/own-own`)
  await page.getByText('Opens in a window of its own.').waitFor()
  const opened = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const tab = await opened
  await says(tab, 'initialized')
  assert.equal(await tab.evaluate('opener'), null)
  await page.getByText('The lesson is open in another window.').waitFor()
  await look(page)
  await press(tab, 'Complete')
  await says(tab, 'completed')
  await page.bringToFront()
  await page.evaluate(`dispatchEvent(new Event('focus'))`)
  await page.getByText('Passed', { exact: true }).waitFor()
  // The content leads back to the lesson in its own window.
  await press(tab, 'Exit')
  await heading(tab, 'Own window')
  await tab.close()

  await page.evaluate('window.open = () => null')
  await page.getByRole('button', { name: 'Review' }).click()
  const link = page.getByRole('link', { name: 'Open the lesson' })
  await link.waitFor()
  await look(page)
  const again = page.waitForEvent('popup')
  await link.click()
  await says(await again, 'initialized')

  await page.goto(`${address}${path}/lessons/own-app`)
  const emptied = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const empty = await emptied
  const appLink = page.getByRole('link', { name: 'Open the app' })
  assert.match((await appLink.getAttribute('href')) ?? '', /^simulator:\/\/start\/circuit\?endpoint=/)
  await until('the empty window is closed', () => empty.isClosed())
  assert.deepEqual(problems(), [])
})

test('an instructor follows a session, ends it and waives the lesson; an observer only looks', {
  skip: noChromium,
}, async (t) => {
  const path = await openClass('staff')
  const student = await enter(t, 'avery', `${path}/lessons/staff-fuel`)
  await student.page.getByRole('button', { name: 'Start', exact: true }).click()
  await says(contentOf(student.page), 'initialized')

  const { page, problems } = await enter(t, 'casey', path)
  await page.clock.install()
  await page.getByRole('link', { name: 'Content', exact: true }).click()
  await heading(page, 'Content sessions')
  const row = page.getByRole('table').getByRole('row').nth(1)
  await row.getByText('In progress').waitFor()
  await row.getByText('Open', { exact: true }).waitFor()
  await look(page)
  await lookOnPhone(page)
  await press(contentOf(student.page), 'Fail')
  await says(contentOf(student.page), 'failed')
  await page.clock.fastForward(11_000)
  await row.getByText('Failed').waitFor()
  await row.getByText('Score 40 %').waitFor()

  const observer = await enter(t, 'ellis', `${path}/sessions`)
  await observer.page.getByRole('table').getByText('Failed').waitFor()
  assert.equal(await observer.page.getByRole('button', { name: /End the session/ }).count(), 0)
  await observer.page.goto(`${address}${path}/students/avery-staff`)
  await observer.page.getByRole('button', { name: 'Content report of Fuel' }).click()
  await observer.page.getByRole('dialog').getByText('Complete the content').waitFor()
  assert.equal(await observer.page.getByRole('button', { name: 'Waive…' }).count(), 0)

  await row.getByRole('button', { name: 'End the session of avery, Fuel' }).or(row.getByRole('button')).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
  await row.getByText('Abandoned').waitFor()

  await page.goto(`${address}${path}/students/avery-staff`)
  await page.getByRole('button', { name: 'Content report of Fuel' }).click()
  const report = page.getByRole('dialog', { name: 'Content report of Fuel' })
  await report.getByText('40 %', { exact: true }).waitFor()
  await look(page)
  await lookOnPhone(page)
  await report.getByRole('button', { name: 'Waive…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Waive Fuel for @avery?' })
  await dialog.getByText('You can’t undo this.').waitFor()
  await dialog.getByRole('button', { name: 'Waive lesson' }).click()
  await dialog.getByRole('textbox').fill('Took the course elsewhere')
  await look(page)
  await dialog.getByRole('button', { name: 'Waive lesson' }).click()
  await report.getByText('Waived: Took the course elsewhere').waitFor()
  assert.equal(await report.getByRole('button', { name: 'Waive…' }).count(), 0)
  await page.keyboard.press('Escape')
  await page.getByText('Waived: Took the course elsewhere').waitFor()

  // The gradebook's panel has the same report, and the page of the lesson its sessions.
  await page.goto(`${address}${path}/lessons/staff-fuel`)
  await page.getByRole('table', {}).getByText('Waived').waitFor()
  await page.goto(`${address}${path}/lessons/staff-group`)
  await page.getByRole('link', { name: 'Oil' }).waitFor()
  await page.goto(`${address}${path}/gradebook?lesson=staff-oil`)
  await page.getByRole('grid').locator('[data-place="0-3"]').click()
  await page.getByText('The student has not opened it yet.').waitFor()
  await look(page)

  await student.page.goto(`${address}${path}/lessons/staff-fuel`)
  await student.page.getByText('Waived: Took the course elsewhere').waitFor()
  await student.page.goto(`${address}${path}`)
  await student.page.getByText('Waived: Took the course elsewhere').waitFor()
  assert.deepEqual([...problems(), ...observer.problems()], [])
})
