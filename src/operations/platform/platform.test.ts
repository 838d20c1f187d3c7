import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { readConfig } from '../../kernel/config.ts'
import { layWire, until, type Wire } from '../../kernel/database/test-database.ts'
import { findFreePort } from '../testing/ports.ts'
import { openRaw, sendRaw } from '../testing/socket.ts'
import { type Answer, assertError, Client, type TestApp, testApp } from '../testing/testing.ts'
import { assertWithin } from '../testing/time-limits.ts'
import { openLog } from './log.ts'
import { type Platform, startPlatform } from './platform.ts'

const PATH = '/app/v1/bucket'
const SECRET_KEY = Buffer.alloc(32, 'test').toString('base64url')

/** Starts a platform whose connection to the database can be cut by the test. */
async function startBehindWire(
  t: TestContext,
  app: TestApp,
  settings: Record<string, string> = {},
): Promise<{ platform: Platform; wire: Wire }> {
  const wire = await layWire(app.connection)
  const config = readConfig({
    PORT: '0',
    SANDBOX_PORT: '0',
    SECRET_KEY,
    STATEMENT_TIMEOUT_MS: '500',
    LOG_LEVEL: 'silent',
    ...settings,
  })
  const platform = await startPlatform(config, wire.connection, openLog(config), () => new Date())
  t.after(async () => {
    await platform.stop()
    wire.close()
  })
  return { platform, wire }
}

interface Tally {
  readonly acknowledged: number[]
  readonly others: Set<string>
  slowestMs: number
}

