import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { START_FLAGS } from '../../../bin/start-flags.js'
import { createTestDatabase, runSql } from '../../kernel/database/test-database.ts'
import { databaseUrl } from '../testing/machine.ts'
import { isGroup } from './command.ts'
import { commands } from './commands.ts'
import { place, run, runAll, type Settings } from './testing.ts'

const COMMANDS = Object.entries(commands).flatMap(([name, entry]) =>
  isGroup(entry)
    ? Object.entries(entry.verbs).map(([verb, { args }]) => [`${name} ${verb}`, args.join(' ')] as const)
    : [[name, entry.args.join(' ')] as const],
)

test('every command explains itself with --help', async () => {
  assert.ok(COMMANDS.length > 30)
  const helps = await runAll(COMMANDS.map(([path]) => ({ args: [...path!.split(' '), '--help'] })))
  helps.forEach(({ code, out, err }, i) => {
    const [path, args] = COMMANDS[i]!
    assert.deepEqual({ code, err }, { code: 0, err: '' }, path)
    assert.ok(out.startsWith(`Usage: npx groundschool ${path}${args ? ` ${args}` : ''} [options]\n`), out)
    assert.match(out, /\nOptions:\n.*--help.*\nExamples?:\n {2}npx groundschool /s)
    assert.doesNotMatch(out, /\bwhoever\b/i)
    for (const line of out.split('\n')) assert.ok(line.length <= 140, `${path}: wrap “${line}”`)
  })
})

test('the README names all commands, in the order of the help', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  const names = Object.keys(commands).map((name) => `\`${name}\``)
  assert.ok(readme.includes(`lists all commands: ${names.join(', ')}.`))
})

test('every command that lists or shows something has --json', () => {
  const silent = Object.entries(commands).flatMap(([name, entry]) =>
    Object.entries(isGroup(entry) ? entry.verbs : { [name]: entry }).flatMap(([verb, one]) =>
      ['list', 'show', 'status'].includes(verb) && !Object.hasOwn(one.options, 'json') ? `${name} ${verb}` : [],
    ),
  )
  assert.deepEqual(silent, [])
})

test('help lists all commands, those of a group, or the options of one', async () => {
  const lines = [['help'], ['help', 'user'], ['help', 'import'], ['import', '--help'], []]
  const [all, group, one, same, nothing] = await runAll(lines.map((args) => ({ args })))
  assert.equal(all!.code, 0)
  for (const name of ['start', 'migrate', 'import', 'user', 'app', 'demo', 'backup', 'restore', 'help'])
    assert.match(all!.out, new RegExp(`^ {2}${name} +\\w`, 'm'))
  assert.match(group!.out, /password HANDLE/)
  assert.equal(one!.out, same!.out)
  assert.deepEqual({ code: nothing!.code, out: nothing!.out }, { code: 2, out: all!.out })
})

const MISUSES: [args: string[], sentence: RegExp][] = [
  [['fly'], /^There is no command 'fly'\. The commands are start, /],
  [['__proto__'], /^There is no command '__proto__'/],
  [['user', 'fly'], /^There is no command 'user fly'\. The commands are add, /],
  [['start', '--fast'], /^Unknown option '--fast'\. See: npx groundschool start --help\n$/],
  [['import'], /^FILE is missing\. See: npx groundschool import --help\n$/],
  [['import', 'a', 'b'], /^Unexpected argument 'b'/],
  [['import', 'a', '--environment', 'staging'], /^--environment must be production or sandbox, or both, not 'staging'/],
  [['user', 'add', '@a', '--email'], /^Option '--email <value>' argument missing/],
  [['app', 'add', 'key'], /^--name is missing/],
  [['app', 'update', 'gs-a'], /^Use at least one option, such as --name/],
  [['app', 'remove', 'gs-a'], /^Deleting gs-a cannot be undone: repeat the command with --yes/],
  [['app', 'secret', 'a', '--json'], /^--json works only with --list/],
  [['app', 'secret', 'a', '--list', '--drop-old'], /^Use either --list or --drop-old, not both/],
  [['app', 'storage', 'gs-a', 'much'], /^BYTES must be a whole number, not 'much'/],
  [['app', 'approve', 'gs-sbx-a', '--environment', 'production'], /^gs-sbx-a is a client ID of the other environment/],
]

test('an invalid command line prints a sentence and exits with code 2', async () => {
  const settings = { DATA_DIR: join(place, 'untouched') }
  const results = await runAll(MISUSES.map(([args]) => ({ args, settings })))
  results.forEach(({ args, code, out, err }, i) => {
    assert.deepEqual({ code, out }, { code: 2, out: '' }, args.join(' '))
    assert.match(err, MISUSES[i]![1])
    assert.doesNotMatch(err, /\n {4}at /)
  })
  assert.ok(!existsSync(settings.DATA_DIR))
  // When run as a separate process, the command also exits with code 2.
  assert.equal((await run(['fly'])).code, 2)
})

