import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Type } from 'typebox'
import { openRaw } from '../../../operations/testing/socket.ts'
import { assertError, Client, testApp } from '../../../operations/testing/testing.ts'
import { anyone } from '../callers/callers.ts'
import { type Operation, operationsIn } from '../operation.ts'
import { json } from '../output/output.ts'
import { buildServer } from '../server.ts'
import { File, FileStream, Id, Text } from './fields.ts'

const MOST = 5 * 1024 * 1024
const PATH = '/test/upload'
const told = Type.Object({
  bytes: Type.Integer(),
  title: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
})

const op = operationsIn({ area: 'Buckets', who: anyone })
const common = { summary: 'Tells', description: 'Tells what was sent.', output: json(told) } as const
const operations: readonly Operation[] = [
  op(`PUT ${PATH}/{id}/image`, {
    ...common,
    name: 'tellImage',
    input: Type.Object({ id: Id('Which'), image: File('An image'), title: Type.Optional(Text('Its title', 50)) }),
    from: 'image',
    run: async (_context, { image, title, id }) => ({ bytes: image.length, title, id }),
  }),
  op(`POST ${PATH}/{id}/stream`, {
    ...common,
    name: 'tellStream',
    input: Type.Object({ id: Id('Which'), file: FileStream('A file') }),
    from: 'stream',
    bodyBytes: () => MOST,
    run: async (_context, { file, id }) => {
      let bytes = 0
      for await (const chunk of file) bytes += chunk.length
      return { bytes, title: String(file.bytes), id }
    },
  }),
  op(`POST ${PATH}/{id}/body`, {
    ...common,
    name: 'tellBody',
    input: Type.Object({ id: Id('Which'), title: Text('Its title', 50) }),
    from: 'body only',
    run: async (_context, { title, id }) => ({ bytes: 0, title, id }),
  }),
]
test('files as bodies', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  const { server } = buildServer(environment, { operations, pages: [], areas: {}, gauges: [], answers: {} })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.after(() => server.close())
  const nobody = new Client(address)
  const put = (raw: Buffer | string, type: string, query = '') =>
    nobody.send('PUT', `${PATH}/a%2Fb/image${query}`, { raw, headers: { 'content-type': type } })

  await t.test('an image is the whole body, and its other fields are in the address', async () => {
    for (const type of ['image/png', 'image/x-anything', 'image/svg+xml', 'application/octet-stream', 'IMAGE/PNG; x=y'])
      assert.deepEqual((await put('{"title":1}', type, '?title=Sunset')).body, {
        bytes: 11,
        title: 'Sunset',
        id: 'a/b',
      })
  })

  await t.test('nothing but an image is taken there, and an image is taken nowhere else', async () => {
    for (const type of ['application/json', 'text/plain', 'text/image/png', 'multipart/form-data; boundary=x'])
      assertError(await put('x', type), 415, 4151, /image\/png/)
    for (const type of ['image/png', 'multipart/form-data; boundary=x']) {
      const headers = { 'content-type': type }
      assertError(await nobody.send('POST', `${PATH}/x/body`, { raw: 'x', headers }), 415, 4151)
      const elsewhere = await app.nobody().send('POST', '/oauth/logout', { raw: 'x', headers })
      assertError(elsewhere, 415, 4151)
    }
    assertError(await nobody.send('PUT', `${PATH}/x/image`), 400, 4001, /image/)
    const empty = await nobody.send('PUT', `${PATH}/x/image`, { headers: { 'content-type': 'image/png' }, raw: '' })
    assert.deepEqual(empty.body, { bytes: 0, id: 'x' })
  })

  await t.test('an image has at most 5 MiB, announced or not', async () => {
    assert.equal((await put(Buffer.alloc(MOST), 'image/png')).body.bytes, MOST)
    assertError(await put(Buffer.alloc(MOST + 1), 'image/png'), 413, 4131)
    const read = async (write: string | Buffer[]): Promise<string> => {
      const socket = openRaw(address)
      const answered = new Promise<string>((resolve) => {
        socket.once('data', (data) => resolve(String(data).slice(9, 12)))
        socket.on('error', () => undefined)
      })
      for (const piece of typeof write === 'string' ? [write] : write) socket.write(piece)
      return answered.finally(() => socket.destroy())
    }
    const head = `PUT ${PATH}/x/image HTTP/1.1\r\nhost: localhost\r\ncontent-type: image/png\r\n`
    assert.equal(await read(`${head}content-length: ${MOST + 1}\r\n\r\n`), '413', 'nothing of it was read')
    const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000), Buffer.from('\r\n')])
    const chunked = [Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`), ...Array(5).fill(piece)]
    assert.equal(await read([...chunked, Buffer.from('1\r\nx\r\n')]), '413')
  })

  await t.test('a streamed file is read while it arrives, and may take longer than an ordinary request', async () => {
    const post = (raw: Buffer | string) => nobody.send('POST', `${PATH}/x/stream`, { raw })
    assert.deepEqual((await post(Buffer.alloc(MOST))).body, { bytes: MOST, title: String(MOST), id: 'x' })
    assertError(await post(Buffer.alloc(MOST + 1)), 413, 4131)
    assertError(await nobody.send('POST', `${PATH}/x/stream`), 400, 4001, /file/)
    const { requestTimeout, headersTimeout } = server
    Object.assign(server, { requestTimeout: 100, headersTimeout: 100 })
    const socket = openRaw(address)
    let seen = ''
    socket.on('data', (data) => {
      seen += data
    })
    socket.write(`POST ${PATH}/x/stream HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\n\r\nab`)
    const timedOut = once(server, 'clientError')
    assert.equal((await timedOut)[0].code, 'ERR_HTTP_REQUEST_TIMEOUT')
    socket.write('cd')
    await once(socket, 'data')
    Object.assign(server, { requestTimeout, headersTimeout })
    assert.match(seen, /^HTTP\/1\.1 200 .*"bytes":4/s)
    socket.destroy()
  })

  await t.test('a field in the path is read from the path only', async () => {
    const post = (path: string, body: object) => nobody.send('POST', path, { body })
    assert.deepEqual((await post(`${PATH}/x/body`, { id: 'y', title: 't' })).body, { bytes: 0, title: 't', id: 'x' })
    assert.deepEqual((await post(`${PATH}/%C3%A9/body?id=y`, { title: 't' })).body, { bytes: 0, title: 't', id: 'é' })
    assertError(await post(`${PATH}/x/body?title=t`, {}), 400, 4000)
    assertError(await post(`${PATH}/%00/body`, { title: 't' }), 400, 4003)
    assertError(await post(`${PATH}/%ff/body`, { title: 't' }), 400, 4000)
    assertError(await post(`${PATH}/nil/body`, { id: 'y', title: 't' }), 400, 4001)
    assertError(await post(`${PATH}/${'x'.repeat(201)}/body`, { title: 't' }), 400, 4003)
    assertError(await post(`${PATH}/${'x'.repeat(501)}/body`, { title: 't' }), 404, 4042)
  })
})
