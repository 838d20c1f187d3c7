import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { signInToAccount } from '../../apps/oauth/testing-pages.ts'
import { noChromium, openChromium } from '../../operations/testing/chromium.ts'
import { sharedApp, testApp } from '../../operations/testing/testing.ts'
import { load, upload } from '../content/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { signPackage } from './packages.ts'
import { makePackage, uploadPackage } from './testing.ts'

const app = await sharedApp(UNLIMITED)
await openSchool(app)
const finley = await signInBrowser(app, 'finley')
const { url: platformUrl } = app.environment()

/** Uploads a package, and returns the URL of its files. */
async function publish(
  files: Record<string, string | Buffer>,
): Promise<{ base: string; packageId: string; url: string }> {
  const { status, text, body } = await uploadPackage(finley, makePackage(files))
  assert.equal(status, 200, text)
  return { base: signPackage(app.environment(), { key: body.packageId }), ...body }
}

test('a file of a package has its media type by its name, and headers that keep it on its origin', async () => {
  const { base, url } = await publish({ 'media/Prüfung 1.bin': '<script>', 'a.js': 'a', 'empty.css': '' })
  assert.match(base, /^http:\/\/content\.localhost:\d+\/p\/[\w.-]+\/$/)
  const { status, headers, bytes } = await load(`${base}index.html?endpoint=x&actor=%7B%7D`)
  assert.equal(status, 200)
  assert.match(bytes.toString(), /Walkaround/)
  const { etag, 'cache-control': caching, ...others } = headers
  const rest = Object.fromEntries(
    Object.entries(others).filter(([name]) => !/^(?:date|x-request-id|ratelimit|connection|keep-alive)/.test(name)),
  )
  assert.match(String(caching), /^private, max-age=\d{5}, immutable$/)
  assert.match(String(etag), /^"[0-9a-f]{32}"$/)
  assert.deepEqual(rest, {
    'accept-ranges': 'bytes',
    'access-control-allow-origin': platformUrl,
    'content-length': String(bytes.length),
    'content-security-policy': `frame-ancestors 'self' ${platformUrl} ${platformUrl.replace('localhost', '127.0.0.1')}; object-src 'self'; base-uri 'self'`,
    'content-type': 'text/html',
    'cross-origin-resource-policy': 'cross-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    vary: 'Origin',
    'x-content-type-options': 'nosniff',
  })
  const typeOf = async (path: string) => (await load(base + path)).headers['content-type']
  assert.deepEqual(
    await Promise.all(
      [
        'media/Pr%C3%BCfung%201.bin',
        'media/Pru%CC%88fung 1.bin'.replace(' ', '%20'),
        'a.js',
        'empty.css',
        'cmi5.xml',
      ].map(typeOf),
    ),
    [...['application/octet-stream', 'application/octet-stream', 'text/javascript', 'text/css', 'application/xml']],
  )
  const part = await load(`${base}index.html`, { range: 'bytes=0-8' })
  assert.deepEqual([part.status, part.bytes.toString()], [206, '<!doctype'])
  assert.equal((await load(`${base}index.html`, { 'if-none-match': String(etag) })).status, 304)
  for (const path of [
    '',
    'none.html',
    'Index.html',
    'media',
    'media/',
    '../index.html',
    '%2e%2e/index.html',
    '%ff',
    '%00',
    `${'a'.repeat(5000)}`,
  ])
    assert.equal((await load(base + path)).status, 404, path)
  assert.equal((await load(`${base}index.html`, {}, 'POST')).status, 405)
  for (const headers of [{ 'service-worker': 'script' }, { 'sec-fetch-dest': 'serviceworker' }])
    assert.equal((await load(`${base}a.js`, headers)).status, 403)
  assert.equal((await load(url)).headers['content-security-policy'], "default-src 'none'; sandbox")
})

test('a link of a package that was changed, or has expired, or is for something else, finds nothing', async (t) => {
  const own = await testApp(t, UNLIMITED)
  await openSchool(own)
  const browser = await signInBrowser(own, 'finley')
  const { packageId, url } = (await uploadPackage(browser, makePackage())).body
  const base = signPackage(own.environment(), { key: packageId })
  const file = (await upload(browser, 'a.txt', 'text')).body
  const tokenOf = (one: string) => one.split('/')[4]!
  const [token, fileToken, originalToken] = [tokenOf(base), tokenOf(file.url), tokenOf(url)]
  assert.equal((await load(`${base}index.html`)).status, 200)
  const { packageId: other } = (await uploadPackage(browser, makePackage({ 'a.txt': 'other' }))).body
  for (const wrong of [
    token.replace(packageId, other),
    token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
    fileToken,
    originalToken,
    packageId,
  ])
    assert.equal((await load(`${base.replace(token, wrong)}index.html`)).status, 404, wrong)
  assert.equal((await load(file.url.replace(fileToken, token))).status, 404)
  assert.equal((await load(url.replace(originalToken, token))).status, 404)
  own.advance(5 * 3_600_000)
  assert.equal((await load(`${base}index.html`)).status, 200)
  own.advance(7 * 3_600_000)
  assert.equal((await load(`${base}index.html`)).status, 404)
})

