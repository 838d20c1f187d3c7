import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readRaw, sendRaw } from '../../operations/testing/socket.ts'
import { assertError, Client, testApp } from '../../operations/testing/testing.ts'

const PATH = '/app/v1/bucket'

/** Finds the value of a Prometheus series by its name and some of its labels. */
const seriesOf = (text: string, name: string, labels: Record<string, string> = {}): number | undefined => {
  const line = text
    .split('\n')
    .find(
      (candidate) =>
        candidate.match(/^[\w:]+/)?.[0] === name &&
        Object.entries(labels).every(([label, value]) => candidate.includes(`${label}="${value}"`)),
    )
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')))
}

/** Metrics of Patroni 3.0 (`patroni/api.py`) and of the exporter in HAProxy 2.6. */
const OTHERS = [
  ...'dcs_last_seen is_paused pending_restart postgres_running postgres_timeline primary replica sync_standby'.split(
    ' ',
  ),
  ...['xlog_location', 'xlog_replayed_location'],
]
  .map((name) => `patroni_${name}`)
  .concat(['haproxy_backend_active_servers', 'haproxy_backend_current_queue'])

test('health and metrics', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const avery = await app.as('avery')
  const nobody = app.nobody()

  await t.test('a process reports that it is alive and ready, in both environments', async () => {
    for (const client of [nobody, app.nobody('sandbox')]) {
      const health = await client.get('/healthz')
      assert.deepEqual([health.status, health.body], [200, { status: 'ok' }])
      const ready = await client.get('/readyz', { probe: 1 })
      assert.deepEqual([ready.status, ready.body], [200, { status: 'ready' }])
    }
  })

  await t.test('every operation has a histogram of its times, by outcome', async () => {
    await avery.put(PATH, { id: 'measured' })
    for (let i = 0; i < 3; i++) await avery.get(PATH, { id: 'measured' })
    await avery.get(PATH, { id: 'none' })
    await nobody.get('/nowhere')
    const { status, headers, text } = await nobody.get('/metrics')
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    const name = 'groundschool_request_seconds'
    assert.match(text, new RegExp(`^# TYPE ${name} histogram$`, 'm'))
    const count = (operation: string, outcome: string) =>
      seriesOf(text, `${name}_count`, { operation, status: outcome })
    assert.equal(count('createBucket', '2xx'), 1)
    assert.equal(count('readBucket', '2xx'), 3)
    assert.equal(count('readBucket', '4xx'), 1)
    assert.equal(count('other', '4xx'), 1)
    const labels = { operation: 'readBucket', status: '2xx', environment: 'production' }
    assert.equal(seriesOf(text, `${name}_bucket`, { ...labels, le: '+Inf' }), 3)
    assert.ok(seriesOf(text, `${name}_sum`, labels)! > 0)
    assert.doesNotMatch(text, /measured|nowhere/)
    // Every line must be valid in the text format of Prometheus.
    for (const line of text.split('\n').filter(Boolean))
      assert.match(
        line,
        /^(# (HELP|TYPE) [\w:]+ .+|[\w:]+(\{[\w:]+="[^"]*"(,[\w:]+="[^"]*")*\})? -?[\d.e+-]+|.* NaN)$/,
        line,
      )
  })

  await t.test('metrics of the database lanes, the token cache and the process exist', async () => {
    const { text } = await nobody.get('/metrics')
    for (const name of [
      'groundschool_pool_connections',
      'groundschool_pool_idle',
      'groundschool_pool_waiting',
      'groundschool_reads_queued',
      'groundschool_lists_waiting',
      'groundschool_reads_gathered_total',
      'groundschool_read_statements_total',
      'groundschool_streams_open',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      assert.ok(seriesOf(text, name) !== undefined, name)
    assert.equal(seriesOf(text, 'groundschool_database_available'), 1)
    assert.equal(seriesOf(text, 'groundschool_database_primary'), 1)
    assert.equal(seriesOf(text, 'groundschool_archive_failing'), 0)
    assert.equal(seriesOf(text, 'groundschool_ready'), 1)
    const migration = String(readdirSync('migrations').length).padStart(4, '0')
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    assert.equal(seriesOf(text, 'groundschool_build_info', { version, migration }), 1)
    assert.equal(seriesOf(text, 'groundschool_token_cache_entries'), 1)
    const sandbox = await app.nobody('sandbox').get('/metrics')
    assert.equal(seriesOf(sandbox.text, 'groundschool_token_cache_entries', { environment: 'sandbox' }), 0)
  })

  await t.test('sign-ins by method, failures, people, attempts and statements are counted', async () => {
    await app.givePassword('blake')
    const before = (await nobody.get('/metrics')).text
    const signIn = (password: string) => {
      const authorization = `Basic ${Buffer.from(`@blake:${password}`).toString('base64')}`
      return nobody.get('/auth/basic', undefined, { authorization, clientid: 'gs-first' })
    }
    assert.equal((await signIn('groundschool')).status, 200)
    assert.equal((await signIn('wrong')).status, 401)
    await app.sql(`analyze people`)
    const { text } = await nobody.get('/metrics')
    const count = (from: string, name: string, labels = {}) => seriesOf(from, name, labels) ?? 0
    const doors = 'groundschool_sign_ins_total'
    assert.match(text, new RegExp(`^# TYPE ${doors} counter$`, 'm'))
    assert.equal(count(text, doors, { door: 'basic' }) - count(before, doors, { door: 'basic' }), 1)
    const failures = 'groundschool_sign_in_failures_total'
    assert.equal(count(text, failures) - count(before, failures), 1)
    const [people] = await app.sql('select count(*)::int as count from people')
    assert.equal(seriesOf(text, 'groundschool_people'), people!.count)
    for (const name of ['attempts', 'statements', 'deliveries_waiting'])
      assert.ok(seriesOf(text, `groundschool_${name}`)! >= 0, name)
    const sandbox = await app.nobody('sandbox').get('/metrics')
    assert.equal(seriesOf(sandbox.text, doors), undefined)
  })

  await t.test('a figure that is not known has no series, instead of 0', async () => {
    // The database of the tests has no standby.
    const { text } = await nobody.get('/metrics')
    assert.match(text, /^# TYPE groundschool_standby_lag_seconds gauge$/m)
    assert.equal(seriesOf(text, 'groundschool_standby_lag_seconds'), undefined)
    assert.equal(seriesOf(text, 'groundschool_database_waits_total'), 0)
  })

  await t.test('the Grafana dashboard and the alerts use only metrics that exist', async () => {
    const { text } = await nobody.get('/metrics')
    const shown = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!).concat(OTHERS))
    const { panels } = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8')) as {
      panels: { targets?: { expr: string }[] }[]
    }
    const inPanels = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    // The expression of an alert is the rest of its line, or the lines below that are indented further.
    const inAlerts = [
      ...readFileSync('deploy/prometheus-alerts.yaml', 'utf8').matchAll(/^ +expr: (.+(?:\n {10,}.+)*)/gm),
    ]
    for (const expressions of [inPanels, inAlerts.map(([, expression]) => expression!)]) {
      const named = expressions
        .flatMap((expression) => expression.match(/\b(groundschool|process|nodejs|patroni|haproxy)_\w+/g) ?? [])
        .map((name) => name.replace(/_seconds_(bucket|count|sum)$/, '_seconds'))
      assert.ok(named.length > 30)
      assert.deepEqual(
        named.filter((name) => !shown.has(name)),
        [],
      )
    }
  })

  await t.test('a caller behind a proxy on this machine does not count as local', async () => {
    const added = {
      Forwarded: 'for=127.0.0.1',
      'X-Forwarded-For': '127.0.0.1',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'localhost',
      'X-Real-IP': '127.0.0.1',
      Via: '1.1 proxy',
      'X-Client-IP': '127.0.0.1',
      'CF-Connecting-IP': '127.0.0.1',
      'CF-Ray': '8a',
      'X-ProxyUser-Forwarded': '1',
      'X-Nginx-Real-IP': '127.0.0.1',
      'CDN-Loop': 'cdn',
      'X-Amzn-Trace-Id': 'Root=1',
      'X-Azure-FDID': '1',
      'X-AppEngine-Country': 'ZZ',
      'Fly-Region': 'ams',
    }
    for (const [name, value] of Object.entries(added))
      assertError(await nobody.get('/metrics', undefined, { [name]: value }), 401, 4016, /METRICS_TOKEN/)
  })

  await t.test('nor does one with a Host header of another machine', async () => {
    const { hostname, port } = new URL(app.address)
    const read = async (host: string) =>
      readRaw(
        await sendRaw(app.address, Buffer.from(`GET /metrics HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)),
      )
    for (const host of [`${hostname}:${port}`, `localhost:${port}`, 'localhost', '[::1]', '127.0.0.1'])
      assert.equal((await read(host)).status, 200, host)
    for (const host of ['api.example.org', `api.example.org:${port}`, 'localhost.example.org', '192.0.2.1', '0.0.0.0'])
      assert.equal((await read(host)).status, 403, host)
  })

  await t.test('nor does any caller if a proxy or a public address is configured', async () => {
    for (const more of [
      { BASE_URL: 'https://api.example.org' },
      { SANDBOX_URL: 'https://sandbox.example.org' },
      { TRUST_PROXY: '127.0.0.1' },
    ]) {
      const open = await app.startSecond(more)
      for (const address of Object.values(open.addresses))
        assertError(await new Client(address).get('/metrics'), 401, 4016, /METRICS_TOKEN/)
    }
  })
})

test('metrics are for loopback addresses, or for those who hold the token', async (t) => {
  const behindProxy = await testApp(t, { TRUST_PROXY: '127.0.0.1' })
  const token = 'a-token-for-metrics'
  const second = await behindProxy.startSecond({ METRICS_TOKEN: token })
  const read = async (headers: Record<string, string>) => {
    const response = await fetch(`${second.addresses.production}/metrics`, { headers })
    await response.text()
    return response.status
  }
  assert.equal(await read({}), 401)
  assert.equal(await read({ authorization: 'Bearer wrong' }), 401)
  assert.equal(await read({ authorization: `Bearer ${token}x` }), 401)
  assert.equal(await read({ authorization: `Bearer ${token}` }), 200)
  assert.equal(await read({ authorization: `bearer ${token}`, 'x-forwarded-for': '192.0.2.1' }), 200)
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test('the alerts pass their tests in promtool', { skip: !hasPromtool && 'promtool is not installed' }, () => {
  for (const [verb, file] of [
    ['check', 'prometheus-alerts.yaml'],
    ['test', 'prometheus-alerts.test.yaml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', [verb!, 'rules', file!], {
      cwd: 'deploy',
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${stdout}${stderr}`)
  }
})

test('every alert fires in a test', () => {
  const [alerts, tests] = ['prometheus-alerts.yaml', 'prometheus-alerts.test.yaml'].map((file) =>
    readFileSync(`deploy/${file}`, 'utf8'),
  )
  const names = [...alerts!.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
  assert.ok(names.length > 25)
  const fires = (name: string) =>
    tests!.includes(`alertname="${name}"`) || new RegExp(`alertname: ${name}\n +exp_alerts:\n`).test(tests!)
  assert.deepEqual(
    names.filter((name) => !fires(name)),
    [],
  )
})
