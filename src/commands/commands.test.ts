import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Connection } from '../database/database.ts'
import { runSql } from '../database/test-database.ts'
import { Client, TEMPLATE } from '../testing.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const DEMO = fileURLToPath(new URL('../../demo/demo.json', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'groundschool-commands-'))
const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(place, { recursive: true, force: true, maxRetries: 10 })
})

type Settings = Record<string, string>

function launch(args: string[], settings: Settings) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings }
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  children.add(child)
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  const ended = once(child, 'close').then(([code]) => {
    children.delete(child)
    return { code: code as number, ...output }
  })
  return { child, output, ended }
}

async function run(args: string[], settings: Settings = {}, input = '') {
  const { child, ended } = launch(args, settings)
  child.stdin.end(input)
  return ended
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return String(port)
}

async function startIn(dataDir: string, more: Settings = {}) {
  const [PORT, SANDBOX_PORT] = [await freePort(), await freePort()]
  const settings = { DATA_DIR: dataDir, PORT, SANDBOX_PORT, ...more }
  const startedAt = performance.now()
  const { child, output, ended } = launch(['start'], settings)
  while (!output.err.includes('Ctrl-C')) {
    assert.equal(child.exitCode, null, output.err)
    assert.ok(performance.now() - startedAt < 60_000, 'it did not start')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    settings,
    child,
    output,
    ended,
    production: new Client(`http://localhost:${PORT}`),
    sandbox: new Client(`http://localhost:${SANDBOX_PORT}`),
  }
}

const signIn = async (client: Client, clientId: string, credentials: string): Promise<Client> => {
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  const answer = await client.get('/auth/basic', undefined, { authorization, clientid: clientId })
  assert.equal(answer.status, 200, answer.text)
  return new Client(client.address, answer.headers.get('access_token')!)
}

/** Command lines of all processes that mention a directory; none where the system has no /proc. */
const processesIn = (directory: string): string[] =>
  !existsSync('/proc')
    ? []
    : readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
          } catch {
            return ''
          }
        })
        .filter((command) => command.includes(directory))

/** A clone of the suite's template, reached as an operator's own PostgreSQL would be. */
async function ownDatabase(): Promise<{ settings: Settings; drop(): Promise<unknown> }> {
  const server = JSON.parse(process.env.GROUNDSCHOOL_TEST_DATABASE!) as Connection
  const database = `test_${randomBytes(6).toString('hex')}`
  await runSql(server, `create database ${database} template ${TEMPLATE}`)
  const DATABASE_URL = `postgres://${server.user}@localhost:${server.port}/${database}?host=${encodeURIComponent(server.host!)}`
  return {
    settings: { DATABASE_URL, SECRET_KEY: Buffer.alloc(32, 'commands').toString('base64url') },
    drop: () => runSql(server, `drop database ${database} with (force)`),
  }
}

const COMMANDS = [
  ['start'],
  ['migrate'],
  ['import', 'FILE'],
  ['backup', 'FILE'],
  ['restore', 'FILE'],
  ...['add', 'password', 'disable', 'enable'].map((verb) => [`user ${verb}`, 'HANDLE']),
  ['user list'],
  ['app add', 'KEY'],
  ['app secret', 'KEY'],
  ['app approve', 'CLIENT_ID'],
  ['app suspend', 'CLIENT_ID'],
  ['app storage', 'CLIENT_ID BYTES'],
  ['app list'],
] as const

test('every command explains itself with --help', async () => {
  await Promise.all(
    COMMANDS.map(async ([path, args]) => {
      const { code, out, err } = await run([...path!.split(' '), '--help'])
      assert.equal(code, 0, path)
      assert.equal(err, '')
      assert.ok(out.startsWith(`Usage: groundschool ${path}${args ? ` ${args}` : ''} [options]\n`), out)
      assert.match(out, /\nOptions:\n[^]*--help[^]*\nExamples?:\n {2}groundschool /)
    }),
  )
})

test('help lists all commands, of a group or of one', async () => {
  const { code, out } = await run(['help'])
  assert.equal(code, 0)
  for (const name of ['start', 'migrate', 'import', 'user', 'app', 'backup', 'restore', 'help'])
    assert.match(out, new RegExp(`^ {2}${name} +\\w`, 'm'))
  assert.match((await run(['help', 'user'])).out, /password HANDLE/)
  assert.equal((await run(['help', 'import'])).out, (await run(['import', '--help'])).out)
})