test('the pages of a package work: scripts, styles, frames of its own and storage', { skip: noChromium }, async (t) => {
  const { base } = await publish({
    'index.html': `<!doctype html><link rel="stylesheet" href="css/a.css"><script src="./js/a.js"></script>
      <iframe src="pages/inner.html?x=1"></iframe>`,
    'css/a.css': 'body { color: rgb(1, 2, 3) }',
    'js/a.js': 'localStorage.setItem("place", "here")',
    'pages/inner.html': '<p>inner</p><script>parent.inner = localStorage.getItem("place") + location.search</script>',
  })
  const page = await openChromium(t)
  await page.goto(`${base}index.html?endpoint=https://example.com`)
  await page.waitForFunction('window.inner === "here?x=1"')
  assert.equal(await page.evaluate('getComputedStyle(document.body).color'), 'rgb(1, 2, 3)')
})

const HOSTILE = `<!doctype html><title>Hostile</title><button>Go</button><iframe></iframe><script>
const platform = new URLSearchParams(location.search).get('platform')
const packageId = new URLSearchParams(location.search).get('package')
const attempt = (work) => Promise.resolve().then(work).then((value) => ({ value }), (error) => ({ error: String(error) }))
const frame = document.querySelector('iframe')
async function attack() {
  document.cookie = 'gs_browser=evil; path=/; domain=localhost'
  document.cookie = 'gs_browser=evil; path=/'
  const json = { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' } }
  const body = JSON.stringify({ packageId })
  const opened = window.open(platform + '/account')
  frame.src = platform + '/account'
  await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 3000) })
  return {
    cookie: await attempt(() => document.cookie),
    storage: await attempt(() => localStorage.getItem('secret')),
    read: await attempt(() => fetch(platform + '/account/v1/me', { credentials: 'include' }).then((one) => one.text())),
    write: await attempt(() => fetch(platform + '/edu/v1/package/delete', { ...json, body }).then((one) => one.text())),
    blind: await attempt(() => fetch(platform + '/edu/v1/package/delete', { method: 'POST', mode: 'no-cors', credentials: 'include', body }).then((one) => one.type)),
    script: await attempt(() => new Promise((resolve, reject) => {
      const script = document.createElement('script')
      script.src = platform + '/account/v1/me'
      script.onload = () => resolve('loaded')
      script.onerror = () => reject('refused')
      document.head.append(script)
    })),
    framed: await attempt(() => frame.contentWindow.document.body.innerText),
    opened: await attempt(() => opened.document.body.innerText),
    openedStorage: await attempt(() => opened.localStorage.getItem('secret')),
    worker: await attempt(() => navigator.serviceWorker.register('sw.js').then(() => 'registered')),
    wideWorker: await attempt(() => navigator.serviceWorker.register('sw.js', { scope: '/' }).then(() => 'registered')),
    domain: await attempt(() => { document.domain = 'localhost'; return document.domain }),
    parent: await attempt(() => parent === self ? 'none' : parent.document.body.innerText),
  }
}
</script>`

test('a hostile package gets nothing of the platform, in the browser of somebody who is signed in', {
  skip: noChromium,
}, async (t) => {
  const { base, packageId } = await publish({ 'index.html': HOSTILE, 'sw.js': 'self.onfetch = () => {}' })
  await app.givePassword('finley')
  const page = await openChromium(t)
  await signInToAccount(page, platformUrl, '@finley')
  await page.evaluate('localStorage.setItem("secret", "of the platform")')
  const cookies = async () =>
    (await page.context().cookies(platformUrl)).map(({ name, value, domain }) => ({ name, value, domain }))
  const before = await cookies()
  assert.ok(before.length > 0)
  const isThere = async () => (await load(`${base}sw.js`)).status === 200
  const attack = `${base}index.html?platform=${encodeURIComponent(platformUrl)}&package=${packageId}`

  for (const isFramed of [false, true]) {
    if (isFramed) {
      await page.goto(`${platformUrl}/account`)
      await page.evaluate(`(() => {
        const frame = document.createElement('iframe')
        frame.src = ${JSON.stringify(attack)}
        document.body.replaceChildren(frame)
      })()`)
    } else await page.goto(attack)
    const target = isFramed ? page.frames()[1]! : page.mainFrame()
    await target.waitForSelector('button')
    // `blind` may be opaque or fail. It shows nothing in either case, and below that it has changed nothing.
    const { blind: _, ...results } = (await target.evaluate('attack()')) as Record<
      string,
      { value?: unknown; error?: string }
    >
    const refused = Object.entries(results).filter(([, { error }]) => error !== undefined)
    const others = Object.fromEntries(
      Object.entries(results)
        .filter(([, { error }]) => error === undefined)
        .map(([name, { value }]) => [name, value]),
    )
    const inFrame = isFramed ? {} : { parent: 'none' }
    assert.deepEqual(others, { cookie: others.cookie, storage: null, ...inFrame }, JSON.stringify(results))
    assert.doesNotMatch(String(others.cookie), new RegExp(before.map(({ value }) => value).join('|')))
    const expected = ['domain', 'framed', 'opened', 'openedStorage', 'read', 'script', 'wideWorker', 'worker', 'write']
    assert.deepEqual(refused.map(([name]) => name).sort(), [...expected, ...(isFramed ? ['parent'] : [])].sort())
    for (const frame of page.frames())
      assert.ok(frame === page.mainFrame() || !frame.url().startsWith(platformUrl), frame.url())
  }
  assert.deepEqual(await cookies(), before)
  assert.ok(await isThere(), 'the package was not deleted')
  assert.equal(page.context().serviceWorkers().length, 0)
})
