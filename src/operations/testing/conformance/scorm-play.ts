import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { buildWhereStale } from '../../../../web/built.ts'
import { buildZip } from '../../../learning/packages/testing-zip.ts'
import { findChromium } from '../chromium-setup.ts'
import { RefusedPackage, SuiteLms } from './lms.ts'
import { openSuitePlatform, print } from './platform.ts'

/** A package as it is uploaded. */
interface Source {
  readonly name: string
  read(): Buffer
}

/** Lists archives, and folders with a manifest, which are packed. */
function listSources(folder: string): Source[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
  const within = (path: string) => relative(folder, path)
  const roots = files.filter((path) => basename(path).toLowerCase() === 'imsmanifest.xml').map((path) => dirname(path))
  const pack = (root: string) =>
    buildZip(
      files
        .filter((path) => path.startsWith(`${root}/`))
        .map((path) => ({ name: relative(root, path), data: readFileSync(path) })),
    )
  return [
    ...roots.map((root) => ({ name: within(root) || basename(root), read: () => pack(root) })),
    ...files
      .filter((path) => path.endsWith('.zip'))
      .map((path) => ({ name: within(path), read: () => readFileSync(path) })),
  ].sort((one, other) => one.name.localeCompare(other.name))
}

/** Uploads every SCORM package in a folder, and plays it to its end as a student. Prints a line for each. */
export async function playPackages(folder: string): Promise<number> {
  const chromium = await findChromium()
  if ('missing' in chromium) {
    print(chromium.missing)
    return 2
  }
  await buildWhereStale()
  const platform = await openSuitePlatform()
  const lms = new SuiteLms(platform)
  await lms.open()
  const playwright = await import('playwright-core')
  const browser = await playwright.chromium.launch({
    executablePath: chromium.path,
    chromiumSandbox: process.getuid?.() !== 0,
  })
  const counts = { played: 0, refused: 0, failed: 0 }
  for (const { name, read } of listSources(folder)) {
    const context = await browser.newContext()
    try {
      const courseId = await lms.importCourse({ type: 'application/zip', name: `${basename(name)}.zip` }, read())
      const page = await context.newPage()
      page.on('dialog', (dialog) => dialog.accept().catch(() => {}))
      await page.goto(await lms.getLaunchUrl({ courseId, unit: '0', registration: '' }))
      const seen = await playToEnd(page)
      counts.played++
      print(`played  ${name}: ${await lms.sayResults(courseId)}; ${seen.join(', ')}`)
    } catch (problem) {
      const isRefused = problem instanceof RefusedPackage
      counts[isRefused ? 'refused' : 'failed']++
      print(`${isRefused ? 'refused' : 'FAILED '} ${name}: ${(problem as Error).message.split('\n')[0]}`)
    }
    await context.close()
  }
  await browser.close()
  await platform.stop()
  print(`${counts.played} played, ${counts.refused} refused, ${counts.failed} failed`)
  return counts.failed === 0 && counts.played > 0 ? 0 : 1
}

const MOST_STEPS = 400
const PAUSE_MS = 150
/** Content that has nothing to press for so many steps is at its end, or has none. */
const IDLE_STEPS = 5

/** Works through the content as a student does, until the player leads back. Returns what was done. */
async function playToEnd(page: Page): Promise<string[]> {
  const seen = new Map<string, number>()
  let idle = 0
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
  for (let step = 0; step < MOST_STEPS; step++) {
    if (!new URL(page.url()).pathname.startsWith('/player/')) break
    const done = await takeStep(page, idle >= IDLE_STEPS)
    idle = done ? 0 : idle + 1
    if (done) count(done)
    await page.waitForTimeout(PAUSE_MS)
    if (step === MOST_STEPS - 1)
      throw new Error(
        `It did not end: ${(await page.locator('body').innerText()).replaceAll(/\s+/g, ' ')}; ${JSON.stringify([...seen])}`,
      )
  }
  return [...seen].map(([what, times]) => (times === 1 ? what : `${what} ×${times}`))
}

async function takeStep(page: Page, isIdle: boolean): Promise<string | undefined> {
  const content = page.frames().filter((frame) => frame.parentFrame() && frame.url() !== 'about:blank')
  // A frame may be exchanged at any time.
  const ask = <T>(frame: Frame, script: string) => frame.evaluate<T>(script).catch(() => undefined)
  for (const frame of content) if (await ask<boolean>(frame, ANSWER)) return 'test'
  for (const frame of content) if (await clickNext(frame).catch(() => false)) return 'page'
  if (!isIdle) return undefined
  // Content that has no pages sets its status by itself, or never does: then the driver does it as content would.
  const states = await Promise.all(content.map((frame) => ask<string>(frame, COMPLETE)))
  if (states.includes('completed')) return 'completed by the driver'
  const alert = page.getByRole('alert').or(page.getByRole('heading', { name: 'The lesson cannot be opened' }))
  if ((await alert.count()) > 0) throw new Error(await alert.first().innerText())
  const choice = page.getByRole('navigation').getByRole('button', { name: '(not started)', disabled: false })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  for (const [name, found] of [
    ['Continue', button('Continue')],
    ['choice', choice],
    ['Finish', button('Finish')],
    ['Save and exit', button('Save and exit')],
  ] as const) {
    const button = found.first()
    if ((await button.count()) === 0 || !(await button.isVisible()) || !(await button.isEnabled())) continue
    await button.click({ timeout: 1000 }).catch(() => {})
    return name
  }
  for (const frame of content)
    if (
      await ask<boolean>(
        frame,
        `(() => { const exit = document.querySelector('#butExit'); exit?.click(); return !!exit })()`,
      )
    )
      return 'exit of the content'
  return undefined
}

async function clickNext(frame: Frame): Promise<boolean> {
  const next = frame
    .locator('#butNext, input[value^="Next"], button:text-matches("^next", "i"), a:text-matches("^next\\b", "i")')
    .first()
  if ((await next.count()) === 0 || !(await next.isVisible()) || !(await next.isEnabled())) return false
  await next.click({ timeout: 1000 })
  return true
}

/** Answers the test of the golf packages correctly, if a frame has one that is not answered. */
const ANSWER = `(() => {
  if (typeof test === 'undefined' || !Array.isArray(test?.Questions) || test.isAnswered || typeof SubmitAnswers !== 'function') return false
  test.isAnswered = true
  for (const { Id, Type, Answers, CorrectAnswer } of test.Questions) {
    const find = (end) => document.getElementById('question_' + Id + '_' + end)
    if (Type === 'choice') Answers.forEach((answer, i) => { if (answer === CorrectAnswer) find(i).checked = true })
    else if (Type === 'true-false') find(CorrectAnswer ? 'True' : 'False').checked = true
    else find('Text').value = CorrectAnswer
  }
  SubmitAnswers()
  return true
})()`

/** Completes content that has found the API, or should have, and has not set a final status. */
const COMPLETE = `(() => {
  if (parent.parent !== parent || window.isDriven) return 'not here'
  window.isDriven = true
  const { API: old, API_1484_11: api } = parent
  const is = (status) => ['passed', 'completed', 'failed'].includes(status)
  if (api) {
    api.Initialize('')
    if (is(api.GetValue('cmi.completion_status'))) return 'done'
    api.SetValue('cmi.completion_status', 'completed')
    api.SetValue('cmi.success_status', 'passed')
    return 'completed'
  }
  if (!old) return 'no API'
  old.LMSInitialize('')
  if (is(old.LMSGetValue('cmi.core.lesson_status'))) return 'done'
  old.LMSSetValue('cmi.core.lesson_status', 'completed')
  return 'completed'
})()`
