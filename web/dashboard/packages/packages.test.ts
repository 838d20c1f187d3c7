import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { signInBrowser } from '../../../src/apps/account/testing.ts'
import { until } from '../../../src/kernel/database/test-database.ts'
import { run } from '../../../src/kernel/imports/testing.ts'
import { openSchool } from '../../../src/learning/courses/testing.ts'
import { courseOf } from '../../../src/learning/packages/testing-cmi5.ts'
import { buildZip } from '../../../src/learning/packages/testing-zip.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../../src/operations/testing/testing.ts'
import { look, lookOnPhone } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' })
const address = app.environment().url
await openSchool(app)
const course = (key: string) => ({
  ...{ key, organisation: 'school', name: key },
  lessons: [{ id: `${key}-intro`, name: 'Introduction' }],
})
await run(app, {
  courses: ['Adding', 'Refused', 'Form', 'Replacing', 'Choosing', 'Using'].map(course),
})

/** Content that asks for its launch data, and then offers to return. */
const CONTENT = `<!doctype html><html lang="en"><title>Walkaround</title><h1>Walk around the aircraft</h1><main></main>
<script type="module">
const q = Object.fromEntries(new URLSearchParams(location.search))
const { 'auth-token': token } = await (await fetch(q.fetch, { method: 'POST' })).json()
const { activityId, registration, actor: agent } = q
const query = new URLSearchParams({ activityId, registration, agent, stateId: 'LMS.LaunchData' })
const headers = { authorization: 'Basic ' + token, 'x-experience-api-version': '1.0.3' }
const data = await (await fetch(q.endpoint + 'activities/state?' + query, { headers })).json()
const button = document.createElement('button')
button.textContent = 'Exit from ' + data.launchMode
button.onclick = () => location.assign(data.returnURL)
document.querySelector('main').append(button)
</script></html>`

const texts = (title: string) =>
  ['title', 'description'].map((tag) => `<${tag}><langstring lang="en">${title}</langstring></${tag}>`).join('')
const au = (title: string, attributes = '') =>
  `<au id="urn:au:${encodeURIComponent(title)}" ${attributes}>${texts(title)}<url>index.html</url></au>`
const block = (title: string, ...units: string[]) =>
  `<block id="urn:block:${encodeURIComponent(title)}">${texts(title)}${units.join('')}</block>`
const zip = (id: string, title: string, items: string, files: Readonly<Record<string, string>> = {}) =>
  buildZip([
    {
      name: 'cmi5.xml',
      data: courseOf(items, `urn:course:${id}`).replace(/<title>.*?<\/description>/, texts(title)),
    },
    ...Object.entries({ 'index.html': CONTENT, ...files }).map(([name, data]) => ({ name, data })),
  ])

