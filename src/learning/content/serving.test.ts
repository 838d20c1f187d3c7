import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { filesOrigin } from '../../kernel/content-hosts.ts'
import { assertError, sharedApp, testApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { load, makeImage, makePdf, upload } from './testing.ts'

const app = await sharedApp(UNLIMITED)
await openSchool(app)
const finley = await signInBrowser(app, 'finley')
const { contentUrl, url: platformUrl } = app.environment()
const TEXT = 'Check the oil, then the fuel.'
const file = (await upload(finley, 'Prüf "liste".txt', TEXT)).body
const picture = (await upload(finley, 'a.png', await makeImage('png'))).body
const pdf = (await upload(finley, 'a.pdf', makePdf())).body

test('a file has headers with which it can harm nobody, and no cookie', async () => {
  const { status, headers } = await load(file.url)
  assert.equal(status, 200)
  const { etag, 'cache-control': caching, ...others } = headers
  const rest = Object.fromEntries(
    Object.entries(others).filter(([name]) => !/^(?:date|x-request-id|ratelimit)/.test(name)),
  )
  assert.match(String(caching), /^private, max-age=(2[1-9]|3\d|4[0-3])\d{3}, immutable$/)
  assert.match(String(etag), /^"[0-9a-f]{32}"$/)
  assert.deepEqual(rest, {
    'accept-ranges': 'bytes',
    'access-control-allow-origin': platformUrl,
    connection: 'keep-alive',
    'content-disposition': `attachment; filename="Pr_f _liste_.txt"; filename*=UTF-8''Pr%C3%BCf%20_liste_.txt`,
    'content-length': String(TEXT.length),
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; sandbox; frame-ancestors ${platformUrl} ${platformUrl.replace('localhost', '127.0.0.1')}; form-action 'none'; base-uri 'none'`,
    'content-type': 'text/plain; charset=utf-8',
    'cross-origin-resource-policy': 'cross-origin',
    'keep-alive': 'timeout=72',
    'referrer-policy': 'no-referrer',
    vary: 'Origin',
    'x-content-type-options': 'nosniff',
  })
  assert.match(String((await load(picture.url)).headers['content-disposition']), /^inline; filename="a\.png"/)
  assert.match(String((await load(pdf.url)).headers['content-disposition']), /^inline; /)
  assert.match(String((await load(`${pdf.url}?download`)).headers['content-disposition']), /^attachment; /)
  assert.equal(
    (await load(file.url, { origin: 'https://evil.example' })).headers['access-control-allow-origin'],
    platformUrl,
  )
  assert.equal(
    (await load(picture.url, { 'if-none-match': `W/${(await load(picture.url)).headers.etag}` })).status,
    304,
  )
  const head = await load(file.url, {}, 'HEAD')
  assert.deepEqual([head.status, head.headers['content-length'], head.bytes.length], [200, String(TEXT.length), 0])
})

test('parts of a file can be requested, as video players do', async () => {
  const { headers } = await load(file.url)
  const cases: [range: string, status: number, text: string, contentRange?: string][] = [
    ['bytes=0-4', 206, 'Check', 'bytes 0-4/29'],
    ['bytes=24-', 206, 'fuel.', 'bytes 24-28/29'],
    ['bytes=-5', 206, 'fuel.', 'bytes 24-28/29'],
    ['bytes=-500', 206, TEXT, 'bytes 0-28/29'],
    ['bytes=20-500', 206, TEXT.slice(20), 'bytes 20-28/29'],
    ['bytes=29-', 416, '', 'bytes */29'],
    ['bytes=-0', 416, '', 'bytes */29'],
    // The header is ignored where RFC 9110 lets a server ignore it.
    ['bytes=4-0', 200, TEXT],
    ['bytes=0-1,4-5', 200, TEXT],
    ['lines=0-1', 200, TEXT],
    ['bytes=-', 200, TEXT],
  ]
  for (const [range, status, text, contentRange] of cases) {
    const seen = await load(file.url, { range })
    const told = [seen.status, seen.bytes.toString(), seen.headers['content-range']]
    assert.deepEqual(told, [status, text, contentRange], range)
    assert.equal(seen.headers['content-length'], String(text.length))
  }
  const inTime = { range: 'bytes=0-4', 'if-range': String(headers.etag) }
  assert.equal((await load(file.url, inTime)).status, 206)
  assert.equal((await load(file.url, { ...inTime, 'if-range': '"other"' })).status, 200)
})

test('a link that was changed, guessed or has expired finds nothing', async (t) => {
  const own = await testApp(t, UNLIMITED)
  await openSchool(own)
  const { url } = (await upload(await signInBrowser(own, 'finley'), 'a.txt', 'text')).body
  const [, token = ''] = /\/f\/([^/]+)\//.exec(url) ?? []
  const [key = '', step = '', mac = ''] = token.split('.')
  const later = (Number.parseInt(step, 36) + 1000).toString(36)
  for (const wrong of [
    `${key}.${later}.${mac}`,
    `${file.fileId}.${step}.${mac}`,
    `${key}.${step}.${mac.slice(0, -1)}${mac.endsWith('A') ? 'Q' : 'A'}`,
    `${key}.${step}`,
    `${key}.${step}.`,
    key,
    '..',
  ])
    assert.equal((await load(url.replace(token, wrong))).status, 404, wrong)
  assert.equal(
    (await load(file.url.replace(new URL(file.url).port, new URL(url).port))).status,
    404,
    'another platform',
  )
  own.advance(5 * 3_600_000)
  assert.equal((await load(url)).status, 200)
  own.advance(7 * 3_600_000)
  const { status, bytes } = await load(url)
  assert.equal(status, 404)
  assert.match(bytes.toString(), /"error_code":4042,"error_description":"There is no file at this address, or the link/)
})

test('the content origin serves nothing but files, and the platform serves no file', async () => {
  const cookie = [...finley.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const origin = filesOrigin(contentUrl!)
  const { host } = new URL(origin)
  assert.match(host, /^files\.content\.localhost:\d+$/)
  for (const path of [
    '/',
    '/account/signin',
    '/account/v1/me',
    '/edu/v1/file/list',
    '/dashboard',
    '/docs',
    '/metrics',
    '/healthz',
    '/f',
    '/f/a',
  ]) {
    const seen = await load(`${origin}${path}`, { cookie, accept: 'text/html' })
    assert.equal(seen.status, 404, path)
    assert.deepEqual(
      [seen.headers['set-cookie'], seen.headers['content-type']],
      [undefined, 'application/json; charset=utf-8'],
    )
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.equal((await load(file.url, { cookie }, method)).status, 405, method)
  assert.equal((await load(file.url, {}, 'GET', host.toUpperCase())).status, 200)
  assert.equal((await load(file.url, {}, 'GET', `files.content.localhost.:${new URL(file.url).port}`)).status, 200)
  assert.equal((await load(file.url, {}, 'GET', new URL(platformUrl).host)).status, 404)
  const page = await finley.send('/dashboard', { headers: { accept: 'text/html' } })
  const policy = page.headers.get('content-security-policy') ?? ''
  for (const part of [
    `img-src 'self' data: blob: ${contentUrl};`,
    `media-src ${contentUrl};`,
    `frame-src ${contentUrl} https:;`,
  ])
    assert.ok(policy.includes(part), policy)
})

test('the sandbox has its own content origin, also if it shares the port', async (t) => {
  const own = await testApp(t, UNLIMITED, { withSandbox: true })
  await openSchool(own)
  const browser = await signInBrowser(own, 'finley')
  const made = (await upload(browser, 'a.txt', 'text')).body
  const elsewhere = made.url.replace(new URL(made.url).port, new URL(own.sandboxAddress).port)
  assert.deepEqual([(await load(made.url)).status, (await load(elsewhere)).status], [200, 404])
})

test('without a content origin nothing can be uploaded, and the message names the setting', async (t) => {
  const own = await testApp(t, { ...UNLIMITED, BASE_URL: 'https://school.example', DEMO: 'off', MESSAGES: 'off' })
  await openSchool(own)
  const browser = await signInBrowser(own, 'finley')
  assertError(await upload(browser, 'a.txt', 'text'), 400, 4006, /CONTENT_URL/)
  const page = await browser.send('/dashboard', { headers: { accept: 'text/html' } })
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /frame-src|undefined/)
  assert.equal((await call(browser, 'GET', '/edu/v1/file/usage?organisation=school')).status, 200)
})
