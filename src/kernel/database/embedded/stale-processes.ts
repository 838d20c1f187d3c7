import { spawnSync } from 'node:child_process'
import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'

interface StaleProcess {
  pid: number
  isPostmaster: boolean
  /** True if the process was started by a platform, and not by an operator. */
  isOurs: boolean
}

/**
 * Tells whether a command line belongs to our PostgreSQL. An empty command line is accepted, because a process has none
 * while it exits.
 */
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

/** Finds the PostgreSQL processes of `cluster`, which is the working directory of each of them. */
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

/**
 * Chooses the signal for a process that has not exited after `waitedMs`. A postmaster is signalled immediately;
 * orphaned children get 500 ms to exit on their own.
 */
function chooseSignal({ isPostmaster }: StaleProcess, waitedMs: number): NodeJS.Signals | undefined {
  if (waitedMs >= 20_000) return 'SIGKILL'
  if (waitedMs >= 10_000) return 'SIGQUIT'
  if (isPostmaster) return 'SIGINT'
  return waitedMs >= 500 ? 'SIGQUIT' : undefined
}

/**
 * Makes sure that no process uses `cluster` any more. It stops a postmaster whose platform was killed. Idle children of
 * a killed postmaster exit on their own; busy children are signalled. Throws if an operator's PostgreSQL is running
 * there, or if a process does not stop. Finally it removes a stale pid file whose process id now belongs to another
 * program, because PostgreSQL would otherwise refuse to start.
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
    log('info', 'Removing a stale postmaster.pid whose process id another process has now', { pid: stalePid })
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
