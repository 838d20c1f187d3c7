import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { until } from '../src/kernel/database/test-database.ts'
import { checkAccessibility } from '../src/operations/testing/chromium.ts'
import { isLong } from '../src/operations/testing/sizes.ts'

/** A page as a person of the demo data sees it, and how a test recognises that it has loaded. */
export interface PageCase {
  readonly name: string
  /** First name of the demo person; if absent, nobody is signed in. */
  readonly person?: string
  readonly path: string
  readonly heading: string | RegExp
  /** A text that appears once all data is loaded. */
  readonly waitFor?: string
  /** True for a long text with the same kinds of elements as another page: only the long run checks all of them. */
  readonly isLongText?: boolean
}

const EVERYBODY: readonly PageCase[] = [
  { name: 'front', path: '/', heading: 'The training platform behind your apps', waitFor: 'Try the demo' },
  { name: 'missing', path: '/nowhere', heading: 'Page not found' },
  { name: 'demo-callback', path: '/demo/callback', heading: 'Demo app' },
  { name: 'sign-in', path: '/account/signin', heading: 'Sign in' },
  { name: 'reference', path: '/docs/reference', heading: 'API reference', waitFor: 'Small JSON documents' },
  { name: 'reference-operation', path: '/docs/createBucket', heading: /^Create a bucket/, waitFor: 'Try it' },
  { name: 'reference-callback', path: '/docs/callback', heading: 'Couldn’t sign in' },
  { name: 'front-signed-in', person: 'Ellis', path: '/', heading: 'The training platform behind your apps' },
  { name: 'docs', path: '/docs', heading: 'Documentation', waitFor: 'OpenAPI file' },
  { name: 'docs-guide', path: '/docs/guides/buckets', heading: 'Buckets', waitFor: 'View as Markdown' },
  { name: 'docs-conventions', path: '/docs/guides/contract', heading: 'API conventions', isLongText: true },
  { name: 'docs-errors', path: '/docs/errors', heading: 'Errors', waitFor: 'What to do:', isLongText: true },
  { name: 'docs-changelog', path: '/docs/changelog', heading: 'Changelog', isLongText: true },
]

