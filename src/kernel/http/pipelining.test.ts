import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { PATH } from '../../apps/buckets/testing.ts'
import { openRaw } from '../../operations/testing/socket.ts'
import { assertError, type Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { until } from '../database/test-database.ts'

/** With this limit, one person's share is 1 MiB. */
const SETTINGS = { LARGE_BODIES_BYTES: String(8 << 20) }
const HEALTHZ = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'

const requestOf = ({ token }: Client, first: string, body = '') =>
  `${first} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`

function open(t: TestContext, app: TestApp) {
  const socket = Object.assign(openRaw(app.address), { seen: '' }).on('error', () => undefined)
  t.after(() => socket.destroy())
  return socket.on('data', (data) => {
    socket.seen += data
  })
}

const statusesOf = ({ seen }: { seen: string }) =>
  [...seen.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

const writeLarge = (client: Client) => client.post(PATH, { id: client.userId, key: 'a', value: 'x'.repeat(100_000) })

test('requests pipelined behind an endless stream are not processed: their connection is closed', async (t) => {
  const app = await testApp(t, SETTINGS)
  const people = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  for (const person of people) await person.put(PATH, { id: person.userId })
  const [avery, blake, casey] = people as [Client, Client, Client]
  const watch = (client: Client) => requestOf(client, `GET ${PATH}/events?id=${client.userId}`)
  const body = JSON.stringify({ id: 'made', data: {} }).padEnd(300_000)
  const put = (client: Client) => requestOf(client, `PUT ${PATH}`, body)
  const sockets: Socket[] = []
  for (const client of [avery, blake]) {
    const [after, atOnce] = [open(t, app), open(t, app)]
    sockets.push(after, atOnce)
    atOnce.write(watch(client) + put(client))
    after.write(watch(client))
    await until('the stream is open', () => after.seen.includes('the stream is open'))
    after.write(put(client).repeat(3))
  }
  for (let i = 0; i < 10; i++) assert.equal((await writeLarge(casey)).status, 200)
  await until('all of them are ended', () => sockets.every(({ destroyed }) => destroyed))
  assertError(await avery.get(PATH, { id: 'made' }), 404, 4042)

  const refused = open(t, app)
  refused.write(watch({ ...avery, userId: 'none' } as Client))
  await until('there is no such stream', () => refused.seen.includes('4042'))
  refused.write(HEALTHZ.repeat(2))
  await until('and the connection is as good as before', () => statusesOf(refused).length === 3)
  assert.deepEqual(statusesOf(refused), [404, 200, 200])
})

test('the memory of a body is released while its answer waits behind another', async (t) => {
  const app = await testApp(t, { ...SETTINGS, READ_CONNECTIONS: '8' })
  const people = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  for (const person of people) await person.put(PATH, { id: person.userId })
  const [avery, blake, casey] = people as [Client, Client, Client]
  const sockets = [avery, blake].map((client) => ({ client, socket: open(t, app) }))
  const locked = app.sql('do $$ begin lock table friendships in access exclusive mode; perform pg_sleep(60); end $$')
  locked.catch(() => undefined)
  let pid: unknown
  await until('the lock holds', async () => {
    const rows = await app.sql(
      `select pid from pg_locks where mode = 'AccessExclusiveLock' and granted and relation = 'friendships'::regclass`,
    )
    pid = rows[0]?.pid
    return pid !== undefined
  })
  for (const { client, socket } of sockets) {
    const write = JSON.stringify({ id: client.userId, key: 'a', value: 'x'.repeat(200_000) })
    socket.write(requestOf(client, 'GET /user/v1/my/friends'))
    socket.write(requestOf(client, `POST ${PATH}`, write))
    // This request is refused, because its JSON is invalid.
    socket.write(requestOf(client, `POST ${PATH}`, '{'.padEnd(400_000)))
    await until('it is written', async () => {
      const [row] = await app.sql(`select version::int as version from buckets where id = '${client.userId}'`)
      return row!.version === 2
    })
  }
  await until('there is room', async () => (await writeLarge(casey)).status === 200, 2_000)
  for (let i = 0; i < 3; i++) assert.equal((await writeLarge(casey)).status, 200)
  for (const { socket } of sockets) assert.deepEqual(statusesOf(socket), [], 'the first is not answered yet')
  await app.sql(`select pg_terminate_backend(${pid})`)
  for (const { socket } of sockets) {
    await until('all are answered', () => statusesOf(socket).length === 3)
    assert.deepEqual(statusesOf(socket), [200, 200, 400])
  }
})

test('pipelined requests are answered in order; far too many close the connection', async (t) => {
  const app = await testApp(t)
  const some = open(t, app)
  some.write((HEALTHZ + HEALTHZ.replace('/healthz', '/nowhere')).repeat(50))
  await until('all are answered', () => statusesOf(some).length === 100)
  assert.deepEqual(statusesOf(some), Array(50).fill([200, 404]).flat())
  some.write(HEALTHZ)
  await until('one more', () => statusesOf(some).length === 101)

  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'a' })
  const many = open(t, app)
  many.write(requestOf(avery, `GET ${PATH}?id=a`) + HEALTHZ.repeat(1_000))
  await until('it is ended', () => many.destroyed)
  assert.ok(statusesOf(many).length < 1_000)
  assert.equal((await app.nobody().get('/healthz')).status, 200)
})
