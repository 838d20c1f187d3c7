import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../../kernel/config.ts'
import { createTestDatabase, runSql, until } from '../../kernel/database/test-database.ts'
import { giveBack, takeDatabase } from '../testing/databases.ts'
import { copyInstallation, databaseUrl } from '../testing/machine.ts'
import { Client } from '../testing/testing.ts'
import { assertWithin } from '../testing/time-limits.ts'
import { makeBanner } from './banner.ts'
import { openCommandLog } from './database.ts'
import { prepareDemo, settleDemo } from './demo.ts'
import { place, processesIn, runOne, signIn, startIn } from './testing.ts'

/** Time within which other processes must have noticed a change, as in credentials/cache.test.ts. */
const HEARD_WITHIN_MS = 1_000

test('a newcomer starts, signs in, backs up while it runs, stops, and restores elsewhere', async (t) => {
  const dataDir = join(place, 'first')
  // Copying an existing installation saves the time that a first start takes.
  await copyInstallation(t, dataDir)
  const { settings, child, output, ended, production, sandbox } = await startIn(dataDir)

  await t.test(
    'the banner says where to go and how to sign in, and is for terminals: standard output is JSON alone',
    async () => {
      assert.doesNotMatch(output.err, /Ctrl-C|running/)
      const lines = output.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      // The log contains the public addresses, because pages, cookies and passkeys are bound to them.
      const ready = lines.find(({ msg }) => msg === 'the platform is ready')
      const named = [`http://localhost:${settings.PORT}`, `http://localhost:${settings.SANDBOX_PORT}`]
      assert.deepEqual([ready.production, ready.sandbox], named)
      const banner = makeBanner({ production: named[0]!, sandbox: named[1]! }, true)
      for (const text of [...named, '/docs', '@avery', 'groundschool', 'Ctrl-C'])
        assert.ok(banner.includes(text), banner)
      for (const address of named) {
        const form = { method: 'POST', headers: { origin: address }, body: new URLSearchParams({ handle: '@avery' }) }
        const text = await (await fetch(`${address}/account/signin`, form)).text()
        assert.doesNotMatch(text, /own pages can do this/)
      }
      const curl = /curl .*/.exec(banner)![0]
      const shell = spawn('sh', ['-c', `${curl} --silent --noproxy '*'`], { stdio: ['ignore', 'pipe', 'inherit'] })
      const chunks: Buffer[] = []
      shell.stdout.on('data', (chunk) => chunks.push(chunk))
      const [code] = await once(shell, 'close')
      // Exit code 127 means that the machine has no curl.
      if (code !== 127)
        assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 200 OK\r\n.*\naccess_token: gs_at_/s)
    },
  )

  const avery = await signIn(production, 'gs-demo-app', '@avery:groundschool')
  await signIn(sandbox, 'gs-sbx-demo-app', '@avery:groundschool')
  await avery.put('/app/v1/bucket', { id: 'plan', data: { route: ['EDDF', 'LOWI'], größe: '✈' } })
  const bucket = (await avery.get('/app/v1/bucket', { id: 'plan' })).body
  assert.deepEqual(bucket.data, { route: ['EDDF', 'LOWI'], größe: '✈' })

  await t.test('a second start on the same data directory is refused with a sentence', async () => {
    const { code, err } = await runOne(['start'], { ...settings, PORT: '0', SANDBOX_PORT: '0' })
    assert.equal(code, 1)
    assert.match(err, /^Another platform process is using .*first: stop it first, [^\n]*\n$/)
  })

  await t.test('commands reach the running platform, and it notices their changes', async () => {
    // The command only needs DATA_DIR, because the platform has stored its addresses in that database.
    const elsewhere = { DATA_DIR: settings.DATA_DIR }
    const { code, out, err } = await runOne(['status', '--json'], elsewhere)
    assert.equal(code, 0, err)
    const [live, trial] = [production, sandbox].map(({ address }) => address)
    assert.deepEqual(JSON.parse(out).environments, [
      { name: 'production', address: live, ready: true },
      { name: 'sandbox', address: trial, ready: true },
    ])
    const link = await runOne(['user', 'reset-link', '@blake', '--environment', 'sandbox'], elsewhere)
    assert.ok(link.out.startsWith(`${trial}/`), link.out)
    assert.match((await runOne(['user', 'list'], settings)).out, /^@drew\tDrew Castellanos\tdeveloper$/m)
    for (const [command, status] of [
      ['suspend', 401],
      ['approve', 200],
    ] as const) {
      assert.equal((await runOne(['app', command, 'gs-demo-app'], settings)).code, 0)
      const hasHeard = async () => (await avery.get('/app/v1/bucket', { id: 'plan' })).status === status
      await until(`the platform has heard of ${command}`, hasHeard, HEARD_WITHIN_MS)
    }
  })

  const file = join(place, 'running.backup')
  const saved = await runOne(['backup', file], settings)
  assert.equal(saved.code, 0, saved.err)
  assert.match(saved.out, /rows of \d+ tables, \d+ bytes, verified\n$/)
  assert.match(saved.err, /Keep .*first\/secret\.key too/)

  await t.test('SIGTERM ends it with exit code 0 in time, and leaves no process', async () => {
    const askedAt = performance.now()
    child.kill('SIGTERM')
    // npm may forward a signal that the terminal has already sent to the whole process group.
    child.kill('SIGINT')
    assert.equal((await ended).code, 0)
    assertWithin(performance.now() - askedAt, 10_000)
    assert.deepEqual(processesIn(dataDir), [])
    const asked = await runOne(['status'], { DATA_DIR: dataDir })
    assert.deepEqual([asked.code, asked.out], [1, ''])
    assert.match(asked.err, /^The platform of .*first is not running: start it with npx groundschool start\n$/)
  })

  // The backup is restored into a separate data directory, as docs/upgrade.md describes.
  await t.test('the restored platform needs the key, and then has the same bucket', async (t) => {
    const { connection, drop } = await createTestDatabase()
    t.after(drop)
    const restored = join(place, 'restored')
    const target = { DATA_DIR: restored, DATABASE_URL: databaseUrl(connection) }
    const loaded = await runOne(['restore', file], target)
    assert.equal(loaded.code, 0, loaded.err)
    assert.match(loaded.err, /One step is left: copy the secret key .*restored\/secret\.key/)
    assert.match((await runOne(['restore', file], target)).err, /a restore never overwrites/)
    const keyless = await runOne(['start'], { ...target, PORT: '0', SANDBOX_PORT: '0' })
    assert.equal(keyless.code, 1)
    assert.match(keyless.err, /first used with another secret key: set SECRET_KEY to that key, or copy/)
    assert.ok(!existsSync(join(restored, 'secret.key')), 'a refused start leaves no new key behind')

    mkdirSync(restored)
    copyFileSync(join(dataDir, 'secret.key'), join(restored, 'secret.key'))
    const second = await startIn(restored, target)
    const token = new Client(second.production.address, avery.token)
    assert.deepEqual((await token.get('/app/v1/bucket', { id: 'plan' })).body, bucket)
    second.child.kill('SIGINT')
    assert.equal((await second.ended).code, 0)
  })
})