const DASHBOARD: readonly PageCase[] = [
  { name: 'dashboard', person: 'Blake', path: '/dashboard', heading: 'My classes', waitFor: 'Preflight Bravo' },
  {
    name: 'class-student',
    person: 'Avery',
    path: '/dashboard/classes/class-alpha',
    heading: 'Preflight Alpha',
    waitFor: 'Checkride',
  },
  {
    name: 'lesson',
    person: 'Avery',
    path: '/dashboard/classes/class-alpha/lessons/lesson-walkaround',
    heading: 'Walkaround',
    waitFor: 'This lesson opens in an app',
  },
  {
    name: 'class-instructor',
    person: 'Casey',
    path: '/dashboard/classes/class-alpha',
    heading: 'Preflight Alpha',
    waitFor: 'Lucía Fernández',
  },
  {
    name: 'gradebook',
    person: 'Casey',
    path: '/dashboard/classes/class-alpha/gradebook',
    heading: 'Gradebook',
    waitFor: 'Lucía Fernández',
  },
  {
    name: 'student',
    person: 'Casey',
    path: '/dashboard/classes/class-alpha/students/student-lucia.fernandez',
    heading: 'Lucía Fernández',
    waitFor: 'Most recent first',
  },
  {
    name: 'content-sessions',
    person: 'Casey',
    path: '/dashboard/classes/class-alpha/sessions',
    heading: 'Content sessions',
    waitFor: 'No sessions yet',
  },
  {
    name: 'grading',
    person: 'Casey',
    path: '/dashboard/classes/class-alpha/grading',
    heading: 'Grading',
    waitFor: 'Nothing to grade',
  },
  {
    name: 'roster',
    person: 'Casey',
    path: '/dashboard/classes/class-alpha/roster',
    heading: 'Roster',
    waitFor: 'Lucía Fernández',
  },
  {
    name: 'dates',
    person: 'Casey',
    path: '/dashboard/classes/class-alpha/dates',
    heading: 'Dates',
    waitFor: 'Whole class',
  },
  {
    name: 'class-settings',
    person: 'Ellis',
    path: '/dashboard/classes/class-alpha/settings',
    heading: 'Settings',
    waitFor: 'Casey Okafor',
  },
  {
    name: 'course',
    person: 'Ellis',
    path: '/dashboard/courses/course-preflight',
    heading: 'Preflight',
    waitFor: 'Version 1',
  },
  {
    name: 'question-bank',
    person: 'Ellis',
    path: '/dashboard/questions/sandhills',
    heading: 'Question bank',
    waitFor: 'How high above the airfield do we fly the circuit?',
  },
  {
    name: 'packages',
    person: 'Ellis',
    path: '/dashboard/packages/sandhills',
    heading: 'Content packages',
    waitFor: 'No content packages yet',
  },
  {
    name: 'course-preview',
    person: 'Ellis',
    path: '/dashboard/courses/course-preflight/preview',
    heading: 'Preflight',
    waitFor: 'Nothing you do here is recorded',
  },
  {
    name: 'lesson-preview',
    person: 'Ellis',
    path: '/dashboard/courses/course-preflight/preview/lesson-walkaround',
    heading: 'Walkaround',
    waitFor: 'Nothing you do here is recorded',
  },
  { name: 'calendar', person: 'Avery', path: '/dashboard/calendar', heading: 'Calendar', waitFor: 'Create address' },
  { name: 'dashboard-manager', person: 'Ellis', path: '/dashboard', heading: 'My classes', waitFor: 'Preflight Bravo' },
]

const CONSOLE: readonly PageCase[] = [
  {
    name: 'missing-in-area',
    person: 'Drew',
    path: '/console/nowhere',
    heading: 'Page not found',
    waitFor: 'Go to Developer console',
  },
  { name: 'apps', person: 'Drew', path: '/console/apps', heading: 'Apps', waitFor: 'gs-demo-app' },
  { name: 'app-new', person: 'Drew', path: '/console/apps/new', heading: 'Create app', waitFor: 'Redirect URLs' },
  {
    name: 'app',
    person: 'Drew',
    path: '/console/apps/gs-demo-app',
    heading: 'Demo app',
    waitFor: 'Client ID',
  },
  {
    name: 'app-settings',
    person: 'Drew',
    path: '/console/apps/gs-demo-app/settings',
    heading: 'Demo app',
    waitFor: 'Save',
  },
  {
    name: 'app-secrets',
    person: 'Drew',
    path: '/console/apps/gs-demo-app/secrets',
    heading: 'Demo app',
    waitFor: 'Secret 1',
  },
  {
    name: 'app-snippets',
    person: 'Drew',
    path: '/console/apps/gs-demo-app/snippets',
    heading: 'Demo app',
    waitFor: '1. Send people to sign in',
  },
  {
    name: 'organisations',
    person: 'Ellis',
    path: '/console/organisations',
    heading: 'Organisations',
    waitFor: 'northwind',
  },
  {
    name: 'organisation',
    person: 'Ellis',
    path: '/console/organisations/northwind',
    heading: 'Northwind Training',
    waitFor: '@drew',
  },
  {
    name: 'provider',
    person: 'Ellis',
    path: '/console/organisations/sandhills/provider',
    heading: 'Sign-in provider',
    waitFor: 'Test the provider first.',
  },
  {
    name: 'app-users',
    person: 'Drew',
    path: '/console/apps/gs-demo-app/users',
    heading: 'Demo app',
    waitFor: 'No other app',
  },
  {
    name: 'app-requests',
    person: 'Drew',
    path: '/console/apps/gs-demo-app/requests',
    heading: 'Demo app',
    waitFor: 'Error code',
  },
  { name: 'sandbox', person: 'Drew', path: '/console/sandbox', heading: 'Test people', waitFor: 'Go to sandbox' },
  { name: 'plugins', person: 'Drew', path: '/console/plugins', heading: 'Plugins', waitFor: 'gs-demo-ato' },
  {
    name: 'plugin-new',
    person: 'Drew',
    path: '/console/plugins/new',
    heading: 'Create plugin',
    waitFor: 'URL for requests',
  },
  {
    name: 'plugin',
    person: 'Drew',
    path: '/console/plugins/gs-demo-ato',
    heading: 'Demo ATO helper',
    waitFor: 'Client ID',
  },
  {
    name: 'plugin-settings',
    person: 'Drew',
    path: '/console/plugins/gs-demo-ato/settings',
    heading: 'Demo ATO helper',
    waitFor: 'Danger zone',
  },
  {
    name: 'plugin-permissions',
    person: 'Drew',
    path: '/console/plugins/gs-demo-ai/permissions',
    heading: 'Demo engine',
    waitFor: 'The plugin can see people in these organisations.',
  },
  {
    name: 'plugin-secrets',
    person: 'Drew',
    path: '/console/plugins/gs-demo-ato/secrets',
    heading: 'Demo ATO helper',
    waitFor: 'Secret 1',
  },
  {
    name: 'deliveries',
    person: 'Drew',
    path: '/console/plugins/gs-demo-ato/deliveries',
    heading: 'Demo ATO helper',
    waitFor: 'No deliveries yet',
  },
  {
    name: 'ato',
    person: 'Drew',
    path: '/console/ato?app=gs-demo-app',
    heading: 'ATO requests',
    waitFor: 'No packages yet',
  },
]

