import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { call } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import type { Connection } from '../../kernel/database/database.ts'
import { createTestDatabase, until } from '../../kernel/database/test-database.ts'
import { launch, type Settings } from '../commands/testing.ts'
import { TestBrowser } from '../testing/browser.ts'
import { giveBack, takeDatabase } from '../testing/databases.ts'
import { databaseUrl, isReady } from '../testing/machine.ts'
import { findFreePort } from '../testing/ports.ts'
import { isLong } from '../testing/sizes.ts'
import { type Answer, Client } from '../testing/testing.ts'
import { migrateAll } from './platform.ts'
import { checkOutRelease, startBalancer } from './testing-release.ts'

const APP = { client_id: 'gs-demo-app', client_secret: 'gs-demo-secret' }
const STORE_KEY = `Basic ${Buffer.from('gs_key_demo-record-store-key1:gs-demo-secret').toString('base64')}`
/** A start takes a few seconds, and much longer beside other tests on a busy machine. */
const START_MS = 150_000
const VERSION = { 'x-experience-api-version': '1.0.3' }

/** Expects success, and returns the body. */
async function done(answer: Promise<Answer>) {
  const { status, text, body } = await answer
  assert.equal(status, 200, text)
  return body
}

/** Starts the platform of a folder, or of this version, on the database, and waits until it is ready. */
async function startProcess(settings: Settings, folder?: string) {
  const [PORT, SANDBOX_PORT] = [String(await findFreePort()), String(await findFreePort())]
  const program = folder === undefined ? undefined : [join(folder, 'bin/groundschool.js')]
  const { child, output, ended } = launch(['start'], { ...settings, PORT, SANDBOX_PORT }, program)
  const address = `http://127.0.0.1:${PORT}`
  const isUp = async () => {
    assert.equal(child.exitCode, null, output.err + output.out)
    return isReady(new Client(address))
  }
  await until(`the platform is ready: ${output.err}`, isUp, START_MS)
  return {
    address,
    stop: async () => {
      child.kill('SIGTERM')
      return (await ended).code
    },
  }
}

async function signIn(address: string, handle: string) {
  const authorization = `Basic ${Buffer.from(`${handle}:groundschool`).toString('base64')}`
  const answer = await new Client(address).get('/auth/basic', undefined, { authorization, clientid: APP.client_id })
  assert.equal(answer.status, 200, answer.text)
  return { access: answer.headers.get('access_token')!, refresh: answer.headers.get('refresh_token')! }
}

async function openPages(address: string, handle: string): Promise<TestBrowser> {
  const browser = new TestBrowser(address)
  await done(call(browser, 'POST', '/account/v1/signin', { handle, password: 'groundschool' }))
  return browser
}