test('a failing command prints a sentence and exits with code 1, never a stack trace', async () => {
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
    [['backup', join(place, 'x.backup')], { DATA_DIR: empty }, /There is no database in .*empty: set DATA_DIR to /],
  ]
  const results = await runAll(failures.map(([args, settings]) => ({ args, settings })))
  results.forEach(({ args, code, err }, i) => {
    assert.equal(code, 1, `${args.join(' ')}: ${err}`)
    assert.match(err, failures[i]![2])
    assert.doesNotMatch(err, /\n {4}at |hunter22/)
  })
  assert.ok(!existsSync(empty))
})

/** Commands that must create no database. Those that add something would print a secret that opens nothing. */
const READING = [
  ['status'],
  ['user', 'list'],
  ['app', 'list', '--json'],
  ['app', 'show', 'gs-a'],
  ['app', 'secret', 'a', '--list'],
  ['app', 'approve', 'gs-a'],
  ['credential', 'list'],
  ['statements', 'retention', '--before', '2024-01-01', '--dry-run'],
  ['app', 'add', 'logbook', '--name', 'Logbook'],
  ['user', 'add', '@jo', '--administrator'],
  ['credential', 'add', 'Tool', '--scope', 'all'],
  ['key', 'rotate'],
]

test('a command that needs a database creates none, and nothing in one', async (t) => {
  const { connection, drop } = await createTestDatabase()
  t.after(drop)
  const missing = { DATA_DIR: join(place, 'not-there') }
  const results = await runAll(READING.map((args) => ({ args, settings: missing })))
  for (const { args, code, out, err } of results) {
    assert.deepEqual({ code, out }, { code: 1, out: '' }, args.join(' '))
    assert.match(err, /^There is no database in .*not-there: set DATA_DIR to [^\n]*\n$/)
  }
  assert.ok(!existsSync(missing.DATA_DIR))
  const [relative] = await runAll([{ args: ['user', 'list'], settings: { DATA_DIR: './no-such-folder' } }])
  const folder = join(process.cwd(), 'no-such-folder')
  assert.ok(relative!.err.startsWith(`There is no database in ${folder}: set DATA_DIR to `), relative!.err)
  const hollow = join(place, 'hollow')
  mkdirSync(join(hollow, 'postgres'), { recursive: true })
  const [listed] = await runAll([{ args: ['user', 'list'], settings: { DATA_DIR: hollow } }])
  assert.match(listed!.err, /^There is no database in .*hollow: /)
  assert.deepEqual(readdirSync(join(hollow, 'postgres')), [])
  const empty = { DATABASE_URL: databaseUrl(connection), SECRET_KEY: 'x'.repeat(43) }
  for (const { args, err } of await runAll(READING.map((args) => ({ args, settings: empty }))))
    assert.match(err, /^This database is empty: run npx groundschool start/, args.join(' '))
  const schemas = `select nspname from pg_namespace where nspname like 'gs\\_%'`
  assert.deepEqual(await runSql(connection, schemas), [])
  assert.equal((await runAll([{ args: ['migrate'], settings: empty }]))[0]!.code, 0)
  await runSql(connection, 'delete from gs_sandbox.migrations where number > 40')
  const [earlier] = await runAll([{ args: ['user', 'list'], settings: empty }])
  assert.match(
    earlier!.err,
    /^This database is from an earlier version \(without 0041_\w+\): .*npx groundschool migrate\n$/,
  )
})

test('a command that only reads creates no secret key, and one that needs the key names the setting', async (t) => {
  const { connection, drop } = await createTestDatabase()
  t.after(drop)
  const folder = join(place, 'keyless')
  const settings = { DATABASE_URL: databaseUrl(connection), DATA_DIR: folder }
  const given = { ...settings, SECRET_KEY: 'x'.repeat(43) }
  assert.equal((await runAll([{ args: ['migrate'], settings }]))[0]!.code, 0)
  const facts = 'select name from gs_production.installation'
  const file = join(place, 'keyless.json')
  writeFileSync(file, JSON.stringify({ people: [{ handle: '@noor', password: 'noor-has-a-password' }] }))
  for (const one of [settings, given])
    for (const { args, code, err } of await runAll(
      [
        ['user', 'list'],
        ['app', 'list'],
        ['credential', 'list'],
        ['import', file, '--dry-run'],
      ].map((args) => ({ args, settings: one })),
    ))
      assert.deepEqual({ code, err }, { code: 0, err: '' }, args.join(' '))
  assert.ok(!existsSync(folder))
  assert.deepEqual(await runSql(connection, facts), [])

  const added = { args: ['app', 'add', 'logbook', '--name', 'Logbook'], settings: given }
  assert.equal((await runAll([added]))[0]!.code, 0)
  assert.deepEqual(await runSql(connection, facts), [{ name: 'secret-key-fingerprint' }])
  const [shown, refused] = await runAll([
    { args: ['app', 'show', 'gs-logbook'], settings },
    { args: ['app', 'secret', 'logbook'], settings },
  ])
  assert.match(shown!.out, /Logbook/)
  assert.equal(refused!.code, 1)
  assert.match(refused!.err, /^This needs the secret key .* no file .*keyless.secret\.key: set SECRET_KEY, [^\n]*\n$/)
  assert.ok(!existsSync(folder))
})

