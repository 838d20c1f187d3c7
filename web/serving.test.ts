import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser } from '../src/apps/account/testing.ts'
import { sharedApp } from '../src/operations/testing/testing.ts'
import { isBuilt } from './built.ts'

const app = await sharedApp()
const get = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  fetch(`${app.address}${path}`, { headers, redirect: 'manual' })
const codeOf = (text: string): unknown => JSON.parse(text).error_code

test('pages are built before the tests begin, from their sources as they are', () => {
  assert.ok(isBuilt())
})

/** Paths inside areas that are not routes. */
const NO_PAGES = ['/dashboard/nonsense', '/console/apps/x/y/z', '/admin/people/@a/b', '/planner/plans/x/y', '/demo']

test('a browser gets the pages at the addresses of the areas, and a program what it always got', async () => {
  for (const path of [
    '/',
    '/dashboard',
    '/dashboard/classes/x',
    '/dashboard/classes/x/students/y%20z',
    '/console/ato',
    '/console/apps/',
    '/planner/plans',
    '/admin/approvals',
    '/demo/callback?code=x',
  ]) {
    const answer = await get(path)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/html; charset=utf-8'], path)
    assert.match(await answer.text(), /<div id="root">/)
    if (path === '/') continue
    const plain = await get(path, { accept: 'application/json' })
    assert.deepEqual([plain.status, codeOf(await plain.text())], [404, 4042], path)
  }
  // Paths of operations return the errors of the API, even if an area has the same name.
  for (const path of ['/planner/v1/plan', '/account/v1/me']) {
    const refused = await get(path)
    assert.deepEqual([refused.status, codeOf(await refused.text())], [401, 4016], path)
  }
  for (const path of ['/nowhere', '/planner/v1/nothing', '/dashboards', '/account/nothing', ...NO_PAGES]) {
    const missing = await get(path)
    assert.deepEqual([missing.status, missing.headers.get('content-type')], [404, 'text/html; charset=utf-8'], path)
  }
  const head = await fetch(`${app.address}/`, { method: 'HEAD', headers: { accept: 'text/html' } })
  assert.equal(head.status, 200)
  const posted = await fetch(`${app.address}/dashboard`, { method: 'POST', headers: { accept: 'text/html' } })
  assert.equal(posted.status, 404)
  const wrongMethod = await get('/oauth/token')
  assert.deepEqual([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'POST, OPTIONS'])
  assert.match(wrongMethod.headers.get('content-type')!, /^text\/html/)
})

test('a program that asks for / learns what this is and where to go on', async () => {
  for (const headers of [{ accept: '*/*' }, { accept: 'application/json' }]) {
    const answer = await get('/', headers)
    assert.equal(answer.status, 200)
    const { version, ...rest } = JSON.parse(await answer.text())
    assert.match(version, /^\d+\.\d+\.\d+/)
    const url = app.environment().url
    assert.deepEqual(rest, {
      name: 'Groundschool',
      environment: 'production',
      docs: `${url}/docs`,
      openapi: `${url}/openapi.json`,
      health: `${url}/healthz`,
    })
  }
  assert.equal((await fetch(`${app.address}/`, { method: 'HEAD' })).status, 200)
  const posted = await fetch(`${app.address}/`, { method: 'POST' })
  assert.equal(posted.status, 404)
})

test('the front page can be read before any style sheet or script arrives', async () => {
  const text = await (await get('/')).text()
  const [head, body] = text.split('</head>') as [string, string]
  assert.match(body, /<h1[^>]*>The training platform behind your apps<\/h1>/)
  assert.match(body, /<a [^>]*href="\/account\/signin\?next=\/"/)
  // The policy refuses style attributes, and a style sheet in the head would delay the first paint.
  assert.doesNotMatch(body, / style=/)
  assert.doesNotMatch(head, /rel="stylesheet"/)
  assert.match(head, /<style id="critical-style" nonce="[\w-]{22}">/)
  assert.ok(text.length < 40_000, String(text.length))
  // Pages that need data are not rendered on the server, and neither is the front page of a person who is signed in.
  assert.match(await (await get('/docs/reference')).text(), /<div id="root"><\/div>/)
  const avery = await signInBrowser(app, 'avery')
  assert.match((await avery.send('/', { headers: { accept: 'text/html' } })).text, /<div id="root"><\/div>/)
})

test('no page can be framed, and nothing runs that is not a file of ours', async () => {
  const nonces = new Set<string>()
  for (let i = 0; i < 3; i++) {
    const answer = await get('/console/apps')
    const policy = answer.headers.get('content-security-policy')!
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}'; /)
    assert.match(policy, /frame-ancestors 'none'/)
    // Only content of packages may be on hosts that are not named one by one.
    assert.doesNotMatch(policy.replaceAll(/http:\/\/\*\.content\.localhost:\d+/g, ''), /unsafe|\*/)
    assert.equal(answer.headers.get('x-frame-options'), 'DENY')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const page = await answer.text()
    const nonce = /nonce-([\w-]+)/.exec(policy)![1]!
    nonces.add(nonce)
    assert.ok(page.includes(`nonce="${nonce}"`))
    assert.doesNotMatch(page, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/)
  }
  assert.equal(nonces.size, 3, 'a nonce is used once')
})

test('scripts and styles are compressed in advance and kept for good', async () => {
  const page = await (await get('/')).text()
  const paths = [...page.matchAll(/(?:src|href)="(\/web\/[^"]+)"/g)].map(([, path]) => path!)
  assert.ok(paths.length >= 2)
  for (const path of paths) {
    const sizes: number[] = []
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const answer = await get(path, { 'accept-encoding': accepted })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-encoding'), coding, `${path} for ${accepted}`)
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.match(answer.headers.get('vary')!, /Accept-Encoding/)
      sizes.push((await answer.arrayBuffer()).byteLength)
    }
    assert.deepEqual(new Set(sizes).size, 1, 'decoded they are the same')
  }
  assert.equal((await get('/web/assets/nothing.js', { accept: '*/*' })).status, 404)
  const icon = await get('/favicon.ico', { accept: 'image/*' })
  assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/svg+xml'])
})

test('pages of the documentation are compressed', async () => {
  const lengths: number[] = []
  for (const [accepted, coding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const answer = await get('/docs/guides/contract', { 'accept-encoding': accepted })
    assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, coding])
    assert.match(answer.headers.get('vary')!, /Accept-Encoding/)
    assert.match(await answer.text(), /<h1[^>]*>API conventions<\/h1>/)
    lengths.push(Number(answer.headers.get('content-length')))
  }
  const [br, gzip, plain] = lengths as [number, number, number]
  assert.ok(br < plain / 4 && gzip < plain / 4, String(lengths))
  // Pages that the browser renders are small.
  assert.equal((await get('/docs/reference', { 'accept-encoding': 'br' })).headers.get('content-encoding'), null)
})
