import { BlockList, isIPv6 } from 'node:net'
import {
  explainUnreachable,
  type Facts,
  type Finding,
  isFleet,
  report,
  serversOf,
  settingOf,
  showBytes,
  subjectOf,
} from './facts.ts'

/** Rules about the servers of the database. Each takes the facts and returns what it found. */
type Rule = (facts: Facts) => readonly (Finding | false | undefined)[]

const OLDEST_VERSION = 15
const GIB = 2 ** 30
const MIB = 2 ** 20
/** Connections for commands, backups, Patroni and monitoring, including those that are reserved for superusers. */
const SPARE_CONNECTIONS = 10
const FAR_BEHIND_BYTES = 64 * MIB
const KEPT_BYTES = GIB
const LONG_TRANSACTION_SECONDS = 15 * 60
/** PostgreSQL starts to remove old transaction ids at 200 million, and stops writes near 2,100 million. */
const MANY_TRANSACTIONS = 500_000_000
const TOO_MANY_TRANSACTIONS = 1_200_000_000

const reachable: Rule = (facts) =>
  serversOf(facts).map((server) =>
    server.problem === undefined
      ? report('connection', subjectOf(server), 'ok', 'responds')
      : report(
          'connection',
          subjectOf(server),
          'problem',
          explainUnreachable(server.problem),
          `Check that the server runs, and the host, user and password in ${server.setting}`,
        ),
  )

const versions: Rule = (facts) => {
  const found = serversOf(facts).flatMap(({ identity }) => (identity ? [identity.version] : []))
  const names = [...new Set(found)].map(showVersion).join(', ')
  if (found.length === 0) return []
  const least = Math.floor(Math.min(...found) / 10_000)
  if (least < OLDEST_VERSION)
    return [
      report('version', 'PostgreSQL', 'problem', names, `Upgrade the server to PostgreSQL ${OLDEST_VERSION} or later`),
    ]
  return new Set(found).size > 1
    ? [
        report(
          'version',
          'PostgreSQL',
          'warning',
          `the servers differ: ${names}`,
          'Install the same version on all servers',
        ),
      ]
    : [report('version', 'PostgreSQL', 'ok', names)]
}

const showVersion = (version: number): string => `${Math.floor(version / 10_000)}.${version % 10_000}`

const roles: Rule = ({ primary, readers }) => [
  primary.identity &&
    (primary.identity.isStandby
      ? report(
          'role',
          subjectOf(primary),
          'problem',
          'this is a standby, which refuses writes',
          'Let DATABASE_URL lead to the primary',
        )
      : report('role', subjectOf(primary), 'ok', 'primary')),
  ...readers.map((reader) => {
    if (!reader.identity) return undefined
    const { isStandby, systemId } = reader.identity
    if (primary.identity && systemId !== primary.identity.systemId)
      return report(
        'role',
        subjectOf(reader),
        'problem',
        'this server belongs to another cluster, so reads show other data',
        'Let DATABASE_READ_URL lead to standbys of DATABASE_URL',
      )
    return isStandby
      ? report('role', subjectOf(reader), 'ok', 'standby of DATABASE_URL')
      : report(
          'role',
          subjectOf(reader),
          'warning',
          'this is the primary, so reads do not relieve it',
          'Let DATABASE_READ_URL lead to standbys only, or remove it',
        )
  }),
]

const sessions: Rule = ({ primary }) => [
  primary.identity?.isStandby === false &&
    (primary.sessionProblem === undefined
      ? report('sessions', subjectOf(primary), 'ok', 'notifications and locks work')
      : report(
          'sessions',
          subjectOf(primary),
          'problem',
          primary.sessionProblem,
          'Let DATABASE_URL lead to PostgreSQL itself, not to a pooler in transaction mode (PgBouncer)',
        )),
]

