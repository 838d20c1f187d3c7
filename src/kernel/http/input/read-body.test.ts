import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { PATH } from '../../../apps/buckets/testing.ts'
import { openRaw } from '../../../operations/testing/socket.ts'
import { assertError, type Client, type Person, type TestApp, testApp } from '../../../operations/testing/testing.ts'
import { until } from '../../database/test-database.ts'

const PICTURE = '/account/v1/profile/picture'
const SIGN_IN = '/account/v1/signin'
/** With this limit, one person's share is 8 MiB. */
const SETTINGS = { LARGE_BODIES_BYTES: String(64 << 20), TRUST_PROXY: '127.0.0.1' }

async function signIn(app: TestApp, person: Person) {
  await app.givePassword(person)
  const client = app.nobody()
  const answer = await client.post(SIGN_IN, { handle: person, password: 'groundschool' })
  assert.equal(answer.status, 200, answer.text)
  const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!
  const sendPicture = (bytes: number) =>
    client.send('PUT', PICTURE, { raw: Buffer.alloc(bytes), headers: { cookie, 'content-type': 'image/png' } })
  return { cookie, sendPicture }
}

/** Opens connections that announce a body, send only the beginning of it, and then stay silent. */
async function stall(
  t: TestContext,
  app: TestApp,
  count: number,
  head: readonly string[],
  body: string,
): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => openRaw(app.address).on('error', () => undefined))
  t.after(() => sockets.map((socket) => socket.destroy()))
  const text = `${head.join('\r\n')}\r\nhost: localhost\r\n\r\n${body}`
  await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.write(text, () => resolve()))))
  return sockets
}

const pictureHead = (cookie: string, address = '192.0.2.1') => [
  `PUT ${PICTURE} HTTP/1.1`,
  `cookie: ${cookie}`,
  `x-forwarded-for: ${address}`,
  'content-type: image/png',
  'content-length: 5242880',
]
const signInHead = (address: string) => [
  `POST ${SIGN_IN} HTTP/1.1`,
  `x-forwarded-for: ${address}`,
  'content-type: application/json',
  'content-length: 65536',
]

const write = (client: Client) => client.post(PATH, { id: client.userId, key: 'a', value: 'x'.repeat(40_000) })

test('a body that is announced but not sent holds no memory', async (t) => {
  const app = await testApp(t, SETTINGS)
  const [avery, blake] = [await signIn(app, 'avery'), await signIn(app, 'blake')]
  const inApp = await app.as('casey')
  await inApp.put(PATH, { id: inApp.userId })
  for (const address of ['127.0.0.1', '192.0.2.1'])
    await stall(t, app, 30, pictureHead(avery.cookie, address), 'x'.repeat(1_000))
  await stall(t, app, 200, signInHead('127.0.0.1'), '{')
  for (let i = 0; i < 3; i++) {
    for (const person of [avery, blake]) assertError(await person.sendPicture(100_000), 415, 4151)
    assert.equal((await write(inApp)).status, 200)
    assertError(await app.nobody().post(SIGN_IN, { handle: 'x'.repeat(50_000), password: 'x' }), 400, 4003)
  }
})

test('a partial body counts against its sender, from any address, and nobody else', async (t) => {
  const app = await testApp(t, SETTINGS)
  const [avery, blake] = [await signIn(app, 'avery'), await signIn(app, 'blake')]
  const sockets: Socket[] = []
  // Each connection holds about 2 MiB.
  for (const address of ['127.0.0.1', '192.0.2.1', '192.0.2.2', '192.0.2.3'])
    sockets.push(...(await stall(t, app, 1, pictureHead(avery.cookie, address), 'x'.repeat(1_900_000))))
  await until('no more room', async () => (await avery.sendPicture(100_000)).status === 503, 5_000)
  const refused = await avery.sendPicture(100_000)
  assertError(refused, 503, 5030, /large bodies/)
  assert.equal(refused.headers.get('retry-after'), '1')
  assertError(await avery.sendPicture(1_000), 415, 4151, /PNG/)
  assertError(await blake.sendPicture(3_000_000), 415, 4151)
  for (const socket of sockets) socket.destroy()
  await until('room again', async () => (await avery.sendPicture(100_000)).status === 415, 5_000)
})

test('bodies that outgrow the limit while they arrive are refused, and one gets through', async (t) => {
  const app = await testApp(t, SETTINGS)
  const blake = await signIn(app, 'blake')
  const answers = await Promise.all(Array.from({ length: 12 }, () => blake.sendPicture(4_000_000)))
  const statuses = answers.map(({ status }) => status)
  assert.ok(statuses.includes(503) && statuses.includes(415), String(statuses))
  assert.deepEqual(
    statuses.filter((status) => status !== 503 && status !== 415),
    [],
  )
  assertError(await blake.sendPicture(4_000_000), 415, 4151)
})

test('a body is the same however it is split', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const value = Array.from({ length: 15_000 }, (_, i) => (i * 7919).toString(36)).join('é')
  const body = Buffer.from(JSON.stringify({ id: 'pieces', data: { value } }))
  for (const [most, end] of [
    [1, 40_000],
    [7_001, body.length],
    [70_000, body.length],
  ] as const) {
    const pieces: Buffer[] = []
    for (let at = 0; at < body.length; ) {
      const piece = body.subarray(at, at + (at < end ? most : body.length))
      pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
      at += piece.length
    }
    const socket = openRaw(app.address)
    const answered = new Promise((resolve) => socket.once('data', (data) => resolve(String(data).slice(9, 12))))
    socket.write(`PUT ${PATH} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${avery.token}\r\n`)
    socket.write('content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
    socket.write(Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]))
    assert.equal(await answered, '200')
    socket.destroy()
    assert.deepEqual((await avery.get(PATH, { id: 'pieces' })).body.data, { value })
    await avery.delete(PATH, { id: 'pieces' })
  }
})
