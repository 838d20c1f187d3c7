import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ADDRESSES, listProcesses, type MachineName, namespaceOf, type Process, send, setCable } from './network.ts'

/** A program that the machine keeps running, as systemd does with Restart=always. */
export interface Service {
  readonly name: string
  readonly user: string
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

interface RunOptions {
  readonly user?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/**
 * A machine of the drill: namespaces for network, mounts, processes and the host name. It has its own /etc, /var and
 * /run above those of this computer, so the files of deploy/fleet stand where an operator puts them. Its disk survives
 * `lose`.
 */
export interface Machine {
  readonly name: MachineName
  readonly address: string
  /** Writes a file to the disk of a machine that is not running. */
  write(path: string, content: string | Buffer, options?: { user?: string; mode?: number }): void
  /** With `diskMb`, databases get a new and empty disk of this size. */
  boot(options?: { diskMb?: number }): Promise<void>
  /** Runs a command and returns what it prints. */
  run(command: readonly string[], options?: RunOptions): Promise<string>
  start(service: Service): void
  /** Asks all services to end, and does not start them again. */
  stop(): void
  /** Lists the running processes whose command matches. */
  list(pattern?: RegExp): Process[]
  signal(signal: NodeJS.Signals, pattern?: RegExp): void
  unplug(): void
  plugIn(): void
  /** Ends all processes at once, as a loss of power does. */
  lose(): Promise<void>
  /** Environment variables for the programs that are started from now on. */
  readonly env: Record<string, string>
}

const RESTART_MS = 2_000

/** Runs as process 1 of the machine. bash reaps the daemons that it adopts. */
const BOOT = `
set -e
for part in etc var; do
  mkdir -p "$DISK/$part" "$DISK/work-$part"
  mount -t overlay overlay -o "lowerdir=/$part,upperdir=$DISK/$part,workdir=$DISK/work-$part" "/$part"
done
mount -t tmpfs -o mode=755 run /run
if [ -n "$DISK_MB" ]; then mount -t tmpfs -o "size=\${DISK_MB}m,uid=$(id -u postgres)" small /var/lib/postgresql; fi
install -d -o postgres -g postgres -m 2775 /run/postgresql
install -d /run/haproxy
mount -t proc proc /proc
hostname "$NAME"
echo ready
sleep infinity & wait
`

const execute = promisify(execFile)

const USERS = new Map(
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
)

function readUser(name: string): { uid: number; gid: number } {
  const user = USERS.get(name)
  if (!user) throw new Error(`There is no user ${name}`)
  return user
}

export function openMachine(name: MachineName, folder: string): Machine {
  const disk = join(folder, name)
  const log = openSync(join(folder, `${name}.log`), 'a')
  const services = new Map<string, Service>()
  /** Processes outside the machine, each of which waits for a service inside. */
  const entrances = new Set<ChildProcess>()
  let init: number | undefined
  let boot: ChildProcess | undefined

  const enter = (user = 'root'): string[] => {
    if (init === undefined) throw new Error(`${name} is not running`)
    const { uid, gid } = readUser(user)
    const identity = uid === 0 ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--init-groups']
    return ['nsenter', '-t', String(init), '-n', '-m', '-u', '-p', '--wd=/', ...identity]
  }
  const ownEnv: Record<string, string> = {}
  const environment = (env: RunOptions['env']) => ({
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: '/var/lib/postgresql',
    ...ownEnv,
    ...env,
  })

  const launch = (service: Service): void => {
    const [program, ...args] = [...enter(service.user), ...service.command]
    const of = init
    const child = spawn(program!, args, { env: environment(service.env), stdio: ['ignore', log, log] })
    entrances.add(child)
    child.once('exit', () => {
      entrances.delete(child)
      const restart = () => {
        if (init === of && init !== undefined && services.get(service.name) === service) launch(service)
      }
      setTimeout(restart, RESTART_MS).unref()
    })
  }
  const list: Machine['list'] = (pattern) =>
    init === undefined
      ? []
      : listProcesses(init).filter(({ command }) => command !== 'sleep infinity' && (pattern?.test(command) ?? true))
  const signal: Machine['signal'] = (signal, pattern) => {
    for (const { pid } of list(pattern)) send(pid, signal)
    // nsenter stops itself when its child is stopped.
    if (signal === 'SIGCONT') for (const { pid } of entrances) if (pid !== undefined) send(pid, signal)
  }

  return {
    name,
    address: ADDRESSES[name],
    write: (path, content, { user = 'root', mode = 0o644 } = {}) => {
      const target = join(disk, path)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, content)
      chmodSync(target, mode)
      const { uid, gid } = readUser(user)
      chownSync(target, uid, gid)
    },
    boot: async ({ diskMb } = {}) => {
      mkdirSync(disk, { recursive: true })
      const unshare = ['unshare', '--mount', '--uts', '--pid', '--fork', '--kill-child', 'bash', '-c', BOOT]
      boot = spawn('nsenter', [`--net=${namespaceOf(name)}`, ...unshare], {
        env: { ...environment({}), NAME: name, DISK: disk, DISK_MB: String(diskMb ?? '') },
        stdio: ['ignore', 'pipe', log],
      })
      await Promise.race([
        once(boot.stdout!, 'data'),
        once(boot, 'exit').then(() => Promise.reject(new Error(`${name} did not boot: see ${folder}/${name}.log`))),
      ])
      init = Number(readFileSync(`/proc/${boot.pid}/task/${boot.pid}/children`, 'utf8').trim())
      for (const service of services.values()) launch(service)
    },
    run: async (command, { user, env, input } = {}) => {
      const [program, ...args] = [...enter(user), ...command]
      const running = execute(program!, args, { env: environment(env), maxBuffer: 1 << 28 })
      running.child.stdin?.end(input)
      return (await running).stdout
    },
    start: (service) => {
      services.set(service.name, service)
      launch(service)
    },
    stop: () => {
      services.clear()
      signal('SIGTERM')
    },
    list,
    signal,
    unplug: () => setCable(name, false),
    plugIn: () => setCable(name, true),
    lose: async () => {
      if (boot === undefined || init === undefined) return
      const gone = once(boot, 'exit')
      send(init, 'SIGKILL')
      init = undefined
      await gone
    },
    env: ownEnv,
  }
}