const rights: Rule = ({ primary, settings }) => {
  const { identity, environments = [] } = primary
  if (!identity) return []
  const isEmpty = environments.some(({ waiting, mismatch }) => waiting === undefined && mismatch === undefined)
  return [
    isEmpty && !identity.mayCreate
      ? report(
          'rights',
          identity.user,
          'problem',
          'may not create the schemas of the platform',
          `grant create on database … to ${identity.user}`,
        )
      : undefined,
    identity.mayMonitor
      ? undefined
      : report(
          'rights',
          identity.user,
          'warning',
          'may not see standbys, so they were not checked',
          `grant pg_monitor to ${identity.user}`,
        ),
    settings.isEmbedded || !identity.isRemote || identity.isEncrypted
      ? undefined
      : identity.addresses.every(isPrivate)
        ? report(
            'encryption',
            subjectOf(primary),
            'ok',
            `none between private addresses (${identity.addresses.join(', ')}): keep others out of this network`,
          )
        : report(
            'encryption',
            subjectOf(primary),
            'warning',
            'the connection to another machine is not encrypted',
            'Add ?sslmode=verify-full to DATABASE_URL',
          ),
  ]
}

/** Networks that no router of the internet leads to (RFC 1918, RFC 4193), and this machine. */
const PRIVATE = new BlockList()
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, bits)
PRIVATE.addSubnet('fc00::', 7, 'ipv6')
PRIVATE.addAddress('::1', 'ipv6')

const isPrivate = (address: string): boolean => PRIVATE.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

const encoding: Rule = ({ primary }) => [
  primary.identity &&
    (primary.identity.encoding === 'UTF8'
      ? report('encoding', subjectOf(primary), 'ok', 'UTF8')
      : report(
          'encoding',
          subjectOf(primary),
          'problem',
          `${primary.identity.encoding} cannot store every text`,
          "Create another database: create database … encoding 'UTF8' template template0",
        )),
]

const migrations: Rule = ({ primary }) =>
  (primary.environments ?? []).map(({ name, waiting, mismatch }) => {
    if (mismatch !== undefined)
      return report('migrations', name, 'problem', mismatch, 'Use the version of the platform that fits the database')
    if (waiting?.length === 0) return report('migrations', name, 'ok', 'up to date')
    return report(
      'migrations',
      name,
      'problem',
      waiting ? `the database is from an earlier version, without ${waiting[0]}` : 'the database is empty',
      'Run npx groundschool migrate, or start the platform',
    )
  })

const connections: Rule = (facts) => {
  const { processes, connections: each } = facts.settings
  return serversOf(facts).map((server) => {
    const { identity } = server
    const max = Number(settingOf(server, 'max_connections'))
    if (!identity || Number.isNaN(max)) return undefined
    const limits = [max, identity.userLimit, identity.databaseLimit].filter((limit) => limit >= 0)
    const reserved = Number(settingOf(server, 'superuser_reserved_connections') ?? 0)
    const most = Math.min(max - reserved, ...limits)
    const perProcess = server === facts.primary ? each.primary : each.standby
    const needed = processes * perProcess
    const found = `${processes} ${processes === 1 ? 'process uses' : 'processes use'} up to ${needed} of ${most} connections`
    // During an upgrade, one more process runs than usual.
    const wanted = needed + perProcess + SPARE_CONNECTIONS
    const change = `Raise max_connections (or the limit of the user) to ${wanted}, or lower POOL_SIZE`
    if (most < needed) return report('connections', subjectOf(server), 'problem', found, change)
    return Math.min(...limits) < wanted
      ? report('connections', subjectOf(server), 'warning', `${found}, which leaves none for an upgrade`, change)
      : report('connections', subjectOf(server), 'ok', found)
  })
}