/**
 * Paths of pages that are not in `PAGES`: the tests of their areas check them, most of them after creating a record.
 */
export const SEEN_IN_STORIES: readonly string[] = [
  '/dashboard/classes/$classId/lessons/$lessonId/evaluate',
  '/dashboard/classes/$classId/quizzes/$lessonResultId',
  '/dashboard/packages/$organisation/$packageId',
  '/dashboard/packages/$organisation/$packageId/preview/$item',
  '/console/plugins/$clientId/deliveries/$deliveryId',
  '/console/ato/packages/$packageId',
  '/console/ato/requests/$requestId',
  '/admin/record-store/statements/$statementId',
  '/planner/searches/$searchId',
  '/planner/plans/$planId',
  '/account/announcements/$announcementId',
  '/account/children/$handle',
  '/account/children/$handle/friends',
]

const ADMIN: readonly PageCase[] = [
  { name: 'administration', person: 'Ellis', path: '/admin', heading: 'Overview', waitFor: 'Active people' },
  { name: 'approvals', person: 'Ellis', path: '/admin/approvals', heading: 'Approvals' },
  { name: 'people', person: 'Ellis', path: '/admin/people?query=a', heading: 'People', waitFor: '@avery' },
  { name: 'person', person: 'Ellis', path: '/admin/people/@avery', heading: 'Avery', waitFor: 'Signs in with' },
  {
    name: 'permissions',
    person: 'Ellis',
    path: '/admin/permissions',
    heading: 'Plugin permissions',
    waitFor: 'Demo engine',
  },
  { name: 'verbs', person: 'Ellis', path: '/admin/verbs', heading: 'Verb library', waitFor: 'Built-in' },
  { name: 'storage', person: 'Ellis', path: '/admin/storage', heading: 'Storage', waitFor: 'Sandhills' },
  {
    name: 'statements',
    person: 'Ellis',
    path: '/admin/record-store/statements',
    heading: 'Record store',
    waitFor: 'Perfect Sequence',
  },
  { name: 'keys', person: 'Ellis', path: '/admin/record-store/keys', heading: 'Record store', waitFor: 'Simulator 1' },
  { name: 'audit', person: 'Ellis', path: '/admin/audit', heading: 'Audit log', waitFor: 'IP address' },
  { name: 'system', person: 'Ellis', path: '/admin/system', heading: 'System', waitFor: 'Latency by operation' },
  { name: 'planner', person: 'Ellis', path: '/planner', heading: 'Mission planner', waitFor: 'Find capabilities' },
  { name: 'plans', person: 'Ellis', path: '/planner/plans', heading: 'Plans', waitFor: 'Night search over the hills' },
]

