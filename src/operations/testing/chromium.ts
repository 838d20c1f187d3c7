import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { readChromium } from './chromium-setup.ts'
import { count } from './figures.ts'
import { atProcessEnd } from './process-end.ts'
import { isLong } from './sizes.ts'

const chromium = readChromium()

/**
 * The reason why tests in a real browser are skipped, or false: `test('…', { skip: noChromium }, async (t) => { … })`.
 */
export const noChromium: string | false = 'missing' in chromium ? chromium.missing : false

const ACTION_TIMEOUT_MS = 15_000
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

let launched: Promise<Browser> | undefined
const withoutScripts = new WeakSet<Page>()

export type ChromiumOptions = Pick<
  BrowserContextOptions,
  'javaScriptEnabled' | 'colorScheme' | 'viewport' | 'timezoneId'
>

/** Opens a page in a new browser context, without cookies or storage. The context is closed when the test ends. */
export async function openChromium(t: TestContext, options: ChromiumOptions = {}): Promise<Page> {
  launched ??= launch()
  // Reduced motion: tests need not wait for animations, and axe does not see half-faded elements.
  const context = await (await launched).newContext({ reducedMotion: 'reduce', ...options })
  t.after(() => context.close())
  context.setDefaultTimeout(ACTION_TIMEOUT_MS)
  const page = await context.newPage()
  if (options.javaScriptEnabled === false) withoutScripts.add(page)
  return page
}

/** Launches the browser of this test process. With a shared browser, every call would have to go through a server. */
async function launch(): Promise<Browser> {
  if ('missing' in chromium) throw new Error(`${chromium.missing} Tests in a browser take { skip: noChromium }.`)
  const playwright = await import('playwright-core')
  count('browsers')
  const browser = await playwright.chromium.launch({
    executablePath: chromium.path,
    // Chromium cannot run its sandbox as root.
    chromiumSandbox: process.getuid?.() !== 0,
    // Pages exist too briefly for optimised code to pay off, and there are no spare cores for other threads.
    args: ['--js-flags=--no-opt --no-maglev --single-threaded'],
  })
  atProcessEnd(() => browser.close())
  return browser
}

/**
 * Collects console errors (including violations of the content security policy) and uncaught exceptions while the page
 * is used. Navigating to a page with a 4xx status does not count as an error.
 */
export function collectProblems(page: Page): readonly string[] {
  const problems: string[] = []
  const visited = new Set<string>()
  page.on('request', (request) => {
    if (request.isNavigationRequest()) visited.add(request.url())
  })
  page.on('console', (message) => {
    const { url } = message.location()
    const isRefusal = visited.has(url) && /^Failed to load resource: .* status of 4\d\d/.test(message.text())
    if (message.type() === 'error' && !isRefusal) problems.push(`${url}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.stack ?? error.message}`))
  return problems
}

/** Asserts that axe-core finds no violation of WCAG 2.2 AA or of its best practices in the current page. */
export async function checkAccessibility(page: Page): Promise<void> {
  // axe is evaluated through the debugger, so that the content security policy of the page stays in force.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(readAxe())
  // With scripts disabled timers never fire, but axe-core waits for timers between its steps, so `setTimeout` is
  // replaced.
  if (withoutScripts.has(page)) {
    await page.evaluate('window.setTimeout = (step, ms) => { if (!(ms > 100)) Promise.resolve().then(step) }')
  }
  // Only the modal dialog is checked: elements behind it are inert, and were checked before it opened.
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document.querySelector('[aria-modal=true]') ?? document, ${JSON.stringify({ runOnly: RULES, resultTypes: ['violations'], selectors: false })})`,
  )
  const lines = violations.map(({ id, impact, help, nodes }) =>
    [
      `- ${id} (${impact}): ${help}`,
      ...nodes.map(({ html, failureSummary }) => `    ${html}\n      ${failureSummary?.replaceAll('\n', '\n      ')}`),
    ].join('\n'),
  )
  assert.ok(lines.length === 0, `${page.url()} is not accessible to everybody:\n${lines.join('\n')}`)
}

let axe: string | undefined
const readAxe = (): string => {
  axe ??= readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
  return axe
}

const WIDTHS = [1280, 320]
let checked = 0
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const FOCUSABLE = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')].filter((one) => one.checkVisibility())`

/** Asserts that the page is usable in light and dark, on wide and narrow screens, with large text and by keyboard. */
export async function assertUsable(page: Page, name: string): Promise<void> {
  let shown = 0
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      // `npm test` checks only one of the four combinations per page, in turn, because checking all of them takes two
      // seconds.
      if (isLong || shown === checked % 4) await checkAccessibility(page)
      shown++
    }
    assert.equal(await page.evaluate(OVERFLOW), 0, `${name} scrolls sideways at ${width}`)
    await page.evaluate('document.documentElement.style.fontSize = "200%"')
    assert.equal(await page.evaluate(OVERFLOW), 0, `${name} scrolls sideways at ${width} with large text`)
    await page.evaluate('document.documentElement.style.fontSize = ""')
  }
  checked++
  await assertReachable(page, name)
}

/** Asserts that the Tab key reaches every control in document order, with a visible focus outline. */
async function assertReachable(page: Page, name: string): Promise<void> {
  const [count, dates] = await page.evaluate<[number, number]>(
    `[${FOCUSABLE}.length, document.querySelectorAll('input[type=date]').length]`,
  )
  const found: number[] = []
  // One extra step is needed: after the last control, the focus leaves the page and returns to the first. A date field
  // takes several steps, one for each of its parts.
  for (let steps = 0; steps <= count + dates * 3; steps++) {
    await page.keyboard.press('Tab')
    const [place, outline] = await page.evaluate<[number, number]>(
      `[${FOCUSABLE}.indexOf(document.activeElement), parseFloat(getComputedStyle(document.activeElement).outlineWidth)]`,
    )
    if (place === -1 || found.includes(place)) continue
    assert.ok(outline >= 2, `${name}: the focus cannot be seen`)
    found.push(place)
  }
  const first = found.indexOf(0)
  const inOrder = [...found.slice(first), ...found.slice(0, first)]
  assert.deepEqual(inOrder, [...Array(count).keys()], `${name}: the order of the Tab key`)
}
