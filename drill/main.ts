import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWhereStale } from '../web/built.ts'
import { createAuthority } from './certificates.ts'
import { hostsFile } from './fleet.ts'
import { createNetwork, deleteNetwork, namespaceOf } from './network.ts'
import { readOptions } from './options.ts'

/** Programs that the drill runs, and the packages of Debian 12 that have them. */
const PROGRAMS = {
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/bin/etcdctl': 'etcd-client',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/sbin/keepalived': 'keepalived',
  '/usr/bin/pgbackrest': 'pgbackrest',
  '/usr/bin/curl': 'curl',
  '/usr/bin/openssl': 'openssl',
  '/usr/sbin/ip': 'iproute2',
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1': 'libfaketime',
}

function findObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'The drill needs root on Linux, because it creates network namespaces'
  const missing = Object.entries(PROGRAMS).flatMap(([file, name]) => (existsSync(file) ? [] : name))
  return missing.length > 0 ? `Packages are missing: apt-get install ${missing.join(' ')}` : undefined
}

/** Holds a name that only one process of this computer can have, until this process ends. */
async function refuseSecond(): Promise<void> {
  const lock = createServer().unref()
  lock.listen('\0groundschool-drill')
  await once(lock, 'listening').catch(() => {
    throw new Error('Another drill is running on this computer, and would lose its network')
  })
}

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

async function runInside(folder: string, authority: string): Promise<number> {
  writeFileSync(join(folder, 'hosts'), hostsFile())
  const script = 'mount --bind "$DRILL_FOLDER/hosts" /etc/hosts && exec "$0" "$@"'
  const program = [process.execPath, pathOf('inside.ts'), ...process.argv.slice(2)]
  const child = spawn(
    'nsenter',
    [`--net=${namespaceOf('clients')}`, 'unshare', '--mount', 'bash', '-c', script, ...program],
    { stdio: 'inherit', env: { ...process.env, DRILL_FOLDER: folder, NODE_EXTRA_CA_CERTS: authority } },
  )
  // Ctrl-C reaches both processes; this one stays until the other has ended, and cleans up.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill())
  const [code] = await once(child, 'exit')
  return code ?? 1
}

try {
  const { folder, keep } = readOptions()
  const obstacle = findObstacle()
  if (obstacle) throw new Error(obstacle)
  await refuseSecond()
  // The platforms run as a user who cannot write these files.
  await buildWhereStale()
  spawnSync(process.execPath, [pathOf('../bin/bundle.ts')], { stdio: 'inherit' })
  process.exitCode = await runDrill(mkdtempSync(join(folder, 'groundschool-drill-')), keep)
} catch (problem) {
  console.error((problem as Error).message)
  process.exitCode = 1
}

/** Creates the network of the drill, runs the drill inside it, and removes everything afterwards. */
async function runDrill(disks: string, keep: boolean): Promise<number> {
  chmodSync(disks, 0o755)
  deleteNetwork()
  let code = 1
  try {
    createNetwork()
    code = await runInside(disks, createAuthority(disks))
  } finally {
    deleteNetwork()
    if (keep || code !== 0) console.log(`The disks and logs of the machines are in ${disks}`)
    else rmSync(disks, { recursive: true })
  }
  return code
}
