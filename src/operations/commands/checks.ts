import { accessSync, constants, existsSync, lstatSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { Config } from '../../kernel/config.ts'
import type { Environment } from '../../kernel/environment.ts'
import { StartupError } from '../../kernel/errors.ts'
import { disk } from '../../kernel/http/input/disk.ts'
import { explainListen } from '../platform/platform.ts'

/** Throws if DATA_DIR cannot be used. Called before anything is created, built or started. */
export function checkDataDir({ DATA_DIR }: Config): void {
  const place = existsSync(DATA_DIR) ? DATA_DIR : dirname(DATA_DIR)
  const advice = 'or set DATA_DIR to another folder'
  if (!existsSync(place))
    throw new StartupError(`DATA_DIR is ${DATA_DIR}, but there is no folder ${place}: create it first, ${advice}`)
  if (!statSync(place).isDirectory())
    throw new StartupError(`DATA_DIR is ${DATA_DIR}, but ${place} is a file: move it away, ${advice}`)
  try {
    accessSync(place, constants.W_OK | constants.X_OK)
  } catch {
    throw new StartupError(`DATA_DIR is ${DATA_DIR}, but this user cannot write to ${place}: allow it, ${advice}`)
  }
  const cluster = join(DATA_DIR, 'postgres')
  if (existsSync(cluster) && !statSync(cluster).isDirectory())
    throw new StartupError(`DATA_DIR is ${DATA_DIR}, but ${cluster} is a file: move it away, ${advice}`)
  if (place === DATA_DIR) return
  try {
    // Tests whether a folder can be created next to DATA_DIR, because another process may be starting in DATA_DIR
    // itself.
    rmdirSync(mkdtempSync(`${DATA_DIR}.`))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupError(
      `DATA_DIR is ${DATA_DIR}, but no folder of that name can be created (${code}): choose another name, ${advice}`,
    )
  }
  if (lstatSync(DATA_DIR, { throwIfNoEntry: false }))
    throw new StartupError(`DATA_DIR is ${DATA_DIR}, a link to a folder that does not exist: create it, ${advice}`)
}

/** Throws if one of the platform's ports is in use. It listens on each port briefly to find out. */
export async function checkPorts({ PORT, SANDBOX_PORT, HOST }: Config): Promise<void> {
  for (const port of new Set([PORT, SANDBOX_PORT])) {
    if (port === 0) continue
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const probe = createServer()
    probe.once('error', (problem: NodeJS.ErrnoException) => reject(explainListen(problem, port, HOST)))
    probe.listen({ port, host: HOST }, () => probe.close(() => resolve()))
    await promise
  }
}

/** Throws if less disk space is free than one of the environments reserves. For commands that write much. */
export function refuseLowDisk(targets: readonly Environment[]): void {
  const low = targets.find(({ get }) => get(disk).isLow)
  if (low)
    throw new StartupError(
      `The disk of the database is almost full: ${low.name} keeps ${low.get(disk).reserveBytes} bytes free. Free some space, or lower the reserve (docs/configuration.md)`,
    )
}
