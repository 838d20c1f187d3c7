import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ENVIRONMENTS, type EnvironmentName, readConfig } from '../../kernel/config.ts'
import type { Connection } from '../../kernel/database/database.ts'
import { findRunningEmbedded } from '../../kernel/database/embedded/running.ts'
import { findWaiting } from '../../kernel/database/migrate.ts'
import { type Environment, schemaOf } from '../../kernel/environment.ts'
import { StartupError } from '../../kernel/errors.ts'
import { findAddress } from '../../kernel/installation/installation.ts'
import { openLog } from '../platform/log.ts'
import { openEnvironments, openServer } from '../platform/platform.ts'
import { checkDataDir } from './checks.ts'
import { tell, UsageError } from './command.ts'

/** Settings for commands, which need only a few connections. */
const FEW = { POOL_SIZE: 2, READ_CONNECTIONS: 1, TOKEN_CACHE_SIZE: 0 }
/**
 * Statement timeout for commands. It is long, because waiting for locks or large files is better than starting over.
 */
const PATIENCE_MS = 120_000
export const openCommandLog = (): Logger => openLog({ LOG_LEVEL: 'warn' }, process.stderr)

/**
 * Runs the work with a database: the one of DATABASE_URL, the embedded database of a running platform, or the embedded
 * database, started for the duration of the work. A missing database is created only with `mayMake`; otherwise a typing
 * error in DATA_DIR would look like an empty platform.
 */
export async function withDatabase<T>(
  work: (connection: Connection, config: Config, log: Logger) => Promise<T>,
  { mayMake = false } = {},
): Promise<T> {
  const config = readConfig()
  const log = openCommandLog()
  if (!mayMake) refuseMissing(config)
  if (!config.DATABASE_URL) checkDataDir(config)
  if (!hasDatabase(config)) tell(`Creating a new database in ${config.DATA_DIR}`)
  const running = await findRunning(config)
  if (running) return work(running, config, log)
  const server = await openServer(config, log)
  try {
    return await work(server.connection, config, log)
  } finally {
    await server.stop()
  }
}

/** Throws if there is no database, because DATA_DIR may be wrong: its default depends on the working directory. */
export function refuseMissing(config: Config): void {
  if (!hasDatabase(config))
    throw new StartupError(
      `There is no database in ${config.DATA_DIR}: set DATA_DIR to the folder of your platform, or DATABASE_URL to its database, or create a new one with npx groundschool start`,
    )
}

export const hasDatabase = ({ DATABASE_URL, DATA_DIR }: Config): boolean =>
  DATABASE_URL !== undefined || !isEmpty(join(DATA_DIR, 'postgres'))

/** Tells whether a folder is empty. A missing folder counts as empty, an unreadable one does not. */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Finds a database that is already running; undefined if there is none. */
export const findRunning = async ({ DATABASE_URL, DATA_DIR }: Config): Promise<Connection | undefined> =>
  DATABASE_URL ? { connectionString: DATABASE_URL } : findRunningEmbedded(DATA_DIR)

/** Throws if the database lacks migrations of this version. `migrate` and `start` apply them. */
export async function refuseEarlier(connection: Connection): Promise<void> {
  for (const name of ENVIRONMENTS) {
    const waiting = await findWaiting(connection, schemaOf(name))
    if (!waiting)
      throw new StartupError('This database is empty: run npx groundschool start or npx groundschool migrate')
    if (waiting.length > 0)
      throw new StartupError(
        `This database is from an earlier version (without ${waiting[0]}): run npx groundschool migrate`,
      )
  }
}

/**
 * Opens both environments for the duration of the work. A missing secret key is created only with `mayMakeKey`, because
 * commands that only read must not write.
 */
export async function withEnvironments<T>(
  config: Config,
  connection: Connection,
  log: Logger,
  work: (environments: Environment[]) => Promise<T>,
  { mayMakeKey = false } = {},
): Promise<T> {
  // Connection problems make the work itself fail, so they need no log lines.
  const quiet = log.child({}, { level: 'error' })
  const environments = await openEnvironments(
    { ...config, ...FEW, STATEMENT_TIMEOUT_MS: Math.max(config.STATEMENT_TIMEOUT_MS, PATIENCE_MS) },
    connection,
    quiet,
    () => new Date(),
    { findUrl: findAddress, mayMakeKey },
  )
  try {
    return await work(environments)
  } finally {
    await Promise.all(environments.map((environment) => environment.close()))
  }
}

/** Opens the environment with the given name. Throws if there is no database, or one of an earlier version. */
export async function withEnvironment<T>(
  given: string,
  work: (environment: Environment) => Promise<T>,
  options: { mayMakeKey?: boolean } = {},
): Promise<T> {
  const name = readEnvironmentName(given)
  return withDatabase(async (connection, config, log) => {
    await refuseEarlier(connection)
    const find = (all: Environment[]) => all.find((one) => one.name === name)!
    return withEnvironments(config, connection, log, (all) => work(find(all)), options)
  })
}

export function readEnvironmentName(given: string | undefined, orElse = ''): EnvironmentName | undefined {
  if (given === undefined || given === 'production' || given === 'sandbox') return given
  throw new UsageError(`--environment must be production or sandbox${orElse}, not '${given}'`)
}