async function enter(t: Parameters<typeof openChromium>[0], path: string, width = 1280) {
  const page = await openChromium(t, { viewport: { width, height: 900 } })
  const problems = collectProblems(page)
  const { cookies } = await signInBrowser(app, 'finley')
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: address })))
  await page.goto(`${address}${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  return { page, problems }
}
const editor = (key: string) => `/dashboard/courses/${key}`

/** Uploads a package by a request, and returns its id. */
async function upload(page: Page, file: Buffer, name = 'course.zip'): Promise<string> {
  const query = new URLSearchParams({ organisation: 'school', name })
  const answer = await page.request.post(`${address}/edu/v1/package?${query}`, {
    data: file,
    headers: { 'content-type': 'application/zip' },
  })
  assert.ok(answer.ok(), await answer.text())
  return (await answer.json()).packageId
}

async function addToCourse(page: Page, courseId: string, file: Buffer): Promise<string> {
  const packageId = await upload(page, file)
  const answer = await page.request.post(`${address}/edu/v1/course/package`, { data: { courseId, packageId } })
  assert.ok(answer.ok(), await answer.text())
  return packageId
}

/** Chooses a file in the dialog of the browser. */
async function choose(page: Page, dialog: Locator, ...file: [name: string, content: Buffer] | [path: string]) {
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Choose file' }).click()
  const [name, buffer] = file
  await (await chooser).setFiles(buffer ? [{ name, mimeType: 'application/zip', buffer }] : name)
}
const lessons = async (page: Page) =>
  (await page.getByRole('button', { name: /^Edit / }).evaluateAll((all) => all.map((one) => one.ariaLabel!))).map(
    (label) => label.slice(5),
  )
const countPackages = async (): Promise<number> =>
  Number((await app.sql('select count(*)::int as n from packages'))[0]!.n)

test('an author uploads a package, sees what it contains, and adds its lessons; unsaved changes are saved first', {
  skip: noChromium,
}, async (t) => {
  const { page, problems } = await enter(t, editor('Adding'))
  await page.getByRole('textbox', { name: 'Name' }).first().fill('Added to')
  await page.getByRole('button', { name: 'Add content package' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add content package' })
  await dialog.getByText('Drop a package here, or choose it').waitFor()
  await look(page)
  const file = zip('adding', 'Aircraft', block('Outside', au('Wings'), au('Tail')) + au('Cockpit'))
  await choose(page, dialog, 'aircraft.zip', file)
  const report = dialog.getByRole('heading', { name: 'Aircraft is ready to use' })
  await report.waitFor()
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Aircraft is ready to use')
  await dialog.getByText('3 lessons, 1 group').waitFor()
  await dialog.getByText('cmi5', { exact: true }).waitFor()
  await dialog.getByText('aircraft.zip').waitFor()
  await dialog.getByText(/Your unsaved changes are saved to the draft first/).waitFor()
  await look(page)
  await dialog.getByRole('button', { name: 'Add to course' }).click()
  await page.getByText('4 lessons added to the draft').waitFor()
  await dialog.waitFor({ state: 'hidden' })
  assert.deepEqual(await lessons(page), ['Introduction', 'Outside', 'Wings', 'Tail', 'Cockpit'])
  await page.getByRole('heading', { level: 1, name: 'Added to' }).waitFor()
  const used = page.getByRole('list', { name: 'Content packages' })
  await used.getByRole('link', { name: 'Aircraft', exact: true }).waitFor()
  await used.getByText('cmi5 · 4 lessons here').waitFor()
  await look(page)
  await lookOnPhone(page)
  // A unit of a package can be in a course only once.
  await page.getByRole('button', { name: 'Actions for Wings' }).click()
  await page.getByRole('menuitem', { name: 'Preview as a student' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Duplicate' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('a faulty package is refused with every fault and its requirement, and nothing is stored', {
  skip: noChromium,
}, async (t) => {
  const { page } = await enter(t, editor('Refused'), 360)
  const before = await countPackages()
  await page.getByRole('button', { name: 'Add content package' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add content package' })
  const twice = au('Wings') + au('Wings') + au('Tail', 'masteryScore="2"')
  await choose(page, dialog, 'faulty.zip', zip('faulty', 'Faulty', twice.replaceAll('index.html', 'missing.html')))
  const alert = dialog.getByRole('alert')
  await alert.getByText('faulty.zip can’t be used').waitFor()
  await alert.getByText(/things are wrong with the package\. Nothing was stored/).waitFor()
  assert.ok((await alert.getByRole('listitem').count()) >= 2, await alert.innerText())
  assert.ok((await alert.getByText(/Requirement \d+\.\d+/).count()) >= 2, await alert.innerText())
  await look(page)
  assert.equal(await countPackages(), before)
  // Another attempt replaces the faults.
  await choose(page, dialog, 'text.zip', Buffer.from('no package'))
  await alert.getByText('text.zip can’t be used').waitFor()
  await alert.getByText('1 thing is wrong', { exact: false }).waitFor()
})

test('a dropped package shows how far it is, and then what it contains', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, '/dashboard/packages/school')
  const checked = Promise.withResolvers<void>()
  await page.route(PARTS, async (route) => {
    await checked.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Upload content package' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Upload content package' })
  const bytes = [...zip('dropped', 'Dropped', au('Dropped'))]
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([new Uint8Array(${JSON.stringify(bytes)})], 'dropped.zip'))
    return transfer
  })()`)
  await dialog.getByText('Drop a package here, or choose it').dispatchEvent('drop', { dataTransfer: transfer })
  const progress = dialog.getByRole('progressbar', { name: /^(Uploading|Checking) dropped\.zip$/ })
  await progress.waitFor({ state: 'attached' })
  assert.equal(await dialog.getByRole('button', { name: 'Choose file' }).isDisabled(), true)
  await look(page)
  checked.resolve()
  await dialog.getByRole('heading', { name: 'Dropped is ready to use' }).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'Dropped', exact: true }).waitFor()
  assert.deepEqual(problems, [])
})

const PARTS = '**/edu/v1/package/upload/part?*'
const UPLOADS = '**/edu/v1/package/upload**'
const MB = 2 ** 20
/** Time for a part, which goes through the test on its way. */
const SLOW_MS = 30_000

