import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { readConfig } from '../src/kernel/config.ts'
import { render, resize, SECRETS, valuesFor } from './files.ts'
import { ADDRESSES, VIRTUAL_ADDRESS } from './network.ts'
import { SMALL } from './services.ts'

const FILES = readdirSync(new URL('../deploy/fleet', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => name)
const guide = readFileSync(new URL('../docs/fleet.md', import.meta.url), 'utf8')
const secrets = Object.fromEntries(SECRETS.map((name) => [name, `the ${name}`]))
const rendered = (file: string) => render(file, valuesFor('db1', secrets))
const numberIn = (text: string, name: string) => Number(new RegExp(`^ *${name}: (\\d+)$`, 'm').exec(text)?.[1])

test('a placeholder of a fleet file without a value is named', () => {
  assert.throws(
    () => render('patroni.yml', { NODE_NAME: 'db1' }),
    /^Error: deploy\/fleet\/patroni\.yml: NODE_ADDRESS has/,
  )
  assert.match(rendered('patroni.yml'), /^name: db1$/m)
  assert.throws(() => resize('ttl: 8', { 'ttl: 9': 'ttl: 10' }), /^Error: No file has the setting ttl: 9$/)
})

test('all machines in the fleet files are machines of the drill', () => {
  const known: string[] = [...Object.values(ADDRESSES), VIRTUAL_ADDRESS, '10.0.0.0', '127.0.0.1']
  const found = FILES.flatMap((file) => rendered(file).match(/\b\d+\.\d+\.\d+\.\d+\b/g) ?? [])
  assert.deepEqual(
    found.filter((address) => !known.includes(address)),
    [],
  )
})

test('the fleet files have the settings that the drill makes smaller', () => {
  for (const [file, changes] of Object.entries(SMALL)) {
    const small = resize(rendered(file), changes)
    for (const setting of Object.values(changes)) assert.ok(small.includes(setting), setting)
  }
})

test('the settings of a platform of the fleet are valid, and agree with HAProxy', () => {
  const config = readConfig({
    ...parseEnv(rendered('groundschool.env')),
    SECRET_KEY: Buffer.alloc(32).toString('base64'),
  })
  assert.equal(config.isLocal, false)
  assert.deepEqual(config.TRUST_PROXY, [ADDRESSES.lb1, ADDRESSES.lb2])
  const balancer = rendered('haproxy.cfg')
  for (const url of [config.DATABASE_URL, config.DATABASE_READ_URL]) {
    const { hostname, port } = new URL(url!)
    assert.equal(hostname, VIRTUAL_ADDRESS)
    assert.match(balancer, new RegExp(`^ {2}bind :${port}$`, 'm'))
  }
  for (const name of ['app1', 'app2', 'app3'] as const)
    for (const port of [config.PORT, config.SANDBOX_PORT])
      assert.ok(balancer.includes(`server ${name} ${ADDRESSES[name]}:${port} check`))
  // HAProxy needs three checks to notice that a platform leaves.
  assert.ok(config.DRAIN_SECONDS > 3)
  const unit = rendered('platform.conf')
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > config.DRAIN_SECONDS + config.STOP_SECONDS + 2)
})

test('Patroni has time for two attempts before the key of the primary expires', () => {
  const patroni = rendered('patroni.yml')
  assert.ok(numberIn(patroni, 'loop_wait') + 2 * numberIn(patroni, 'retry_timeout') <= numberIn(patroni, 'ttl'))
})

test('the guide to the fleet says where each of its files goes', () => {
  assert.deepEqual(
    FILES.filter((file) => !guide.includes(`deploy/fleet/${file}`)),
    [],
  )
})