/** Writes numbers, each under its own key, until `isOver` returns true. */
function writeUntil(isOver: () => boolean, address: string, token: string, workers = 8): Promise<Tally> {
  const tally: Tally = { acknowledged: [], others: new Set(), slowestMs: 0 }
  let next = 0
  const work = async () => {
    const client = new Client(address, token)
    while (!isOver()) {
      const n = next++
      const startedMs = performance.now()
      const answer = await client.post(PATH, { id: 'load', key: `n${n}`, value: n }).catch((error: Error) => error)
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedMs)
      if (answer instanceof Error) {
        tally.others.add('no connection')
        await new Promise((resolve) => setTimeout(resolve, 5))
      } else if (answer.status === 200) tally.acknowledged.push(n)
      else {
        tally.others.add(`${answer.status}/${answer.body?.error_code}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
  }
  return Promise.all(Array.from({ length: workers }, work)).then(() => tally)
}

const assertKept = (data: Record<string, number>, { acknowledged }: Tally): void => {
  assert.ok(acknowledged.length > 0)
  for (const n of acknowledged) assert.equal(data[`n${n}`], n, `the acknowledged write ${n} is lost`)
}

test('without its database the platform answers 503 at once, and recovers by itself (M2)', async (t) => {
  const app = await testApp(t)
  const { platform, wire } = await startBehindWire(t, app)
  const { production } = platform.addresses
  const known = await app.as('avery')
  const avery = new Client(production, known.token)
  const stranger = new Client(production, (await app.as('blake')).token)
  const nobody = new Client(production)
  await avery.put(PATH, { id: 'load', data: {} })

  const calls: Record<string, () => Promise<Answer>> = {
    'a read with a remembered token': () => avery.get(PATH, { id: 'load' }),
    'a read with another token': () => stranger.get(PATH, { id: 'load' }),
    'a write': () => avery.post(PATH, { id: 'load', key: 'x', value: 1 }),
    'a write with a key': () => avery.put(PATH, { id: 'new' }, { 'idempotency-key': 'k' }),
    'a sign-in': () =>
      nobody.get('/auth/basic', undefined, {
        clientid: 'gs-first',
        authorization: `Basic ${Buffer.from('@avery:x').toString('base64')}`,
      }),
    readiness: () => nobody.get('/readyz'),
  }
  const assertAway = async (withinMs: number) => {
    await Promise.all(
      Object.entries(calls).map(async ([what, call]) => {
        const startedMs = performance.now()
        const answer = await call()
        const tookMs = performance.now() - startedMs
        assert.equal(answer.status, 503, `${what}: ${answer.text}`)
        assertError(answer, 503, 5030)
        assertWithin(tookMs, withinMs, what)
      }),
    )
    assert.equal((await nobody.get('/healthz')).status, 200, 'the process itself is well')
  }
  const assertBack = async () => {
    await until('it is ready again', async () => (await nobody.get('/readyz')).status === 200)
    await until('writes work again', async () => (await calls['a write']!()).status === 200)
    assert.equal((await calls['a read with another token']!()).status, 403)
  }

  await t.test('when the connection is cut, under load', async () => {
    let isOver = false
    const load = writeUntil(() => isOver, production, known.token!)
    await new Promise((resolve) => setTimeout(resolve, 300))
    wire.cut()
    await until('it notices', async () => (await nobody.get('/readyz')).status === 503)
    for (let i = 0; i < 3; i++) {
      await assertAway(1_000)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    wire.mend()
    await assertBack()
    isOver = true
    const tally = await load
    assert.deepEqual([...tally.others], ['503/5030'])
    assertWithin(tally.slowestMs, 2_000, 'a write')
    assertKept((await known.get(PATH, { id: 'load' })).body.data, tally)
  })

  await t.test('when the database hangs', async () => {
    wire.stall()
    await Promise.all([assertHangIsShort(avery), assertHangIsShort(stranger)])
    wire.mend()
    await assertBack()
  })

  async function assertHangIsShort(client: Client): Promise<void> {
    const startedMs = performance.now()
    assertError(await client.get(PATH, { id: 'load' }), 503, 5030)
    // In this test the statement timeout is half a second. The platform waits one more second (GUARD_EXTRA_MS).
    assertWithin(performance.now() - startedMs, 3_000)
  }
})

test('a stop under load answers accepted requests, refuses the rest, and loses nothing (M3)', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'load', data: {} })
  const second = await app.startSecond()
  let isOver = false
  const load = writeUntil(() => isOver, second.addresses.production, avery.token!)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const startedMs = performance.now()
  await second.stop()
  assertWithin(performance.now() - startedMs, 10_000)
  await second.stop()
  isOver = true
  const tally = await load
  for (const other of tally.others) assert.ok(['503/5030', 'no connection'].includes(other), other)
  assertKept((await avery.get(PATH, { id: 'load' })).body.data, tally)
  const [left] = await app.sql(
    `select count(*) as n from pg_stat_activity where datname = current_database() and application_name like 'groundschool%'`,
  )
  const other = app.environment().db.figures()
  // The remaining connections belong to the first platform: two for reads, one listener and the pool, in each
  // environment.
  assert.ok(Number(left?.n) <= 2 * (3 + 5), `${left?.n} connections are left, pool of ${other.poolTotal}`)
})

/** Locks the row of a bucket, so that writes to the bucket have to wait. */
async function holdBucket(
  app: TestApp,
  id: string,
): Promise<{ isAwaited(): Promise<boolean>; release(): Promise<void> }> {
  const client = new pg.Client(app.connection)
  client.on('error', () => {})
  await client.connect()
  await client.query(`begin; select from gs_production.buckets where id = '${id}' for update`)
  return {
    isAwaited: async () => {
      const [row] = await app.sql(
        `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return Number(row?.n) > 0
    },
    release: () => client.end(),
  }
}

/** Opens a connection that sends a request in pieces and collects the response. */
function openConnection(address: string, token: string) {
  const socket = openRaw(address)
  let answers = ''
  socket.on('data', (chunk) => {
    answers += chunk
  })
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(answers)))
  const body = JSON.stringify({ id: 'slow', key: 'n', value: 1 })
  const head = `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${token}\r\n`
  const rest = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  return { closed, sendHead: () => socket.write(head), sendRest: () => socket.write(rest) }
}

test('a stop waits for a running request and refuses later ones', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'slow', data: {} })
  const second = await app.startSecond()
  const address = second.addresses.production
  const row = await holdBucket(app, 'slow')
  const early = openConnection(address, avery.token!)
  early.sendHead()
  early.sendRest()
  const late = openConnection(address, avery.token!)
  late.sendHead()
  await until('the write waits for the row', row.isAwaited)

  let hasStopped = false
  const stopped = second.stop().then(() => {
    hasStopped = true
  })
  late.sendRest()
  const refused = await late.closed
  assert.match(refused, /^HTTP\/1\.1 503 /, refused)
  for (const header of ['errorcode: 5030', 'retry-after: 1', 'connection: close'])
    assert.ok(refused.toLowerCase().includes(`${header}\r\n`), header)
  await assert.rejects(new Client(address, avery.token).get('/healthz'), /fetch failed/)
  assert.equal(hasStopped, false, 'it waits for what it took')
  await row.release()
  await stopped
  assert.match(await early.closed, /^HTTP\/1\.1 200 /)
  assert.equal((await avery.get(PATH, { id: 'slow' })).body.version, 2)
})

