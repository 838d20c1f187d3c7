import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Logger } from 'pino'
import { everything, rooms } from '../../app.ts'
import { readHere } from '../../apps/account/here.ts'
import { type Config, ENVIRONMENTS, type EnvironmentName } from '../../kernel/config.ts'
import { buildContentHosts } from '../../kernel/content-hosts.ts'
import { type Connection, type Db, openDatabase } from '../../kernel/database/database.ts'
import { startEmbedded } from '../../kernel/database/embedded/embedded.ts'
import { migrate } from '../../kernel/database/migrate.ts'
import { type Clock, type Environment, openEnvironment, schemaOf } from '../../kernel/environment.ts'
import { StartupError } from '../../kernel/errors.ts'
import { startConsumers } from '../../kernel/events/consumers.ts'
import { forgetting } from '../../kernel/forget.ts'
import { frontReader } from '../../kernel/http/pages/web-app.ts'
import { prepareRoutes } from '../../kernel/http/route-table.ts'
import { buildServer, type HttpServer } from '../../kernel/http/server.ts'
import { importSections } from '../../kernel/imports/section.ts'
import { checkSecretKey, refuseNewKey } from '../../kernel/installation/installation.ts'
import { startJobs } from '../../kernel/jobs/runner.ts'
import { startTasks } from '../../kernel/jobs/tasks.ts'
import { allRooms } from '../../kernel/room.ts'
import { findSecretKeys, readSecretKeys } from '../../kernel/secret-keys.ts'
import { shareSettings } from '../../kernel/shares/shares.ts'
import { FORGETTING } from './forgetting.ts'
import { IMPORT_SECTIONS } from './import-sections.ts'
import { tasksOf } from './upkeep.ts'

/** A running PostgreSQL server, embedded or external. */
export interface RunningDatabase {
  readonly connection: Connection
  readonly isNew: boolean
  stop(): Promise<void>
}

/** Returns the database of DATABASE_URL, or starts the embedded database. */
export async function openServer(config: Config, log: Logger): Promise<RunningDatabase> {
  if (config.DATABASE_URL)
    return { connection: { connectionString: config.DATABASE_URL }, isNew: false, stop: async () => {} }
  return startEmbedded({ dataDir: config.DATA_DIR, log: (level, message, detail) => log[level](detail ?? {}, message) })
}

/** Does what `startPlatform` would have to do otherwise, without the database. */
export const prepareServers = (): Promise<void> => prepareRoutes(everything)

/** Migrates the schemas of all environments to this version. */
export async function migrateAll(connection: Connection): Promise<Record<EnvironmentName, string[]>> {
  const [production, sandbox] = await Promise.all(ENVIRONMENTS.map((name) => migrate(connection, schemaOf(name))))
  return { production: production!.applied, sandbox: sandbox!.applied }
}

interface OpenOptions {
  /** Names of the environments to open; both by default. */
  readonly names?: readonly EnvironmentName[]
  /** Finds the public URL of an environment, for commands whose settings may not contain it. */
  readonly findUrl?: (db: Db) => Promise<string | undefined>
  /** If true, a missing secret key is created, and its fingerprint is stored in a new database. */
  readonly mayMakeKey?: boolean
}

/** Opens environments on a migrated database. */
export async function openEnvironments(
  config: Config,
  connection: Connection,
  log: Logger,
  clock: Clock,
  { names = ENVIRONMENTS, findUrl, mayMakeKey = true }: OpenOptions = {},
): Promise<Environment[]> {
  const opened = await Promise.all(
    names.map(async (name) => {
      const own = log.child({ environment: name })
      const db = await openDatabase({
        connection,
        schema: schemaOf(name),
        poolSize: config.POOL_SIZE,
        readConnections: config.READ_CONNECTIONS,
        statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
        waitMs: config.DATABASE_WAIT_SECONDS * 1000,
        standby: config.DATABASE_READ_URL
          ? {
              connection: { connectionString: config.DATABASE_READ_URL },
              lagMs: config.DATABASE_READ_LAG_SECONDS * 1000,
            }
          : undefined,
        applicationName: `groundschool ${name}`,
        settings: shareSettings(config),
        onProblem: (problem) => own.warn({ problem: problem.message }, 'database connection error'),
      })
      return { name, db, log: own }
    }),
  )
  try {
    let secretKeys = findSecretKeys(config)
    if (!secretKeys && mayMakeKey) {
      for (const { db } of opened) await refuseNewKey(db)
      secretKeys = readSecretKeys(config)
    }
    return await Promise.all(
      opened.map(async ({ name, db, log }) => {
        if (secretKeys) await checkSecretKey(db, { secretKeys, environment: name, isKept: mayMakeKey })
        const environment = openEnvironment({ name, url: await findUrl?.(db), config, db, log, clock, secretKeys })
        environment.provide(allRooms, rooms)
        environment.provide(forgetting, FORGETTING)
        environment.provide(importSections, IMPORT_SECTIONS)
        environment.provide(frontReader, () => readHere(db, { person: undefined }, environment))
        return environment
      }),
    )
  } catch (problem) {
    await Promise.all(opened.map(({ db }) => db.close()))
    throw problem
  }
}