test('demo data is imported into an unused embedded database only', async (t) => {
  const connection = await takeDatabase()
  t.after(() => giveBack(connection))
  const count = () => runSql(connection, 'select count(*)::int as people from gs_production.people')
  const before = await count()
  // Simulates a start without DATABASE_URL on a database that already has people.
  const config = readConfig({ DATA_DIR: join(place, 'own') })
  await settleDemo(config, connection, openCommandLog(), await prepareDemo(config, false))
  assert.deepEqual(await count(), before)
})

test('a process behind a load balancer that stood still refuses the requests that it finds when it wakes up', async (t) => {
  const dataDir = join(place, 'frozen')
  await copyInstallation(t, dataDir)
  const { output, child, ended, production } = await startIn(dataDir, { DRAIN_SECONDS: '1' })
  const { pid } = JSON.parse(output.out.split('\n').find((line) => line.includes('the platform is ready'))!)
  const avery = await signIn(production, 'gs-demo-app', '@avery:groundschool')
  const begun = request(`${production.address}/app/v1/bucket`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${avery.token}`, 'content-type': 'application/json' },
  })
  begun.flushHeaders()
  await delay(100)
  process.kill(pid, 'SIGSTOP')
  const found = avery.put('/app/v1/bucket', { id: 'late', data: {} })
  await delay(4_000)
  begun.end('{"id":"late","data":{}}')
  process.kill(pid, 'SIGCONT')
  const refused = await found
  assert.deepEqual([refused.status, refused.body.error_code], [503, 5030], refused.text)
  const [response] = (await once(begun, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 503, 'its headers had arrived before')
  assert.equal((await production.get('/healthz')).status, 200)
  await until('it is ready again', async () => (await production.get('/readyz')).status === 200, 3_000)
  assert.equal((await avery.get('/app/v1/bucket', { id: 'late' })).status, 404)
  assert.equal((await avery.put('/app/v1/bucket', { id: 'late', data: {} })).status, 200)
  child.kill('SIGTERM')
  await ended
})
