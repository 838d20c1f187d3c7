import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { PATH } from '../../../apps/buckets/testing.ts'
import { openRaw } from '../../../operations/testing/socket.ts'
import { type Answer, assertError, testApp } from '../../../operations/testing/testing.ts'
import { assertWithin } from '../../../operations/testing/time-limits.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test('a body', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const form = (path: string, raw: string): Promise<Answer> =>
    (path === PATH ? avery : app.nobody()).send('POST', path, { raw, headers: FORM })

  await t.test('of a form has at most 200 fields, and a form with many more is refused quickly', async () => {
    const fields = Array.from({ length: 200 }, (_, i) => `f${i}=x`)
    assertError(await form('/oauth/logout', fields.join('&')), 400, 4001)
    assertError(await form('/oauth/logout', [...fields, 'g=x'].join('&')), 400, 4000, /more than 200 fields/)
    const many = Array.from({ length: 250_000 }, (_, i) => i.toString(36)).join('&')
    const startedMs = performance.now()
    assertError(await form(PATH, many), 400, 4000, /more than 200 fields/)
    assertWithin(performance.now() - startedMs, 1_000)
  })

  await t.test('of a form is valid UTF-8: invalid bytes are refused, not replaced', async () => {
    for (const raw of ['refresh_token=%ff', 'refresh_token=%C3', '%ff=x', 'a=%ED%A0%80', 'a=%C0%AF'])
      assertError(await form('/oauth/logout', raw), 400, 4000, /not valid UTF-8/)
    const bytes = Buffer.from('refresh_token=\xff', 'latin1')
    const answer = await app.nobody().send('POST', '/oauth/logout', { raw: bytes, headers: FORM })
    assertError(answer, 400, 4000, /not valid UTF-8/)
    await avery.put(PATH, { id: 'form' })
    for (const [raw, value] of [
      ['100%', '100%'],
      ['%C3%A9+%F0%9F%9B%A9+ü', 'é 🛩 ü'],
      ['ü%20%zz%C3%A9%', 'ü %zzé%'],
      ['a%2Bb%26%3D', 'a+b&='],
    ])
      assert.deepEqual((await form(PATH, `id=form&key=a&value=${raw}`)).body.data, { a: value })
  })

  await t.test('is small, except for data of buckets', async () => {
    const large = 'x'.repeat(70_000)
    assertError(await avery.post('/oauth/logout', { refresh_token: large }), 413, 4131)
    assertError(await avery.put('/user/v1/my/profile', { deviceToken: large }), 413, 4131)
    assertError(await avery.post(`${PATH}/user`, { id: large }), 413, 4131)
    assert.equal((await avery.put(PATH, { id: 'large', data: large })).status, 200)
    assert.equal((await avery.post(PATH, { id: 'large', key: 'a', value: large })).status, 400)
    const page = await app.visitor().post('/account/signin', { handle: large })
    assert.equal(page.status, 413)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  })

  await t.test('of an unknown path is small too', async () => {
    assertError(await app.nobody().post('/nowhere', { large: 'x'.repeat(70_000) }), 413, 4131)
    assertError(await app.nobody().post('/nowhere', { small: 'x' }), 404, 4042)
  })

  await t.test('that is announced and never sent takes no room from others', async () => {
    const blake = await app.as('blake')
    for (const client of [avery, blake]) await client.put(PATH, { id: client.userId })
    const stream = openRaw(app.address)
    const answered = new Promise((resolve) => stream.once('data', (chunk) => resolve(String(chunk).slice(9, 12))))
    // The request announces a body ten times as large as the available memory, and the connection stays open.
    stream.write(
      `GET ${PATH}/events?id=${avery.userId} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${avery.token}\r\ncontent-length: 1342177280\r\n\r\n`,
    )
    assert.equal(await answered, '413')
    const written = await blake.post(PATH, { id: blake.userId, key: 'a', value: 'x'.repeat(100_000) })
    assert.equal(written.status, 200, written.text)
    stream.destroy()
  })

  await t.test('that arrives in chunks counts with the limit of its operation', async () => {
    const head =
      'POST /oauth/logout HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
    // 60 bodies would exceed the memory limit if each were counted with the larger body limit of buckets.
    const sockets = Array.from({ length: 60 }, () => openRaw(app.address).on('error', () => undefined))
    const sent = (socket: Socket) => new Promise<void>((resolve) => socket.write(`${head}1\r\n{\r\n`, () => resolve()))
    await Promise.all(sockets.map(sent))
    for (let i = 0; i < 3; i++)
      assertError(await app.nobody().post('/oauth/logout', { padding: 'x'.repeat(20_000) }), 400, 4001)
    for (const socket of sockets) socket.destroy()
  })
})
