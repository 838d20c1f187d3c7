import { once } from 'node:events'
import { createServer } from 'node:http'
import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { everything, operations } from '../src/app.ts'
import { ensureAppUser } from '../src/apps/apps/apps.ts'
import { createBucket } from '../src/apps/buckets/buckets.ts'
import { type Config, readConfig } from '../src/kernel/config.ts'
import { type Connection, openDatabase } from '../src/kernel/database/database.ts'
import { c, read, write } from '../src/kernel/database/statement.ts'
import { type Environment, schemaOf } from '../src/kernel/environment.ts'
import { appUser } from '../src/kernel/http/callers/callers.ts'
import { Nothing } from '../src/kernel/http/input/fields.ts'
import { operationsIn } from '../src/kernel/http/operation.ts'
import { success } from '../src/kernel/http/output/output.ts'
import { buildServer } from '../src/kernel/http/server.ts'
import { openSession, tokenPolicy } from '../src/kernel/sessions/sessions.ts'
import { openLog } from '../src/operations/platform/log.ts'
import { openEnvironments } from '../src/operations/platform/platform.ts'
import { addCredential } from '../src/records/credentials/managing.ts'
import { HOME, OBJECTS } from './growth-iris.ts'
import { startBareLearning } from './learning-bare.ts'
import { startBareStatements } from './statements-bare.ts'

/** Names of the measured servers. Each server is a process that runs this file with the name as its argument. */
export type ServerName =
  | 'bare'
  | 'fastify'
  | 'groundschool'
  | 'sign-in'
  | 'learning'
  | 'statements'
  | 'bare-statements'
  | 'growth'

export interface StartedServer {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
}

export interface Usage {
  readonly cpu: NodeJS.CpuUsage
  readonly rss: number
}

/** About 456 bytes of JSON, like a small document that an app stores. */
export const DOCUMENT = {
  title: 'Preflight notes',
  aircraft: 'N172SP',
  steps: Array.from({ length: 12 }, (_, i) => ({ step: i, done: i % 2 === 0 })),
  counter: 0,
}
const BODY = JSON.stringify({ id: 'bench', users: ['u'], public: false, data: DOCUMENT, version: 1 })
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

async function startBare(): Promise<StartedServer> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { ...JSON_HEADERS, 'content-length': Buffer.byteLength(BODY) })
    response.end(BODY)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, headers: {} }
}

const selectRow = read('bench.select', {
  params: { id: c.text },
  row: { data: c.json },
  text: 'select data from bench_rows where id = :id',
})
const updateRow = write('bench.update', {
  params: { id: c.text, data: c.json },
  row: { data: c.json },
  text: 'update bench_rows set data = :data where id = :id returning data',
})

/** Starts Fastify with one SQL statement by primary key per request, through the platform's driver. */
async function startFastify(connection: Connection): Promise<StartedServer> {
  const db = await openDatabase({
    connection,
    schema: 'bench',
    poolSize: 10,
    readConnections: 2,
    statementTimeoutMs: 10_000,
    onProblem: () => {},
  })
  const server = fastify({ logger: false })
  server.get('/row', async (_request, reply) => {
    const row = await db.first(selectRow, { id: 'bench' })
    return reply.headers(JSON_HEADERS).send(row?.data)
  })
  server.post('/row', async (request, reply) => {
    const { id, value } = request.body as { id: string; value: unknown }
    const row = await db.first(updateRow, { id, data: JSON.stringify({ ...DOCUMENT, counter: value }) })
    return reply.headers(JSON_HEADERS).send(row?.data)
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: (server.server.address() as AddressInfo).port, headers: {} }
}

const op = operationsIn({ area: 'Benchmark', who: appUser })

const checkTokenOnly = op('GET /bench/token', {
  name: 'checkTokenOnly',
  summary: 'Checks the token and does nothing else',
  description: 'For measuring what every operation costs.',
  input: Nothing,
  output: success(),
  run: async () => {},
})

/** Settings without effective rate limits, because the load comes from one address, one app and few people. */
export const UNLIMITED = {
  RATE_TOKEN_PER_SECOND: '1000000',
  RATE_TOKEN_BURST: '10000000',
  RATE_CLIENT_PER_SECOND: '1000000',
  RATE_CLIENT_BURST: '10000000',
  RATE_ADDRESS_PER_SECOND: '1000000',
  RATE_ADDRESS_BURST: '10000000',
  RATE_SEARCH_PER_SECOND: '1000000',
  RATE_SEARCH_BURST: '10000000',
}

export const benchConfig = (settings: Record<string, string> = {}): Config =>
  readConfig({
    SECRET_KEY: Buffer.alloc(32, 1).toString('base64url'),
    LOG_LEVEL: 'warn',
    ...UNLIMITED,
    ...settings,
  })

/** Size of a token cache that cannot hold the few thousand tokens that the load uses in turn. */
export const SMALL_TOKEN_CACHE = 1000

async function listen(
  connection: Connection,
  settings?: Record<string, string>,
): Promise<{ port: number; environment: Environment }> {
  const config = benchConfig(settings)
  const environments = await openEnvironments(config, connection, openLog(config), () => new Date())
  const environment = environments[0] as Environment
  const { server } = buildServer(environment, { ...everything, operations: [...operations, checkTokenOnly] })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, environment }
}