const ACCOUNT: readonly PageCase[] = [
  { name: 'account', person: 'Avery', path: '/account', heading: 'Avery Lindqvist', waitFor: '1 friend' },
  { name: 'profile', person: 'Avery', path: '/account/profile', heading: 'Profile', waitFor: 'With public search on' },
  { name: 'security', person: 'Avery', path: '/account/security', heading: 'Security', waitFor: 'This browser' },
  { name: 'friends', person: 'Avery', path: '/account/friends', heading: 'Friends', waitFor: 'Blake Moreau' },
  {
    name: 'children',
    person: 'Drew',
    path: '/account/children',
    heading: 'Children',
    waitFor: 'Noa Okafor',
  },
  {
    name: 'invitations',
    person: 'Avery',
    path: '/account/invitations',
    heading: 'Invitations',
    waitFor: 'Sandhills Aviation School',
  },
  {
    name: 'notifications',
    person: 'Avery',
    path: '/account/notifications',
    heading: 'Notifications',
    waitFor: 'Daily digests are sent at 7:00',
  },
  { name: 'data', person: 'Avery', path: '/account/data', heading: 'Your data', waitFor: 'What stays' },
]

/** All pages that are checked. A test compares the list with the routes, so that no page is forgotten. */
export const PAGES: readonly PageCase[] = [...EVERYBODY, ...DASHBOARD, ...CONSOLE, ...ADMIN, ...ACCOUNT]

