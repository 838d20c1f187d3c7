import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
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
// Root's database runs as another user, and would be kept outside of a place that only root may enter.
chmodSync(place, 0o755)
const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(place, { recursive: true, force: true, maxRetries: 10 })
})

type Settings = Record<string, string>

function launch(args: string[], settings: Settings, program = [MAIN]) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings }
  const child = spawn(process.execPath, [...program, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
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

async function run(args: string[], settings: Settings = {}, input = '', program = [MAIN]) {
  const { child, ended } = launch(args, settings, program)
  child.stdin.end(input)
  return ended
}

/** Many command lines one after the other in one process, because each process takes a second to load. */
async function runAll(lines: readonly { args: readonly string[]; settings?: Settings }[]) {
  const modules = ['line.ts', 'commands.ts'].map((name) => JSON.stringify(new URL(name, import.meta.url)))
  const script = `
    const [{ runCommandLine }, { commands }] = await Promise.all([${modules.map((name) => `import(${name})`)}])
    const env = { ...process.env }
    for (const { args, settings } of ${JSON.stringify(lines)}) {
      process.env = { ...env, ...settings }
      const code = await runCommandLine(args, commands)
      process.stdout.write('\\0' + code + '\\0')
      process.stderr.write('\\0')
    }
    process.exit(0)`
  const { out, err, code } = await run(['--input-type=module', '-e', script], {}, '', [])
  assert.equal(code, 0, err)
  const outs = out.split('\0')
  const errs = err.split('\0')
  return lines.map((line, i) => ({ ...line, code: Number(outs[2 * i + 1]), out: outs[2 * i]!, err: errs[i]! }))
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
  ...['add', 'password', 'reset-link', 'disable', 'enable', 'remove'].map((verb) => [`user ${verb}`, 'HANDLE']),
  ['user parent', 'CHILD PARENT'],
  ['user list'],
  ['app add', 'KEY'],
  ['app secret', 'KEY'],
  ['app approve', 'CLIENT_ID'],
  ['app suspend', 'CLIENT_ID'],
  ['app storage', 'CLIENT_ID BYTES'],
  ['app list'],
] as const

test('every command explains itself with --help', async () => {
  const helps = await runAll(COMMANDS.map(([path]) => ({ args: [...path!.split(' '), '--help'] })))
  helps.forEach(({ code, out, err }, i) => {
    const [path, args] = COMMANDS[i]!
    assert.deepEqual({ code, err }, { code: 0, err: '' }, path)
    assert.ok(out.startsWith(`Usage: groundschool ${path}${args ? ` ${args}` : ''} [options]\n`), out)
    assert.match(out, /\nOptions:\n.*--help.*\nExamples?:\n {2}groundschool /s)
  })
})

test('help lists all commands, those of a group, or the options of one', async () => {
  const lines = [['help'], ['help', 'user'], ['help', 'import'], ['import', '--help'], []]
  const [all, group, one, same, nothing] = await runAll(lines.map((args) => ({ args })))
  assert.equal(all!.code, 0)
  for (const name of ['start', 'migrate', 'import', 'user', 'app', 'backup', 'restore', 'help'])
    assert.match(all!.out, new RegExp(`^ {2}${name} +\\w`, 'm'))
  assert.match(group!.out, /password HANDLE/)
  assert.equal(one!.out, same!.out)
  assert.deepEqual({ code: nothing!.code, out: nothing!.out }, { code: 2, out: all!.out })
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
  [['app', 'secret', 'a', '--list', '--drop-old'], /^--list and --drop-old do not go together/],
  [['app', 'storage', 'gs-a', 'much'], /^BYTES is a whole number, not 'much'/],
  [['app', 'approve', 'gs-sbx-a', '--environment', 'production'], /^gs-sbx-a is a client ID of the other environment/],
]

test('what is not understood gives a sentence and exit code 2', async () => {
  const settings = { DATA_DIR: join(place, 'untouched') }
  const results = await runAll(MISUSES.map(([args]) => ({ args, settings })))
  results.forEach(({ args, code, out, err }, i) => {
    assert.deepEqual({ code, out }, { code: 2, out: '' }, args.join(' '))
    assert.match(err, MISUSES[i]![1])
    assert.doesNotMatch(err, /\n {4}at /)
  })
  assert.ok(!existsSync(settings.DATA_DIR))
  // And the process really ends with that code.
  assert.equal((await run(['fly'])).code, 2)
})

test('what fails gives a sentence and exit code 1, never a stack', async () => {
  const bad = join(place, 'bad.json')
  writeFileSync(bad, '{"people": [\n  {"handle": "@a", "password": "hunter22-hunter22",}\n]}')
  const twice = join(place, 'twice.json')
  writeFileSync(twice, '{"people": [], "people": []}')
  const empty = join(place, 'empty')
  const failures: [args: string[], settings: Settings, sentence: RegExp][] = [
    [['start'], { PORT: 'x', POOL_SIZE: '0' }, /PORT must be .*POOL_SIZE must be/s],
    [['start'], { DEMO: 'on', HOST: '0.0.0.0' }, /DEMO cannot be on/],
    [['migrate'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, /The database cannot be reached/],
    [['import', join(place, 'none.json')], {}, /none\.json cannot be read \(ENOENT\)/],
    [['import', place], {}, /is not a file/],
    [['import', bad], {}, /bad\.json cannot be imported: it is not valid JSON at line 2, column 52\n$/],
    [['import', twice], {}, /twice\.json cannot be imported: it has an object with the same key twice\n$/],
    [['backup', join(place, 'x.backup')], { DATA_DIR: empty }, /There is no database in .*empty: check DATA_DIR/],
  ]
  const results = await runAll(failures.map(([args, settings]) => ({ args, settings })))
  results.forEach(({ args, code, err }, i) => {
    assert.equal(code, 1, `${args.join(' ')}: ${err}`)
    assert.match(err, failures[i]![2])
    assert.doesNotMatch(err, /\n {4}at |hunter22/)
  })
  assert.ok(!existsSync(empty))
})

test('people are added, get a password, are disabled, enabled, listed and removed', async () => {
  const { settings, drop } = await ownDatabase()
  const line = (text: string) => ({ args: ['user', ...text.split(' ')], settings })
  const setPassword = (handle: string, input: string) => run(['user', 'password', handle], settings, input)
  try {
    const [added, taken, wrong] = await runAll([
      line('add Jo --first-name Jo --last-name Ng --email jo@example.org --developer'),
      line('add @JO'),
      line('add j@o'),
    ])
    const sentence = '@Jo was added to production. A password comes next: groundschool user password @Jo\n'
    assert.deepEqual({ code: added!.code, out: added!.out, err: added!.err }, { code: 0, out: sentence, err: '' })
    assert.deepEqual(
      [taken!.code, taken!.err],
      [1, 'The handle @JO is taken, or was given up lately; choose another\n'],
    )
    assert.match(wrong!.err, /^A handle is /)

    const passwords = await Promise.all([
      setPassword('@jo', 'short\n'),
      setPassword('@nobody', 'long enough\n'),
      setPassword('@jo', 'long enough\n'),
    ])
    assert.deepEqual(
      passwords.map(({ code, out, err }) => [code, out || err]),
      [
        [1, 'A password has 8 to 1000 characters\n'],
        [1, 'There is nobody with the handle @nobody\n'],
        [0, 'The password of @jo was changed in production; all their sessions have ended.\n'],
      ],
    )
    const [disabled, list, enabled, sandbox] = await runAll(
      ['disable @jo', 'list', 'enable @jo', 'list --environment sandbox'].map(line),
    )
    assert.deepEqual([disabled!.code, enabled!.code], [0, 0])
    assert.ok(list!.out.split('\n').includes('@Jo\tJo Ng\tdeveloper, disabled'), list!.out)
    assert.ok(list!.out.split('\n').includes('@avery\t\tno password'))
    assert.ok(sandbox!.out.includes('@avery') && !sandbox!.out.includes('@Jo'))
    const [unsure, removed, gone] = await runAll(['remove @jo', 'remove @jo --yes', 'remove @jo --yes'].map(line))
    assert.equal(unsure!.code, 2)
    assert.match(unsure!.err, /^Removing @jo cannot be undone: repeat it with --yes/)
    assert.deepEqual([removed!.code, removed!.out], [0, '@jo was removed from production.\n'])
    assert.deepEqual([gone!.code, gone!.err], [1, 'There is nobody with the handle @jo\n'])
  } finally {
    await drop()
  }
})

test('a link to set a new password is printed alone, for an administrator to hand over', async () => {
  const { settings, drop } = await ownDatabase()
  const line = (text: string) => ({
    args: ['user', ...text.split(' ')],
    settings: { ...settings, MESSAGES: 'off', BASE_URL: 'https://api.example.org' },
  })
  try {
    const [link, sandbox, nobody, , disabled] = await runAll(
      [
        'reset-link @avery',
        'reset-link @avery --environment sandbox',
        'reset-link @nobody',
        'disable @blake',
        'reset-link blake',
      ].map(line),
    )
    assert.match(link!.out, /^https:\/\/api\.example\.org\/account\/reset\?code=gs_pr_[\w-]{49}\n$/)
    assert.equal(link!.err, 'It sets the password of @avery in production, once, within 30 minutes.\n')
    assert.match(sandbox!.out, /^http:\/\/localhost:4001\/account\/reset\?code=gs_sbx_pr_[\w-]{49}\n$/)
    assert.deepEqual([nobody!.code, nobody!.err], [1, 'There is nobody with the handle @nobody\n'])
    assert.deepEqual([disabled!.code, disabled!.err], [1, '@blake is disabled: enable the account first\n'])
  } finally {
    await drop()
  }
})

test('an operator says who looks after a child', async () => {
  const { settings, drop } = await ownDatabase()
  const file = join(place, 'children.json')
  const dateOfBirth = `${new Date().getUTCFullYear() - 7}-01-01`
  writeFileSync(file, JSON.stringify({ people: [{ handle: '@kim', dateOfBirth }] }))
  const lines = [
    ['import', file],
    ...[
      'parent @kim @avery',
      'parent kim AVERY',
      'parent @avery @kim',
      'parent @kim @nobody',
      'parent @kim @blake --remove',
      'parent @kim @avery --remove',
    ].map((line) => ['user', ...line.split(' ')]),
  ]
  try {
    const results = await runAll(lines.map((args) => ({ args, settings })))
    assert.deepEqual(
      results.slice(1).map(({ code, out, err }) => [code, out + err]),
      [
        [0, '@avery now looks after @kim in production.\n'],
        [0, 'AVERY looks already after kim in production.\n'],
        [1, '@avery is no child: only an account whose date of birth is less than 13 years ago is\n'],
        [1, 'There is nobody with the handle @nobody\n'],
        [1, '@blake is no parent of @kim\n'],
        [
          0,
          '@avery no longer looks after @kim in production.\n@kim has no parent left: nobody finds them while they are a child.\n',
        ],
      ],
    )
  } finally {
    await drop()
  }
})

test('apps are added, get a second secret, lose the first, and are suspended and approved', async () => {
  const { settings, drop } = await ownDatabase()
  const steps: [args: string[], said: RegExp][] = [
    [
      [
        'add',
        'log',
        '--name',
        'Log',
        '--redirect-uri',
        'https://log.example.org/cb',
        '--redirect-uri',
        'log://cb',
        '--owner',
        '@drew',
      ],
      /^client ID {6}gs-log\nclient secret {2}gs_cs_\S{40,}\n$/,
    ],
    [['add', 'log', '--name', 'Log'], /^There is an app with the client ID gs-log already\n$/],
    [['add', 'sbx-log', '--name', 'Log'], /does not start with sbx-/],
    [['add', 'evil', '--name', 'E', '--redirect-uri', 'http://evil.example.org'], /must be https unless/],
    [['add', 'lost', '--name', 'L', '--owner', '@nobody'], /^There is nobody with the handle @nobody\n$/],
    [
      ['add', 'phone', '--name', 'Phone', '--public', '--device', '--environment', 'sandbox'],
      /^client ID {6}gs-sbx-phone\nclient secret {2}none: a public app uses PKCE\n$/,
    ],
    [['secret', 'gs-sbx-phone'], /^A public app has no secrets\n$/],
    [['secret', 'log'], /^client secret {2}gs_cs_\S{40,}\n$/],
    [['secret', 'gs-log'], /^The app has 2 secrets already; /],
    [['secret', 'log', '--list'], /^(made \d{4}-\S+Z\tnever used\n){2}$/],
    [['secret', 'gs-sbx-phone', '--list'], /^There is no secret\.\n$/],
    [['secret', 'unknown', '--list'], /^There is no app with that client ID\n$/],
    [['secret', 'log', '--drop-old'], /^Only the newest secret is left\.\n$/],
    [['secret', 'log', '--drop-old'], /^There was no old secret\.\n$/],
    [['suspend', 'gs-log'], /^gs-log is suspended\.\n$/],
    [['storage', 'gs-log', '5000'], /^gs-log may hold 4096 bytes\.\n$/],
    [['list'], /^gs-log\tsuspended\t0 of 4096\t@drew\tLog$/m],
    [['approve', 'log'], /^gs-log is approved\.\n$/],
    [['approve', 'gs-unknown'], /^There is no app with that client ID\n$/],
  ]
  try {
    const results = await runAll(steps.map(([args]) => ({ args: ['app', ...args], settings })))
    for (const [i, { out, err }] of results.entries()) assert.match(out || err, steps[i]![1])
    assert.notEqual(results[0]!.out.split('\n')[1], results[7]!.out.split('\n')[0])
    const connection = { connectionString: settings.DATABASE_URL! }
    await runSql(connection, `update gs_production.app_secrets set last_used_at = '2026-05-01T12:00:00Z'`)
    const devices = `select client_id from gs_sandbox.apps where device_enabled`
    assert.deepEqual(await runSql(connection, devices), [{ client_id: 'gs-sbx-phone' }])
    const [list] = await runAll([{ args: ['app', 'secret', 'log', '--list'], settings }])
    assert.match(list!.out, /^made \S+Z\tlast used 2026-05-01T12:00:00\.000Z\n$/)
  } finally {
    await drop()
  }
})

test('import reports what it does, and what is wrong', async () => {
  const { settings, drop } = await ownDatabase()
  const file = join(place, 'mistakes.json')
  writeFileSync(file, JSON.stringify({ people: [{ handle: '@fine' }, { handle: 'not fine' }], apps: [{}] }))
  const lines = [
    ['import', DEMO, '--dry-run', '--environment', 'sandbox'],
    ['import', DEMO],
    ['import', DEMO],
    ['import', file],
    ['user', 'list'],
  ]
  try {
    const [dry, first, again, refused, people] = await runAll(lines.map((args) => ({ args, settings })))
    const counts = [
      '  organisations 2 created, 0 updated, 0 unchanged',
      '  people        202 created, 5 updated, 0 unchanged',
      '  apps          1 created, 0 updated, 0 unchanged',
    ].join('\n')
    assert.equal(dry!.out, `sandbox:\n${counts}\nThis was a dry run: nothing was written.\n`)
    assert.equal(first!.out, `production:\n${counts}\nsandbox:\n${counts}\n`)
    assert.equal(again!.out.match(/ 0 created, 0 updated, (2|207|1) unchanged/g)?.length, 6, again!.out)
    assert.deepEqual([refused!.code, refused!.out], [1, ''])
    assert.match(
      refused!.err,
      /^Nothing was imported, the file has 3 mistakes:\n {2}people\[1\]\.handle: must be .*\n {2}apps\[0\]\.key: is missing\n {2}apps\[0\]\.name: is missing\n$/,
    )
    assert.ok(people!.out.includes('@avery') && !people!.out.includes('@fine'))
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
    const lines = output.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    // What the log names is the address that pages, cookies and passkeys are bound to.
    const ready = lines.find(({ msg }) => msg === 'the platform is ready')
    const named = [`http://localhost:${settings.PORT}`, `http://localhost:${settings.SANDBOX_PORT}`]
    assert.deepEqual([ready.production, ready.sandbox], named)
    for (const address of named) {
      const form = { method: 'POST', headers: { origin: address }, body: new URLSearchParams({ handle: '@avery' }) }
      const text = await (await fetch(`${address}/account/signin`, form)).text()
      assert.doesNotMatch(text, /own pages may do this/)
    }
    const curl = /curl .*/.exec(output.err)![0]
    const shell = spawn('sh', ['-c', `${curl} --silent --noproxy '*'`], { stdio: ['ignore', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    shell.stdout.on('data', (chunk) => chunks.push(chunk))
    const [code] = await once(shell, 'close')
    // 127: a machine without curl.
    if (code !== 127) assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 200 OK\r\n.*\naccess_token: gs_at_/s)
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
