import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import pino from 'pino'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { readConfig } from '../config.ts'
import type { Database } from '../database/database.ts'
import { type Environment, openEnvironment } from '../environment.ts'
import { type Failure, findAddressMistake, outbound, type Sending, send } from './outbound.ts'
import { nameResolver, type ResolveName } from './resolver.ts'
import { openReceiver, SELF_SIGNED } from './testing.ts'

const PUBLIC_ADDRESS = '93.184.216.34'

function openOutbound(t: TestContext, policy: 'public' | 'loopback', resolve: ResolveName = noName): Environment {
  const environment = openEnvironment({
    name: 'production',
    config: readConfig({ PLUGIN_ADDRESSES: policy }),
    db: { close: async () => {} } as unknown as Database,
    log: pino({ level: 'silent' }),
    clock: () => new Date(),
    secretKeys: [Buffer.alloc(32)],
  })
  environment.provide(nameResolver, resolve)
  t.after(() => environment.close())
  return environment
}

const noName: ResolveName = async () => {
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
}

const post = (environment: Environment, uri: string, more: Partial<Sending> = {}) =>
  send({ uri, headers: {}, body: '{}', timeoutMs: 5000, ...more }, environment)

const findMistake = (environment: Environment, uri: string) => findAddressMistake(uri, environment.get(outbound))

async function assertRefused(environment: Environment, uri: string): Promise<void> {
  assert.match((await findMistake(environment, uri)) ?? 'accepted', /^(be|have|carry) /, uri)
  const outcome = await post(environment, uri, { timeoutMs: 1000 })
  assert.equal(outcome.failure, 'address', `${uri}: ${JSON.stringify(outcome)}`)
}

/** Addresses outside the public internet, in every notation that some client or resolver understands. */
const NOT_PUBLIC =
  `127.0.0.1 127.1 127.0.0.1. 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 %31%32%37.0.0.1 0 0.0.0.0
  10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 0xc0a80101 0300.0250.1.1 3232235777
  169.254.169.254 0xa9fea9fe 2852039166 100.64.0.1 100.127.255.255 198.18.0.1 192.0.0.8 192.0.2.1 198.51.100.7 203.0.113.9
  192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
  [::1] [::] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::7f00:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:8.8.8.8] [::8.8.8.8]
  [64:ff9b::127.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b::] [64:ff9b:1::8.8.8.8] [2002:7f00:1::] [2002:a00:1::1] [2002:c0a8:101::1]
  [fe80::1] [febf::1] [fec0::1] [fc00::1] [fd12:3456::1] [ff02::1] [100::1] [2001::1] [2001:db8::1] [2001:10::1] [3fff::1] [5f00::1]
  localhost LOCALHOST localhost. localhost.. app.localhost metadata.google.internal printer.local printer.local. router.lan intranet
  1.0.0.127.in-addr.arpa`.split(/\s+/)

test('P3: a non-public address is refused at registration and at delivery, in every spelling', async (t) => {
  const environment = openOutbound(t, 'public', async () => [PUBLIC_ADDRESS])
  for (const host of NOT_PUBLIC) {
    await assertRefused(environment, `https://${host}/events`)
    await assertRefused(environment, `https://${host}:8443/events`)
  }
  const accepted = [
    'plugin.example.org',
    'PLUGIN.example.org.',
    PUBLIC_ADDRESS,
    '[2606:2800:220:1::1]',
    '[64:ff9b::808:808]',
  ]
  for (const host of [...accepted, '172.32.0.1', '100.128.0.1', 'local.example.org', 'internal.example.org'])
    assert.equal(await findMistake(environment, `https://${host}/events?x=1`), undefined, host)
})

test('P3: anything but a plain https address is refused at registration and at delivery', async (t) => {
  const environment = openOutbound(t, 'public', async () => [PUBLIC_ADDRESS])
  const refused =
    `http://plugin.example.org http://localhost:4000 file:///etc/passwd ftp://plugin.example.org gopher://plugin.example.org data:text/plain,x
    javascript:alert(1) //plugin.example.org/x plugin.example.org /x https: https:// https:/// https:plugin.example.org https:/plugin.example.org
    https://user@plugin.example.org https://user:pw@plugin.example.org https://@plugin.example.org https://plugin.example.org%40127.0.0.1
    https://plugin.example.org#x https://plugin.example.org/# https:\\\\plugin.example.org https://plugin.example.org\\@x https://plügin.example.org
    https://plugin.example.org:99999 https://[fe80::1%25eth0]/ https://1.2.3.4.5 https://256.1.1.1`.split(/\s+/)
  for (const uri of [...refused, '', ' ', ' https://plugin.example.org', 'https://plugin.example.org/a b'])
    await assertRefused(environment, uri)
  await assertRefused(environment, `https://plugin.example.org/${'x'.repeat(2000)}`)
})

