import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { join } from '../../apps/anonymous/testing.ts'
import { readRaw } from '../../operations/testing/socket.ts'
import { assertError, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { until } from '../database/test-database.ts'
import { connections } from './connections.ts'
import { buildServer } from './server.ts'

const MOST = 20

/** Opens many connections from one address without sending anything, and records the responses. */
async function flood(t: TestContext, app: TestApp, count: number, localAddress: string) {
  const { hostname, port } = new URL(app.address)
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = Object.assign(connect({ host: hostname, port: Number(port), localAddress }), { seen: '' })
      socket
        .on('error', () => undefined)
        .on('data', (data) => {
          socket.seen += data
        })
      t.after(() => socket.destroy())
      await once(socket, 'connect')
      return socket
    }),
  )
}

const isOver = ({ destroyed, readableEnded }: Socket): boolean => destroyed || readableEnded

test('D9: a network over its connection limit is told so, and others are served', async (t) => {
  const app = await testApp(t, { CONNECTIONS_PER_NETWORK: String(MOST), HOST: '127.0.0.1' })
  const sockets = await flood(t, app, MOST + 15, '127.0.0.2')
  await until('the rest are ended', () => sockets.filter(isOver).length === 15)
  for (const { seen } of sockets.filter(isOver)) {
    const answer = readRaw(seen)
    assertError(answer, 429, 4291, /^Too many connections are open from this network/)
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    assert.ok(answer.headers.get('x-request-id'))
  }
  // Another network is still served. The flooding network is served again as soon as one of its connections closes.
  const avery = await app.as('avery')
  assert.equal((await avery.get('/app/v1/bucket/list')).status, 200)
  await join(app)
  assert.equal(app.log().split('name it in TRUST_PROXY').length, 2, 'the log says it once')
  const [open] = sockets.filter((socket) => !isOver(socket))
  open!.destroy()
  await until('there is room', async () => {
    const [socket] = await flood(t, app, 1, '127.0.0.2')
    socket!.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await until('it is answered', () => socket!.seen !== '' || isOver(socket!))
    return readRaw(socket!.seen).status === 200
  })
})

test('connections of a trusted proxy are not counted', async (t) => {
  const app = await testApp(t, { CONNECTIONS_PER_NETWORK: '2', TRUST_PROXY: '127.0.0.2' })
  const proxied = await flood(t, app, 30, '127.0.0.2')
  for (const socket of proxied) socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await until('all are answered', () => proxied.every(({ seen }) => seen.startsWith('HTTP/1.1 200')))
  const direct = await flood(t, app, 3, '127.0.0.3')
  await until('the third is ended', () => direct.filter(isOver).length === 1)
})

test('a connection without a request is closed after 72 seconds, and one that waits for a response after 120', async (t) => {
  const app = await testApp(t, { HOST: '127.0.0.1' })
  const avery = await app.as('avery')
  const [idle, waiting] = await flood(t, app, 2, '127.0.0.2')
  idle!.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await until('it is answered', () => idle!.seen !== '')
  assert.equal(readRaw(idle!.seen).headers.get('keep-alive'), 'timeout=72')
  // The body never comes, so the response stays pending.
  waiting!.write(
    `POST /app/v1/bucket HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${avery.token}\r\ncontent-type: application/json\r\ncontent-length: 50\r\nexpect: 100-continue\r\n\r\n`,
  )
  await until('the body is awaited', () => waiting!.seen.startsWith('HTTP/1.1 100'))
  const open = app.environment().get(connections)
  open.sweep(performance.now())
  open.sweep(performance.now() + 71_000)
  open.sweep(performance.now() + 71_500)
  assert.deepEqual(
    [idle, waiting].map((one) => isOver(one!)),
    [false, false],
  )
  open.sweep(performance.now() + 75_000)
  await until('the idle one is closed', () => isOver(idle!))
  assert.equal(isOver(waiting!), false)
  open.sweep(performance.now() + 121_000)
  await until('the other one is closed', () => isOver(waiting!))
})

test('a connection that a browser opened in advance is closed without a response', async (t) => {
  const app = await testApp(t)
  const { server } = buildServer(app.environment(), { operations: [], pages: [], areas: {}, gauges: [], answers: {} })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  /** Opens a connection, sends a text, and returns the response when Node reports that no request arrived in time. */
  const respondLate = async (sent: string): Promise<string> => {
    const accepted = once(server, 'connection')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    let seen = ''
    client.on('data', (data) => {
      seen += data
    })
    const [socket] = (await accepted) as [Socket]
    client.write(sent)
    await until('the text has arrived', () => socket.bytesRead === sent.length)
    server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
    await once(client, 'close')
    return seen
  }
  assert.equal(await respondLate(''), '')
  assertError(readRaw(await respondLate('GET / HTTP/1.1\r\n')), 400, 4000, /^The request did not arrive in time/)
})
