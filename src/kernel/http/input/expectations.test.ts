import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { PATH } from '../../../apps/buckets/testing.ts'
import { openRaw } from '../../../operations/testing/socket.ts'
import { testApp } from '../../../operations/testing/testing.ts'
import { until } from '../../database/test-database.ts'

const PICTURE = '/account/v1/profile/picture'

test('a client that waits for 100 Continue', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await app.givePassword('blake')
  const signedIn = await app.nobody().post('/account/v1/signin', { handle: 'blake', password: 'groundschool' })
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
  const json = { 'content-type': 'application/json' }
  const token = { authorization: `Bearer ${avery.token}` }

  /** Sends the body only after receiving `100 Continue`, as curl does. */
  const send = async (method: string, path: string, headers: Record<string, string>, body: string | Buffer) => {
    const sending = request(`${app.address}${path}`, {
      method,
      headers: { expect: '100-continue', 'content-length': Buffer.byteLength(body), ...headers },
    })
    let asked = 0
    sending.on('continue', () => {
      asked++
      sending.end(body)
    })
    sending.on('error', () => undefined)
    sending.flushHeaders()
    const [answer] = await once(sending, 'response')
    let text = ''
    for await (const piece of answer.setEncoding('utf8')) text += piece
    sending.destroy()
    return { asked, status: answer.statusCode, text }
  }

  await t.test('gets it, for every kind of body', async () => {
    const bucket = await send('PUT', PATH, { ...token, ...json }, JSON.stringify({ id: 'a' }))
    assert.deepEqual([bucket.asked, bucket.status], [1, 200], bucket.text)
    const large = JSON.stringify({ id: 'a', key: 'k', value: 'x'.repeat(100_000) })
    const value = await send('POST', PATH, { ...token, ...json, expect: '100-Continue' }, large)
    assert.deepEqual([value.asked, value.status], [1, 200], value.text)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const posted = await send('POST', PATH, { ...token, ...form }, 'id=a&key=k&value=v')
    assert.deepEqual([posted.asked, posted.status], [1, 200], posted.text)
    const image = await send('PUT', PICTURE, { cookie, 'content-type': 'image/png' }, Buffer.alloc(200_000))
    assert.deepEqual([image.asked, image.status], [1, 415])
    assert.match(image.text, /PNG/)
  })

  await t.test('gets it once, and keeps its connection for the next request', async () => {
    const body = JSON.stringify({ id: 'a' })
    const socket = openRaw(app.address)
    t.after(() => socket.destroy())
    let seen = ''
    socket.on('data', (data) => {
      seen += data
    })
    const head = `GET ${PATH}?id=a HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${avery.token}\r\n\r\n`
    const expecting = head
      .replace(/^GET \S+/, `PUT ${PATH}`)
      .replace(
        'host: localhost',
        `host: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue`,
      )
    socket.write(expecting)
    await until('it is asked', () => seen === 'HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(`${body}${head}`)
    await until('two answers', () => /100 .*HTTP\/1\.1 \d+ .*HTTP\/1\.1 200 /s.test(seen))
    assert.deepEqual(seen.match(/HTTP\/1\.1 \d+/g)?.length, 3)
  })

  await t.test('gets only the refusal, and its connection is closed', async () => {
    const png = { 'content-type': 'image/png' }
    const cases: [status: number, method: string, path: string, headers: Record<string, string>, bytes: number][] = [
      [413, 'PUT', PICTURE, { cookie, ...png }, 6_000_000],
      [413, 'POST', '/account/v1/signin', json, 70_000],
      [401, 'PUT', PICTURE, png, 5_000],
      [401, 'PUT', PATH, json, 50],
      [404, 'POST', '/nowhere', json, 50],
      [404, 'POST', '/nowhere', { 'content-type': 'text/plain' }, 50],
      [404, 'POST', '/nowhere', { 'content-type': 'x' }, 50],
      [400, 'POST', '/%zz', json, 50],
      [415, 'PUT', PICTURE, { cookie, 'content-type': 'text/plain' }, 50],
      [415, 'PUT', PATH, { ...token, 'content-type': 'text/plain' }, 50],
    ]
    for (const [status, method, path, headers, bytes] of cases) {
      const what = `${status} ${method} ${path}`
      const socket = openRaw(app.address)
      const fields = { host: 'localhost', expect: '100-continue', 'content-length': bytes, ...headers }
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
      let seen = ''
      socket.on('data', (data) => {
        seen += data
      })
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
      await until(what, () => seen !== '')
      assert.match(seen, new RegExp(`^HTTP/1\\.1 ${status} .*connection: close`, 'is'), what)
      // If the client sends the body anyway, it is not parsed as the next request.
      socket.on('error', () => undefined)
      socket.end('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
      if (!socket.destroyed) await once(socket, 'close')
      assert.equal(seen.match(/HTTP\/1\.1/g)?.length, 1, what)
    }
  })

  await t.test('with HTTP/1.0 does not get it', async () => {
    const socket = openRaw(app.address)
    let seen = ''
    socket.on('data', (data) => {
      seen += data
    })
    const lines = [`PUT ${PATH} HTTP/1.0`, `authorization: Bearer ${avery.token}`, 'content-type: application/json']
    socket.write(`${lines.join('\r\n')}\r\nexpect: 100-continue\r\ncontent-length: 11\r\n\r\n`)
    await wait(100)
    assert.equal(seen, '')
    socket.write('{"id":"b1"}')
    await once(socket, 'close')
    assert.match(seen, /^HTTP\/1\.1 200 /)
  })

  await t.test('over its rate limit is refused', async () => {
    const second = await app.startSecond({ RATE_ADDRESS_BURST: '1', RATE_ADDRESS_PER_SECOND: '1' })
    const address = second.addresses.production
    const ask = async () => {
      const socket = openRaw(address)
      socket.write(
        'POST /account/v1/signin HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\nexpect: 100-continue\r\n',
      )
      socket.write('content-type: application/json\r\n\r\n')
      const [seen] = await once(socket, 'data')
      socket.destroy()
      return String(seen).slice(0, 12)
    }
    assert.equal(await ask(), 'HTTP/1.1 100')
    assert.equal(await ask(), 'HTTP/1.1 429')
  })
})
