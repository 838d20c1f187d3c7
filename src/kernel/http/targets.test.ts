import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { PATH } from '../../apps/buckets/testing.ts'
import { openRaw, readRaw, sendRaw } from '../../operations/testing/socket.ts'
import { type Answer, assertError, sharedApp, testApp } from '../../operations/testing/testing.ts'
import { buildHostCheck } from './targets.ts'

const app = await sharedApp()

/** Sends these lines as a complete request and reads the response. */
const send = async (first: string, ...headers: string[]) =>
  readRaw(await sendRaw(app.address, [first, ...headers, 'connection: close', '', ''].join('\r\n')))
const assertRefused = (answer: ReturnType<typeof readRaw>, status: number, code: number, description?: RegExp) =>
  assertError(answer as Answer, status, code, description)

test('the host of a request is unambiguous', async (t) => {
  await t.test('two Host headers are refused, also where they say the same', async () => {
    for (const other of ['x', 'y', ''])
      assertRefused(await send('GET /healthz HTTP/1.1', 'host: x', `Host: ${other}`), 400, 4000, /Host header.*twice/)
  })

  await t.test('anything but a host and a port is refused', async () => {
    const strange = [
      'x/y',
      'user@x',
      'user:pw@x',
      'x y',
      'x\\y',
      'x#y',
      'x?y',
      'x,y',
      'x:port',
      'x:1:2',
      '[::1',
      'http://x',
      'x%00',
      'ü',
    ]
    for (const host of strange)
      assertRefused(await send('GET /healthz HTTP/1.1', `host: ${host}`), 400, 4000, /Host header must be/)
  })

  await t.test('names, addresses and ports are accepted as clients write them', async () => {
    for (const host of [
      'localhost',
      'API.example.org.',
      'x:8080',
      'x:',
      '127.0.0.1:4000',
      '[::1]:4000',
      'my_container',
      '',
    ])
      assert.equal((await send('GET /healthz HTTP/1.1', `host: ${host}`)).status, 200, host)
    assert.equal((await send('GET /healthz HTTP/1.0')).status, 200)
  })

  await t.test(
    'a whole address in the request is served where it names the same host, and refused otherwise',
    async () => {
      for (const [target, host] of [
        ['http://x/healthz', 'x'],
        ['http://X:80/healthz', 'x'],
        ['https://x/healthz?a=b', 'x'],
      ])
        assert.equal((await send(`GET ${target} HTTP/1.1`, `host: ${host}`)).status, 200, target)
      for (const target of ['http://y/healthz', 'http://x:81/healthz', 'http://user@x/healthz', 'http://x@y/healthz'])
        assertRefused(await send(`GET ${target} HTTP/1.1`, 'host: x'), 400, 4000, /different hosts/)
      const host = 'host: localhost'
      assert.equal((await send('GET http://localhost/nowhere HTTP/1.1', host)).status, 404)
      assert.equal((await send('GET http://localhost HTTP/1.1', host)).status, (await app.nobody().get('/')).status)
    },
  )
})