const standbys: Rule = (facts) => {
  const { senders, identity } = facts.primary
  if (!senders || !identity || identity.isStandby) return []
  if (!isFleet(facts)) return [report('standbys', 'database', 'ok', 'none: this is a single server')]
  if (senders.length === 0)
    return [
      report('standbys', 'database', 'problem', 'no standby is connected', 'Start the standbys, and check their logs'),
    ]
  if (!identity.mayMonitor) return []
  const isSynchronous = senders.some(({ syncState }) => syncState === 'sync' || syncState === 'quorum')
  return [
    report('standbys', 'database', 'ok', senders.map(({ name, syncState }) => `${name} (${syncState})`).join(', ')),
    isSynchronous
      ? undefined
      : report(
          'standbys',
          'database',
          'problem',
          'no synchronous standby is connected, so a failover loses the last changes',
          'Start the synchronous standby; check synchronous_standby_names',
        ),
    ...senders.map(({ name, state, lagBytes, lagSeconds }) => {
      const isBehind = (lagBytes ?? 0) > FAR_BEHIND_BYTES || (lagSeconds ?? 0) > facts.settings.lagSeconds
      if (state === 'streaming' && !isBehind) return undefined
      return report(
        'lag',
        name ?? 'standby',
        'warning',
        `${state}, ${showBytes(lagBytes ?? 0)} and ${Math.round(lagSeconds ?? 0)} s behind`,
        'Check the network, the disk and long queries of the standby',
      )
    }),
  ]
}

const slots: Rule = ({ primary }) =>
  (primary.slots ?? [])
    .filter(({ isActive, status }) => !isActive || status === 'lost' || status === 'unreserved')
    .map(({ name, status, keptBytes }) =>
      report(
        'slots',
        name,
        status === 'lost' || (keptBytes ?? 0) > KEPT_BYTES ? 'problem' : 'warning',
        status === 'lost'
          ? 'its standby has missed log that the primary no longer has'
          : `nobody reads it, and it keeps ${showBytes(keptBytes ?? 0)} of log`,
        status === 'lost'
          ? 'Create the standby again'
          : `Start its standby, or run select pg_drop_replication_slot('${name}')`,
      ),
    )

const archive: Rule = ({ primary }) => [
  primary.archiver?.isFailing && settingOf(primary, 'archive_mode') !== 'off'
    ? report(
        'archive',
        subjectOf(primary),
        'problem',
        `the last attempt failed, for ${primary.archiver.lastFailed}; the log piles up on the disk`,
        'See the log of the server, and correct archive_command or the archive',
      )
    : undefined,
]

const age: Rule = ({ primary }) => {
  const transactions = primary.sizes?.oldestTransactions ?? 0
  const { seconds = 0, state = '', application = '' } = primary.oldest ?? {}
  return [
    transactions > MANY_TRANSACTIONS
      ? report(
          'vacuum',
          subjectOf(primary),
          transactions > TOO_MANY_TRANSACTIONS ? 'problem' : 'warning',
          `the oldest rows are ${Math.round(transactions / 1e6)} million transactions old; at 2100 million writes stop`,
          'End long transactions and prepared ones, then run vacuum (freeze)',
        )
      : undefined,
    seconds > LONG_TRANSACTION_SECONDS
      ? report(
          'transactions',
          subjectOf(primary),
          'warning',
          `a transaction of “${application}” (${state}) is open for ${Math.round(seconds / 60)} minutes, so old rows are kept`,
          'End that session',
        )
      : undefined,
  ]
}

const tables: Rule = ({ primary }) => [
  ...(primary.invalidIndexes ?? []).map((name) =>
    report('indexes', name, 'problem', 'is invalid, so it is not used', `reindex index concurrently ${name}`),
  ),
  ...(primary.withoutNextMonth ?? []).map((name) =>
    report(
      'partitions',
      name,
      'warning',
      'has no partition for the next month',
      'Start the platform, which creates it within five minutes; otherwise search its log for “tidying up”',
    ),
  ),
]

export const DATABASE_RULES: readonly Rule[] = [
  reachable,
  versions,
  roles,
  sessions,
  encoding,
  rights,
  migrations,
  connections,
  standbys,
  slots,
  archive,
  age,
  tables,
]
