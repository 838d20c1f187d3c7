import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * The network of the drill: one bridge in a network namespace of its own, with a cable to each machine. Nothing of it
 * is visible outside these namespaces, so the addresses are those of the example files.
 */
export const ADDRESSES = {
  db1: '10.0.0.11',
  db2: '10.0.0.12',
  db3: '10.0.0.13',
  lb1: '10.0.0.21',
  lb2: '10.0.0.22',
  app1: '10.0.0.31',
  app2: '10.0.0.32',
  app3: '10.0.0.33',
  backup1: '10.0.0.41',
  /** Where a backup is restored. */
  restore1: '10.0.0.42',
  /** The drill itself, with its clients and the receiver of events. */
  clients: '10.0.0.90',
} as const
export type MachineName = keyof typeof ADDRESSES
export const MACHINES = Object.keys(ADDRESSES) as MachineName[]

export const VIRTUAL_ADDRESS = '10.0.0.20'
/** The platform sends events only to public addresses, so the receiver has one inside these namespaces. */
export const RECEIVER_ADDRESS = '44.0.0.90'

const PREFIX = 'drill-'
const HUB = `${PREFIX}hub`
const NAMESPACES = '/run/netns'

const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8' })
export const namespaceOf = (name: string): string => `${NAMESPACES}/${PREFIX}${name}`

export function createNetwork(): void {
  ip('netns', 'add', HUB)
  ip('-n', HUB, 'link', 'add', 'br0', 'type', 'bridge')
  ip('-n', HUB, 'link', 'set', 'br0', 'up')
  for (const name of MACHINES) {
    const own = `${PREFIX}${name}`
    ip('netns', 'add', own)
    ip('-n', HUB, 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', own)
    ip('-n', HUB, 'link', 'set', name, 'master', 'br0', 'up')
    ip('-n', own, 'link', 'set', 'lo', 'up')
    ip('-n', own, 'addr', 'add', `${ADDRESSES[name]}/24`, 'dev', 'eth0')
    ip('-n', own, 'link', 'set', 'eth0', 'up')
    ip('-n', own, 'route', 'add', 'default', 'dev', 'eth0')
  }
  ip('-n', `${PREFIX}clients`, 'addr', 'add', `${RECEIVER_ADDRESS}/32`, 'dev', 'eth0')
}

/** Unplugs or plugs in the cable of a machine. */
export const setCable = (name: MachineName, isIn: boolean): void =>
  void ip('-n', HUB, 'link', 'set', name, isIn ? 'up' : 'down')

/** Ends the processes of all machines and deletes the namespaces, also those of a drill that was killed. */
export function deleteNetwork(): void {
  const names = existsSync(NAMESPACES) ? readdirSync(NAMESPACES).filter((name) => name.startsWith(PREFIX)) : []
  for (const name of names) {
    const pids = ip('netns', 'pids', name).split('\n').filter(Boolean).map(Number)
    for (const pid of pids) if (pid !== process.pid) send(pid, 'SIGKILL')
    ip('netns', 'del', name)
  }
}

/** Sends a signal to a process that may have ended already. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export interface Process {
  readonly pid: number
  readonly command: string
}

/** Lists the processes that share the process namespace of `init`, without `init` itself. */
export function listProcesses(init: number): Process[] {
  const space = findSpace(init)
  if (space === undefined) return []
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== init && findSpace(Number(entry)) === space)
    .map((entry) => ({ pid: Number(entry), command: readCommand(entry) }))
}

function findSpace(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return undefined
  }
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}