async function startGroundschool(connection: Connection, settings?: Record<string, string>): Promise<StartedServer> {
  const { port, environment } = await listen(connection, settings)
  return { port, headers: { authorization: `Bearer ${await prepareUser(environment)}` } }
}

/** Starts the platform, with the credentials of a record store key that has all scopes. */
async function startStatements(connection: Connection): Promise<StartedServer> {
  const { port, environment } = await listen(connection)
  const who = { at: new Date(), requestId: 'bench', address: '127.0.0.1' }
  const { key, secret } = await addCredential(environment.db, who, { name: 'bench', scopes: ['all'] }, environment)
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  return { port, headers: { authorization, 'x-experience-api-version': '1.0.3' } }
}

/** Starts the platform for callers who bring their own credentials, with the IRIs of growth-statements.ts. */
async function startGrowth(connection: Connection): Promise<StartedServer> {
  const { port } = await listen(connection, { XAPI_HOME_PAGE: HOME, XAPI_OBJECTS_BASE: OBJECTS })
  return { port, headers: {} }
}

/** Creates a session for the person of the benchmark, and the buckets that the load uses. Returns the access token. */
export async function prepareUser({ db, get }: Environment): Promise<string> {
  const at = new Date()
  const caller = { at, requestId: 'bench', address: '127.0.0.1' }
  const userId = await ensureAppUser(db, caller, { appId: 1, personId: 1 })
  const session = await openSession(
    db,
    caller,
    { appId: 1, personId: 1, userId, door: 'basic', device: '' },
    get(tokenPolicy),
  )
  const who = {
    ...caller,
    appId: 1,
    personId: 1,
    userId,
    sessionId: session.sessionId,
    isAnonymous: false,
    scopes: undefined,
    tokenExpiresAtMs: at.getTime() + 1e9,
    defaultCountry: 'US',
  }
  const shares = { userPercent: 100, anonymousPercent: 100 }
  const make = (id: string) => createBucket(db, who, { id, data: DOCUMENT }, shares).catch(() => {})
  await make('bench')
  for (let i = 0; i < 256; i++) await make(`bench-${i}`)
  return session.accessToken
}

export const BENCH_SQL = `
  create schema bench;
  create table bench.bench_rows (id text primary key, data json not null);
  insert into bench.bench_rows values ('bench', '${JSON.stringify(DOCUMENT)}');
  insert into bench.bench_rows select 'bench-' || n, '${JSON.stringify(DOCUMENT)}' from generate_series(0, 255) n;
  insert into ${schemaOf('production')}.people (handle, handle_key, created_at) values ('@bench', 'bench', now());
  insert into ${schemaOf('production')}.apps (client_id, name, status, created_at) values ('gs-bench', 'bench', 'approved', now());
  insert into ${schemaOf('production')}.app_storage (app_id, blocks_limit) values (1, 102400);`

// Other files import this one, so start a server only if this is the main module.
if (process.send && import.meta.main) {
  const [name, connection] = process.argv.slice(2) as [ServerName, string]
  const start: Record<ServerName, (connection: Connection) => Promise<StartedServer>> = {
    bare: startBare,
    fastify: startFastify,
    groundschool: startGroundschool,
    learning: startBareLearning,
    statements: startStatements,
    'bare-statements': startBareStatements,
    growth: startGrowth,
    'sign-in': (connection) => startGroundschool(connection, { TOKEN_CACHE_SIZE: String(SMALL_TOKEN_CACHE) }),
  }
  process.send({ ...(await start[name](JSON.parse(connection))), execArgv: process.execArgv })
  flushCompileCache()
  process.on('disconnect', () => process.exit())
  process.on('SIGINT', () => process.exit(0))
  process.on('message', () => {
    process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() } satisfies Usage)
  })
}
