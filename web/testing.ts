import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
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
}

const EVERYBODY: readonly PageCase[] = [
  { name: 'front', path: '/', heading: 'The training platform behind your apps', waitFor: 'Try the demo' },
  { name: 'missing', path: '/nowhere', heading: 'There is no such page' },
  { name: 'demo-callback', path: '/demo/callback', heading: 'Demo app' },
  { name: 'sign-in', path: '/account/signin', heading: 'Sign in' },
  { name: 'reference', path: '/docs', heading: 'API reference', waitFor: 'Small JSON documents' },
  { name: 'reference-operation', path: '/docs/createBucket', heading: /^Creates a bucket/, waitFor: 'Try it' },
  { name: 'reference-callback', path: '/docs/callback', heading: 'The sign-in was not completed' },
  { name: 'front-signed-in', person: 'Ellis', path: '/', heading: 'The training platform behind your apps' },
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
    waitFor: 'Everything in order',
  },
  {
    name: 'grading',
    person: 'Casey',
    path: '/dashboard/classes/class-alpha/grading',
    heading: 'Grading',
    waitFor: 'Nothing waits for a grade',
  },
  {
    name: 'roster',
    person: 'Casey',
    path: '/dashboard/classes/class-alpha/roster',
    heading: 'Roster',
    waitFor: 'Lucía Fernández',
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
  { name: 'dashboard-manager', person: 'Ellis', path: '/dashboard', heading: 'My classes', waitFor: 'Preflight Bravo' },
]

const CONSOLE: readonly PageCase[] = [
  {
    name: 'missing-in-area',
    person: 'Drew',
    path: '/console/nowhere',
    heading: 'There is no such page',
    waitFor: 'Go to Developer console',
  },
  { name: 'apps', person: 'Drew', path: '/console/apps', heading: 'Apps', waitFor: 'gs-demo-app' },
  { name: 'app-new', person: 'Drew', path: '/console/apps/new', heading: 'Register an app', waitFor: 'Redirect URIs' },
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
  { name: 'sandbox', person: 'Drew', path: '/console/sandbox', heading: 'Test people', waitFor: 'Go to the sandbox' },
  { name: 'plugins', person: 'Drew', path: '/console/plugins', heading: 'Plugins', waitFor: 'gs-demo-ato' },
  {
    name: 'plugin-new',
    person: 'Drew',
    path: '/console/plugins/new',
    heading: 'Register a plugin',
    waitFor: 'Address for requests',
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
    waitFor: 'Organisations',
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
    waitFor: 'Nothing was sent yet',
  },
  {
    name: 'ato',
    person: 'Drew',
    path: '/console/ato?app=gs-demo-app',
    heading: 'ATO requests',
    waitFor: 'No package yet',
  },
]

/**
 * Paths of pages that are not in `PAGES`: the tests of their areas check them, most of them after creating a record.
 */
export const SEEN_IN_STORIES: readonly string[] = [
  '/console/plugins/$clientId/deliveries/$deliveryId',
  '/console/ato/packages/$packageId',
  '/console/ato/requests/$requestId',
  '/admin/record-store/statements/$statementId',
  '/planner/searches/$searchId',
  '/planner/plans/$planId',
  '/account/children/$handle',
  '/account/children/$handle/friends',
]

const ADMIN: readonly PageCase[] = [
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
  { name: 'verbs', person: 'Ellis', path: '/admin/verbs', heading: 'Verb library', waitFor: 'Came with the platform' },
  {
    name: 'statements',
    person: 'Ellis',
    path: '/admin/record-store/statements',
    heading: 'Record store',
    waitFor: 'Perfect Sequence',
  },
  { name: 'keys', person: 'Ellis', path: '/admin/record-store/keys', heading: 'Record store', waitFor: 'Simulator 1' },
  { name: 'audit', person: 'Ellis', path: '/admin/audit', heading: 'Audit log', waitFor: 'From where' },
  { name: 'system', person: 'Ellis', path: '/admin/system', heading: 'System', waitFor: 'Latency by operation' },
  { name: 'planner', person: 'Ellis', path: '/planner', heading: 'Mission planner', waitFor: 'Ask engines' },
  { name: 'plans', person: 'Ellis', path: '/planner/plans', heading: 'Plans', waitFor: 'Night search over the hills' },
]

const ACCOUNT: readonly PageCase[] = [
  { name: 'account', person: 'Avery', path: '/account', heading: 'Avery Lindqvist', waitFor: '1 friend' },
  { name: 'profile', person: 'Avery', path: '/account/profile', heading: 'Profile', waitFor: 'Who finds you' },
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

let looks = 0
/**
 * Asserts that axe finds no accessibility problem. Short runs alternate between light and dark, because checking both
 * would take as long as the rest of the test.
 */
export async function look(page: Page): Promise<void> {
  for (const colorScheme of isLong ? (['light', 'dark'] as const) : ([looks++ % 2 === 0 ? 'light' : 'dark'] as const)) {
    await page.emulateMedia({ colorScheme })
    // Wait for colour transitions to end.
    const isThere = `document.documentElement.dataset.mantineColorScheme === '${colorScheme}' && document.getAnimations().length === 0`
    await until(`the page is ${colorScheme}`, () => page.evaluate<boolean>(isThere))
    await checkAccessibility(page)
  }
}
