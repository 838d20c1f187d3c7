import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { buildWhereStale } from '../../../../web/built.ts'
import { importContent } from '../../../kernel/imports/imports.ts'
import { buildZip } from '../../../learning/packages/testing-zip.ts'
import { findChromium } from '../chromium-setup.ts'
import { openClass, publishPackage } from '../package-story.ts'
import { playContent } from './content-driver.ts'
import { caller, openSuitePlatform, print, type SuitePlatform } from './platform.ts'

const PASSWORD = 'a-password-of-the-suite'
const [OWNER, STUDENT] = ['owner', 'student'] as const

/**
 * Uploads each cmi5 course in a folder on the pages of the dashboard, and completes all its units as a student. Prints
 * what was reported, and returns whether all students have passed everything.
 */
export async function playCmi5(folder: string): Promise<boolean> {
  const found = await findChromium()
  const courses = listCourses(folder)
  if ('missing' in found || courses.length === 0) {
    print('missing' in found ? found.missing : `There is no folder with a cmi5.xml and no zip file in ${folder}.`)
    return false
  }
  const built = await buildWhereStale()
  if (built.kind === 'failed') throw new Error(built.why)
  const platform = await openSuitePlatform()
  await importPeople(platform)
  const browser = await chromium.launch({
    executablePath: found.path,
    chromiumSandbox: process.getuid?.() !== 0,
    // No name server has to know the names of the content origin.
    args: ['--host-resolver-rules=MAP *.localhost 127.0.0.1'],
  })
  const enter = async (handle: string): Promise<Page> => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${platform.environment.url}/account/signin`)
    await page.locator('input[name=handle]').fill(handle)
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname !== '/account/signin')
    return page
  }
  const people = { platform, owner: await enter(OWNER), student: await enter(STUDENT) }
  people.student.on('dialog', (dialog) => void dialog.accept())
  let isPassed = true
  for (const path of courses) {
    const outcome = await playCourse(people, path).catch((error: Error) => {
      print(`  ${error.message.replaceAll('\n', '\n    ')}`)
      return false
    })
    isPassed &&= outcome
  }
  await browser.close()
  await platform.stop()
  return isPassed
}

/** Lists the folders with a course structure and the zip files in a folder. */
const listCourses = (folder: string): string[] =>
  [folder, ...readdirSync(folder).map((name) => join(folder, name))].filter(
    (path) => path.endsWith('.zip') || existsSync(join(path, 'cmi5.xml')),
  )

const importPeople = ({ environment }: SuitePlatform) =>
  importContent([environment], caller(), {
    content: {
      organisations: [{ key: 'school', name: 'School' }],
      people: [
        { handle: OWNER, role: 'owner' },
        { handle: STUDENT, role: 'member' },
      ].map(({ handle, role }) => ({
        ...{ handle, firstName: handle, password: PASSWORD, organisations: { school: role } },
      })),
    },
  })

interface People {
  readonly platform: SuitePlatform
  readonly owner: Page
  readonly student: Page
}

async function playCourse({ platform, owner, student }: People, path: string): Promise<boolean> {
  const name = basename(path, '.zip')
  print(`${name} (${path.endsWith('.zip') ? 'zip' : 'folder'})`)
  const classPath = await withArchive(path, async (archive) => {
    await owner.goto(`${platform.environment.url}/dashboard`)
    await publishPackage(owner, name, archive)
    return openClass(owner, name, `@${STUDENT}`)
  })
  const readGradebook = async () => {
    const classId = classPath.split('/').at(-1)!
    const answer = await owner.request.get(`${platform.environment.url}/edu/v1/class/gradebook?classId=${classId}`)
    return (await answer.json()) as Gradebook
  }
  const { lessons } = await readGradebook()
  const units = lessons.filter(({ lessonId }) => !lessons.some(({ parentId }) => parentId === lessonId))
  for (const unit of units) {
    await student.goto(`${platform.environment.url}${classPath}/lessons/${unit.lessonId}`)
    print(`  ${unit.name}: ${await playUnit(platform, student)}`)
  }
  const { docs } = await readGradebook()
  const { started, results, scores } = docs[0]!
  const resultOf = (place: number) => {
    const i = started.indexOf(place)
    return i < 0 ? 'NOT STARTED' : `${results[i]} ${scores[i] ?? ''}`.trim()
  }
  await owner.goto(`${platform.environment.url}${classPath}/gradebook`)
  const cells = owner.getByRole('grid').getByRole('gridcell')
  await cells.first().waitFor()
  const texts = (await cells.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
  print(
    `  gradebook: ${lessons.map(({ name }, i) => `${name} ${resultOf(i)}`).join(', ')}; its page: ${texts.slice(-2).join(', ')}`,
  )
  return lessons.every((_, i) => resultOf(i).startsWith('PASS'))
}

interface Gradebook {
  readonly lessons: readonly { readonly lessonId: string; readonly parentId: string | null; readonly name: string }[]
  readonly docs: readonly {
    /** The places of the lessons that the other lists are about. */
    readonly started: readonly number[]
    readonly results: readonly string[]
    readonly scores: readonly (number | null)[]
  }[]
}

/** Runs with the path of an archive. A folder is archived first. */
async function withArchive<T>(path: string, run: (archive: string) => Promise<T>): Promise<T> {
  if (path.endsWith('.zip')) return run(path)
  const temporary = mkdtempSync(join(tmpdir(), 'groundschool-cmi5-'))
  try {
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
    const files = names.filter((name) => statSync(join(path, name)).isFile())
    const archive = join(temporary, `${basename(path)}.zip`)
    writeFileSync(archive, buildZip(files.map((name) => ({ name, data: readFileSync(join(path, name)) }))))
    return await run(archive)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

const NOTE_CLICK = `addEventListener('click', () => { clickedAt = Date.now() }, { capture: true, once: true })`
const FIRST_PAINT = `performance.getEntriesByName('first-contentful-paint').map((one) => performance.timeOrigin + one.startTime)[0]`

/** Opens the unit on the page of its lesson and plays it to its end. Returns what its content has reported. */
async function playUnit(platform: SuitePlatform, page: Page): Promise<string> {
  const start = page.getByRole('button', { name: /^(Start|Review)$/ })
  await start.waitFor({ timeout: 10_000 }).catch(async () => {
    throw new Error(`The lesson has no button that starts it: ${await page.getByRole('main').innerText()}`)
  })
  const launched = page.waitForResponse((answer) => answer.url().endsWith('/edu/v1/package/launch'))
  const popup = page.waitForEvent('popup', { timeout: 3000 }).catch(() => undefined)
  await page.evaluate(NOTE_CLICK)
  await start.click()
  const { url, launchMethod } = (await (await launched).json()) as { url: string; launchMethod: string }
  const own = launchMethod === 'OwnWindow' ? await popup : undefined
  if (own) await own.waitForURL((at) => at.hostname !== 'localhost')
  const content = own ? own.mainFrame() : (await (await page.waitForSelector('iframe')).contentFrame())!
  await content.waitForFunction(FIRST_PAINT)
  const paintMs = Math.round((await content.evaluate<number>(FIRST_PAINT)) - (await page.evaluate<number>('clickedAt')))
  // Content ends by going back to the platform: in its own window to the lesson, in a frame so that the frame closes.
  const isOver = async () =>
    own
      ? own.isClosed() || own.url().startsWith(platform.environment.url)
      : (await page.locator('iframe').count()) === 0
  const steps = await playContent(content, isOver)
  await own?.close()
  return `${await readReports(platform, url)} (${paintMs} ms from the click to the first paint; ${steps.join(', ')})`
}

/** Reads the verbs of the statements about a unit, in their order, from the record store. */
async function readReports({ environment, key, secret }: SuitePlatform, launchUrl: string): Promise<string> {
  const { searchParams } = new URL(launchUrl)
  const query = new URLSearchParams({
    registration: searchParams.get('registration')!,
    ascending: 'true',
    limit: '500',
  })
  const answer = await fetch(`${environment.url}/xapi/statements?${query}`, {
    headers: {
      authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
      'x-experience-api-version': '1.0.3',
    },
  })
  const { statements } = (await answer.json()) as { statements: readonly Statement[] }
  const activityId = searchParams.get('activityId')
  const nameOf = ({ verb, result }: Statement) =>
    [verb.id.split('/').at(-1), result?.score?.scaled].filter((part) => part !== undefined).join(' ')
  const own = statements.filter(({ object }) => object.id === activityId)
  const others = statements.filter(({ object }) => object.id?.startsWith(`${activityId}/`))
  return `${own.map(nameOf).join(', ')} and ${others.length} statements about its parts`
}

interface Statement {
  readonly verb: { readonly id: string }
  readonly object: { readonly id?: string }
  readonly result?: { readonly score?: { readonly scaled?: number } }
}