test('before it stops, a process says that it is not ready and still serves, and streams are told to reconnect', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'watched', data: {} })
  const second = await app.startSecond()
  const client = new Client(second.addresses.production, avery.token)
  const stream = await fetch(`${second.addresses.production}${PATH}/events?id=watched`, {
    headers: { authorization: `Bearer ${avery.token}` },
  })
  assert.equal(stream.status, 200)
  let events = ''
  const received = stream.body!.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({
      write: (text) => {
        events += text
      },
    }),
  )

  second.leave()
  assertError(await client.get('/readyz'), 503, 5030)
  assert.equal((await client.get('/healthz')).status, 200)
  const answer = await client.get(PATH, { id: 'watched' })
  assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close'])
  assert.equal((await client.post(PATH, { id: 'watched', key: 'still', value: 'served' })).status, 200)

  await until('the stream tells the change', () => events.includes('"still"'))
  await second.stop()
  await received
  assert.match(events, /retry: \d{3,4}\n\n$/)
})

test('while requests wait for a lost database, the metrics respond and count them', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const { platform, wire } = await startBehindWire(t, app, { DATABASE_WAIT_SECONDS: '30' })
  const client = new Client(platform.addresses.production, avery.token)
  assert.equal((await client.put(PATH, { id: 'waiting', data: {} })).status, 200)
  const read = async (name: string) => {
    const { text } = await client.get('/metrics')
    return Number(new RegExp(`^${name}\\{[^}]*\\} (.*)$`, 'm').exec(text)?.[1])
  }
  wire.cut()
  await until('it notices', async () => (await read('groundschool_database_available')) === 0, 20_000)
  assert.ok(Number.isNaN(await read('groundschool_database_primary')), 'it is not known')
  const write = client.post(PATH, { id: 'waiting', key: 'a', value: 1 })
  const start = performance.now()
  await until('the wait is counted', async () => (await read('groundschool_database_waits_total')) > 0, 20_000)
  assertWithin(performance.now() - start, 10_000)
  assert.equal(await read('groundschool_ready'), 1)
  wire.mend()
  assert.equal((await write).status, 200)
  await until('it is back', async () => (await read('groundschool_database_primary')) === 1, 20_000)
  assert.ok((await read('groundschool_database_wait_seconds_total')) > 0)
})

test('a hanging request does not keep the platform from stopping within 10 seconds (M3)', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  await avery.put(PATH, { id: 'slow', data: {} })
  const second = await app.startSecond({ STATEMENT_TIMEOUT_MS: '60000', STOP_SECONDS: '1' })
  const row = await holdBucket(app, 'slow')
  const stuck = openConnection(second.addresses.production, avery.token!)
  stuck.sendHead()
  stuck.sendRest()
  await until('the write waits for the row', row.isAwaited)
  const startedMs = performance.now()
  await second.stop()
  assertWithin(performance.now() - startedMs, 10_000)
  assert.equal(await stuck.closed, '')
  await row.release()
})

test('with one port for both environments the host name decides, and broken requests get our own error format', async (t) => {
  const app = await testApp(t)
  const port = String(await findFreePort())
  const config = readConfig({
    PORT: port,
    SANDBOX_PORT: port,
    BASE_URL: 'https://api.example.org',
    SANDBOX_URL: 'https://sandbox.example.org',
    SECRET_KEY,
    LOG_LEVEL: 'silent',
  })
  const platform = await startPlatform(config, app.connection, openLog(config), () => new Date())
  t.after(() => platform.stop())
  const { production: address } = platform.addresses
  const ask = async (host: string, ...more: string[]): Promise<string> =>
    sendRaw(address, ['GET /openapi.json HTTP/1.1', `host: ${host}`, 'connection: close', ...more, '\r\n'].join('\r\n'))
  assert.match(await ask('api.example.org'), /"url":\s*"https:\/\/api\.example\.org"/)
  assert.match(await ask('Sandbox.Example.org'), /"url":\s*"https:\/\/sandbox\.example\.org"/)
  assert.match(await ask('sandbox.example.org', 'expect: 100-continue'), /"url":\s*"https:\/\/sandbox\./)
  assert.match(await ask('sandbox.example.org', 'expect: tea'), /^HTTP\/1\.1 417 /)
  assert.match(await ask('sandbox.example.org', 'host: api.example.org'), /^HTTP\/1\.1 400 /)
  assert.match(await ask('elsewhere.example.org'), /^HTTP\/1\.1 403 /)
  for (const host of ['api.example.org', 'sandbox.example.org']) {
    const one = (more: string) => `GET /healthz HTTP/1.1\r\nhost: ${host}\r\n${more}\r\n`
    const answers = await sendRaw(address, one('').repeat(4) + one('connection: close\r\n'))
    assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 5, `five at once for ${host}`)
  }
  assert.match(await sendRaw(address, 'no request at all\r\n\r\n'), /^HTTP\/1\.1 400 .*errorcode: 4000/s)
})
