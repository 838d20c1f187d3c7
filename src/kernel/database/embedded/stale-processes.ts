import { spawnSync } from 'node:child_process'
import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'

interface StaleProcess {
  pid: number
  isPostmaster: boolean
  /** started by a platform, not by an operator's own hand */
  isOurs: boolean
}

/** A process that is just ending has no command line any more. */
const isOurCommand = (command: string): boolean => command === '' || command.includes('cluster_name=groundschool')

async function readPostmasterPid(cluster: string): Promise<number | undefined> {
  const file = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Math.abs(Number.parseInt(file, 10))
  return pid > 0 ? pid : undefined
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The processes of PostgreSQL that work in `cluster`: all of them have it as their working directory. */
async function findStaleProcesses(cluster: string): Promise<StaleProcess[]> {
  const postmasterPid = await readPostmasterPid(cluster)
  if (process.platform !== 'linux')
    return postmasterPid === undefined ? [] : findPostmasterByCommand(postmasterPid, cluster)

  const found: StaleProcess[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || (await readlink(`/proc/${name}/cwd`).catch(() => '')) !== cluster) continue
    const [comm, command] = await Promise.all(
      ['comm', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
    )
    if (comm!.trim() !== 'postgres') continue
    const pid = Number(name)
    const isPostmaster = pid === postmasterPid
    found.push({ pid, isPostmaster, isOurs: !isPostmaster || isOurCommand(command!) })
  }
  return found
}

function findPostmasterByCommand(pid: number, cluster: string): StaleProcess[] {
  const command = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  if (!command.includes('postgres') || !command.includes(cluster)) return []
  return [{ pid, isPostmaster: true, isOurs: isOurCommand(command) }]
}

/** What a process that does not go is told, by the time it has had: a postmaster and its orphans differ in the beginning. */
function chooseSignal({ isPostmaster }: StaleProcess, waitedMs: number): NodeJS.Signals | undefined {
  if (waitedMs >= 20_000) return 'SIGKILL'
  if (waitedMs >= 10_000) return 'SIGQUIT'
  if (isPostmaster) return 'SIGINT'
  return waitedMs >= 500 ? 'SIGQUIT' : undefined
}

/**
 * Makes sure that nothing works in `cluster` any more: a postmaster whose platform was killed is stopped, the children of a killed
 * postmaster, which go by themselves when they are idle, are waited for and then told. Only then may a pid file be removed that
 * PostgreSQL itself would respect because its number has meanwhile been given to some other process.
 */
export async function endStaleProcesses(
  cluster: string,
  log: (level: 'info' | 'warn', message: string, detail?: object) => void,
): Promise<void> {
  const startedAt = performance.now()
  const told = new Map<number, NodeJS.Signals>()
  while (true) {
    const found = await findStaleProcesses(cluster)
    if (found.length === 0) break
    const foreign = found.find(({ isOurs }) => !isOurs)
    if (foreign)
      throw new StartupError(
        `A PostgreSQL that the platform did not start is running in ${cluster}: stop process ${foreign.pid} first`,
      )

    const waitedMs = performance.now() - startedAt
    if (waitedMs > 30_000) {
      throw new StartupError(
        `An earlier PostgreSQL is still running in ${cluster} and does not stop: end process ${found[0]!.pid} first`,
      )
    }
    for (const stale of found) {
      const signal = chooseSignal(stale, waitedMs)
      if (!signal || told.get(stale.pid) === signal) continue
      told.set(stale.pid, signal)
      if (stale.isPostmaster)
        log('warn', 'An earlier database server is still running; stopping it', { pid: stale.pid, signal })
      signalIfThere(stale.pid, signal)
    }
    await delay(20)
  }
  const stalePid = await readPostmasterPid(cluster)
  if (stalePid !== undefined && isAlive(stalePid)) {
    log('info', 'Removing a stale postmaster.pid whose number another process has now', { pid: stalePid })
    await rm(join(cluster, 'postmaster.pid'), { force: true })
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