const MISUSES: [args: string[], sentence: RegExp][] = [
  [['fly'], /^There is no command 'fly'; there are start, /],
  [['__proto__'], /^There is no command '__proto__'/],
  [['user', 'fly'], /^There is no command 'user fly'; there are add, /],
  [['start', '--fast'], /^Unknown option '--fast'\. See: groundschool start --help\n$/],
  [['import'], /^FILE is missing\. See: groundschool import --help\n$/],
  [['import', 'a', 'b'], /^'b' is one argument too many/],
  [['import', 'a', '--environment', 'staging'], /^--environment is production or sandbox, not 'staging'/],
  [['user', 'add', '@a', '--email'], /^Option '--email <value>' argument missing/],
  [['app', 'add', 'key'], /^--name is missing/],
  [['app', 'storage', 'gs-a', 'much'], /^BYTES is a whole number, not 'much'/],
  [['app', 'approve', 'gs-sbx-a', '--environment', 'production'], /^gs-sbx-a is a client ID of the other environment/],
]

test('what is not understood gives a sentence and exit code 2', async () => {
  await Promise.all(
    MISUSES.map(async ([args, sentence]) => {
      const { code, out, err } = await run(args, { DATA_DIR: join(place, 'untouched') })
      assert.deepEqual({ code, out }, { code: 2, out: '' }, args.join(' '))
      assert.match(err, sentence)
      assert.doesNotMatch(err, /\n {4}at /)
    }),
  )
  assert.equal((await run([])).code, 2)
  assert.ok(!existsSync(join(place, 'untouched')))
})

