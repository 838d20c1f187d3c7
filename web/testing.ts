import type { Page } from 'playwright-core'

/** A page of the platform as somebody of the demo data sees it, and how one knows that it is there. */
export interface Shown {
  readonly name: string
  /** First name; nobody where none is given. */
  readonly person?: string
  readonly path: string
  readonly heading: string | RegExp
  /** What is there once everything was read. */
  readonly waitFor?: string
}

const EVERYBODY: readonly Shown[] = [
  { name: 'front', path: '/', heading: 'Training that apps can build on', waitFor: 'Look around as a demo person' },
  { name: 'missing', path: '/nowhere', heading: 'There is no such page' },
  { name: 'demo-callback', path: '/demo/callback', heading: 'Demo app' },
  { name: 'sign-in', path: '/account/signin', heading: 'Sign in' },
  { name: 'front-signed-in', person: 'Ellis', path: '/', heading: 'Training that apps can build on' },
]

const DASHBOARD: readonly Shown[] = [
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
]

const CONSOLE: readonly Shown[] = [
  { name: 'apps', person: 'Drew', path: '/console/apps', heading: 'Apps', waitFor: 'gs-demo-app' },
  { name: 'app-new', person: 'Drew', path: '/console/apps/new', heading: 'Register an app', waitFor: 'Redirect URIs' },
  { name: 'app', person: 'Drew', path: '/console/apps/gs-demo-app', heading: 'Demo app', waitFor: 'Redirect URIs' },
]

const ADMIN: readonly Shown[] = [{ name: 'approvals', person: 'Ellis', path: '/admin/approvals', heading: 'Approvals' }]

/** Every page. One that is missing here has been looked at by nobody: a test compares with the routes. */
export const PAGES: readonly Shown[] = [...EVERYBODY, ...DASHBOARD, ...CONSOLE, ...ADMIN]

/** One click on the front page. */
export async function enterAs(page: Page, address: string, person: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('button', { name: new RegExp(`^Sign in as ${person} `) }).click()
  await page.waitForURL((url) => url.pathname !== '/')
  await page.getByRole('heading', { level: 1 }).waitFor()
}

export async function show(page: Page, address: string, { path, heading, waitFor }: Shown): Promise<void> {
  await page.goto(`${address}${path}`)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  if (waitFor !== undefined) await page.getByText(waitFor).first().waitFor()
  await page.evaluate('document.fonts.ready')
}
