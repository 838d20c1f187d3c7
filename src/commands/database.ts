import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, type EnvironmentName, readConfig } from '../config.ts'
import type { Connection } from '../database/database.ts'
import { findRunningEmbedded } from '../database/embedded/running.ts'
import type { Environment } from '../environment.ts'
import { StartupError } from '../errors.ts'
import { openLog } from '../platform/log.ts'
import { migrateAll, openEnvironments, openServer } from '../platform/platform.ts'
import { UsageError } from './command.ts'

/** A command needs a few connections only, and its log is for the person who runs it. */
const FEW = { POOL_SIZE: 2, READ_CONNECTIONS: 1, TOKEN_CACHE_SIZE: 0 }
/** Whoever runs a command waits for others, and for its own large files, rather than to begin anew. */
const PATIENCE_MS = 120_000
export const openCommandLog = (): Logger => openLog({ LOG_LEVEL: 'warn' }, process.stderr)

/**
 * Gives the work a database: that of DATABASE_URL, the embedded one of a platform that is running, or the embedded one started for
 * as long as the work takes.
 */
export async function withDatabase<T>(
  work: (connection: Connection, config: Config, log: Logger) => Promise<T>,
  { mustExist = false } = {},
): Promise<T> {
  const config = readConfig()
  const log = openCommandLog()
  if (mustExist && !config.DATABASE_URL && !existsSync(join(config.DATA_DIR, 'postgres')))
    throw new StartupError(`There is no database in ${config.DATA_DIR}: check DATA_DIR, or set DATABASE_URL`)
  const running = config.DATABASE_URL ? undefined : await findRunningEmbedded(config.DATA_DIR)
  if (running) return work(running, config, log)
  const server = await openServer(config, log)
  try {
    return await work(server.connection, config, log)
  } finally {
    await server.stop()
  }
}

/** Both environments, for as long as the work takes. */
export async function withEnvironments<T>(
  config: Config,
  connection: Connection,
  log: Logger,
  work: (environments: Environment[]) => Promise<T>,
): Promise<T> {
  // What goes wrong with a connection fails the work too, so the log does not have to tell it.
  const quiet = log.child({}, { level: 'error' })
  const environments = await openEnvironments(
    { ...config, ...FEW, STATEMENT_TIMEOUT_MS: Math.max(config.STATEMENT_TIMEOUT_MS, PATIENCE_MS) },
    connection,
    quiet,
    () => new Date(),
  )
  try {
    return await work(environments)
  } finally {
    await Promise.all(environments.map((environment) => environment.close()))
  }
}

/** One environment on a database that is brought to this version first. */
export const withEnvironment = <T>(name: EnvironmentName, work: (environment: Environment) => Promise<T>): Promise<T> =>
  withDatabase(async (connection, config, log) => {
    await migrateAll(connection)
    return withEnvironments(config, connection, log, (all) => work(all.find((one) => one.name === name)!))
  })

export function readEnvironmentName(given: string | undefined): EnvironmentName | undefined {
  if (given === undefined || given === 'production' || given === 'sandbox') return given
  throw new UsageError(`--environment is production or sandbox, not '${given}'`)
}