test('P3: in development this machine is allowed, with http, but nothing else in its networks', async (t) => {
  const { address, received } = await openReceiver(t)
  const environment = openOutbound(t, 'loopback', async () => [PUBLIC_ADDRESS])
  const { port } = new URL(address)
  for (const host of ['127.0.0.1', 'localhost', 'app.localhost']) {
    assert.equal(await findMistake(environment, `http://${host}:${port}/x`), undefined, host)
    assert.equal((await post(environment, `http://${host}:${port}/x`)).status, 204, host)
  }
  assert.equal(received.length, 3)
  const local = /^(127|0177|017700000001|0x7f|2130706433|%31|\[::1\]|\[0:|.*localhost)/i
  for (const host of NOT_PUBLIC.filter((one) => !local.test(one)))
    await assertRefused(environment, `https://${host}/events`)
  await assertRefused(environment, 'http://plugin.example.org/')
  await assertRefused(environment, `http://${PUBLIC_ADDRESS}/`)
})

test('P3: a name with a private address, and an unknown name, are refused', async (t) => {
  const addresses: Record<string, string[]> = {
    'private.example.org': ['10.0.0.1'],
    'mixed.example.org': [PUBLIC_ADDRESS, 'fd00::1'],
    'mapped.example.org': ['::ffff:127.0.0.1'],
    'translated.example.org': ['64:ff9b::a00:1'],
  }
  const environment = openOutbound(t, 'public', async (name) => addresses[name] ?? noName(name))
  for (const name of Object.keys(addresses)) await assertRefused(environment, `https://${name}/`)
  assert.match((await findMistake(environment, 'https://nowhere.example.org/'))!, /DNS has no address for it yet$/)
  assert.deepEqual(await post(environment, 'https://nowhere.example.org/'), {
    failure: 'connection',
    problem: 'DNS has no address for its host',
  })
})

test('P3: a name whose address changes between check and call is only ever connected at the checked address', async (t) => {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const answers = [[PUBLIC_ADDRESS], ['127.0.0.1']]
  const environment = openOutbound(t, 'public', async () => answers.shift() ?? ['127.0.0.1'])
  const uri = `https://rebinding.example.org:${port}/`
  assert.equal(await findMistake(environment, uri), undefined)
  assert.equal((await post(environment, uri)).failure, 'address')
  assert.equal(connections, 0)

  // Each request resolves the name once, and connects to the address that was checked.
  const asked: string[] = []
  const local = openOutbound(t, 'loopback', async (name) => {
    asked.push(name)
    return ['127.0.0.1']
  })
  assert.equal((await post(local, uri)).failure, 'connection')
  assert.deepEqual([asked, connections], [['rebinding.example.org'], 1])
})

test('P3: a redirect is not followed, wherever it leads', async (t) => {
  const inner = await openReceiver(t)
  const environment = openOutbound(t, 'loopback')
  for (const status of [301, 302, 303, 307, 308]) {
    const outer = await openReceiver(t, (response) => response.writeHead(status, { location: inner.address }).end())
    assert.deepEqual(await post(environment, outer.address), {
      failure: 'redirect',
      status,
      problem: `It responded with ${status}: redirects are not followed`,
    })
  }
  assert.equal(inner.connections(), 0)
})

test('requests are JSON by POST, with the headers of the caller, over reused connections', async (t) => {
  const receiver = await openReceiver(t, (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
  )
  const environment = openOutbound(t, 'loopback')
  for (let n = 0; n < 3; n++)
    assert.deepEqual(
      await post(environment, `${receiver.address}/x?y=1`, {
        headers: { 'x-own': 'ü'.normalize() },
        body: '{"a":"é"}',
      }),
      {
        status: 200,
        contentType: 'application/json',
        text: '{"ok":true}',
        isCut: false,
      },
    )
  const { headers, body, path } = receiver.received[0]!
  assert.deepEqual([body, path], ['{"a":"é"}', '/x?y=1'])
  assert.deepEqual(
    [headers['content-type'], headers['content-length'], headers['accept-encoding']],
    ['application/json', '10', undefined],
  )
  assert.equal(receiver.connections(), 1)
})

test('certificates are checked', async (t) => {
  const server = createTlsServer(SELF_SIGNED, (_request, response) => response.end('in'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const environment = openOutbound(t, 'loopback', async () => ['127.0.0.1'])
  const refusedBecause = async (uri: string) => ((await post(environment, uri)) as Failure).problem
  const uri = `https://plugin.example.org:${port}/`
  assert.equal(await refusedBecause(uri), 'The connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)')
  environment.get(outbound).https.options.ca = SELF_SIGNED.cert
  const { status } = await post(environment, uri)
  assert.equal(status, 200)
  assert.equal(
    await refusedBecause(`https://other.example.org:${port}/`),
    'The connection failed (ERR_TLS_CERT_ALTNAME_INVALID)',
  )
})

test('P4: a slow or silent receiver is abandoned at the time limit', async (t) => {
  const environment = openOutbound(t, 'loopback')
  const timeoutMs = 300
  const timedOut = { failure: 'timeout', problem: 'There was no complete response within 0.3 seconds' }
  const slow = {
    'takes the connection and says nothing': await openReceiver(t, () => {}),
    'a byte now and then': await openReceiver(t, (response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    }),
    'informs again and again': await openReceiver(t, (response) => {
      const timer = setInterval(() => response.writeProcessing(), 20)
      response.on('close', () => clearInterval(timer))
    }),
  }
  for (const [what, { address }] of Object.entries(slow)) {
    const startedMs = performance.now()
    assert.deepEqual(await post(environment, address, { timeoutMs }), timedOut, what)
    assertWithin(performance.now() - startedMs, timeoutMs + 2000, what)
  }
  const silent = openOutbound(t, 'public', () => new Promise(() => {}))
  assert.deepEqual(await post(silent, 'https://plugin.example.org', { timeoutMs }), timedOut, 'a name server')
  // There are more requests than connections per host: the time limit also applies while a request waits for a
  // connection.
  const { address } = slow['takes the connection and says nothing']
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => post(environment, address, { timeoutMs })))
  assert.ok(outcomes.every(({ failure }) => failure === 'timeout'))
})

test('P4: of a response of 100 MB only the requested part is read, and the connection ends', async (t) => {
  let sent = 0
  const receiver = await openReceiver(t, async (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).setMaxListeners(0)
    for (let left = 1600; left > 0 && !response.destroyed; left--) {
      sent += 64
      if (!response.write('x'.repeat(64 * 1024)))
        await new Promise((go) => response.once('drain', go).once('close', go))
    }
    response.end()
  })
  const environment = openOutbound(t, 'loopback')
  const answer = await post(environment, receiver.address)
  assert.ok(answer.failure === undefined)
  assert.deepEqual([answer.status, answer.text.length, answer.isCut], [200, 65_536, true])
  assert.ok(sent < 20_000, `${sent} KiB were sent`)
  const little = await post(environment, receiver.address, { maxAnswerBytes: 10 })
  assert.deepEqual([little.failure, 'text' in little && little.text], [undefined, 'xxxxxxxxxx'])
  assert.equal(receiver.connections(), 2)
})

test('P4: a compressed response is not decompressed', async (t) => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  const receiver = await openReceiver(t, (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  const problem = 'It responded with an unrequested Content-Encoding'
  assert.deepEqual(await post(openOutbound(t, 'loopback'), receiver.address), {
    failure: 'encoding',
    status: 200,
    problem,
  })
})

test('P4: HTML, errors and invalid HTTP are responses and failures, and nothing throws', async (t) => {
  const environment = openOutbound(t, 'loopback')
  const html = await openReceiver(t, (response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<p>'))
  assert.deepEqual(await post(environment, html.address), {
    status: 500,
    contentType: 'text/html',
    text: '<p>',
    isCut: false,
  })
  for (const says of [
    '',
    'SSH-2.0-x\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort',
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
  ]) {
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end(says),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const outcome = await post(environment, `http://127.0.0.1:${port}`)
    server.close()
    await once(server, 'close')
    assert.equal(outcome.failure, 'connection', says.slice(0, 20))
    assert.deepEqual(await post(environment, `http://127.0.0.1:${port}`), {
      failure: 'connection',
      problem: 'Connection refused',
    })
  }
})

test('an idle connection that the receiver has just closed causes no failure', async (t) => {
  let requests = 0
  const receiver = await openReceiver(t, (response, _received, request) => {
    requests++
    if (requests === 2) request.socket.destroy()
    else response.writeHead(204).end()
  })
  const environment = openOutbound(t, 'loopback')
  assert.equal((await post(environment, receiver.address)).status, 204)
  assert.equal((await post(environment, receiver.address)).status, 204)
  assert.deepEqual([requests, receiver.connections()], [3, 2])
})

test('running requests end when they are aborted', async (t) => {
  const receiver = await openReceiver(t, () => {})
  const stop = new AbortController()
  const sending = post(openOutbound(t, 'loopback'), receiver.address, { signal: stop.signal })
  setTimeout(() => stop.abort(), 50)
  assert.deepEqual(await sending, { failure: 'stopped', problem: 'The platform stopped' })
  const before = await post(openOutbound(t, 'loopback'), receiver.address, { signal: stop.signal })
  assert.equal(before.failure, 'stopped')
})