/** Writes a package of about 10 MiB, which is sent in three parts. */
function writeLarge(t: TestContext, title: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'groundschool-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, `${title}.zip`)
  const video = { name: 'video.mp4', data: randomBytes(10 * MB), method: 0 }
  const course = courseOf(au(title), `urn:course:${title}`).replace(/<title>.*?<\/description>/, texts(title))
  writeFileSync(path, buildZip([{ name: 'cmi5.xml', data: course }, { name: 'index.html', data: CONTENT }, video]))
  return path
}

/** Opens the dialog in which a package is uploaded. */
async function openUpload(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Upload content package' }).first().click()
  return page.getByRole('dialog', { name: 'Upload content package' })
}

test('a large package goes in parts, and goes on after the connection was lost, by itself or by a click', {
  skip: noChromium,
}, async (t) => {
  const { page } = await enter(t, '/dashboard/packages/school')
  await page.clock.install()
  let isConnected = true
  const offsets: number[] = []
  await page.route(UPLOADS, async (route) => {
    if (!isConnected) return route.abort('connectionreset')
    const answer = await route.fetch()
    const offset = new URL(route.request().url()).searchParams.get('offset')
    if (offset !== null) offsets.push(Number(offset) / MB)
    // The first part arrives, but its answer does not. After the second part, the connection is lost as well.
    if (offset !== null) isConnected = offsets.length > 2
    return offset !== null && offsets.length === 1
      ? route.abort('connectionreset')
      : route.fulfill({ response: answer })
  })
  const dialog = await openUpload(page)
  await choose(page, dialog, writeLarge(t, 'Interrupted'))
  const interrupted = dialog.getByText('The connection was lost. Trying again…').first()
  await interrupted.waitFor()
  await look(page)
  isConnected = true
  await page.clock.fastForward(1100)
  await until('the second part', () => offsets.length === 2, SLOW_MS)
  await interrupted.waitFor()
  const stopped = dialog.getByRole('alert')
  for (let seconds = 0; (await stopped.count()) === 0; seconds++) {
    assert.ok(seconds < 90, 'attempts end')
    await page.clock.fastForward(1000)
  }
  await stopped.getByText('The upload of Interrupted.zip has stopped').waitFor()
  await stopped.getByText(/What has arrived is kept for 24 hours/).waitFor()
  await look(page)
  await lookOnPhone(page)
  isConnected = true
  await stopped.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByRole('heading', { name: 'Interrupted is ready to use' }).waitFor()
  assert.deepEqual(offsets, [0, 4, 8])
})

test('an upload goes on after the page was loaded again, and can be cancelled', { skip: noChromium }, async (t) => {
  const { page } = await enter(t, '/dashboard/packages/school')
  const path = writeLarge(t, 'Reloaded')
  const arrived = async () =>
    (await app.sql(`select received_bytes / ${MB} as mb from package_uploads where name = 'Reloaded.zip'`)).map(
      ({ mb }) => Number(mb),
    )
  const hold = (route: Route) => {
    if (!route.request().url().includes('offset=0')) return
    return route.continue()
  }
  await page.route(PARTS, hold)
  const dialog = await openUpload(page)
  await choose(page, dialog, path)
  await until('the first part', async () => (await arrived())[0] === 4, SLOW_MS)
  page.on('dialog', (question) => question.accept())
  await page.reload()
  const again = await openUpload(page)
  await choose(page, again, path)
  await again.getByText(/^4\.0 MiB of/).waitFor()
  await look(page)
  await again.getByRole('button', { name: 'Cancel upload' }).click()
  await until('no upload', async () => (await arrived()).length === 0)
  await again.getByRole('button', { name: 'Cancel upload' }).waitFor({ state: 'hidden' })
  await page.unroute(PARTS)
  await choose(page, again, path)
  await again.getByRole('heading', { name: 'Reloaded is ready to use' }).waitFor()
})

