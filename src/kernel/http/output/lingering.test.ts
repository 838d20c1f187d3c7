import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { PATH } from '../../../apps/buckets/testing.ts'
import { isLong } from '../../../operations/testing/sizes.ts'
import { openRaw, readRaw } from '../../../operations/testing/socket.ts'
import { assertError, testApp } from '../../../operations/testing/testing.ts'
import { until } from '../../database/test-database.ts'

const MIB = 1024 * 1024
const SIGN_IN = '/account/v1/signin'

/**
 * Sends the whole request before it reads, as many clients do, and returns the response. Fails if the connection
 * breaks.
 */
async function sendThenRead(address: string, head: string, bytes: number): Promise<string> {
  const socket = openRaw(address).pause()
  let [answer, left] = ['', bytes]
  const ended = once(socket, 'close')
  socket.on('data', (data) => {
    answer += data
  })
  socket.pause()
  socket.write(head)
  const piece = Buffer.alloc(64 * 1024)
  for (; left > 0; left -= piece.length) {
    if (!socket.write(piece.subarray(0, left))) await Promise.race([once(socket, 'drain'), ended])
    // Sends slowly, like a real network, so that a server that closes the connection too early would do so before the
    // end.
    await wait(1)
  }
  socket.resume()
  await ended
  return answer
}

const head = (length: number | undefined, path = SIGN_IN, type = 'application/json') =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\n${length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`}\r\n\r\n`

test('a body that is too large', async (t) => {
  const app = await testApp(t)
  const open = (text: string): Socket => {
    const socket = openRaw(app.address).on('error', () => undefined)
    t.after(() => socket.destroy())
    socket.write(text)
    return socket
  }

  await t.test('is answered also to a client that reads last, in JSON and on a page', async () => {
    for (let i = 0; i < 5; i++) {
      const answer = readRaw(await sendThenRead(app.address, head(6 * MIB), 6 * MIB))
      assertError(answer, 413, 4131)
      assert.equal(answer.headers.get('connection'), 'close')
      const page = readRaw(await sendThenRead(app.address, head(8 * MIB, '/account/signin'), 8 * MIB))
      assert.equal(page.status, 413)
      assert.match(page.headers.get('content-type')!, /^text\/html/)
    }
    for (let i = 0; i < 5; i++)
      assertError(await app.nobody().send('POST', SIGN_IN, { raw: Buffer.alloc(20 * MIB) }), 413, 4131)
  })

  await t.test('is answered before it has arrived', async () => {
    const socket = open(head(6 * MIB))
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 413 .*"error_code":4131/s)
    socket.destroy()
  })

  await t.test('without a declared length is answered when it exceeds the limit', async () => {
    const socket = open(`${head(undefined)}11000\r\n${'x'.repeat(0x11000)}\r\n`)
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 413 /)
    socket.write(`100000\r\n${'x'.repeat(MIB)}\r\n0\r\n\r\n`)
    await once(socket.resume(), 'close')
  })

  await t.test('is not waited for if far more is announced or sent', async () => {
    const announced = open(head(33 * MIB))
    await once(announced.resume(), 'close')
    const endless = open(`${head(undefined)}11000\r\n${'x'.repeat(0x11000)}\r\n`).resume()
    const piece = `100000\r\n${'x'.repeat(MIB)}\r\n`
    const isTaken = () => new Promise<boolean>((resolve) => endless.write(piece, (error) => resolve(!error)))
    let sent = 0
    while (sent < 200 && (await isTaken())) sent++
    assert.ok(sent >= 28 && sent < 200, `it was closed after ${sent} MiB`)
  })

  await t.test('is waited for on a few connections only, and others get their answers', async () => {
    const sockets = Array.from({ length: 60 }, () => open(head(6 * MIB)))
    const closed = sockets.filter((socket) => socket.once('close', () => undefined))
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    await wait(200)
    const waiting = closed.filter((socket) => !socket.destroyed).length
    assert.ok(waiting > 0 && waiting <= 32, `${waiting} are waited for`)
    assertError(await app.nobody().post(SIGN_IN, { handle: 'x' }), 400, 4001)
  })
})