test('what fails gives a sentence and exit code 1, never a stack', async () => {
  const bad = join(place, 'bad.json')
  writeFileSync(bad, '{"people": [\n  {"handle": "@a", "password": "hunter22-hunter22",}\n]}')
  const twice = join(place, 'twice.json')
  writeFileSync(twice, '{"people": [], "people": []}')
  const empty = join(place, 'empty')
  const failures: [args: string[], settings: Settings, sentence: RegExp][] = [
    [['start'], { PORT: 'x', POOL_SIZE: '0' }, /PORT must be [^]*POOL_SIZE must be/],
    [['start'], { DEMO: 'on', HOST: '0.0.0.0' }, /DEMO cannot be on/],
    [['migrate'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, /The database cannot be reached/],
    [['import', join(place, 'none.json')], {}, /none\.json cannot be read \(ENOENT\)/],
    [['import', place], {}, /is not a file/],
    [['import', bad], {}, /bad\.json cannot be imported: it is not valid JSON at line 2, column 52\n$/],
    [['import', twice], {}, /twice\.json cannot be imported: it has an object with the same key twice\n$/],
    [['backup', join(place, 'x.backup')], { DATA_DIR: empty }, /There is no database in .*empty: check DATA_DIR/],
  ]
  await Promise.all(
    failures.map(async ([args, settings, sentence]) => {
      const { code, err } = await run(args, settings)
      assert.equal(code, 1, `${args.join(' ')}: ${err}`)
      assert.match(err, sentence)
      assert.doesNotMatch(err, /\n {4}at |hunter22/)
    }),
  )
  assert.ok(!existsSync(empty))
})

test('people are added, get a password, are disabled, enabled and listed', async () => {
  const { settings, drop } = await ownDatabase()
  const user = (args: string, input = '') => run(['user', ...args.split(' ')], settings, input)
  try {
    const added = await user('add Jo --first-name Jo --last-name Ng --email jo@example.org --developer')
    assert.deepEqual(added, {
      code: 0,
      out: '@Jo was added to production. A password comes next: groundschool user password @Jo\n',
      err: '',
    })
    assert.deepEqual(await user('add @JO'), { code: 1, out: '', err: 'The handle @JO is taken\n' })
    assert.match((await user('add j@o')).err, /^A handle is /)
    assert.match((await user('password @jo', 'short\n')).err, /^A password has 8 to 1000 characters\n$/)
    assert.equal((await user('password @jo', 'long enough\n')).code, 0)
    assert.match((await user('password @nobody', 'long enough\n')).err, /nobody with the handle @nobody/)
    assert.equal((await user('disable @jo')).code, 0)
    const list = (await user('list')).out.split('\n')
    assert.ok(list.includes('@Jo\tJo Ng\tdeveloper, disabled'), list.join('\n'))
    assert.ok(list.includes('@avery\t\tno password'))
    assert.equal((await user('enable @jo')).code, 0)
    assert.ok(!(await user('list --environment sandbox')).out.includes('@Jo'))
  } finally {
    await drop()
  }
})

test('apps are added, get a second secret, lose the first, and are suspended and approved', async () => {
  const { settings, drop } = await ownDatabase()
  const app = (...args: string[]) => run(['app', ...args], settings)
  try {
    const uri = 'https://log.example.org/callback'
    const added = await app(
      'add',
      'log',
      '--name',
      'Log',
      '--redirect-uri',
      uri,
      '--redirect-uri',
      'log://cb',
      '--owner',
      '@drew',
    )
    assert.equal(added.code, 0, added.err)
    assert.match(added.out, /^client ID {6}gs-log\nclient secret {2}gs_cs_\S{40,}\n$/)
    assert.match((await app('add', 'log', '--name', 'Log')).err, /client ID gs-log already/)
    assert.match((await app('add', 'sbx-log', '--name', 'Log')).err, /does not start with sbx-/)
    assert.match(
      (await app('add', 'evil', '--name', 'E', '--redirect-uri', 'http://evil.example.org')).err,
      /must be https/,
    )
    assert.match((await app('add', 'lost', '--name', 'L', '--owner', '@nobody')).err, /nobody with the handle @nobody/)
    const phone = await app('add', 'phone', '--name', 'Phone', '--public', '--environment', 'sandbox')
    assert.match(phone.out, /^client ID {6}gs-sbx-phone\nclient secret {2}none/)
    assert.match((await app('secret', 'gs-sbx-phone')).err, /A public app has no secrets/)

    const second = await app('secret', 'log')
    assert.match(second.out, /^client secret {2}gs_cs_/)
    assert.notEqual(second.out.split('\n')[0], added.out.split('\n')[1])
    assert.match((await app('secret', 'gs-log')).err, /has 2 secrets already/)
    assert.equal((await app('secret', 'log', '--drop-old')).out, 'Only the newest secret is left.\n')
    assert.equal((await app('secret', 'log', '--drop-old')).out, 'There was no old secret.\n')
    assert.equal((await app('suspend', 'gs-log')).code, 0)
    assert.equal((await app('storage', 'gs-log', '5000')).out, 'gs-log may hold 4096 bytes.\n')
    assert.ok((await app('list')).out.includes('gs-log\tsuspended\t0 of 4096\t@drew\tLog\n'))
    assert.equal((await app('approve', 'gs-log')).code, 0)
    assert.match((await app('approve', 'gs-unknown')).err, /no app with that client ID/)
  } finally {
    await drop()
  }
})

test('import reports what it does, and what is wrong', async () => {
  const { settings, drop } = await ownDatabase()
  try {
    const dry = await run(['import', DEMO, '--dry-run', '--environment', 'sandbox'], settings)
    const counts =
      'organisations 2 created, 0 updated, 0 unchanged\n  people        200 created, 5 updated, 0 unchanged'
    assert.equal(
      dry.out,
      `sandbox:\n  ${counts}\n  apps          1 created, 0 updated, 0 unchanged\nThis was a dry run: nothing was written.\n`,
    )
    assert.equal((await run(['import', DEMO], settings)).code, 0)
    const again = (await run(['import', DEMO], settings)).out
    assert.equal(again.match(/ 0 created, 0 updated, (2|205|1) unchanged/g)?.length, 6, again)

    const file = join(place, 'mistakes.json')
    writeFileSync(file, JSON.stringify({ people: [{ handle: '@fine' }, { handle: 'not fine' }], apps: [{}] }))
    const refused = await run(['import', file], settings)
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(
      refused.err,
      /^Nothing was imported, the file has 3 mistakes:\n {2}people\[1\]\.handle: must be .*\n {2}apps\[0\]\.key: is missing\n {2}apps\[0\]\.name: is missing\n$/,
    )
    assert.ok(!(await run(['user', 'list'], settings)).out.includes('@fine'))
  } finally {
    await drop()
  }
})

test('a newcomer starts, signs in, backs up while it runs, stops, and restores elsewhere', async (t) => {
  const dataDir = join(place, 'first')
  const { settings, child, output, ended, production, sandbox } = await startIn(dataDir)

  await t.test('the banner says where to go and how to sign in, and standard output is JSON alone', async () => {
    for (const text of [settings.PORT!, settings.SANDBOX_PORT!, '/docs', '@avery', 'groundschool', 'Ctrl-C'])
      assert.ok(output.err.includes(text), output.err)
    for (const line of output.out.trim().split('\n')) JSON.parse(line)
    const curl = /curl .*/.exec(output.err)![0]
    const shell = spawn('sh', ['-c', `${curl} --silent --noproxy '*'`], { stdio: ['ignore', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    shell.stdout.on('data', (chunk) => chunks.push(chunk))
    const [code] = await once(shell, 'close')
    // 127: a machine without curl.
    if (code !== 127) assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 200 OK\r\n[^]*\naccess_token: gs_at_/)
  })

  const avery = await signIn(production, 'gs-demo-app', '@avery:groundschool')
  await signIn(sandbox, 'gs-sbx-demo-app', '@avery:groundschool')
  await avery.put('/app/v1/bucket', { id: 'plan', data: { route: ['EDDF', 'LOWI'], größe: '✈' } })
  const bucket = (await avery.get('/app/v1/bucket', { id: 'plan' })).body
  assert.deepEqual(bucket.data, { route: ['EDDF', 'LOWI'], größe: '✈' })

  await t.test('a second start on the same data directory is refused with a sentence', async () => {
    const { code, err } = await run(['start'], { ...settings, PORT: '0', SANDBOX_PORT: '0' })
    assert.equal(code, 1)
    assert.match(err, /^Another platform process is using .*first: stop it first, [^\n]*\n$/)
  })

  await t.test('commands reach the platform that is running, and it hears of their changes', async () => {
    assert.match((await run(['user', 'list'], settings)).out, /^@drew\tDrew Castellanos\tdeveloper$/m)
    assert.equal((await run(['app', 'suspend', 'gs-demo-app'], settings)).code, 0)
    assert.equal((await avery.get('/app/v1/bucket', { id: 'plan' })).status, 401)
    assert.equal((await run(['app', 'approve', 'gs-demo-app'], settings)).code, 0)
    assert.equal((await avery.get('/app/v1/bucket', { id: 'plan' })).status, 200)
  })

  const file = join(place, 'running.backup')
  const saved = await run(['backup', file], settings)
  assert.equal(saved.code, 0, saved.err)
  assert.match(saved.out, /rows of \d+ tables, \d+ bytes\n$/)
  assert.match(saved.err, /Keep .*first\/secret\.key too/)

  await t.test('SIGTERM ends it with exit code 0 in time, and leaves no process', async () => {
    const askedAt = performance.now()
    child.kill('SIGTERM')
    // As npm does: it passes on what the terminal has sent to all.
    child.kill('SIGINT')
    assert.equal((await ended).code, 0)
    assert.ok(performance.now() - askedAt < 10_000)
    assert.deepEqual(processesIn(dataDir), [])
  })

  await t.test('the restored platform needs the key, and then has the same bucket', async () => {
    const restored = join(place, 'restored')
    const loaded = await run(['restore', file], { DATA_DIR: restored })
    assert.equal(loaded.code, 0, loaded.err)
    assert.match(loaded.err, /One thing is left: bring the secret key .*restored\/secret\.key/)
    assert.match((await run(['restore', file], { DATA_DIR: restored })).err, /a restore never overwrites/)
    const keyless = await run(['start'], { DATA_DIR: restored, PORT: '0', SANDBOX_PORT: '0' })
    assert.equal(keyless.code, 1)
    assert.match(keyless.err, /first used with another secret key: set SECRET_KEY to that one, or bring/)

    copyFileSync(join(dataDir, 'secret.key'), join(restored, 'secret.key'))
    const second = await startIn(restored)
    const token = new Client(second.production.address, avery.token)
    assert.deepEqual((await token.get('/app/v1/bucket', { id: 'plan' })).body, bucket)
    second.child.kill('SIGINT')
    assert.equal((await second.ended).code, 0)
    assert.deepEqual(processesIn(restored), [])
  })
})

test('demo data comes to an untouched embedded database only', async () => {
  const dataDir = join(place, 'own')
  assert.equal((await run(['user', 'add', '@mine'], { DATA_DIR: dataDir })).code, 0)
  const { child, output, ended, settings } = await startIn(dataDir)
  assert.ok(!output.err.includes('@avery'), output.err)
  child.kill('SIGTERM')
  await ended
  assert.equal((await run(['user', 'list'], settings)).out, '@mine\t\tno password\n')
})