test('a package that is too large for the storage is refused before it is sent', { skip: noChromium }, async (t) => {
  const { page } = await enter(t, '/dashboard/packages/school')
  await page.route('**/edu/v1/file/usage*', (route) =>
    route.fulfill({ json: { usedBytes: 900, limitBytes: 1000, largestFileBytes: 500 } }),
  )
  await page.getByRole('button', { name: 'Upload content package' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Upload content package' })
  await dialog.getByText('900 bytes of 1000 bytes used').waitFor()
  await choose(page, dialog, 'large.zip', zip('large', 'Large', au('Large')))
  await dialog.getByText('large.zip does not fit: the organisation has 100 bytes left', { exact: false }).waitFor()
})

test('the form of a lesson says what it takes to pass, and leads to a preview that records nothing', {
  skip: noChromium,
}, async (t) => {
  const { page, problems } = await enter(t, '/dashboard')
  const items = au('Wings', 'moveOn="Passed" masteryScore="0.8"') + au('Tail', 'launchMethod="OwnWindow"')
  await addToCourse(page, 'Form', zip('form', 'Aircraft forms', block('Outside', items)))
  await page.goto(`${address}${editor('Form')}`)
  await page.getByRole('button', { name: 'Edit Outside' }).click()
  const group = page.getByRole('dialog', { name: 'Outside' })
  await group.getByText('It is passed when all lessons in it are passed.').waitFor()
  assert.equal(await group.getByRole('link', { name: 'Preview' }).count(), 0)
  await group.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'Edit Wings' }).click()
  const dialog = page.getByRole('dialog', { name: 'Wings' })
  await dialog.getByText('Aircraft forms (cmi5)').waitFor()
  await dialog.getByText('Pass the content with at least 80 %').waitFor()
  for (const label of ['Kind of lesson', 'Points to pass', 'App', 'Launch URL', 'Graded by an instructor'])
    assert.equal(await dialog.getByLabel(label, { exact: true }).count(), 0, label)
  await look(page)
  const original = await dialog.getByRole('link', { name: 'Download the original' }).getAttribute('href')
  assert.match(original ?? '', /\/o\/[\w.-]+\/course\.zip$/)
  await dialog.getByRole('link', { name: 'Preview' }).click()
  await page.getByRole('heading', { level: 1, name: 'Wings' }).waitFor()
  const frame = page.frameLocator('iframe[title="Wings"]')
  await frame.getByRole('button', { name: 'Exit from Browse' }).waitFor()
  await look(page)
  await frame.getByRole('button', { name: 'Exit from Browse' }).click()
  await page.getByText('The content has finished.').waitFor()
  await page.getByRole('button', { name: 'Start again' }).click()
  await frame.getByRole('button', { name: 'Exit from Browse' }).waitFor()
  assert.deepEqual(await app.sql('select 1 from attempts'), [])
  await page.getByRole('link', { name: 'Back to the course' }).click()

  await page.getByRole('button', { name: 'Edit Tail' }).click()
  await page.getByRole('dialog', { name: 'Tail' }).getByText('In a window of its own').waitFor()
  await page.getByRole('dialog', { name: 'Tail' }).getByRole('link', { name: 'Preview' }).click()
  const popup = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open in a new tab' }).click()
  await (await popup).getByRole('button', { name: 'Exit from Browse' }).waitFor()
  await page.getByText('The preview is open in another tab. Its address works once.').waitFor()
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.getByRole('link', { name: 'Open in a new tab' }).waitFor()
  await look(page)
  // A lesson of a package is also part of the preview of the course.
  await page.goto(`${address}${editor('Form')}/preview`)
  await page.getByRole('link', { name: 'Outside' }).click()
  await page.getByText('This is a group of lessons. Preview the lessons in it.').waitFor()
  await page.getByRole('link', { name: 'Next: Wings' }).click()
  await frame.getByRole('button', { name: 'Exit from Browse' }).waitFor()
  assert.deepEqual(problems, [])
})

