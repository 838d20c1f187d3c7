import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { readConfig } from '../../kernel/config.ts'
import { databaseUrl } from '../testing/machine.ts'
import { findFreePort } from '../testing/ports.ts'
import { sharedApp } from '../testing/testing.ts'
import { assertWithin } from '../testing/time-limits.ts'
import { examine, judge } from './doctor.ts'
import type { Facts, Finding } from './facts.ts'
import { diagnose, SECRET_KEY, serve } from './testing.ts'

const app = await sharedApp()
const TOKEN = 'token-of-the-metrics'
const of = (findings: readonly Finding[], check: string) =>
  findings
    .filter((finding) => finding.check === check)
    .map(({ subject, level, found }) => `${subject}: ${level}, ${found}`.replace(/^[\w.]+:\d+/, 'host'))

/** The responses of Patroni 3.0 in a cluster in order, as its REST API gives them. */
const MEMBERS = [
  { name: 'a', role: 'leader', state: 'running', timeline: 3 },
  { name: 'b', role: 'sync_standby', state: 'running', timeline: 3, lag: 0 },
  { name: 'c', role: 'replica', state: 'running', timeline: 3, lag: 0 },
]
const CONFIG = { ttl: 30, loop_wait: 10, retry_timeout: 10, synchronous_mode: true, failsafe_mode: true }

const answerAs =
  (parts: { cluster?: object; config?: object; seenSecondsAgo?: number; date?: Date }): RequestListener =>
  ({ url }, response) => {
    const { cluster, config, seenSecondsAgo = 2, date } = parts
    const bodies: Record<string, object> = {
      '/cluster': { members: MEMBERS, ...cluster },
      '/config': { ...CONFIG, ...config },
      '/patroni': { state: 'running', dcs_last_seen: Math.floor(Date.now() / 1000) - seenSecondsAgo },
    }
    if (date) response.setHeader('date', date.toUTCString())
    response.end(JSON.stringify(bodies[url!]))
  }

test('a Patroni cluster in order needs no change', async (t) => {
  const address = await serve(t, answerAs({}))
  const findings = await diagnose(app.connection, { patroni: [address] })
  assert.deepEqual([of(findings, 'patroni'), of(findings, 'clocks')], [[], []])
})

const WRONG: readonly (readonly [what: string, parts: Parameters<typeof answerAs>[0], found: RegExp])[] = [
  ['two leaders', { cluster: { members: [MEMBERS[0], MEMBERS[1], { ...MEMBERS[2], role: 'leader' }] } }, /2 leaders/],
  ['no leader', { cluster: { members: MEMBERS.slice(1) } }, /0 leaders/],
  ['no synchronous standby', { cluster: { members: [MEMBERS[0], MEMBERS[2]] } }, /no synchronous standby/],
  ['another timeline', { cluster: { members: [...MEMBERS, { ...MEMBERS[2], name: 'd', timeline: 2 }] } }, /timelines/],
  [
    'a member that fails',
    { cluster: { members: [...MEMBERS, { name: 'd', role: 'replica', state: 'crashed' }] } },
    /d: problem, is crashed/,
  ],
  [
    'a pending restart',
    { cluster: { members: [...MEMBERS.slice(0, 2), { ...MEMBERS[2], pending_restart: true }] } },
    /c: warning, .*restart/,
  ],
  ['a pause', { cluster: { pause: true } }, /paused/],
  ['no synchronous mode', { config: { synchronous_mode: false } }, /synchronous_mode: problem/],
  ['a short ttl', { config: { ttl: 20 } }, /ttl: warning, is 20 s/],
  ['no failsafe mode', { config: { failsafe_mode: false } }, /failsafe_mode: warning/],
  ['an etcd out of reach', { seenSecondsAgo: 90 }, /etcd for \d\d s/],
]
for (const [what, parts, found] of WRONG)
  test(`a Patroni cluster with ${what} is found`, async (t) => {
    const findings = of(await diagnose(app.connection, { patroni: [await serve(t, answerAs(parts))] }), 'patroni')
    assert.equal(findings.length, 1, findings.join())
    assert.match(findings[0]!, found)
  })

test('clocks that differ by more than a second or five are found', async (t) => {
  const in3s = await serve(t, answerAs({ date: new Date(Date.now() + 3_500) }))
  const before10s = await serve(t, (request, response) =>
    answerAs({ date: new Date(Date.now() - 10_500) })(request, response),
  )
  const findings = of(await diagnose(app.connection, { patroni: [in3s, before10s] }), 'clocks')
  assert.match(findings[0]!, /^host: warning, [23]\.\d s ahead of/)
  assert.match(findings[1]!, /^host: problem, (9|1[01])\.\d s behind/)
})

test('nodes that are away, do not respond, or are something else are found within seconds', async (t) => {
  const silent = await serve(t, () => {})
  const other = await serve(t, (_request, response) => response.end('hello'))
  const start = performance.now()
  const nodes = [`http://someone:hidden@127.0.0.1:${await findFreePort()}`, silent, other]
  const findings = await diagnose(app.connection, { patroni: nodes, platforms: nodes })
  assertWithin(performance.now() - start, 15_000)
  assert.deepEqual(of(findings, 'patroni'), [
    'host: problem, cannot be reached: ECONNREFUSED',
    'host: problem, cannot be reached: no answer within 5 s',
    'host: problem, cannot be reached: the response is not JSON',
  ])
  assert.equal(of(findings, 'process').filter((text) => text.includes('problem')).length, 2)
  assert.doesNotMatch(JSON.stringify(findings), /hidden/)
})

