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
  assert.match(base, /^http:\/\/p[\da-f]{31}\.content\.localhost:\d+\/p\/[\w.-]+\/$/)
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

test('each package has its own host name, which stays the same and serves nothing else', async () => {
  const one = await publish({ 'a.txt': 'one' })
  const other = await publish({ 'a.txt': 'other' })
  const file = (await upload(finley, 'a.txt', 'of nobody')).body
  const hosts = [one.base, other.base, file.url].map((url) => new URL(url).host)
  assert.equal(new Set(hosts).size, 3)
  assert.ok(!hosts[0]!.includes(one.packageId.toLowerCase()))
  assert.equal(new URL(signPackage(app.environment(), { key: one.packageId })).host, hosts[0])
  const urls = [`${one.base}a.txt`, `${other.base}a.txt`, file.url]
  for (const [i, url] of urls.entries())
    for (const [j, host] of hosts.entries())
      assert.equal((await load(url, {}, 'GET', host)).status, i === j ? 200 : 404, `${url} at ${host}`)
  assert.equal((await load(one.url, {}, 'GET', hosts[0])).status, 404, 'the uploaded file is with the files')
  const { port } = new URL(one.base)
  for (const host of ['content.localhost', `a.${hosts[0]!.split(':')[0]}`, `${hosts[0]!.slice(0, 32)}.localhost`])
    assert.equal((await load(urls[0]!, {}, 'GET', `${host}:${port}`)).status, 404, host)
})

test('packages share the host name of files if the setting has no wildcard', async (t) => {
  const url = 'http://files.example'
  const own = await testApp(t, { ...UNLIMITED, CONTENT_URL: url })
  await openSchool(own)
  const browser = await signInBrowser(own, 'finley')
  const { packageId } = (await uploadPackage(browser, makePackage())).body
  const base = signPackage(own.environment(), { key: packageId })
  assert.ok(base.startsWith(`${url}/p/`), base)
  const at = base.replace(url, own.address)
  assert.equal((await load(`${at}index.html`, {}, 'GET', 'files.example')).status, 200)
  assert.equal((await load(`${at}index.html`, {}, 'GET', 'a.files.example')).status, 403)
})