test('an unusable DATA_DIR and a busy port are reported before anything is created', async (t) => {
  const file = join(place, 'file')
  writeFileSync(file, '')
  const closed = join(place, 'closed')
  mkdirSync(closed)
  chmodSync(closed, 0o500)
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  t.after(() => busy.close())
  const { port } = busy.address() as AddressInfo
  const fresh = join(place, 'fresh')
  const link = join(place, 'link')
  symlinkSync(join(place, 'nowhere'), link)
  const spoilt = join(place, 'spoilt')
  mkdirSync(spoilt)
  writeFileSync(join(spoilt, 'postgres'), '')
  const cases: [settings: Settings, sentence: RegExp][] = [
    [{ DATA_DIR: file }, /^DATA_DIR is .*file, but .*file is a file: [^\n]*\n$/],
    [{ DATA_DIR: join(file, 'below') }, /^DATA_DIR is .*below, but .*file is a file: /],
    [
      { DATA_DIR: join(place, 'no', 'parent') },
      /^DATA_DIR is .*parent, but there is no folder .*no: create it first, /,
    ],
    [{ DATA_DIR: link }, /^DATA_DIR is .*link, a link to a folder that does not exist: /],
    [{ DATA_DIR: join(place, 'x'.repeat(300)) }, /no folder of that name can be created \(ENAMETOOLONG\): [^\n]*\n$/],
    [{ DATA_DIR: spoilt }, /^DATA_DIR is .*spoilt, but .*postgres is a file: /],
    [{ DATA_DIR: fresh, PORT: String(port) }, new RegExp(`^Port ${port} is in use: [^\\n]*\\n$`)],
    [{ DATA_DIR: fresh, PORT: '0', SANDBOX_PORT: String(port) }, new RegExp(`^Port ${port} is in use: `)],
    // This case is skipped for root, who may write anywhere.
    ...(process.getuid?.() === 0
      ? []
      : [[{ DATA_DIR: join(closed, 'data') }, /this user cannot write to .*closed: allow it/] as [Settings, RegExp]]),
  ]
  const results = await runAll(cases.map(([settings]) => ({ args: ['start'], settings })))
  results.forEach(({ code, out, err }, i) => {
    assert.deepEqual({ code, out }, { code: 1, out: '' }, err)
    assert.match(err, cases[i]![1])
  })
  assert.ok(!existsSync(fresh))
  const [added] = await runAll([{ args: ['user', 'add', '@a'], settings: { DATA_DIR: file } }])
  assert.match(added!.err, /is a file/)
})

const BIN = fileURLToPath(new URL('../../../bin/groundschool.js', import.meta.url))
/** Returns code to preload, which makes the program believe that it does not run on the installed Node version. */
const pretend = (version: string, more = '') =>
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}});process.execPath='/usr/bin/env';${more}`
const OLDER = pretend('20.19.0', 'delete process.execve')
const NEWER = pretend('99.0.0')
const SAY_FLAGS = '--import=data:text/javascript,console.error(process.pid,...process.execArgv)'

test('groundschool prints its version, and always runs on the Node that the install brings', async () => {
  const { version, bin } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  assert.deepEqual(bin, { groundschool: 'bin/groundschool.js' })
  const said = { code: 0, out: `groundschool ${version}\n`, err: '' }
  assert.deepEqual(await run(['--version'], {}, '', [BIN]), said)
  const older = ['--import', OLDER, BIN]
  assert.deepEqual(await run(['--version'], {}, '', older), said)
  assert.equal((await run(['fly'], {}, '', older)).code, 2)
  const newer = await run(['--version'], { NODE_OPTIONS: SAY_FLAGS }, '', ['--import', NEWER, BIN])
  // The program starts itself again, in the same process, with the installed Node: the second line that it prints has
  // no --import flag.
  assert.match(newer.err, /^(\d+) --import \S+\n\1\n$/)
  assert.equal(newer.out, said.out)
})

test('groundschool start runs with its own V8 flags, in the same process', async () => {
  const started = await run(['start', '--help'], { NODE_OPTIONS: SAY_FLAGS }, '', [BIN])
  assert.equal(started.code, 0)
  assert.match(started.err, new RegExp(`^(\\d+)\n\\1 ${START_FLAGS.join(' ')}\n$`))
  const older = await run(['start', '--help'], { NODE_OPTIONS: SAY_FLAGS }, '', ['--import', OLDER, BIN])
  assert.match(older.err, new RegExp(`\n\\d+ ${START_FLAGS.join(' ')}\n$`))
  assert.equal(older.out, started.out)
})
