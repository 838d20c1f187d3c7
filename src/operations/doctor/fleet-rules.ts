import { explainUnreachable, type Facts, type Finding, isFleet, type PatroniFacts, report, showBytes } from './facts.ts'

/** Rules about everything around the database: clocks, disks, Patroni, and the platform's processes and settings. */
type Rule = (facts: Facts) => readonly (Finding | undefined)[]

const CLOCK_WARNING_MS = 1_000
const CLOCK_PROBLEM_MS = 5_000
/** Patroni reaches its store every ten seconds. */
const STORE_SILENT_SECONDS = 30

const clocks: Rule = ({ primary, readers, patroni, platforms }) => {
  const known = [primary, ...readers, ...patroni, ...platforms].filter(({ aheadMs }) => aheadMs !== undefined)
  const wrong = known.filter(({ aheadMs }) => Math.abs(aheadMs!) > CLOCK_WARNING_MS)
  if (wrong.length === 0)
    return known.length > 0 ? [report('clocks', 'all machines', 'ok', 'agree with this one within a second')] : []
  return wrong.map(({ place, aheadMs }) =>
    report(
      'clocks',
      place,
      Math.abs(aheadMs!) > CLOCK_PROBLEM_MS ? 'problem' : 'warning',
      `${(Math.abs(aheadMs!) / 1000).toFixed(1)} s ${aheadMs! > 0 ? 'ahead of' : 'behind'} this machine`,
      'Synchronise the clocks of all machines (chrony or systemd-timesyncd)',
    ),
  )
}

const disks: Rule = ({ settings, primary, platforms }) => {
  const { databaseBytes } = primary.sizes ?? {}
  const size = databaseBytes === undefined ? '' : `; the database has ${showBytes(databaseBytes)}`
  const log = primary.walBytes === undefined ? '' : `, its log ${showBytes(primary.walBytes)}`
  const free = [settings.freeBytes, ...platforms.map(({ metrics }) => metrics?.freeBytes)].filter(
    (bytes) => bytes !== undefined,
  )
  if (free.length === 0) return [report('disk', 'database', 'ok', `free space is not known here${size}${log}`)]
  const least = Math.min(...free)
  const found = `${showBytes(least)} free${size}${log}`
  const { reserveBytes } = settings
  const change = 'Free some space, enlarge the disk, or set XAPI_RETENTION_DAYS'
  if (least < reserveBytes)
    return [
      report('disk', 'database', 'problem', `${found}; large writes get 503 below ${showBytes(reserveBytes)}`, change),
    ]
  return [
    least < 2 * reserveBytes
      ? report('disk', 'database', 'warning', `${found}, near the reserve of ${showBytes(reserveBytes)}`, change)
      : report('disk', 'database', 'ok', found),
  ]
}

const settings: Rule = (facts) => {
  const { settings: own, primary } = facts
  const warn = (name: string, found: string, change: string, level: 'warning' | 'problem' = 'warning') =>
    report('settings', name, level, found, change)
  const isShared = own.processes > 1
  return [
    ...(primary.environments ?? []).flatMap(({ name, fitsKey, hasDemoPeople }) => [
      fitsKey === false
        ? warn(
            'SECRET_KEY',
            `is not the key of the ${name} database`,
            'Set SECRET_KEY to the key of this installation',
            'problem',
          )
        : undefined,
      hasDemoPeople && !own.isLocal
        ? warn(
            'DEMO',
            `${name} has demo people, whose passwords are public`,
            'Run npx groundschool demo remove',
            'problem',
          )
        : undefined,
    ]),
    isShared && !own.hasObjectStore
      ? warn(
          'S3_URL',
          'each process has its own uploaded files',
          'Set S3_URL to a store that all processes share',
          'problem',
        )
      : undefined,
    isShared && own.drainSeconds === 0
      ? warn(
          'DRAIN_SECONDS',
          'is 0: requests fail while a process restarts',
          'Set DRAIN_SECONDS to twice the interval of the load balancer’s checks',
        )
      : undefined,
    isFleet(facts) && own.waitSeconds === 0
      ? warn('DATABASE_WAIT_SECONDS', 'is 0: requests fail while a standby is promoted', 'Set DATABASE_WAIT_SECONDS=30')
      : undefined,
    ...(own.isLocal
      ? []
      : [
          own.messages === 'off'
            ? warn('SMTP_URL', 'no e-mail is sent, so nobody can reset a password', 'Set SMTP_URL and MESSAGES_FROM')
            : undefined,
          own.hasMetricsToken
            ? undefined
            : warn('METRICS_TOKEN', 'is not set, so /metrics rejects every request', 'Set METRICS_TOKEN'),
          own.hasContentUrl
            ? undefined
            : warn(
                'CONTENT_URL',
                'is not set, so files and packages can be neither uploaded nor opened',
                'Set CONTENT_URL and SANDBOX_CONTENT_URL',
              ),
          own.hasContentUrl && !own.hasPackageOrigins
            ? warn(
                'CONTENT_URL',
                'has no wildcard, so packages can read what others store in the browser',
                'Set it to a URL such as https://*.content.example.org, with the same wildcard in DNS and the certificate',
              )
            : undefined,
          own.hasProxy
            ? undefined
            : warn(
                'TRUST_PROXY',
                'is empty: behind a proxy, all clients share one limit',
                'Set TRUST_PROXY to the addresses of the proxy',
              ),
        ]),
  ]
}