test('one address loads a bounded number of files at once, and is told when to go on', async (t) => {
  const own = await testApp(t, { RATE_ADDRESS_PER_SECOND: '1', RATE_ADDRESS_BURST: '20' })
  await openSchool(own)
  own.holdClock?.()
  const url = `${signPackage(own.environment(), { key: 'none' })}index.html`
  const answers = await Promise.all(Array.from({ length: 30 }, () => load(url)))
  const refusals = answers.filter(({ status }) => status === 429)
  assert.ok(refusals.length >= 8, String(refusals.length))
  assert.equal(JSON.parse(refusals[0]!.bytes.toString()).error_code, 4291)
  assert.match(String(refusals[0]!.headers['retry-after']), /^\d+$/)
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

const HOSTILE = `<!doctype html><title>Hostile</title><button>Go</button><iframe></iframe><iframe></iframe><script>
const platform = new URLSearchParams(location.search).get('platform')
const packageId = new URLSearchParams(location.search).get('package')
const attempt = (work) => Promise.resolve().then(work).then((value) => ({ value }), (error) => ({ error: String(error) }))
const other = new URLSearchParams(location.search).get('other')
const [frame, otherFrame] = document.querySelectorAll('iframe')
async function attack() {
  document.cookie = 'gs_browser=evil; path=/; domain=localhost'
  document.cookie = 'gs_browser=evil; path=/'
  const json = { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' } }
  const body = JSON.stringify({ packageId })
  const opened = window.open(platform + '/account')
  const openedOther = window.open(other)
  frame.src = platform + '/account'
  otherFrame.src = other
  const loaded = (one) => new Promise((resolve) => { one.onload = resolve; setTimeout(resolve, 3000) })
  await Promise.all([loaded(frame), loaded(otherFrame)])
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
    otherFile: await attempt(() => fetch(other).then((one) => one.text())),
    otherFramed: await attempt(() => otherFrame.contentWindow.document.body.innerText),
    otherFramedStorage: await attempt(() => otherFrame.contentWindow.localStorage.getItem('secret')),
    otherOpened: await attempt(() => openedOther.document.body.innerText),
    otherOpenedStorage: await attempt(() => openedOther.localStorage.getItem('secret')),
    worker: await attempt(() => navigator.serviceWorker.register('sw.js').then(() => 'registered')),
    wideWorker: await attempt(() => navigator.serviceWorker.register('sw.js', { scope: '/' }).then(() => 'registered')),
    domain: await attempt(() => { document.domain = 'localhost'; return document.domain }),
    parent: await attempt(() => parent === self ? 'none' : parent.document.body.innerText),
    parentStorage: await attempt(() => parent === self ? null : parent.localStorage.getItem('secret')),
    top: await attempt(() => { if (top === self) return 'none'; top.location.href = location.href; return 'left' }),
  }
}
</script>`

/** The sandbox of the frame in which a page of the platform shows a package: no navigation of the tab. */
const SANDBOX = 'allow-scripts allow-same-origin allow-forms allow-popups allow-modals allow-downloads'

test('a package that fills the cookies of a domain locks nobody out', { skip: noChromium }, async (t) => {
  const page = await openChromium(t)
  const cookies = Array.from({ length: 20 }, (_, i) => ({ name: `c${i}`, value: 'x'.repeat(3900), url: platformUrl }))
  await page.context().addCookies(cookies)
  const first = await page.goto(`${platformUrl}/account/signin`)
  assert.equal(first?.status(), 400)
  assert.match(await first!.text(), /cookies of this site were too large/)
  const second = await page.goto(`${platformUrl}/account/signin`)
  assert.equal(second?.status(), 200)
  // A long URL deletes no cookies.
  await page.context().addCookies(cookies.slice(0, 1))
  assert.equal((await page.goto(`${platformUrl}/account/signin?x=${'x'.repeat(40_000)}`))?.status(), 400)
  assert.equal((await page.context().cookies(platformUrl)).filter(({ name }) => name === 'c0').length, 1)
})

test('a hostile package gets nothing of the platform or of another package, in the browser of somebody who is signed in', {
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
  const { base: other } = await publish({ 'index.html': '<!doctype html><p>of another package</p>' })
  await page.goto(`${other}index.html`)
  await page.evaluate('localStorage.setItem("secret", "of another package")')
  const query = new URLSearchParams({ platform: platformUrl, package: packageId, other: `${other}index.html` })
  const attack = `${base}index.html?${query}`

  for (const isFramed of [false, true]) {
    if (isFramed) {
      await page.goto(`${platformUrl}/account`)
      await page.evaluate(`(() => {
        const frame = document.createElement('iframe')
        frame.sandbox = ${JSON.stringify(SANDBOX)}
        frame.src = ${JSON.stringify(attack)}
        document.body.replaceChildren(frame)
      })()`)
    } else await page.goto(attack)
    const target = isFramed ? page.frames()[1]! : page.mainFrame()
    await target.waitForSelector('button')
    // A click lets a page open windows, and would let a frame without a sandbox navigate the tab.
    await target.click('button')
    // `blind` may be opaque or fail. It shows nothing in either case, and below that it has changed nothing. In a
    // frame, browsers may deny the package its own storage too.
    const {
      blind: _,
      storage,
      ...results
    } = (await target.evaluate('attack()')) as Record<string, { value?: unknown; error?: string }>
    const refused = Object.entries(results).filter(([, { error }]) => error !== undefined)
    const others = Object.fromEntries(
      Object.entries(results)
        .filter(([, { error }]) => error === undefined)
        .map(([name, { value }]) => [name, value]),
    )
    const atTop = isFramed ? {} : { parent: 'none', parentStorage: null, top: 'none' }
    assert.deepEqual(others, { cookie: others.cookie, ...atTop }, JSON.stringify(results))
    assert.equal(storage?.value ?? null, null)
    assert.doesNotMatch(String(others.cookie), new RegExp(before.map(({ value }) => value).join('|')))
    const expected = ['domain', 'framed', 'opened', 'openedStorage', 'read', 'script', 'wideWorker', 'worker', 'write']
    const ofOther = ['otherFile', 'otherFramed', 'otherFramedStorage', 'otherOpened', 'otherOpenedStorage']
    const ofParent = isFramed ? ['parent', 'parentStorage', 'top'] : []
    assert.deepEqual(refused.map(([name]) => name).sort(), [...expected, ...ofOther, ...ofParent].sort())
    assert.equal(new URL(page.url()).origin, isFramed ? platformUrl : new URL(base).origin, 'the tab stays')
    for (const frame of page.frames())
      assert.ok(frame === page.mainFrame() || !frame.url().startsWith(platformUrl), frame.url())
  }
  assert.deepEqual(await cookies(), before)
  assert.ok(await isThere(), 'the package was not deleted')
  assert.equal(page.context().serviceWorkers().length, 0)
})
