import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { PATH, UNLIMITED } from '../../../apps/buckets/testing.ts'
import { openRaw } from '../../../operations/testing/socket.ts'
import { type Client, type TestApp, testApp } from '../../../operations/testing/testing.ts'
import { until } from '../../database/test-database.ts'

/** With this limit, one person's share is 3 MiB. */
const SETTINGS = { ...UNLIMITED, UNSENT_ANSWERS_BYTES: String(24 << 20) }
const CHARACTERS = 1_000_000

const read = (client: Client) => client.get(PATH, { id: client.userId })

const requestOf = ({ userId, token }: Client) =>
  `GET ${PATH}?id=${userId} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`

function open(t: TestContext, app: TestApp): Socket {
  const socket = openRaw(app.address)
    .on('error', () => undefined)
    .pause()
  t.after(() => socket.destroy())
  return socket
}

async function withBuckets(app: TestApp): Promise<[Client, Client, Client]> {
  const people = [await app.as('avery'), await app.as('blake'), await app.as('casey')] as [Client, Client, Client]
  for (const person of people) await person.put(PATH, { id: person.userId, data: 'x'.repeat(CHARACTERS) })
  return people
}

/** Requests large responses without reading them, until further requests are refused. */
async function fill(t: TestContext, app: TestApp, client: Client): Promise<Socket[]> {
  const sockets = Array.from({ length: 4 }, () => open(t, app))
  const isFull = async () => {
    // Several rounds are needed, because the operating system buffers the first responses. A connection that was closed
    // in the meantime had reached the time limit for reading, so the share was used up then.
    if (sockets.some(({ destroyed }) => destroyed)) return true
    for (const socket of sockets) socket.write(requestOf(client).repeat(3))
    // The share must stay used up, and not only while the responses are being sent.
    for (let i = 0; i < 5; i++) if ((await read(client)).status !== 503) return false
    return true
  }
  await until('no more room', isFull, 20_000)
  return sockets
}

test('people who do not read large answers use up their own share, and not that of others', async (t) => {
  const app = await testApp(t, SETTINGS)
  const [avery, blake, casey] = await withBuckets(app)
  for (const person of [avery, blake]) await fill(t, app, person)
  for (let i = 0; i < 5; i++) {
    assert.equal((await read(casey)).status, 200)
    const two = await Promise.all([read(casey), read(casey)])
    assert.deepEqual(
      two.map(({ status }) => status),
      [200, 200],
      'nor from who reads two at once',
    )
  }
})

test('a large answer is complete, however it is read', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const value = Array.from({ length: 100_000 }, (_, i) => (i * 7919).toString(36)).join('é')
  await avery.put(PATH, { id: avery.userId, data: value })
  assert.equal((await read(avery)).body.data, value)
  const head = await avery.send('HEAD', PATH, { query: { id: avery.userId } })
  assert.ok(Number(head.headers.get('content-length')) > value.length)
  const socket = open(t, app)
  socket.write(requestOf(avery).repeat(4))
  await wait(200)
  let seen = ''
  socket.on('data', (data) => {
    seen += data
  })
  socket.resume()
  const end = `${value.slice(-100)}"`
  await until('all four came', () => seen.split(end).length === 5, 10_000)
  const bodies = seen.split('\r\n\r\n').slice(1)
  for (const body of bodies) assert.ok(body.includes(`"data":"${value}"`), 'it is the same each time')
})