const platforms: Rule = (facts) =>
  facts.platforms.flatMap(({ place, problem, readiness, metrics, metricsStatus }) => {
    if (problem !== undefined)
      return [
        report('process', place, 'problem', explainUnreachable(problem), 'Start the process, and check its address'),
      ]
    const newest = facts.platforms
      .map((one) => one.metrics?.migration ?? '')
      .sort()
      .at(-1)
    const isOld = metrics !== undefined && (metrics.version !== facts.settings.version || metrics.migration !== newest)
    return [
      readiness?.status === 200
        ? report('process', place, 'ok', metrics ? `ready, version ${metrics.version} (${metrics.migration})` : 'ready')
        : report('process', place, 'problem', `is not ready: ${readiness?.text}`, 'See the log of the process'),
      metrics
        ? undefined
        : report(
            'process',
            place,
            'warning',
            `its metrics cannot be read (${metricsStatus})`,
            'Set METRICS_TOKEN to the token of the process, and use the address of the process itself',
          ),
      isOld
        ? report(
            'process',
            place,
            'warning',
            `runs version ${metrics.version} (${metrics.migration}), others or this command another one`,
            'Update and restart the process',
          )
        : undefined,
    ]
  })

const patroni: Rule = ({ patroni: nodes }) => {
  const first = nodes.find(({ members }) => members)
  return [
    ...nodes.flatMap(({ place, problem, storeSeconds = 0 }) => [
      problem === undefined
        ? report('patroni', place, 'ok', 'responds')
        : report('patroni', place, 'problem', explainUnreachable(problem), 'Start Patroni, and check its REST API'),
      storeSeconds > STORE_SILENT_SECONDS
        ? report(
            'patroni',
            place,
            'problem',
            `has not reached etcd for ${storeSeconds} s`,
            'Check etcd and the network',
          )
        : undefined,
    ]),
    ...(first ? [...members(first), ...configuration(first)] : []),
  ]
}

function members({ members: all = [], isPaused }: PatroniFacts): (Finding | undefined)[] {
  const leaders = all.filter(({ role }) => role === 'leader')
  const timelines = new Set(all.flatMap(({ timeline }) => (timeline === undefined ? [] : [timeline])))
  const cluster = (found: string, change: string) => report('patroni', 'cluster', 'problem', found, change)
  return [
    leaders.length === 1
      ? report('patroni', 'cluster', 'ok', `${leaders[0]!.name} leads, ${all.length} members`)
      : cluster(`has ${leaders.length} leaders`, 'See patronictl list and the logs of Patroni; check etcd'),
    all.some(({ role }) => role === 'sync_standby')
      ? undefined
      : cluster(
          'has no synchronous standby',
          'Start a standby, and set synchronous_mode: true with patronictl edit-config',
        ),
    timelines.size > 1
      ? cluster(
          'its members are on different timelines',
          'See patronictl list; run patronictl reinit for the member that is behind',
        )
      : undefined,
    isPaused
      ? report(
          'patroni',
          'cluster',
          'warning',
          'is paused, so nothing is promoted if the leader fails',
          'patronictl resume',
        )
      : undefined,
    ...all.flatMap(({ name, state, pending_restart: isWaiting }) => [
      state === 'running' || state === 'streaming'
        ? undefined
        : report('patroni', name, 'problem', `is ${state}`, `See the log of Patroni on ${name}`),
      isWaiting
        ? report('patroni', name, 'warning', 'has settings that wait for a restart', `patronictl restart … ${name}`)
        : undefined,
    ]),
  ]
}

function configuration({ config }: PatroniFacts): (Finding | undefined)[] {
  if (!config) return []
  const { ttl = 30, loop_wait: loop = 10, retry_timeout: retry = 10 } = config
  const warn = (name: string, found: string, change: string, level: 'warning' | 'problem' = 'warning') =>
    report('patroni', name, level, found, change)
  return [
    config.synchronous_mode
      ? undefined
      : warn(
          'synchronous_mode',
          'is off, so a failover loses the last changes',
          'patronictl edit-config -s synchronous_mode=true',
          'problem',
        ),
    ttl < loop + 2 * retry
      ? warn(
          'ttl',
          `is ${ttl} s, less than loop_wait + 2 × retry_timeout: a slow etcd demotes the leader`,
          `patronictl edit-config -s ttl=${loop + 2 * retry}`,
        )
      : undefined,
    config.failsafe_mode
      ? undefined
      : warn(
          'failsafe_mode',
          'is off, so the leader stops writes while etcd is away',
          'patronictl edit-config -s failsafe_mode=true',
        ),
  ]
}

export const FLEET_RULES: readonly Rule[] = [clocks, disks, settings, platforms, patroni]