test('an answer that is sent before the body has arrived', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'a' })
  const open = (text: string): Socket & { seen: string } => {
    const socket = Object.assign(openRaw(app.address), { seen: '' }).on('error', () => undefined)
    t.after(() => socket.destroy())
    socket.on('data', (data) => {
      socket.seen += data
    })
    socket.write(text)
    return socket
  }
  const isSeen = (socket: { seen: string }, what: RegExp) => until(String(what), () => what.test(socket.seen), 5_000)
  const statusesOf = ({ seen }: { seen: string }) =>
    [...seen.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  const chunked = (first: string, ...headers: string[]) =>
    `${first} HTTP/1.1\r\n${['host: localhost', ...headers, 'transfer-encoding: chunked'].join('\r\n')}\r\n\r\n`
  const json = 'content-type: application/json'
  const token = `authorization: Bearer ${avery.token}`
  const early: Record<string, [status: number, head: string]> = {
    'no token': [401, chunked(`POST ${PATH}/user`, json)],
    'no such path': [404, chunked('POST /nowhere', json)],
    'no such method': [404, chunked('PROPFIND /nowhere', json)],
    'a path that cannot be read': [400, chunked('POST /%zz', json)],
    'another type': [415, chunked(`POST ${PATH}/user`, token, 'content-type: text/plain')],
    'no such path, and no type': [404, chunked('POST /nowhere', 'content-type: x')],
    compressed: [415, chunked(`POST ${PATH}/user`, token, json, 'content-encoding: gzip')],
    'a page': [200, chunked('GET /account/signin')],
    'an answer of an operation': [200, chunked(`GET ${PATH}?id=a`, token)],
    'an answer without a body': [200, chunked(`HEAD ${PATH}?id=a`, token)],
    'an image': [200, chunked('GET /user/v1/my/profile/picture', token)],
    health: [200, chunked('GET /healthz')],
  }

  await t.test('does not make the platform read the body forever, whatever the answer is', async () => {
    const piece = `100000\r\n${'x'.repeat(MIB)}\r\n`
    await Promise.all(
      Object.entries(early).map(async ([what, [status, head]]) => {
        const socket = open(head)
        await isSeen(socket, /^HTTP/)
        const isTaken = () => new Promise<boolean>((resolve) => socket.write(piece, (error) => resolve(!error)))
        let sent = 0
        while (sent < 60 && (await isTaken())) sent++
        assert.ok(sent >= 7 && sent < 60, `${what}: it was closed after ${sent} MiB`)
        assert.deepEqual(statusesOf(socket), [status], what)
      }),
    )
  })

  await t.test('is the only one: the body is not parsed as a request, and the connection is closed', async () => {
    const healthz = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
    const body = healthz.repeat(Math.floor((5 * MIB) / healthz.length))
    for (const [what, [status, head]] of Object.entries(early)) {
      const socket = open(`${head}${healthz.length.toString(16)}\r\n${healthz}\r\n`)
      await isSeen(socket, /^HTTP.*\r\n\r\n/s)
      socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n${healthz}`)
      await once(socket, 'close')
      assert.deepEqual(statusesOf(socket), [status], what)
    }
  })

  await t.test('is the only one, also where the rest of the body is broken', async () => {
    for (const [what, [status, head]] of Object.entries(early)) {
      const socket = open(head)
      await isSeen(socket, /^HTTP.*\r\n\r\n/s)
      await wait(20)
      socket.write('no number of bytes\r\n')
      await once(socket, 'close')
      assert.deepEqual(statusesOf(socket), [status], what)
    }
    const stream = open(chunked(`GET ${PATH}/events?id=a`, token))
    await isSeen(stream, /stream is open/)
    stream.write('no number of bytes\r\n')
    await once(stream, 'close')
    assert.deepEqual(statusesOf(stream), [200])
    const unanswered = open(`${chunked(`PUT ${PATH}`, token, json)}no number of bytes\r\n`)
    await once(unanswered, 'close')
    assert.deepEqual(statusesOf(unanswered), [400])
  })
})

test('a body that never arrives gets no second answer', { skip: !isLong }, async (t) => {
  const app = await testApp(t)
  const socket = openRaw(app.address)
  let seen = ''
  socket.on('data', (data) => {
    seen += data
  })
  socket.write(
    'POST /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"a"',
  )
  await once(socket, 'close')
  assert.equal(seen.match(/HTTP\/1\.1/g)?.length, 1)
})
