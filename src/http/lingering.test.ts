import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { assertError, testApp } from '../testing.ts'
import { openRaw, readRaw } from './test-socket.ts'

const MIB = 1024 * 1024
const SIGN_IN = '/account/v1/signin'

/** What comes back to a client that sends everything before it looks at any answer, as many do. Fails where the connection breaks. */
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
    // As slow as a line: whoever closes at once has closed long before the end.
    await wait(1)
  }
  socket.resume()
  await ended
  return answer
}

const head = (length: number | undefined, path = SIGN_IN, type = 'application/json') =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`}\r\n\r\n`

test('a body that is too large', async (t) => {
  const app = await testApp(t)
  const open = (text: string): Socket => {
    const socket = openRaw(app.address).on('error', () => undefined)
    t.after(() => socket.destroy())
    socket.write(text)
    return socket
  }

  await t.test('is answered also to who looks only after all of it, in JSON and on a page', async () => {
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

  await t.test('is answered before it has come', async () => {
    const socket = open(head(6 * MIB))
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 413 .*"error_code":4131/s)
    socket.destroy()
  })

  await t.test('that does not say so before is answered when it is found out', async () => {
    const socket = open(`${head(undefined)}11000\r\n${'x'.repeat(0x11000)}\r\n`)
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 413 /)
    socket.write(`100000\r\n${'x'.repeat(MIB)}\r\n0\r\n\r\n`)
    await once(socket.resume(), 'close')
  })

  await t.test('is not waited for where far more is announced, or comes', async () => {
    const announced = open(head(65 * MIB))
    await once(announced.resume(), 'close')
    const endless = open(`${head(undefined)}11000\r\n${'x'.repeat(0x11000)}\r\n`).resume()
    const piece = `100000\r\n${'x'.repeat(MIB)}\r\n`
    const isTaken = () => new Promise<boolean>((resolve) => endless.write(piece, (error) => resolve(!error)))
    let sent = 0
    while (sent < 200 && (await isTaken())) sent++
    assert.ok(sent >= 60 && sent < 200, `it was closed after ${sent} MiB`)
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
