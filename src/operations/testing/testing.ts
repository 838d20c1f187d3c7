import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { ensureAppUser, makeClientId } from '../../apps/apps/apps.ts'
import { hashCost } from '../../identity/people/passwords.ts'
import { SEARCH_VERSION, searchKeys } from '../../identity/people/search-keys.ts'
import { ENVIRONMENTS, type EnvironmentName, readConfig } from '../../kernel/config.ts'
import { type Connection, hasCode } from '../../kernel/database/database.ts'
import { runSql } from '../../kernel/database/test-database.ts'
import { type Environment, schemaOf } from '../../kernel/environment.ts'
import { StartupError } from '../../kernel/errors.ts'
import { openSession, tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { openLog } from '../platform/log.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { reuseBackends } from './backends.ts'
import { TestBrowser } from './browser.ts'
import { giveBack, takeDatabase } from './databases.ts'
import { count } from './figures.ts'
import { sendRequest } from './http.ts'
import { findFreePort } from './ports.ts'
import { atProcessEnd, oncePerProcess } from './process-end.ts'

/** The people in each environment of the template database. None of them has a password. */
const PEOPLE = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley'] as const
const APPS = ['first', 'second'] as const
export type Person = (typeof PEOPLE)[number]
export type AppName = (typeof APPS)[number]

const FULL_HASH_COST = { ...hashCost }
/**
 * The lowest cost parameters of argon2. Tests sign people in thousands of times, and a hash at full cost takes 34 ms.
 */
const LOW_HASH_COST = { memory: 8, passes: 1, parallelism: 1 }
Object.assign(hashCost, LOW_HASH_COST)
/** The hash of the password `groundschool`. */
const PASSWORD_HASH = '$argon2id$v=19$m=8,t=1,p=1$dGVzdHN0ZXN0c3Rlc3RzdA$m9MaYagVVT5Ux/OGWX1WmuE/Yh/M0+ClyAJHP7QPkPE'
export const SECRET_KEY = Buffer.alloc(32, 'test').toString('base64url')

export async function seed(connection: Connection): Promise<void> {
  for (const environment of ['production', 'sandbox'] as const) {
    const keysOf = (handle: string) => searchKeys({ handle, firstName: '', lastName: '' }).join()
    const people = PEOPLE.map((name) => `('@${name}', '${name}', '{${keysOf(name)}}', ${SEARCH_VERSION}, now())`)
    const apps = APPS.map((name) => `('${makeClientId(environment, name)}', '${name}', 'approved', true, now())`)
    await runSql(
      connection,
      `set search_path to ${schemaOf(environment)};
       insert into people (handle, handle_key, search_keys, search_version, created_at) values ${people.join()};
       insert into installation (name, value) select 'demo-person-' || id, 'test' from people where handle <> '@finley';
       insert into apps (client_id, name, status, basic_enabled, created_at) values ${apps.join()};
       insert into app_storage (app_id, blocks_limit) select id, 102400 from apps;`,
    )
  }
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any
  readonly text: string
  readonly headers: Headers
}

type Fields = Record<string, unknown>
type HeaderFields = Record<string, string>

/** Makes password hashing as slow as in production until the test ends. */
export function hashAtFullCost(t: { after(end: () => void): void }): void {
  Object.assign(hashCost, FULL_HASH_COST)
  t.after(() => void Object.assign(hashCost, LOW_HASH_COST))
}

/** A client that calls the platform over HTTP. */
export class Client {
  readonly address: string
  /** An access token, or a complete Authorization header that begins with `Basic`. */
  readonly token: string | undefined
  readonly userId: string

  constructor(address: string, token?: string, userId = '') {
    this.address = address
    this.token = token
    this.userId = userId
  }

  async send(
    method: string,
    path: string,
    init: { query?: Fields; body?: unknown; raw?: string | Buffer; headers?: HeaderFields } = {},
  ): Promise<Answer> {
    const query = new URLSearchParams(
      Object.entries(init.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const body = init.raw ?? (init.body === undefined ? undefined : JSON.stringify(init.body))
    const authorization = this.token?.startsWith('Basic ') ? this.token : `Bearer ${this.token}`
    const { status, headers, text } = await sendRequest(`${this.address}${path}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      ...(body === undefined ? {} : { body }),
      headers: {
        ...(this.token ? { authorization } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...init.headers,
      },
    })
    const isJson = headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status, body: isJson ? JSON.parse(text) : undefined, text, headers }
  }

  get = (path: string, query?: Fields, headers?: HeaderFields) =>
    this.send('GET', path, { ...(query ? { query } : {}), ...(headers ? { headers } : {}) })
  put = (path: string, body?: unknown, headers?: HeaderFields) =>
    this.send('PUT', path, { body, ...(headers ? { headers } : {}) })
  post = (path: string, body?: unknown, headers?: HeaderFields) =>
    this.send('POST', path, { body, ...(headers ? { headers } : {}) })
  delete = (path: string, body?: unknown, headers?: HeaderFields) =>
    this.send('DELETE', path, { body, ...(headers ? { headers } : {}) })
}

export interface TestApp {
  readonly platform: Platform
  readonly connection: Connection
  readonly address: string
  readonly sandboxAddress: string
  /** Signs a person in to an app: by default to the first app, in production. */
  as(person: Person, app?: AppName, environment?: EnvironmentName): Promise<Client>
  /** Returns an anonymous client. */
  nobody(environment?: EnvironmentName): Client
  environment(name?: EnvironmentName): Environment
  /** Gives a person the password `groundschool`. */
  givePassword(person: Person, environment?: EnvironmentName): Promise<void>
  /** Returns a simulated browser without scripts: it stores cookies, posts forms and does not follow redirects. */
  visitor(environment?: EnvironmentName): TestBrowser
  /** Runs SQL in one environment, as an operator could. */
  sql(text: string, environment?: EnvironmentName): Promise<Record<string, unknown>[]>
  /** Advances the platform's clock. */
  advance(ms: number): void
  /** Stops the platform's clock. After that, only `advance` changes it. */
  holdClock(): void
  /** Starts a second platform on the same database, like another server process. Its clock is `behindMs` behind. */
  startSecond(settings?: Record<string, string>, behindMs?: number): Promise<Platform>
  log(): string
}

/** A test or a file, at whose end a platform is stopped. */
interface Lifetime {
  after(end: () => Promise<void>): void
}

interface TestAppOptions {
  /** If true, the sandbox is opened too, which costs as much time as production. */
  readonly withSandbox?: boolean
}

/**
 * Starts a platform with HTTP on a database in its initial state. At the end of the test the platform is stopped, and
 * its log is searched for secrets.
 */
export async function testApp(
  t: Lifetime,
  settings: Record<string, string> = {},
  { withSandbox = false }: TestAppOptions = {},
): Promise<TestApp> {
  const connection = await takeDatabase()
  // Uses a pool, because opening a connection takes longer than most SQL statements in tests.
  const reusing = reuseBackends(connection)
  const own = new pg.Pool({ ...reusing, max: 5, idleTimeoutMillis: 0 }).on('error', () => {})
  const query = async (text: string, name: EnvironmentName): Promise<Record<string, unknown>[]> => {
    const send = () => own.query(`set search_path to ${schemaOf(name)}; ${text}`)
    // The platform runs concurrently, so a statement may deadlock. It is retried, as the platform retries its own
    // transactions.
    const result = await send().catch((error) => (hasCode(error, '40P01') ? send() : Promise.reject(error)))
    return [result].flat().at(-1)!.rows
  }

  const lines: string[] = []
  // The platform writes messages to people as files in this directory.
  const dataDir = mkdtempSync(join(tmpdir(), 'groundschool-data-'))
  const secrets: string[] = []
  let offsetMs = 0
  let heldMs: number | undefined
  const clock = () => new Date((heldMs ?? Date.now()) + offsetMs)
  const start = (more: Record<string, string> = {}, behindMs = 0): Promise<Platform> => {
    const config = readConfig({
      PORT: '0',
      SANDBOX_PORT: '0',
      SECRET_KEY,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'trace',
      LOG_SAMPLE: '1',
      POOL_SIZE: '5',
      // The results must not depend on how full the disk of this machine is.
      DISK_RESERVE_BYTES: '0',
      SANDBOX_DISK_RESERVE_BYTES: '0',
      ...settings,
      ...more,
    })
    const log = openLog(config, { write: (line) => lines.push(line) })
    count('platforms')
    return startPlatform(
      config,
      reusing,
      log,
      () => new Date(clock().getTime() - behindMs),
      withSandbox ? ENVIRONMENTS : ['production'],
    )
  }
  // The ports are chosen in advance, because a platform in production also knows its address before it listens.
  const startSomewhere = async () =>
    start({ PORT: String(await findFreePort()), SANDBOX_PORT: String(await findFreePort()), ...settings })
  // Another process may take the port after it was found to be free and before the platform listens.
  const isTaken = (error: unknown) => error instanceof StartupError && /is in use/.test(error.message)
  const platforms = [
    await startSomewhere().catch((error) => (isTaken(error) ? startSomewhere() : Promise.reject(error))),
  ]
  const platform = platforms[0]!

  t.after(async () => {
    await Promise.all([...platforms.map((one) => one.stop()), own.end()])
    await giveBack(connection)
    const log = lines.join('')
    rmSync(dataDir, { recursive: true, force: true })
    // O16: no log line may contain a token, code, secret or password.
    assert.doesNotMatch(log, /gs_(sbx_)?[a-z]{2}_[\w-]{20}/)
    for (const secret of secrets) assert.ok(!log.includes(secret), 'a secret reached the log')
  })

  const environment = (name: EnvironmentName = 'production'): Environment => {
    const found = platform.environments.find((one) => one.name === name)
    assert.ok(found, `this platform has no ${name}: testApp(t, {}, { withSandbox: true })`)
    return found
  }
  const addressOf = (name: EnvironmentName): string => platform.addresses[environment(name).name]

  return {
    platform,
    connection,
    address: addressOf('production'),
    get sandboxAddress() {
      return addressOf('sandbox')
    },
    environment,
    nobody: (name = 'production') => new Client(addressOf(name)),
    as: async (person, app = 'first', name = 'production') => {
      const { db, get } = environment(name)
      const [row] = await query(
        `select a.id::int as app_id, p.id::int as person_id from apps a, people p
          where a.name = '${app}' and p.handle_key = '${person}'`,
        name,
      )
      const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
      const what = { appId: Number(row?.app_id), personId: Number(row?.person_id) }
      const userId = await ensureAppUser(db, who, what)
      const { accessToken } = await openSession(
        db,
        who,
        { ...what, userId, door: 'basic', device: 'test' },
        get(tokenPolicy),
      )
      secrets.push(accessToken)
      return new Client(addressOf(name), accessToken, userId)
    },
    givePassword: async (person, name = 'production') => {
      await query(`update people set password_hash = '${PASSWORD_HASH}' where handle_key = '${person}'`, name)
    },
    visitor: (name = 'production') => new TestBrowser(addressOf(name)),
    sql: (text, name = 'production') => query(text, name),
    advance: (ms) => {
      offsetMs += ms
    },
    holdClock: () => {
      heldMs = Date.now()
    },
    startSecond: async (more, behindMs) => {
      const second = await start(more, behindMs)
      platforms.push(second)
      return second
    },
    log: () => lines.join(''),
  }
}

/** Starts one platform for all tests of a file. The tests must not disturb each other. */
export const sharedApp = (settings?: Record<string, string>, options?: TestAppOptions): Promise<TestApp> =>
  testApp({ after }, settings, options)

/** Starts one platform for all test files of a process that import the module which calls this function. */
export const processApp = (settings?: Record<string, string>, options?: TestAppOptions): PromiseLike<TestApp> =>
  oncePerProcess(() => testApp({ after: atProcessEnd }, settings, options))

/**
 * Fields of each form of error body: our own, our own with the OAuth error name, and those of RFC 6749 §5.2, where our
 * code is only in the headers.
 */
const ERROR_SHAPES = {
  own: ['error_code', 'error_description'],
  oauth: ['error', 'error_code', 'error_description'],
  rfc: ['error', 'error_description'],
} as const
export type ErrorShape = keyof typeof ERROR_SHAPES

/** Asserts that a response is an error in one of our forms: status, code, and both pairs of headers. */
export function assertError(
  answer: Answer,
  status: number,
  code: number,
  description?: RegExp,
  shape: ErrorShape = 'own',
): void {
  const { headers, body, text } = answer
  const told = shape === 'rfc' ? Number(headers.get('errorcode')) : body?.error_code
  assert.deepEqual({ status: answer.status, code: told }, { status, code }, text)
  const { faults = [], ...rest } = body
  assert.deepEqual(Object.keys(rest), ERROR_SHAPES[shape])
  // Faults of xAPI statements name the rule of the specification, faults of courses have a sentence for the author.
  for (const fault of faults)
    assert.deepEqual(
      Object.keys(fault),
      ['pointer', 'rule', 'must', 'message'].filter((name) => !['rule', 'message'].includes(name) || name in fault),
    )
  if (shape !== 'own') assert.match(body.error, /^[a-z_]+$/)
  assert.equal(headers.get('errorcode'), String(code))
  assert.equal(headers.get('error_code'), String(code))
  assert.ok(headers.get('errordescription'))
  assert.equal(headers.get('errordescription'), headers.get('error_description'))
  assert.ok(headers.get('x-request-id'))
  if (description) assert.match(body.error_description, description)
}