/** Signs in by clicking on the front page. */
export async function enterByFrontPage(page: Page, address: string, person: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('button', { name: new RegExp(`^Sign in as ${person} `) }).click()
  await page.waitForURL((url) => url.pathname !== '/')
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/**
 * Signs in with the request that a click on the front page sends, and opens a page. This loads one page, not two.
 */
export async function enterAs(page: Page, address: string, person: string, path: string): Promise<void> {
  await signInAs(page, address, person)
  await page.goto(`${address}${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}

/** Signs in the browser of a page without loading a page. */
export async function signInAs(page: Page, address: string, person: string): Promise<void> {
  const data = { handle: `@${person.toLowerCase()}` }
  const answer = await page.request.post(`${address}/account/v1/demo/signin`, { data })
  assert.equal(answer.status(), 200, await answer.text())
}

export async function show(page: Page, address: string, { path, heading, waitFor }: PageCase): Promise<void> {
  await page.goto(`${address}${path}`)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  if (waitFor !== undefined) await page.getByText(waitFor).first().waitFor()
  await page.evaluate('document.fonts.ready')
}

/**
 * A script that returns the tables of which a part is hidden without a way to see it. Their box must scroll, be
 * reachable with the Tab key, and have a shadow at the edge. A cell whose text is cut off must have it as a title.
 */
const CUT_OFF_TABLES = `[...document.querySelectorAll('table, [role=grid]')].filter((table) => table.checkVisibility()).flatMap((table) => {
  const isWide = (one) => one.scrollWidth > one.clientWidth + 1
  const boxes = [table]
  while (boxes[0].parentElement !== null) boxes.unshift(boxes[0].parentElement)
  const name = (one) => one.tagName + ' ' + one.className + ' ' + one.textContent.slice(0, 80)
  const hidden = boxes.filter((one) => isWide(one) && getComputedStyle(one).overflowX !== 'visible').filter((one) => {
    const { overflowX, backgroundImage } = getComputedStyle(one)
    const isReachable = one.tabIndex >= 0 || one.querySelector('[tabindex="0"]') !== null
    return !['auto', 'scroll'].includes(overflowX) || !backgroundImage.includes('gradient') || !isReachable
  })
  const cells = [...table.querySelectorAll('th *, td *, [role=row] *')].filter(
    (one) => isWide(one) && getComputedStyle(one).textOverflow === 'ellipsis' && one.closest('[title]') === null,
  )
  return [...hidden, ...cells].map(name)
})`

/** Asserts that at the current width no table is cut off without a visible way to see the rest. */
export async function assertTablesFit(page: Page): Promise<void> {
  assert.deepEqual(await page.evaluate(CUT_OFF_TABLES), [])
}

/** Reads the texts of rows without relative times, which can change at any moment. */
const readTexts = (rows: Locator): Promise<string[]> =>
  rows.evaluateAll(`(rows) => rows.map((row) => {
    const copy = row.cloneNode(true)
    for (const time of copy.querySelectorAll('time')) time.remove()
    return copy.textContent
  })`)

/**
 * Asserts that the head of a column sorts a list and reverses it, with the keyboard and in the URL. While the sorted
 * rows load, however long that takes, the old ones stay, marked as busy, and the head keeps the focus. Returns the text
 * of the first row in ascending order.
 */
export async function assertSorts(page: Page, head: string, sort: string): Promise<string> {
  const isList = (url: URL) => url.searchParams.has('sort')
  let answer = Promise.withResolvers<void>()
  await page.route(isList, async (route) => {
    await answer.promise
    await route.continue()
  })
  const column = page.getByRole('columnheader', { name: head, exact: true })
  await column.getByRole('button').focus()
  const assertFocus = async () => assert.equal(await page.evaluate('document.activeElement.textContent'), head)
  const rows = page.locator('tbody tr')
  const busyRows = page.locator('[aria-busy=true] tbody tr')
  const firstRows: Record<string, string> = {}
  for (let presses = 0; presses < 2; presses++) {
    const direction = (await column.getAttribute('aria-sort')) === 'ascending' ? 'descending' : 'ascending'
    const before = await readTexts(rows)
    answer = Promise.withResolvers()
    await page.keyboard.press('Enter')
    await page.locator(`th[aria-sort=${direction}]`, { hasText: head }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('sort'), `${direction === 'descending' ? '-' : ''}${sort}`)
    assert.deepEqual(await readTexts(busyRows), before)
    await assertFocus()
    answer.resolve()
    await busyRows.first().waitFor({ state: 'detached' })
    await assertFocus()
    firstRows[direction] = await rows.first().innerText()
  }
  await page.unroute(isList)
  assert.notEqual(firstRows.ascending, firstRows.descending)
  return firstRows.ascending!
}

let looks = 0
/**
 * Asserts that axe finds no accessibility problem and no table is cut off. Short runs alternate between light and dark,
 * because checking both would take as long as the rest of the test.
 */
export async function look(page: Page): Promise<void> {
  for (const colorScheme of isLong ? (['light', 'dark'] as const) : ([looks++ % 2 === 0 ? 'light' : 'dark'] as const)) {
    await page.emulateMedia({ colorScheme })
    // Wait for colour transitions to end.
    const isThere = `document.documentElement.dataset.mantineColorScheme === '${colorScheme}' && document.getAnimations().length === 0`
    await until(`the page is ${colorScheme}`, () => page.evaluate<boolean>(isThere))
    await checkAccessibility(page)
    await assertTablesFit(page)
  }
}

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Does the same as `look` at the width of a phone, and asserts that the page does not scroll sideways. */
export async function lookOnPhone(page: Page): Promise<void> {
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 800 })
  await until('the page fits', async () => (await page.evaluate<number>(OVERFLOW)) === 0)
  await look(page)
  await page.setViewportSize(size)
}
