import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { signInBrowser } from '../../../src/apps/account/testing.ts'
import { until } from '../../../src/kernel/database/test-database.ts'
import { run } from '../../../src/kernel/imports/testing.ts'
import { makeImage, makePdf } from '../../../src/learning/content/testing.ts'
import { openSchool } from '../../../src/learning/courses/testing.ts'
import { collectProblems, noChromium, openChromium } from '../../../src/operations/testing/chromium.ts'
import { type Person, sharedApp } from '../../../src/operations/testing/testing.ts'
import { look } from '../../testing.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000', FILE_BYTES: '100000000' })
const address = app.environment().url
await openSchool(app)
await run(app, {
  courses: [
    { key: 'ground', organisation: 'school', name: 'Ground', lessons: [{ id: 'intro', name: 'Introduction' }] },
  ],
})
async function enter(t: Parameters<typeof openChromium>[0], person: Person, path: string, width = 1280) {
  const page = await openChromium(t, { viewport: { width, height: 900 } })
  const problems = collectProblems(page)
  const { cookies } = await signInBrowser(app, person)
  await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: address })))
  await page.goto(`${address}${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  return { page, problems }
}

const call = async (page: Page, method: string, path: string, data?: object) => {
  const answer = await page.request.fetch(`${address}${path}`, { method, ...(data && { data }) })
  assert.ok(answer.ok(), await answer.text())
  return answer.json()
}

/** Makes a class of a new course with these lessons, in which Avery is a student. */
async function openClass(page: Page, key: string, lessons: readonly object[]): Promise<string> {
  await call(page, 'PUT', '/edu/v1/course', { courseId: key, organisation: 'school', name: key, lessons })
  await call(page, 'POST', '/edu/v1/course/publish', { courseId: key })
  await call(page, 'PUT', '/edu/v1/class', { classId: key, courseId: key, name: key })
  await app.sql(`insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
    select 'avery-${key}', c.id, p.id, 'active', now(), now() from classes c, people p where c.key = '${key}' and p.handle = '@avery'`)
  return `/dashboard/classes/${key}/lessons`
}

const upload = async (page: Page, name: string, buffer: Buffer) => {
  const query = new URLSearchParams({ organisation: 'school', name })
  const answer = await page.request.post(`${address}/edu/v1/file?${query}`, {
    data: buffer,
    headers: { 'content-type': 'application/octet-stream' },
  })
  assert.ok(answer.ok(), await answer.text())
  return (await answer.json()).fileId as string
}
const resultOf = async (page: Page, classId: string, lessonId: string) =>
  (await call(page, 'GET', `/edu/v1/class/result?classId=${classId}`)).lessons.find(
    (one: { lessonId: string }) => one.lessonId === lessonId,
  ).result

test('an author writes a page with an image, and a student reads it to the end', { skip: noChromium }, async (t) => {
  const { page, problems } = await enter(t, 'finley', '/dashboard/courses/ground')
  await page.getByRole('button', { name: 'Edit Introduction' }).click()
  const dialog = page.getByRole('dialog', { name: 'Introduction' })
  await dialog.getByRole('combobox', { name: 'Kind of lesson' }).or(dialog.getByLabel('Kind of lesson')).first().click()
  await page.getByRole('option', { name: 'Page', exact: true }).click()
  const text = dialog.getByRole('textbox', { name: 'Text' })
  await text.fill('# Before you fly\n\nCheck the **oil**.\n\n')
  await dialog.getByRole('button', { name: 'Image, video or file' }).click()
  const library = page.getByRole('dialog', { name: 'Files' })
  await library.getByText('No files').waitFor()
  await look(page)
  const chooser = page.waitForEvent('filechooser')
  await library.getByRole('button', { name: 'Upload files' }).click()
  await (await chooser).setFiles([
    { name: 'script.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg><script>alert(1)</script></svg>') },
    { name: 'cockpit.png', mimeType: 'image/png', buffer: await makeImage('png') },
  ])
  await library.getByText('Couldn’t upload script.svg').waitFor()
  await library.getByText(/This type of file is not accepted\. Upload an image/).waitFor()
  await library.getByRole('button', { name: 'Use cockpit.png' }).click()
  await library.waitFor({ state: 'hidden' })
  assert.match(await text.inputValue(), /^# Before you fly.*!\[cockpit\]\(file:[\w-]{22}\)$/s)
  // In a narrow dialog, the preview is behind a switch.
  const toPreview = dialog.getByText('Preview', { exact: true })
  if (await toPreview.isVisible()) await toPreview.click()
  const preview = dialog.getByRole('region', { name: 'Preview' })
  await preview.getByRole('heading', { name: 'Before you fly' }).waitFor()
  await preview.getByRole('img', { name: 'cockpit' }).waitFor()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByRole('button', { name: 'Publish' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 2', { exact: false }).first().waitFor()
  // The refused upload is an error of the network, which the console reports.
  assert.deepEqual(
    problems.filter((problem) => !/415/.test(problem)),
    [],
  )

  await call(page, 'PUT', '/edu/v1/class', { classId: 'ground', courseId: 'ground', name: 'Ground' })
  await app.sql(`insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
    select 'avery-ground', c.id, p.id, 'active', now(), now() from classes c, people p where c.key = 'ground' and p.handle = '@avery'`)
  const student = await enter(t, 'avery', '/dashboard/classes/ground/lessons/intro', 360)
  await student.page.getByRole('heading', { name: 'Before you fly', level: 2 }).waitFor()
  const image = student.page.getByRole('img', { name: 'cockpit' })
  await image.waitFor()
  assert.equal(await student.page.evaluate('document.querySelector("main img").naturalWidth'), 8)
  assert.match((await image.getAttribute('src')) ?? '', /^http:\/\/files\.content\.localhost:\d+\/f\//)
  await look(student.page)
  await student.page.getByText('You have read this page.').waitFor()
  assert.equal(await resultOf(student.page, 'ground', 'intro'), 'PASS')
  assert.deepEqual(student.problems, [])
})

test('a long page is read only at its end, and a button does the same for the keyboard', {
  skip: noChromium,
}, async (t) => {
  const author = await enter(t, 'finley', '/dashboard')
  const text = 'One paragraph.\n\n'.repeat(300)
  const path = await openClass(author.page, 'long', [
    { id: 'long-a', name: 'Long A', kind: 'page', text },
    { id: 'long-b', name: 'Long B', kind: 'page', text: `${text}<script>alert(1)</script> [x](javascript:alert(1))` },
  ])
  const { page, problems } = await enter(t, 'avery', `${path}/long-a`)
  await page.getByRole('button', { name: 'Mark as read' }).waitFor()
  await page.waitForTimeout(4000)
  assert.equal(await resultOf(page, 'long', 'long-a'), 'IN PROGRESS')
  await page.keyboard.press('End')
  await page.getByText('You have read this page.').waitFor()
  await page.goto(`${address}${path}/long-b`)
  await page.getByRole('button', { name: 'Mark as read' }).click()
  await page.getByText('You have read this page.').waitFor()
  await page.getByText('<script>alert(1)</script>').waitFor()
  assert.equal(await page.getByRole('link', { name: 'x', exact: true }).count(), 0)
  assert.deepEqual(problems, [])
})

/** Records a short video in the browser. */
const RECORD = `new Promise((resolve) => {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 64
  const pen = canvas.getContext('2d')
  const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' })
  const chunks = []
  recorder.ondataavailable = ({ data }) => chunks.push(data)
  recorder.onstop = async () => resolve(Array.from(new Uint8Array(await new Blob(chunks).arrayBuffer())))
  recorder.start()
  let i = 0
  const timer = setInterval(() => { pen.fillStyle = i++ % 2 ? 'red' : 'blue'; pen.fillRect(0, 0, 64, 64) }, 50)
  setTimeout(() => { clearInterval(timer); recorder.stop() }, 1500)
})`

test('a document is confirmed, and a video is complete when it was played to the end', {
  skip: noChromium,
}, async (t) => {
  const author = await enter(t, 'finley', '/dashboard')
  const video = Buffer.from((await author.page.evaluate(RECORD)) as number[])
  const [pdf, clip, captions] = [
    await upload(author.page, 'checklist.pdf', makePdf()),
    await upload(author.page, 'walkaround.webm', video),
    await upload(author.page, 'walkaround.vtt', Buffer.from('WEBVTT\n\n00:00.000 --> 00:02.000\nCheck the oil\n')),
  ]
  const path = await openClass(author.page, 'view', [
    { id: 'pdf', name: 'Checklist', kind: 'file', file: pdf },
    { id: 'clip', name: 'Walkaround', kind: 'file', file: clip, captions },
  ])
  const { page, problems } = await enter(t, 'avery', `${path}/pdf`)
  const frame = page.locator('iframe[title="checklist.pdf"]')
  await frame.waitFor()
  assert.match((await frame.getAttribute('src')) ?? '', /^http:\/\/files\.content\.localhost/)
  await page.getByRole('link', { name: 'Download' }).waitFor()
  await until('the attempt has started', async () => (await resultOf(page, 'view', 'pdf')) === 'IN PROGRESS')
  await page.getByRole('button', { name: 'I have read it' }).click()
  await page.getByText('You have completed this lesson.').waitFor()
  await page.goto(`${address}${path}/clip`)
  const player = page.locator('video')
  await player.waitFor()
  await page.getByText(/complete when you have played it to the end/).waitFor()
  await page.evaluate('document.querySelector("video").play()')
  await page.getByText('You have completed this lesson.').waitFor()
  assert.equal(await page.evaluate('document.querySelector("video").textTracks[0].cues.length'), 1)
  assert.equal(await resultOf(page, 'view', 'clip'), 'PASS')
  assert.deepEqual(problems, [])
})

test('a file that is too large is refused before it is sent', { skip: noChromium }, async (t) => {
  await app.sql(`insert into file_storage (organisation_id, used_bytes, limit_bytes) select id, 0, 1000 from organisations where key = 'school'
    on conflict (organisation_id) do update set limit_bytes = 1000`)
  const { page } = await enter(t, 'finley', '/dashboard/courses/course')
  await page.getByRole('button', { name: 'Edit walkaround' }).click()
  const dialog = page.getByRole('dialog', { name: 'walkaround' })
  await dialog.getByRole('combobox', { name: 'Kind of lesson' }).or(dialog.getByLabel('Kind of lesson')).first().click()
  await page.getByRole('option', { name: 'File', exact: true }).click()
  await dialog.getByRole('button', { name: 'Choose file' }).click()
  const library = page.getByRole('dialog', { name: 'Files' })
  const chooser = page.waitForEvent('filechooser')
  await library.getByRole('button', { name: 'Upload files' }).click()
  await (await chooser).setFiles([{ name: 'big.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(20_000) }])
  await library.getByText(/big\.pdf does not fit: the organisation has 0 bytes left/).waitFor()
})
