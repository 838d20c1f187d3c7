import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { findChromium } from '../src/operations/testing/chromium-setup.ts'
import { findFreePort } from '../src/operations/testing/ports.ts'
import { PAGES, type PageCase, show, signInAs } from './testing.ts'

/**
 * Takes screenshots of every page, light and dark, wide and narrow, on a new platform with demo data: `npm run
 * screenshots -- DIR [NAME …]`.
 */
const [folder, ...names] = process.argv.slice(2)
if (folder === undefined) throw new Error('Say where the pictures go: npm run screenshots -- DIR [NAME …]')
mkdirSync(folder, { recursive: true })

const WIDTHS = [1280, 360]
/**
 * A script that returns the milliseconds from navigation to the largest contentful paint, as the browser reports them.
 */
const LARGEST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true })
  setTimeout(resolve, 1000, 0)
})`

/** Pages that need some clicks first: the consent dialog before a lesson, and the lesson. */
const LESSONS = [
  {
    name: 'allow',
    person: 'Blake',
    path: '',
    heading: '',
    before: async (page: Page) => {
      await page.getByRole('link', { name: /Preflight Bravo/ }).click()
      await page.getByRole('button', { name: 'Start Walkaround' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'lesson',
    person: 'Avery',
    path: '',
    heading: '',
    before: async (page: Page) => {
      await page.getByRole('link', { name: /Preflight Alpha/ }).click()
      await page.getByRole('button', { name: /^(Start|Continue) Walkaround/ }).click()
      const allow = page.getByRole('button', { name: 'Allow and start' })
      const oil = page.getByLabel('Oil level')
      await allow.or(oil).first().waitFor()
      if (await allow.isVisible()) await allow.click()
      await oil.check()
    },
  },
]

/** Creates a pending app and changes an approved one, so that the approvals page has content. */
async function prepare(browser: Browser, address: string): Promise<void> {
  const page = await browser.newPage()
  await signInAs(page, address, 'Drew')
  const app = { organisation: 'northwind', name: 'Logbook', redirectUris: ['https://logbook.example.org/callback'] }
  await page.request.put(`${address}/app/v1/app`, { data: app })
  const changed = { clientId: 'gs-demo-app', origins: ['https://demo.example.org'] }
  await page.request.post(`${address}/app/v1/app`, { data: changed })
  await page.close()
}

/** Searches for candidates with the example engine, and returns the pages of the search and of the demo plan. */
async function searchCandidates(browser: Browser, address: string): Promise<PageCase[]> {
  const page = await browser.newPage()
  await signInAs(page, address, 'Ellis')
  const text = 'A night search over the hills, with first aid'
  const asked = await page.request.put(`${address}/planner/v1/search`, { data: { text, engines: ['gs-demo-ai'] } })
  const { searchId, engines } = (await asked.json()) as {
    searchId: string
    engines: { capabilities: { capabilityId: string }[] }[]
  }
  const capabilityIds = engines.flatMap(({ capabilities }) => capabilities.map(({ capabilityId }) => capabilityId))
  const found = await page.request.post(`${address}/planner/v1/search/candidates`, {
    data: { searchId, capabilityIds },
  })
  const { candidates } = (await found.json()) as { candidates: { handle: string }[] }
  const plans = (await (await page.request.get(`${address}/planner/v1/plan/list`)).json()) as {
    docs: [{ planId: string }]
  }
  await page.close()
  const compare = candidates.slice(0, 3).map(({ handle }) => handle)
  return [
    {
      name: 'planner-search',
      person: 'Ellis',
      path: `/planner/searches/${searchId}?compare=${compare.join()}`,
      heading: /./,
      waitFor: 'Side by side',
    },
    { name: 'plan', person: 'Ellis', path: `/planner/plans/${plans.docs[0].planId}`, heading: /./ },
  ]
}

const dataDir = mkdtempSync(join(tmpdir(), 'groundschool-pictures-'))
const [port, sandboxPort] = [await findFreePort(), await findFreePort()]
const settings = { PORT: String(port), SANDBOX_PORT: String(sandboxPort), DATA_DIR: dataDir }
const platform = spawn(process.execPath, ['src/main.ts', 'start'], {
  env: { ...process.env, ...settings },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let said = ''
await new Promise<void>((resolve, reject) => {
  platform.stdout.on('data', (text) => {
    said += text
    if (said.includes('the platform is ready')) resolve()
  })
  platform.once('close', () => reject(new Error(`The platform did not start:\n${said}`)))
})
/** The example engine, at the address that the demo data gives it. */
const engine = spawn(process.execPath, ['examples/ai-plugin/main.ts'], {
  env: { ...process.env, PLATFORM_URL: `http://localhost:${port}`, PORT: '4101' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  await once(engine.stdout, 'data')
  const found = await findChromium()
  if ('missing' in found) throw new Error(found.missing)
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({ executablePath: found.path, chromiumSandbox: process.getuid?.() !== 0 })
  const [production, sandbox] = [`http://localhost:${port}`, `http://localhost:${sandboxPort}`]
  const wanted = [...PAGES, ...(await searchCandidates(browser, production))].filter(
    ({ name }) => names.length === 0 || names.includes(name),
  )
  const both: (PageCase & { address: string; before?: (page: Page) => Promise<void> })[] = [
    ...wanted.map((one) => ({ ...one, address: production })),
    // The sandbox differs only by a band on every page, so one screenshot of it is enough.
    ...wanted.filter(({ name }) => name === 'apps').map((one) => ({ ...one, name: 'apps-sandbox', address: sandbox })),
    ...LESSONS.filter(({ name }) => names.length === 0 || names.includes(name)).map((one) => ({
      ...one,
      address: production,
    })),
  ].map((one) => (one.address === sandbox ? { ...one, waitFor: 'gs-sbx-demo-app' } : one))
  await prepare(browser, production)
  const paints = new Map<string, number>()
  for (const colorScheme of ['light', 'dark'] as const) {
    const signedIn = new Map<string, Page>()
    for (const one of both) {
      const who = `${one.address} ${one.person ?? one.name}`
      const page = signedIn.get(who) ?? (await browser.newPage({ colorScheme }))
      if (!signedIn.has(who) && one.person !== undefined) await signInAs(page, one.address, one.person)
      signedIn.set(who, page)
      if (one.before !== undefined) await page.goto(`${one.address}/dashboard`)
      await one.before?.(page)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        if (one.before === undefined) await show(page, one.address, one)
        paints.set(one.name, Math.max(paints.get(one.name) ?? 0, await page.evaluate<number>(LARGEST_PAINT)))
        // Make the viewport as tall as the page, so that fixed elements are in the right place.
        const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
        await page.setViewportSize({ width, height: Math.max(800, height) })
        await page.waitForTimeout(250)
        await page.screenshot({ path: join(folder, `${one.name}-${width}-${colorScheme}.png`) })
      }
    }
    for (const page of signedIn.values()) await page.close()
  }
  const slowest = [...paints].toSorted(([, one], [, other]) => other - one).slice(0, 10)
  const lines = slowest.map(([name, ms]) => `${String(Math.round(ms)).padStart(6)} ms ${name}\n`)
  process.stdout.write(`Largest paint, the slowest of ${paints.size} pages:\n${lines.join('')}`)
  await browser.close()
} finally {
  engine.kill('SIGTERM')
  platform.removeAllListeners('close').kill('SIGTERM')
  await new Promise((resolve) => platform.once('close', resolve))
  rmSync(dataDir, { recursive: true, force: true })
}