test('an author replaces a package by a newer version, and reads which lessons stayed, were added and removed', {
  skip: noChromium,
}, async (t) => {
  const { page, problems } = await enter(t, '/dashboard')
  const first = block('Outside', au('Wings'), au('Tail'))
  await addToCourse(page, 'Replacing', zip('replacing', 'Aircraft 1', first))
  await page.goto(`${address}${editor('Replacing')}`)
  await page.getByRole('button', { name: 'Replace Aircraft 1 by a newer version' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace by a newer version' })
  const next = block('Outside', au('Wings'), au('Engine'), au('Wheels'))
  await choose(page, dialog, 'aircraft-2.zip', zip('replacing', 'Aircraft 2', next))
  await dialog.getByText(/Lessons that both packages have stay/).waitFor()
  await dialog.getByRole('button', { name: 'Replace package' }).click()
  const report = page.getByRole('dialog', { name: 'Package replaced' })
  await report.getByText('2 lessons stayed').waitFor()
  await report.getByText('2 lessons were added').waitFor()
  await report.getByText('Engine, Wheels').waitFor()
  await report.getByText('1 lesson was removed').waitFor()
  await report.getByText(/Students in progress keep the package that they began with/).waitFor()
  await look(page)
  await report.getByRole('button', { name: 'Done' }).click()
  assert.deepEqual(await lessons(page), ['Introduction', 'Outside', 'Wings', 'Engine', 'Wheels'])
  await page.getByRole('link', { name: 'Aircraft 2', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Aircraft 1', exact: true }).count(), 0)
  assert.deepEqual(problems, [])
})

test('a package of the organisation is found and added; those of the course cannot be chosen again', {
  skip: noChromium,
}, async (t) => {
  const { page, problems } = await enter(t, '/dashboard')
  await addToCourse(page, 'Choosing', zip('taken', 'Helicopters taken', au('Rotor')))
  await upload(page, zip('free', 'Helicopters free', au('Skids')))
  for (let i = 0; i < 11; i++) await upload(page, zip(`filler-${i}`, `Filler ${i}`, au(`Filler ${i}`)))
  await page.goto(`${address}${editor('Choosing')}`)
  await page.getByRole('button', { name: 'Add content package' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add content package' })
  await dialog.getByRole('button', { name: 'Page 2' }).click()
  await dialog.getByRole('button', { name: 'Choose Helicopters free' }).waitFor()
  await dialog.getByRole('searchbox', { name: 'Search packages' }).fill('helicopters')
  await dialog.getByRole('button', { name: 'Choose Filler 10' }).waitFor({ state: 'hidden' })
  await dialog.getByText('In this course').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Choose Helicopters taken' }).count(), 0)
  await look(page)
  await dialog.getByRole('button', { name: 'Choose Helicopters free' }).click()
  await dialog.getByRole('button', { name: 'Choose another package' }).click()
  await dialog.getByRole('button', { name: 'Choose Helicopters free' }).click()
  await dialog.getByRole('button', { name: 'Add to course' }).click()
  await page.getByText('1 lesson added to the draft').waitFor()
  assert.deepEqual(await lessons(page), ['Introduction', 'Rotor', 'Skids'])
  assert.deepEqual(problems, [])
})

test('the packages of an organisation are listed with their use, downloaded, and deleted unless a course uses them', {
  skip: noChromium,
}, async (t) => {
  const { page } = await enter(t, '/dashboard')
  const used = await addToCourse(page, 'Using', zip('used', 'Gliders used', block('Ground', au('Towing'))))
  await upload(page, zip('unused', 'Gliders unused', au('Winching')))
  await page.goto(`${address}/dashboard`)
  await page.getByRole('link', { name: 'Content packages of school' }).click()
  await page.getByRole('heading', { level: 1, name: 'Content packages' }).waitFor()
  await page.getByRole('textbox', { name: 'Search packages' }).fill('gliders')
  await page.keyboard.press('Enter')
  await page.waitForURL(/search=gliders/)
  const row = (title: string) => page.getByRole('row').filter({ hasText: title })
  await row('Gliders used').getByRole('link', { name: 'Using' }).waitFor()
  await row('Gliders used').getByText('by @finley').waitFor()
  await row('Gliders unused').getByText('No course').waitFor()
  await look(page)
  await lookOnPhone(page)
  const act = async (title: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${title}`, exact: true }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const download = page.waitForEvent('download')
  await act('Gliders unused', 'Download the original')
  assert.equal((await download).suggestedFilename(), 'course.zip')

  await act('Gliders used', 'Delete package')
  const confirm = page.getByRole('dialog', { name: 'Delete package?' })
  await confirm.getByRole('button', { name: 'Delete package' }).click()
  await confirm.getByText(/The package is used by Using/).waitFor()
  await look(page)
  await confirm.getByRole('button', { name: 'Cancel' }).click()
  await act('Gliders unused', 'Delete package')
  await confirm.getByRole('button', { name: 'Delete package' }).click()
  await page.getByText('Gliders unused deleted').waitFor()
  await row('Gliders unused').waitFor({ state: 'hidden' })

  await page.getByRole('link', { name: 'Gliders used' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gliders used' }).waitFor()
  await page.getByText('Group of lessons').waitFor()
  await look(page)
  await lookOnPhone(page)
  await page.getByRole('link', { name: 'Preview Towing' }).click()
  await page.frameLocator('iframe[title="Towing"]').getByRole('button', { name: 'Exit from Browse' }).waitFor()
  await lookOnPhone(page)
  await page.getByRole('link', { name: 'Back to the package' }).click()
  await page.waitForURL(new RegExp(`/dashboard/packages/school/${used}$`))
})
