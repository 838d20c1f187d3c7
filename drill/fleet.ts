import { randomBytes } from 'node:crypto'
import type { Authority } from './certificates.ts'
import { type Cluster, DATABASES, query, watchCluster } from './cluster.ts'
import { render, resize, SECRETS, type Values, valuesFor } from './files.ts'
import { type Machine, openMachine } from './machine.ts'
import { ADDRESSES, MACHINES, type MachineName, VIRTUAL_ADDRESS } from './network.ts'
import { etcd, groundschool, HAPROXY, KEEPALIVED, PATRONI, PGBACKREST, SMALL } from './services.ts'
import { until } from './until.ts'

export const BALANCERS = ['lb1', 'lb2'] as const
export const PLATFORMS = ['app1', 'app2', 'app3'] as const

/** Token with which the drill reads the metrics of the platforms. */
export const METRICS_TOKEN = 'a token for the drill only'

export interface Fleet extends Cluster {
  readonly machines: Readonly<Record<MachineName, Machine>>
  readonly secrets: Values
}

export const hostsFile = (): string =>
  [
    '127.0.0.1 localhost',
    ...MACHINES.map((name) => `${ADDRESSES[name]} ${name}`),
    `${VIRTUAL_ADDRESS} api.example.org files.content.example.org sandbox.example.org files.sandbox-content.example.org`,
    '',
  ].join('\n')

/** Starts everything that docs/fleet.md describes, with its files and in its order, and imports a school. */
export async function startFleet(
  folder: string,
  authority: Authority,
  school: object,
  say: (text: string) => void,
): Promise<Fleet> {
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, randomBytes(18).toString('hex')]))
  const machines = Object.fromEntries(MACHINES.map((name) => [name, openMachine(name, folder)])) as Fleet['machines']
  const cluster = watchCluster(machines)
  const fleet = { ...cluster, machines, secrets }

  const write = (machine: Machine, file: string, path: string, user = 'root', changes = SMALL[file] ?? {}) =>
    machine.write(path, resize(render(file, valuesFor(machine.name, secrets)), changes), { user, mode: 0o600 })
  const certify = (machine: Machine) => {
    const { key, cert } = authority.issue(machine.name)
    machine.write('etc/pgbackrest-tls/ca.crt', authority.cert)
    machine.write('etc/pgbackrest-tls/node.crt', cert)
    machine.write('etc/pgbackrest-tls/node.key', key, { user: 'postgres', mode: 0o600 })
  }
  for (const machine of Object.values(machines)) machine.write('etc/hosts', hostsFile())

  say('starting etcd, Patroni and pgBackRest')
  for (const name of DATABASES) {
    const machine = machines[name]
    write(machine, 'patroni.yml', 'etc/patroni/config.yml', 'postgres')
    write(machine, 'pgbackrest.conf', 'etc/pgbackrest.conf', 'postgres')
    machine.write('etc/patroni/pgbackrest-archive', render('pgbackrest-archive', {}), { mode: 0o755 })
    certify(machine)
    await machine.boot()
    await machine.run(['install', '-d', '-o', 'etcd', '-m', '700', '/var/lib/etcd/groundschool'])
    machine.start(etcd(render('etcd.env', valuesFor(name, secrets))))
    machine.start(PGBACKREST)
  }
  for (const name of ['backup1', 'restore1'] as const) certify(machines[name])
  write(machines.backup1, 'pgbackrest-repository.conf', 'etc/pgbackrest.conf', 'postgres')
  write(machines.restore1, 'pgbackrest.conf', 'etc/pgbackrest.conf', 'postgres')
  await machines.backup1.boot()
  machines.backup1.start(PGBACKREST)
  for (const name of DATABASES) {
    await machines[name].run(['patroni', '--validate-config', PATRONI.command[1]!], { user: PATRONI.user })
    machines[name].start(PATRONI)
  }
  await cluster.settle()

  say('creating the database')
  const primary = await cluster.primary()
  await query(primary, `create role groundschool login password '${secrets.PLATFORM_PASSWORD}'`, 'postgres')
  await query(primary, 'create database groundschool owner groundschool', 'postgres')

  say('starting HAProxy and keepalived')
  const { key, cert } = authority.issue('api.example.org', [
    'DNS:*.example.org',
    'DNS:*.content.example.org',
    'DNS:*.sandbox-content.example.org',
  ])
  for (const name of BALANCERS) {
    const machine = machines[name]
    write(machine, 'haproxy.cfg', 'etc/haproxy/haproxy.cfg')
    write(machine, 'keepalived.conf', 'etc/keepalived/keepalived.conf')
    machine.write('etc/keepalived/notify', render('keepalived-notify', {}), { mode: 0o755 })
    machine.write('etc/haproxy/groundschool.pem', `${cert}${key}`, { mode: 0o600 })
    await machine.boot()
    await machine.run(['haproxy', '-c', '-q', '-f', '/etc/haproxy/haproxy.cfg'])
    await machine.run(['keepalived', '--config-test'])
    machine.start(HAPROXY)
    machine.start(KEEPALIVED)
  }

  say('starting three platforms')
  const keys = {
    'SECRET_KEY=': `SECRET_KEY=${randomBytes(32).toString('base64')}`,
    'METRICS_TOKEN=': `METRICS_TOKEN=${METRICS_TOKEN}`,
  }
  for (const name of PLATFORMS) {
    const machine = machines[name]
    write(machine, 'groundschool.env', 'etc/groundschool.env', 'nobody', keys)
    machine.write('etc/drill-ca.crt', authority.cert)
    await machine.boot()
    await machine.run(['install', '-d', '-o', 'nobody', '-m', '700', '/var/lib/groundschool'])
  }
  await until('HAProxy leads to the primary', () =>
    machines.app1.run(['pg_isready', '-h', VIRTUAL_ADDRESS, '-t', '1']).then(
      () => true,
      () => false,
    ),
  )
  await importSchool(machines.app1, school)
  for (const name of PLATFORMS) machines[name].start(groundschool('start'))
  return fleet
}

async function importSchool(machine: Machine, school: object): Promise<void> {
  const file = '/var/lib/groundschool/school.json'
  await machine.run(['tee', file], { input: JSON.stringify(school) })
  const { command, user, env } = groundschool('import', file)
  await machine.run(command, { user, env: env! })
}