/** The same browser at another process. */
function at(address: string, { cookies }: TestBrowser): TestBrowser {
  const browser = new TestBrowser(address)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

/** Begins everything at one process and continues it at the other. */
async function workOnBoth(one: string, other: string, who: { handle: string; student: string; homePage: string }) {
  const { handle, student, homePage } = who
  const session = await signIn(one, handle)
  const first = { grant_type: 'refresh_token', refresh_token: session.refresh, ...APP }
  const { access_token } = await done(new Client(other).post('/oauth/token', first))
  const [here, there] = [new Client(one, access_token), new Client(other, access_token)]

  const id = `of-${student}`
  await done(here.put('/app/v1/bucket', { id, data: { a: 1 } }, { 'idempotency-key': id }))
  await done(there.put('/app/v1/bucket', { id, data: { a: 1 } }, { 'idempotency-key': id }))
  await done(there.post('/app/v1/bucket', { id, key: 'b', value: 2 }))
  assert.deepEqual((await done(here.get('/app/v1/bucket', { id }))).data, { a: 1, b: 2 })

  const lesson = { lessonId: 'lesson-walkaround', classId: 'class-alpha' }
  await done(here.post('/edu/v1/lesson/progress/start', lesson))
  await done(there.post('/edu/v1/lesson/progress', { ...lesson, complete: true, score: 92, pass: true }))
  const casey = await openPages(one, '@casey')
  const grade = {
    lessonId: lesson.lessonId,
    studentId: student,
    pass: false,
    score: 60,
    reason: 'A tyre was forgotten.',
  }
  await done(call(at(other, casey), 'POST', '/edu/v1/lesson/progress/grade', grade))
  assert.equal((await done(here.get('/edu/v1/lesson/progress', lesson))).score, 60)

  const account = { homePage, name: handle }
  const verb = { id: 'http://adlnet.gov/expapi/verbs/experienced' }
  const statement = { actor: { account }, verb, object: { id: 'https://school.example/crosswind' } }
  const [byKey, elsewhere] = [new Client(one, STORE_KEY), new Client(other, STORE_KEY)]
  const [statementId] = await done(byKey.post('/xapi/statements', [statement], VERSION))
  assert.equal((await done(elsewhere.get('/xapi/statements', { statementId }, VERSION))).id, statementId)
  const repeated = await elsewhere.post('/xapi/statements', [{ ...statement, id: statementId }], VERSION)
  assert.equal(repeated.status, 200, 'the same statement is known at the other process')
  const object = {
    id: `${homePage}/xapi/objects/lesson`,
    definition: { name: { en: 'Walkaround' } },
    extensions: { [`${homePage}/xapi/api-id/lesson`]: 'lesson-walkaround' },
  }
  await done(there.post('/edu/v2/xapi/statement', { actor: { account }, verb, object }))

  const drew = await openPages(one, '@drew')
  const make = { clientId: APP.client_id, name: `Package of ${student}` }
  const { packageId } = await done(call(drew, 'PUT', '/plugin/v1/ato/package', make))
  const ask = { packageId, pluginClientId: 'gs-demo-ato' }
  const { requestId } = await done(call(at(other, drew), 'PUT', '/plugin/v1/ato/request', ask))
  assert.equal((await done(call(drew, 'GET', `/plugin/v1/ato/request?requestId=${requestId}`))).requestId, requestId)

  await done(here.post('/oauth/logout', {}))
  await until('the token is dead', async () => (await there.get('/oauth/token/validate')).status === 403, 2_000)
}

/** Reads and writes through the balancer until `stop` is called, and counts what was not answered with success. */
function drive(address: string, token: string) {
  const refused: string[] = []
  let [served, isOver] = [0, false]
  const work = async (n: number) => {
    const client = new Client(address, token)
    await done(client.put('/app/v1/bucket', { id: `load-${n}`, data: {} }))
    for (let i = 0; !isOver; i++) {
      const write = () => client.post('/app/v1/bucket', { id: `load-${n}`, key: 'i', value: i })
      const read = () => client.get('/app/v1/bucket', { id: `load-${n}` })
      for (const send of [write, read]) {
        const { status, text } = await send().catch((error: Error) => ({ status: 0, text: error.message }))
        if (status === 200) served++
        else refused.push(`${status} ${text}`)
        // The processes and the test share two processors.
        await delay(5)
      }
    }
  }
  const working = Promise.all([work(1), work(2), work(3), work(4)])
  return {
    refused,
    get served() {
      return served
    },
    stop: async () => {
      isOver = true
      await working
    },
  }
}

/** Runs the upkeep and the retention of the last release: in production as of now, in the sandbox two years later. */
async function tidyWith(folder: string, settings: Settings): Promise<void> {
  const from = (file: string) => JSON.stringify(join(folder, 'src', file))
  const script = `
    const { readConfig } = await import(${from('kernel/config.ts')})
    const { openEnvironments } = await import(${from('operations/platform/platform.ts')})
    const { openLog } = await import(${from('operations/platform/log.ts')})
    const { tidy } = await import(${from('operations/platform/upkeep.ts')})
    const config = readConfig()
    for (const [name, days] of [['production', 0], ['sandbox', 730]]) {
      const clock = () => new Date(Date.now() + days * 86_400_000)
      const connection = { connectionString: config.DATABASE_URL }
      const [environment] = await openEnvironments(config, connection, openLog(config), clock, { names: [name] })
      await tidy(environment)
      await environment.close()
    }`
  const { code, out, err } = await launch(['--input-type=module', '-e', script], settings, []).ended
  assert.equal(code, 0, out + err)
}

async function openDatabase(t: TestContext): Promise<{ connection: Connection; settings: Settings; port: number }> {
  const { connection, drop } = await createTestDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'groundschool-roll-'))
  t.after(async () => {
    rmSync(dataDir, { recursive: true, force: true })
    await drop()
  })
  const port = await findFreePort()
  const settings = {
    ...UNLIMITED,
    BASE_URL: `http://localhost:${port}`,
    SANDBOX_URL: `http://localhost:${await findFreePort()}`,
    DATABASE_URL: databaseUrl(connection),
    SECRET_KEY: Buffer.alloc(32, 'roll').toString('base64url'),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '1',
  }
  return { connection, settings, port }
}