export interface Platform {
  readonly environments: readonly Environment[]
  /** The address on which each environment listens. */
  readonly addresses: Readonly<Record<EnvironmentName, string>>
  /** Reports "not ready", so that load balancers send requests elsewhere, and still serves those that arrive. */
  leave(): void
  /** Refuses new work, finishes running work, and closes everything. Further calls wait for the first call. */
  stop(): Promise<void>
}

/** Serves both environments on a migrated database. */
export async function startPlatform(
  config: Config,
  connection: Connection,
  log: Logger,
  clock: Clock,
  names: readonly EnvironmentName[] = ENVIRONMENTS,
): Promise<Platform> {
  const environments = await openEnvironments(config, connection, log, clock, { names })
  const closeEnvironments = () => Promise.all(environments.map((environment) => environment.close()))
  const listeners = await serve(config, environments).catch(async (problem: unknown) => {
    await closeEnvironments()
    throw problem
  })
  const background = environments.flatMap((environment) => [
    startTasks(environment, tasksOf(rooms)),
    startConsumers(
      environment,
      rooms.flatMap(({ consumers = [] }) => consumers),
    ),
    startJobs(
      environment,
      rooms.flatMap(({ jobs = [] }) => jobs),
    ),
  ])
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    for (const environment of environments) environment.stop()
    await Promise.all([
      ...listeners.map((listener) => drain(listener, config.STOP_SECONDS * 1000)),
      ...background.map((work) => work.stop()),
    ])
    await closeEnvironments()
  }
  const addresses = environments.map(({ name }, i) => [name, addressOf(listeners[i] ?? listeners[0]!)])
  return {
    environments,
    addresses: Object.fromEntries(addresses),
    leave: () => {
      for (const environment of environments) environment.leave()
    },
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Starts all modules, and opens a listener for each environment, or one listener if both share a port. */
async function serve(config: Config, environments: readonly Environment[]): Promise<Listener[]> {
  await Promise.all(environments.flatMap((environment) => rooms.map((room) => room.start?.(environment))))
  const servers = environments.map((environment) => buildServer(environment, everything))
  const isShared = servers.length > 1 && config.PORT !== 0 && config.PORT === config.SANDBOX_PORT
  if (isShared) return [await listenForBoth(config, servers)]
  const listeners: Listener[] = []
  for (const [i, { name }] of environments.entries())
    listeners.push(
      await open(servers[i]!.server, name === 'production' ? config.PORT : config.SANDBOX_PORT, config.HOST),
    )
  return listeners
}

interface Listener {
  readonly server: Server
  readonly connections: ReadonlySet<Socket>
}

/**
 * During shutdown, an open connection without a request is closed after this time. Browsers and proxies open
 * connections in advance, and Node does not count these as idle.
 */
const SILENCE_MS = 500

/** Listens on one port for both environments. The host name of a request decides which environment serves it. */
function listenForBoth(config: Config, [production, sandbox]: readonly HttpServer[]): Promise<Listener> {
  if (!production || !sandbox) throw new Error('Both environments are needed')
  const sandboxName = new URL(config.SANDBOX_URL).hostname
  const isSandboxContent = buildContentHosts(config.SANDBOX_CONTENT_URL)
  // The production server accepts all connections, so that its handling of broken requests and slow clients applies to
  // both environments.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    production.server.removeAllListeners(event)
    production.server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const name = URL.parse(`http://${request.headers.host}`)?.hostname.replace(/\.$/, '')
      const isForSandbox = name !== undefined && (name === sandboxName || isSandboxContent(name))
      ;(isForSandbox ? sandbox : production).handle(request, response)
    })
  }
  return open(production.server, config.PORT, config.HOST)
}

const open = (server: Server, port: number, host: string): Promise<Listener> =>
  new Promise((resolve, reject) => {
    const connections = new Set<Socket>()
    server.on('connection', (connection: Socket) => {
      connections.add(connection)
      connection.once('close', () => connections.delete(connection))
    })
    server.once('error', (problem: NodeJS.ErrnoException) => reject(explainListen(problem, port, host)))
    server.listen({ port, host, backlog: 1024 }, () => resolve({ server, connections }))
  })

export function explainListen(problem: NodeJS.ErrnoException, port: number, host: string): StartupError {
  if (problem.code === 'EADDRINUSE')
    return new StartupError(
      `Port ${port} is in use: stop the program that uses it, or set PORT and SANDBOX_PORT to other ports`,
    )
  if (problem.code === 'EACCES') return new StartupError(`This user cannot open port ${port}: choose one above 1023`)
  return new StartupError(`Cannot listen on ${host}:${port} (${problem.code}): check HOST and PORT`)
}

const addressOf = ({ server }: Listener): string => {
  const { address, port, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Waits for running requests to end. Connections that are still open at the time limit are closed. */
const drain = ({ server, connections }: Listener, limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), limitMs)
    // A connection only becomes idle after its last response has been sent, so this is repeated.
    const sweep = setInterval(() => server.closeIdleConnections(), 100)
    const cutSilent = setTimeout(() => {
      for (const connection of connections) if (connection.bytesRead === 0) connection.destroy()
    }, SILENCE_MS)
    server.close(() => {
      clearTimeout(cut)
      clearTimeout(cutSilent)
      clearInterval(sweep)
      resolve()
    })
    server.closeIdleConnections()
  })
