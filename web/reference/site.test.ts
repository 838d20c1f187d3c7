import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listErrors } from '../../src/kernel/errors.ts'
import { readText } from '../../src/kernel/imports/testing.ts'
import { checkAccessibility, collectProblems, noChromium, openChromium } from '../../src/operations/testing/chromium.ts'
import { sharedApp } from '../../src/operations/testing/testing.ts'
import { look } from '../testing.ts'
import type { ApiDocument } from './document.ts'
import { GUIDES, pathOf, SITE_PAGES } from './guides.ts'

const app = await sharedApp({ RATE_ADDRESS_BURST: '100000' }, { withSandbox: true })
const { url } = app.environment()
const get = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  fetch(new URL(path, url), { headers, redirect: 'manual' })
const typeOf = (answer: Response) => answer.headers.get('content-type')

/** The pages as a browser without JavaScript gets them, by path. */
const pages = new Map<string, string>()
for (const path of ['/docs', ...SITE_PAGES.map(pathOf)]) pages.set(path, await (await get(path)).text())

const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))
const mainOf = (html: string): string => html.slice(html.indexOf('<main'), html.indexOf('</main>'))
const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, '').replaceAll('&#x27;', "'")

test('every page of the documentation can be read without JavaScript', () => {
  for (const page of SITE_PAGES) {
    const html = pages.get(pathOf(page))!
    assert.match(html, new RegExp(`<h1[^>]*>${page.name}</h1>`), page.key)
    assert.ok(html.includes(`<title>${page.name} · Groundschool</title>`), page.key)
    assert.ok(html.includes(`<meta name="description" content="${page.about}">`), page.key)
    assert.doesNotMatch(html, /<noscript>|\sstyle="|undefined|\[object/, page.key)
    assert.match(html, /<a [^>]*aria-current="page"/, page.key)
    const prose = readText(page.file).replaceAll(/^```[\s\S]*?^```$/gm, '')
    const headings = [...prose.matchAll(/^## (.+)$/gm)].map(([, title]) => title!.replaceAll('`', ''))
    const shown = page.key === 'guides/quick-start' ? headings.slice(0, 3) : headings
    for (const title of shown) assert.ok(textOf(mainOf(html)).includes(title), `${page.key}: ${title}`)
  }
  const landing = pages.get('/docs')!
  for (const path of [...SITE_PAGES.map(pathOf), '/docs/reference', '/openapi.json', '/llms.txt'])
    assert.ok(linksOf(mainOf(landing)).includes(path), path)
})

test('every link and every anchor of every page leads somewhere', async () => {
  const { paths } = JSON.parse(readText('docs/openapi.json')) as ApiDocument
  const operations = new Set(
    Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => `/docs/${one.operationId}`)),
  )
  const checked = new Map<string, number>()
  let anchors = 0
  let named = 0
  for (const [path, html] of pages)
    for (const href of new Set(linksOf(html))) {
      if (/^https?:/.test(href) && !href.startsWith(url)) continue
      const [target, hash] = href.split('#') as [string, string?]
      const page = target === '' ? html : pages.get(target)
      if (hash !== undefined) {
        anchors++
        assert.ok(page?.includes(` id="${hash}"`), `${path}: ${href}`)
      }
      if (page !== undefined) continue
      if (/^\/docs\/\w+$/.test(target) && target !== '/docs/reference') {
        named++
        assert.ok(operations.has(target), `${path}: ${href}`)
        continue
      }
      if (!checked.has(target)) checked.set(target, (await get(target)).status)
      assert.ok([200, 303].includes(checked.get(target)!), `${path}: ${href} answers ${checked.get(target)}`)
    }
  assert.ok(anchors > 200 && named > 300, `${anchors} anchors, ${named} operations`)
})

test('documents that the site does not have are named without a link', () => {
  const html = pages.get('/docs/guides/buckets')!
  assert.deepEqual(
    linksOf(html).filter((href) => /\.md(?:#|$)/.test(href)),
    ['/docs/guides/buckets.md'],
  )
  assert.ok(linksOf(html).includes('/docs/guides/contract'))
  assert.ok(textOf(html).includes('buckets-design.md'))
})

test('every error code has an anchor, with its status, its meaning and what to do', () => {
  const html = pages.get('/docs/errors')!
  const sections = new Map(
    html.split('<section ').map((part) => [/ id="(\d{4})"/.exec(part)?.[1], textOf(`<${part}`)] as const),
  )
  for (const { code, status, kind, text } of listErrors()) {
    const section = sections.get(String(code))
    assert.ok(section, String(code))
    for (const part of [kind, `HTTP ${status}`, text, 'What to do:'])
      assert.ok(section.includes(part), `${code} ${part}`)
  }
})

test('the changelog is a page', () => {
  const html = pages.get('/docs/changelog')!
  assert.match(html, /<h2 [^>]*id="unreleased"/)
  assert.ok(linksOf(html).includes('/docs/guides/upgrade'))
})

test('an unknown guide is a page that says so, or an error for programs', async () => {
  for (const name of [
    'nothing',
    'web-design',
    '..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    'buckets.md.md',
    'a/b',
  ]) {
    const page = await get(`/docs/guides/${name}`)
    assert.deepEqual([page.status, typeOf(page)], [404, 'text/html; charset=utf-8'], name)
    const plain = await get(`/docs/guides/${name}`, { accept: '*/*' })
    assert.deepEqual([plain.status, (await plain.json()).error_code], [404, 4042], name)
  }
})

test('every page has a Markdown form, with links to the others', async () => {
  for (const page of SITE_PAGES) {
    const answer = await get(`${pathOf(page)}.md`, {})
    assert.deepEqual([answer.status, typeOf(answer)], [200, 'text/markdown; charset=utf-8'], page.key)
    const text = await answer.text()
    assert.match(text, /^# \S/)
    assert.doesNotMatch(text, /<!--|^```\w+ /m, page.key)
    // Links are addresses of the platform or of other hosts, or lead inside the document.
    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
    for (const [, href] of prose.matchAll(/\]\(([^)]+)\)/g)) assert.match(href!, /^(?:https?:\/\/|#)/, page.key)
  }
  const buckets = await (await get('/docs/guides/buckets.md')).text()
  assert.ok(buckets.includes(`](${url}/docs/guides/contract.md#buckets)`))
})

test('/llms.txt names the documentation as Markdown, and every link answers', async () => {
  const answer = await get('/llms.txt', {})
  assert.deepEqual([answer.status, typeOf(answer)], [200, 'text/plain; charset=utf-8'])
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
  const tag = answer.headers.get('etag')!
  assert.equal((await get('/llms.txt', { 'if-none-match': tag })).status, 304)
  const text = await answer.text()
  // The order of https://llmstxt.org: a heading, a quotation, text, then sections that consist of links.
  assert.match(text, /^# Groundschool\n\n> The training platform behind your apps\. [^\n]+\n\n[^\n#]+\n\n## /)
  for (const section of text.split(/^## /m).slice(1))
    for (const line of section.trim().split('\n').slice(2)) assert.match(line, /^- \[[^\]]+\]\([^)\s]+\): [^\n]+\.$/)
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, href]) => href!)
  for (const href of links) assert.equal((await get(href, { accept: '*/*' })).status, 200, href)
  for (const page of SITE_PAGES) assert.ok(links.includes(`${url}${pathOf(page)}.md`), page.key)
  const sandbox = app.environment('sandbox').url
  const there = await (await fetch(`${sandbox}/llms.txt`)).text()
  assert.ok(there.includes(`](${sandbox}/docs/guides/buckets.md)`) && !there.includes(`](${url}/`))

  const full = await (await get('/llms-full.txt', {})).text()
  for (const { pages } of GUIDES)
    for (const page of pages) assert.ok(full.includes(await (await get(`${pathOf(page)}.md`)).text()), page.key)
})

test('somebody searches the documentation, reads a guide and goes on from there', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const problems = collectProblems(page)
  await page.goto(`${url}/docs`)
  const menu = page.getByRole('navigation', { name: 'Pages' })
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  const chosen = () => menu.locator('[aria-current=page]').innerText()
  await heading('Documentation')
  // Script has taken over when the server's styles are gone.
  await page.waitForFunction('!document.getElementById("critical-style")')
  assert.equal(await chosen(), 'Overview')

  // A section of the menu folds.
  const group = menu.getByRole('button', { name: 'Extend' })
  await group.click()
  assert.equal(await menu.getByRole('link', { name: 'SDK' }).count(), 0)
  await group.click()
  await menu.getByRole('link', { name: 'Plugins' }).click()
  await heading('Plugins')
  assert.equal(await chosen(), 'Plugins')
  // Styles that arrive later than those of the first page override them.
  await page.getByRole('button', { name: /^Copy/ }).first().waitFor()
  const border = 'getComputedStyle(document.querySelector("button[aria-label^=Copy]")).borderTopWidth'
  assert.equal(await page.evaluate(border), '1px')
  await look(page)

  // One search finds guides, errors and operations.
  await page.keyboard.press('/')
  await page.keyboard.type('4014')
  await menu.getByRole('link', { name: /^4014 permissionMissing/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/docs/errors#4014`)
  await heading('Errors')
  const top = await page.getByRole('heading', { name: /^4014/ }).evaluate((node) => node.getBoundingClientRect().top)
  assert.ok(top > 50 && top < 200, `the section is in view: ${top}`)
  await page.getByLabel('Search the documentation').fill('bucket watch')
  await menu.getByRole('link', { name: /^4\. Watch/ }).waitFor()
  await menu
    .getByRole('link', { name: /bucket/i })
    .last()
    .waitFor()
  await look(page)
  await page.getByLabel('Search the documentation').fill('bucket xyzzy')
  await page.getByText('No results').waitFor()
  await page.keyboard.press('Escape')

  // A guide names an operation, whose errors lead back to the documentation.
  await page.goto(`${url}/docs/guides/access`)
  await page.getByRole('link', { name: 'createBucket', exact: true }).click()
  await page.waitForURL(`${url}/docs/createBucket`)
  await page.getByText('Errors', { exact: true }).last().click()
  await page.getByRole('link', { name: '4003', exact: true }).click()
  await page.waitForURL(`${url}/docs/errors#4003`)
  await heading('Errors')
  assert.deepEqual(problems, [])
})

test('a guide can be read without JavaScript, on a phone too', { skip: noChromium }, async (t) => {
  const page = await openChromium(t, { javaScriptEnabled: false, viewport: { width: 360, height: 740 } })
  await page.goto(`${url}/docs/guides/buckets`)
  await page.getByRole('heading', { level: 1, name: 'Buckets' }).waitFor()
  await page.getByText('On this page').first().click()
  await page.getByRole('link', { name: '4. Watch it' }).first().click()
  assert.equal(page.url(), `${url}/docs/guides/buckets#4-watch-it`)
  await checkAccessibility(page)
  const widths = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[]
  assert.deepEqual(widths, [360, 360])
  await page.locator('main a[href="/docs/errors"]:visible').first().click()
  await page.waitForURL(`${url}/docs/errors`)
})