const folder = await checkOutRelease({ after })

test('the last release works on the new schema, beside this one, and is replaced without a refused request', async (t) => {
  const { connection, settings, port } = await openDatabase(t)
  const old = await startProcess({ ...settings, DEMO: 'on' }, folder)

  // The database of the last release gets the migrations of this one while the last release is running on it.
  const { access } = await signIn(old.address, '@ellis')
  await migrateAll(connection)
  await done(new Client(old.address, access).get('/app/v1/bucket/list'))
  const [fresh, next] = await Promise.all([startProcess(settings), startProcess(settings)])

  const homePage = settings.BASE_URL!
  await workOnBoth(old.address, fresh.address, { handle: '@avery', student: 'student-avery', homePage })
  await workOnBoth(fresh.address, old.address, { handle: '@blake', student: 'student-blake', homePage })
  await tidyWith(folder, settings)

  const balancer = await startBalancer(t, port)
  const enter = async (address: string) => {
    balancer.add(address)
    await until(`${address} gets requests`, () => balancer.uses(address))
  }
  await enter(old.address)
  await enter(fresh.address)
  const load = drive(balancer.address, access)
  const someServed = async () => {
    const before = load.served
    await until('requests are served', () => load.served > before + 100, 30_000)
  }
  await someServed()
  assert.equal(await old.stop(), 0)
  assert.equal(balancer.uses(old.address), false)
  await someServed()
  const repeatedBefore = balancer.repeated

  // From this release on, a process leaves before it stops, so a balancer has nothing to repeat.
  await enter(next.address)
  assert.equal(await fresh.stop(), 0)
  await someServed()
  await load.stop()
  assert.deepEqual(load.refused, [])
  assert.equal(balancer.repeated, repeatedBefore, 'nothing was refused while a process left')
  await next.stop()
})

/**
 * Statements of the last release whose columns have changed, as `checkStatements` describes it, with the reason why they
 * still work while both releases run.
 */
const ACCEPTED: Readonly<Record<string, string>> = {
  'statements.readAttachment: column content can be null in its table, but is not declared nullable':
    'contents move to the file store a day after the migration at the earliest',
}

test('every statement of the last release fits the new schema', async (t) => {
  const connection = await takeDatabase()
  t.after(() => giveBack(connection))
  const from = (file: string) => JSON.stringify(join(folder, 'src', file))
  const script = `
    await import(${from('app.ts')})
    await import(${from('operations/commands/commands.ts')})
    const { checkStatements } = await import(${from('kernel/database/describe.ts')})
    const { listStatements } = await import(${from('kernel/database/statement.ts')})
    const statements = listStatements()
    const differences = await checkStatements(${JSON.stringify(connection)}, 'gs_production', statements)
    process.stdout.write(JSON.stringify({ count: statements.length, differences }))`
  const { code, out, err } = await launch(['--input-type=module', '-e', script], {}, []).ended
  assert.equal(code, 0, err)
  const { count, differences } = JSON.parse(out)
  assert.ok(count > 1_000, `${count} statements were found`)
  assert.deepEqual(differences, Object.keys(ACCEPTED))
})

test('every operation of the last release works on the new schema', { skip: !isLong }, async () => {
  // The tests of the last release take databases of this suite, which have the new schema.
  const settings = { ...process.env, NODE_TEST_CONTEXT: '' } as Settings
  const file = join(folder, 'src/operations/platform/examples-of-operations.test.ts')
  const { code, out, err } = await launch(['--test-force-exit', file], settings, []).ended
  assert.equal(code, 0, out + err)
})
