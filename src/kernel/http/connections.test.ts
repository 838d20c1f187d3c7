import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { join } from '../../apps/anonymous/testing.ts'
import { readRaw } from '../../operations/testing/socket.ts'
import { assertError, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { until } from '../database/test-database.ts'

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
