import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { ensureAppUser, makeClientId } from './apps/apps.ts'
import { type EnvironmentName, readConfig } from './config.ts'
import type { Connection } from './database/database.ts'
import { runSql } from './database/test-database.ts'
import { type Environment, schemaOf } from './environment.ts'
import { openLog } from './log.ts'
import { type Platform, startPlatform } from './platform.ts'
import { openSession } from './sessions/sessions.ts'

/** The migrated database that `testApp` clones: two apps and six people in each environment, nobody with a password. */
export const TEMPLATE = 'groundschool_template'
const PEOPLE = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley'] as const
const APPS = ['first', 'second'] as const
export type Person = (typeof PEOPLE)[number]
export type AppName = (typeof APPS)[number]

const SECRET_KEY = Buffer.alloc(32, 'test').toString('base64url')

export async function seed(connection: Connection): Promise<void> {
  for (const environment of ['production', 'sandbox'] as const) {
    const people = PEOPLE.map((name) => `('@${name}', '${name}', now())`)
    const apps = APPS.map((name) => `('${makeClientId(environment, name)}', '${name}', 'approved', true, now())`)
    await runSql(
      connection,
      `set search_path to ${schemaOf(environment)};
       insert into people (handle, handle_key, created_at) values ${people.join()};
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
    const response = await fetch(`${this.address}${path}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      ...(body === undefined ? {} : { body: body as string }),
      headers: {
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...init.headers,
      },
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status: response.status, body: isJson ? JSON.parse(text) : undefined, text, headers: response.headers }
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
  /** Runs SQL as the operator would, in one environment. */
  sql(text: string, environment?: EnvironmentName): Promise<Record<string, unknown>[]>
  /** Moves the platform's clock. */
  advance(ms: number): void
  /** Another process's worth of platform on the same database. */
  startSecond(settings?: Record<string, string>): Promise<Platform>
  log(): string
}

/** A real platform on a fresh real database, with real HTTP; it closes itself, and its log is searched for secrets. */
export async function testApp(t: TestContext, settings: Record<string, string> = {}): Promise<TestApp> {
  const server = JSON.parse(process.env.GROUNDSCHOOL_TEST_DATABASE ?? 'null') as Connection | null
  assert.ok(server, 'run the tests with npm test')
  const database = `test_${randomBytes(6).toString('hex')}`
  await runSql(server, `create database ${database} template ${TEMPLATE}`)
  const connection = { ...server, database }

  const logFile = join(tmpdir(), `groundschool-${database}.log`)
  writeFileSync(logFile, '')
  const secrets: string[] = []
  let offsetMs = 0
  const clock = () => new Date(Date.now() + offsetMs)
  const start = (more: Record<string, string> = {}): Promise<Platform> => {
    const config = readConfig({
      PORT: '0',
      SANDBOX_PORT: '0',
      SECRET_KEY,
      LOG_LEVEL: 'trace',
      LOG_SAMPLE: '1',
      POOL_SIZE: '5',
      ...settings,
      ...more,
    })
    const log = openLog(config, { write: (line) => writeFileSync(logFile, line, { flag: 'a' }) })
    return startPlatform(config, connection, log, clock)
  }
  const platforms = [await start()]
  const platform = platforms[0]!

  t.after(async () => {
    await Promise.all(platforms.map((one) => one.stop()))
    await runSql(server, `drop database ${database} with (force)`)
    const log = readFileSync(logFile, 'utf8')
    rmSync(logFile)
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
      const { db, tokenPolicy } = environment(name)
      const [row] = await runSql(
        connection,
        `select a.id::int as app_id, p.id::int as person_id from ${schemaOf(name)}.apps a, ${schemaOf(name)}.people p
          where a.name = '${app}' and p.handle_key = '${person}'`,
      )
      const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
      const what = { appId: Number(row?.app_id), personId: Number(row?.person_id) }
      const userId = await ensureAppUser(db, who, what)
      const { accessToken } = await openSession(
        db,
        who,
        { ...what, userId, door: 'basic', device: 'test' },
        tokenPolicy,
      )
      secrets.push(accessToken)
      return new Client(addressOf(name), accessToken, userId)
    },
    sql: (text, name = 'production') =>
      runSql(connection, `set search_path to ${schemaOf(name)}; ${text}`).then((rows) => rows),
    advance: (ms) => {
      offsetMs += ms
    },
    startSecond: async (more) => {
      const second = await start(more)
      platforms.push(second)
      return second
    },
    log: () => readFileSync(logFile, 'utf8'),
  }
}

/** Asserts an error in our own shape: status, code, and both pairs of headers. */
export function assertError(answer: Answer, status: number, code: number, description?: RegExp): void {
  assert.deepEqual({ status: answer.status, code: answer.body?.error_code }, { status, code }, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['error_code', 'error_description'])
  assert.equal(answer.headers.get('errorcode'), String(code))
  assert.equal(answer.headers.get('error_code'), String(code))
  assert.ok(answer.headers.get('errordescription'))
  assert.equal(answer.headers.get('errordescription'), answer.headers.get('error_description'))
  assert.ok(answer.headers.get('x-request-id'))
  if (description) assert.match(answer.body.error_description, description)
}
