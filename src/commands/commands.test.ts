import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { place, run, runAll, type Settings } from './testing.ts'

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
  ['statements retention'],
  ['demo remove'],
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
  for (const name of ['start', 'migrate', 'import', 'user', 'app', 'demo', 'backup', 'restore', 'help'])
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