test('on a loopback address, a host name that is not ours is refused, against DNS rebinding', async (t) => {
  const named = await testApp(t, {
    BASE_URL: 'https://School.example.org',
    SANDBOX_URL: 'https://sandbox.example.org:8443',
    NOTES_URL: 'https://notes.example.org/v1',
  })
  const ask = async (address: string, host: string, target = '/user/v1/my/profile') =>
    readRaw(await sendRaw(address, `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`))
  const LOCAL = [
    'localhost',
    'LOCALHOST:4000',
    'a.localhost',
    'localhost.',
    '127.0.0.1:4000',
    '127.0.0.2',
    '[::1]:4000',
  ]
  const CONFIGURED = ['school.example.org', 'School.Example.org:443', 'sandbox.example.org', 'notes.example.org.']
  const FOREIGN = ['evil.example', 'evil.example:4000', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.5']
  for (const [address, served, refused] of [
    [app.address, LOCAL, [...FOREIGN, ...CONFIGURED]],
    [named.address, [...LOCAL, ...CONFIGURED], [...FOREIGN, 'example.org', 'x.school.example.org']],
  ] as const) {
    for (const host of served) assertRefused(await ask(address, host), 401, 4016)
    for (const host of refused) {
      assertRefused(await ask(address, host), 403, 4032, /set BASE_URL/)
      assertRefused(await ask(address, host, '/nowhere'), 403, 4032)
      for (const path of ['/healthz', '/readyz']) assert.equal((await ask(address, host, path)).status, 200, host)
      const page = await ask(address, host, '/account/signin')
      assert.equal(page.status, 403)
      assert.doesNotMatch(page.text, /<form/)
    }
    assertRefused(await ask(address, 'localhost', 'http://evil.example/'), 400, 4000)
  }
  assert.doesNotThrow(() =>
    buildHostCheck({ ...named.environment().config, HOST: '0.0.0.0' })({
      headers: { host: 'any.example' },
    } as IncomingMessage),
  )
})

test('a path that is known', async (t) => {
  const avery = await app.as('avery')

  await t.test('lists its methods with a 405', async () => {
    const nobody = app.nobody()
    const cases: [method: string, path: string, allow: string][] = [
      ['PATCH', PATH, 'GET, HEAD, PUT, POST, DELETE, OPTIONS'],
      ['DELETE', '/user/v1/my/profile', 'GET, HEAD, PUT, OPTIONS'],
      ['GET', '/oauth/token', 'POST, OPTIONS'],
      ['HEAD', '/oauth/token', 'POST, OPTIONS'],
      ['POST', '/user/v1/search?term=av', 'GET, HEAD, OPTIONS'],
      ['POST', '/image/v1/static/x', 'GET, HEAD, OPTIONS'],
      ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
      ['HEAD', `${PATH}/events?id=x`, 'GET, OPTIONS'],
      ['HEAD', '/account/signin', 'GET, POST, OPTIONS'],
      ['PUT', '/account/signin/', 'GET, POST, OPTIONS'],
    ]
    for (const [method, path, allow] of cases) {
      const answer = await nobody.send(method, path)
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`)
      assert.equal(answer.headers.get('errorcode'), '4050')
      if (method !== 'HEAD') assertError(answer, 405, 4050, new RegExp(`does not support ${method}; use `))
    }
    assertError(await nobody.send('PATCH', '/nowhere'), 404, 4042)
    assert.equal((await nobody.send('OPTIONS', PATH)).status, 200, 'as before')
  })

  await t.test('answers HEAD as GET, without the body', async () => {
    await avery.put(PATH, { id: 'head' })
    for (const path of [
      `${PATH}?id=head`,
      '/user/v1/my/profile',
      '/user/v1/my/friends',
      '/user/v1/my/profile/picture',
    ]) {
      const [got, head] = [await avery.get(path), await avery.send('HEAD', path)]
      assert.deepEqual([head.status, head.text], [200, ''], path)
      assert.equal(head.headers.get('content-length'), got.headers.get('content-length'), path)
    }
  })

  await t.test('is served with a trailing slash, without a redirect', async () => {
    const made = await send(
      `GET /user/v1/my/profile/ HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${avery.token}`,
    )
    assert.equal(made.status, 200)
    assert.deepEqual(made.body, (await avery.get('/user/v1/my/profile')).body)
    const { profilePic } = made.body
    for (const path of [
      '/healthz/',
      '/docs/',
      '/openapi.json/',
      '/user/v1/search/?term=av',
      `/image/v1/static/${profilePic}/`,
    ])
      assert.equal((await avery.get(path)).status, 200, path)
    const browser = app.visitor()
    for (const path of ['/account/signin/', '/account/reset/'])
      assert.equal((await browser.get(path)).status, 200, path)
    assert.equal((await avery.put(`${PATH}/`, { id: 'slash' })).status, 200)
    for (const path of ['/user/v1/my/profile//', '//user/v1/my/profile', '/user/v1//my/profile'])
      assert.equal((await avery.get(path)).status, 404, path)
  })
})

test('unsupported requests are refused', async (t) => {
  const { token } = await app.as('blake')
  const put = (id: string, ...headers: string[]) => {
    const body = JSON.stringify({ id })
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const lines = [
      `PUT ${PATH} HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${token}`,
      'content-type: application/json',
    ]
    return sendRaw(app.address, `${[...lines, ...headers, 'connection: close', '', ''].join('\r\n')}${chunk}`)
  }

  await t.test('a transfer coding other than chunked', async () => {
    for (const coding of ['gzip, chunked', 'chunked, chunked', 'identity, chunked', 'x, chunked'])
      assertRefused(readRaw(await put('coded', `transfer-encoding: ${coding}`)), 400, 4000)
    assertRefused(readRaw(await put('coded', 'transfer-encoding: gzip', 'transfer-encoding: chunked')), 400, 4000)
    assert.equal(readRaw(await put('coded', 'Transfer-Encoding: Chunked')).status, 200)
  })

  await t.test('an expectation other than 100-continue', async () => {
    for (const expect of ['tea', '100-continue, tea', '100-continue=1'])
      assertRefused(await send('GET /healthz HTTP/1.1', 'host: localhost', `expect: ${expect}`), 417, 4171)
    assert.match(await sendRaw(app.address, 'GET /healthz HTTP/1.0\r\nexpect: tea\r\n\r\n'), /^HTTP\/1\.1 200 /)
  })

  await t.test('CONNECT', async () => {
    const answer = await send('CONNECT example.org:443 HTTP/1.1', 'host: example.org:443')
    assertRefused(answer, 405, 4050, /not a proxy/)
    assert.equal(answer.headers.get('allow'), '')
    const socket = openRaw(app.address).on('error', () => {})
    socket.write('CONNECT example.org:443 HTTP/1.1\r\nhost: localhost\r\n\r\n')
    socket.destroy()
    assert.equal((await app.nobody().get('/healthz')).status, 200, 'a client that leaves meanwhile harms nobody')
  })
})