test('a process that is not ready, that hides its metrics or that runs another version is found', async (t) => {
  const second = await app.startSecond({ METRICS_TOKEN: TOKEN })
  const address = second.addresses.production
  const find = async (token: string, more: readonly string[] = []) =>
    of(await diagnose(app.connection, { settings: { METRICS_TOKEN: token }, platforms: [address, ...more] }), 'process')
  assert.deepEqual(await find(TOKEN), [])
  assert.deepEqual(await find('wrong'), ['host: warning, its metrics cannot be read (401)'])
  const older = await serve(t, ({ url }, response) =>
    response.end(url === '/metrics' ? 'groundschool_build_info{version="0.0.9",migration="0070"} 1\n' : '{}'),
  )
  assert.deepEqual(await find(TOKEN, [older]), [
    'host: warning, runs version 0.0.9 (0070), others or this command another one',
  ])
  second.leave()
  assert.deepEqual(await find(TOKEN), ['host: problem, is not ready: The platform is stopping'])
})

/** Settings that the database of the tests has otherwise. */
const RIGHT = [
  ['full_page_writes', 'on'],
  ['wal_level', 'replica'],
  ['max_slot_wal_keep_size', '1024'],
] as const

/** Returns what the rules find if a fact of a real database were another. */
async function findWith(change: (facts: Facts) => Facts): Promise<string[]> {
  const config = readConfig({ DATABASE_URL: databaseUrl(app.connection), SECRET_KEY })
  const examined = await examine(app.connection, config, { patroni: [], platforms: [], processes: 1 })
  const facts = RIGHT.reduce((so, [name, value]) => withSetting(name, value)(so), examined)
  const usual = judge(facts).filter(({ level }) => level !== 'ok')
  return judge(change(facts))
    .filter(({ level, found }) => level !== 'ok' && !usual.some((one) => one.found === found))
    .map(({ check, level }) => `${check}: ${level}`)
}
const withPrimary =
  (parts: Partial<Facts['primary']>) =>
  (facts: Facts): Facts => ({
    ...facts,
    primary: { ...facts.primary, ...parts },
  })
const withIdentity = (parts: object) => (facts: Facts) =>
  withPrimary({ identity: { ...facts.primary.identity!, ...parts } })(facts)
const withSetting = (name: string, value: string) => (facts: Facts) =>
  withPrimary({ settings: { ...facts.primary.settings, [name]: { value, needsRestart: false } } })(facts)
const withFree =
  (freeBytes: number) =>
  (facts: Facts): Facts => ({ ...facts, settings: { ...facts.settings, freeBytes } })

const RARE: readonly (readonly [what: string, change: (facts: Facts) => Facts, found: string])[] = [
  ['an old PostgreSQL', withIdentity({ version: 140005 }), 'version: problem'],
  ['another encoding', withIdentity({ encoding: 'LATIN1' }), 'encoding: problem'],
  [
    'an open connection to another machine',
    withIdentity({ isRemote: true, isEncrypted: false, addresses: ['10.0.0.31', '192.0.2.7'] }),
    'encryption: warning',
  ],
  [
    'an open connection to another machine by IPv6',
    withIdentity({ isRemote: true, isEncrypted: false, addresses: ['fd00::31', '2a01:4f8::7'] }),
    'encryption: warning',
  ],
  ['torn pages', withSetting('full_page_writes', 'off'), 'full_page_writes: problem'],
  ['a log without standbys', withSetting('wal_level', 'minimal'), 'wal_level: warning'],
  ['no checksums', withSetting('data_checksums', 'off'), 'data_checksums: warning'],
  ['many old transactions', withPrimary({ sizes: { databaseBytes: 1, oldestTransactions: 6e8 } }), 'vacuum: warning'],
  ['too many of them', withPrimary({ sizes: { databaseBytes: 1, oldestTransactions: 15e8 } }), 'vacuum: problem'],
  [
    'a long transaction',
    withPrimary({ oldest: { seconds: 1000, state: 'idle', application: 'x' } }),
    'transactions: warning',
  ],
  [
    'a slot without its log',
    withPrimary({ slots: [{ name: 'a', isActive: false, status: 'lost', keptBytes: null }] }),
    'slots: problem',
  ],
  [
    'a standby that waits for long reports',
    (facts) => ({
      ...facts,
      readers: [
        {
          setting: 'DATABASE_READ_URL',
          place: 'b:5432',
          identity: { ...facts.primary.identity!, isStandby: true },
          settings: { max_standby_streaming_delay: { value: '-1', needsRestart: false } },
        },
      ],
    }),
    'max_standby_streaming_delay: warning',
  ],
  ['little space', withFree(3 * 2 ** 30), 'disk: warning'],
  ['less than the reserve', withFree(2 ** 30), 'disk: problem'],
]
for (const [what, change, found] of RARE)
  test(`the rules find ${what}`, async () => assert.deepEqual(await findWith(change), [found]))

test('an open connection within a private network needs no change, and is mentioned', async () => {
  const config = readConfig({ DATABASE_URL: databaseUrl(app.connection), SECRET_KEY })
  const facts = await examine(app.connection, config, { patroni: [], platforms: [], processes: 1 })
  const find = (parts: object) =>
    judge(withIdentity({ isRemote: true, ...parts })(facts)).filter(({ check }) => check === 'encryption')
  for (const addresses of [['10.0.0.31', '10.0.0.20', '172.31.0.9'], ['192.168.1.2', '::ffff:10.0.0.1'], ['fd00::1']]) {
    const [found] = find({ isEncrypted: false, addresses })
    assert.equal(found!.level, 'ok')
    assert.ok(found!.found.includes(addresses.join(', ')))
  }
  assert.deepEqual(find({ isEncrypted: true, addresses: ['192.0.2.7'] }), [])
})
