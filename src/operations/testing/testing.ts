import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { ensureAppUser, makeClientId } from '../../apps/apps/apps.ts'
import { SEARCH_VERSION, searchKeys } from '../../identity/people/search-keys.ts'
import { type EnvironmentName, readConfig } from '../../kernel/config.ts'
import { type Connection, hasCode } from '../../kernel/database/database.ts'
import { runSql } from '../../kernel/database/test-database.ts'
import { type Environment, schemaOf } from '../../kernel/environment.ts'
import { StartupError } from '../../kernel/errors.ts'
import { openSession, tokenPolicy } from '../../kernel/sessions/sessions.ts'
import { openLog } from '../platform/log.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { TestBrowser } from './browser.ts'
import { giveBack, takeDatabase } from './databases.ts'
import { ask } from './http.ts'
import { findFreePort } from './ports.ts'

/** Who is in the template that tests begin with, in each environment; nobody has a password. */
const PEOPLE = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley'] as const
const APPS = ['first', 'second'] as const
export type Person = (typeof PEOPLE)[number]
export type AppName = (typeof APPS)[number]

/** argon2id of `groundschool` with the smallest parameters there are: people sign in thousands of times, and a real hash takes 34 ms. */
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

/** Somebody who calls the platform over HTTP. */
export class Client {
  readonly address: string
  /** An access token; or a whole `Basic …`. */
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
    const { status, headers, text } = await ask(`${this.address}${path}${query.size > 0 ? `?${query}` : ''}`, {
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
  /** A person signed in to an app: by default to the first, in production. */
  as(person: Person, app?: AppName, environment?: EnvironmentName): Promise<Client>
  /** Nobody in particular. */
  nobody(environment?: EnvironmentName): Client
  environment(name?: EnvironmentName): Environment
  /** Gives a person the password `groundschool`. */
  givePassword(person: Person, environment?: EnvironmentName): Promise<void>
  /** A browser without a script engine: it keeps cookies, follows nothing by itself, and fills in forms. */
  visitor(environment?: EnvironmentName): TestBrowser
  /** Runs SQL as the operator would, in one environment. */
  sql(text: string, environment?: EnvironmentName): Promise<Record<string, unknown>[]>
  /** Moves the platform's clock. */
  advance(ms: number): void
  /** From now on that clock moves with `advance` alone, however long the test takes. */
  holdClock(): void
  /** Another process's worth of platform on the same database; its clock may be behind. */
  startSecond(settings?: Record<string, string>, behindMs?: number): Promise<Platform>
  log(): string
}

/** What a platform for tests lasts as long as: a test's context, or the file. */
interface Lifetime {
  after(end: () => Promise<void>): void
}

/** A real platform on a fresh real database, with real HTTP; it closes itself, and its log is searched for secrets. */
export async function testApp(t: Lifetime, settings: Record<string, string> = {}): Promise<TestApp> {
  const connection = await takeDatabase()
  // Opening a connection takes longer than most of what tests ask of it.
  const own = new pg.Pool({ ...connection, max: 5, idleTimeoutMillis: 0 }).on('error', () => {})
  const query = async (text: string, name: EnvironmentName): Promise<Record<string, unknown>[]> => {
    const send = () => own.query(`set search_path to ${schemaOf(name)}; ${text}`)
    // The platform is at work meanwhile, and its transactions are repeated after a deadlock too.
    const result = await send().catch((error) => (hasCode(error, '40P01') ? send() : Promise.reject(error)))
    return [result].flat().at(-1)!.rows
  }

  const lines: string[] = []
  // For what the platform writes to files: messages to people.
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
      ...settings,
      ...more,
    })
    const log = openLog(config, { write: (line) => lines.push(line) })
    return startPlatform(config, connection, log, () => new Date(clock().getTime() - behindMs))
  }
  // The platform knows its own address before it listens, as it does everywhere else.
  const startSomewhere = async () =>
    start({ PORT: String(await findFreePort()), SANDBOX_PORT: String(await findFreePort()), ...settings })
  // Between finding a port and listening there, somebody else may have come.
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
    // O16: no token, code, secret or password in any log line.
    assert.doesNotMatch(log, /gs_(sbx_)?[a-z]{2}_[\w-]{20}/)
    for (const secret of secrets) assert.ok(!log.includes(secret), 'a secret reached the log')
  })

  const environment = (name: EnvironmentName = 'production'): Environment =>
    platform.environments.find((one) => one.name === name)!
  const addressOf = (name: EnvironmentName): string => platform.addresses[name]

  return {
    platform,
    connection,
    address: addressOf('production'),
    sandboxAddress: addressOf('sandbox'),
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

/** One platform for all tests of a file: for those that do not disturb each other, because starting one takes longer than most tests. */
export const sharedApp = (settings?: Record<string, string>): Promise<TestApp> => testApp({ after }, settings)

/** How a refusal looks: our two fields; those with the name that OAuth has for it; or as RFC 6749 §5.2 has it, our code in the headers alone. */
const ERROR_SHAPES = {
  own: ['error_code', 'error_description'],
  oauth: ['error', 'error_code', 'error_description'],
  rfc: ['error', 'error_description'],
} as const
export type ErrorShape = keyof typeof ERROR_SHAPES

/** Asserts an error in one of our shapes: status, code, and both pairs of headers. */
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
  // Faults one by one, where an operation tells them.
  const { faults = [], ...rest } = body
  assert.deepEqual(Object.keys(rest), ERROR_SHAPES[shape])
  for (const fault of faults) assert.deepEqual(Object.keys(fault), ['pointer', 'rule', 'must'])
  if (shape !== 'own') assert.match(body.error, /^[a-z_]+$/)
  assert.equal(headers.get('errorcode'), String(code))
  assert.equal(headers.get('error_code'), String(code))
  assert.ok(headers.get('errordescription'))
  assert.equal(headers.get('errordescription'), headers.get('error_description'))
  assert.ok(headers.get('x-request-id'))
  if (description) assert.match(body.error_description, description)
}
