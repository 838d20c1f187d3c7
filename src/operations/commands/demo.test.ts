import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Client } from '../testing/testing.ts'
import { ownDatabase, place, runAll, runOne, type Settings, startIn } from './testing.ts'

const DEMO_PEOPLE = ['@avery', '@blake', '@casey', '@drew', '@ellis']

/**
 * Writes a demo file with only the people who sign in. The tests remove all demo people one by one, and the whole file
 * has so many that this would take too long.
 */
function writeFewer(): string {
  const demo = JSON.parse(readFileSync('demo/demo.json', 'utf8'))
  const people = demo.people.filter(({ handle }: HasHandle) => DEMO_PEOPLE.includes(handle))
  const ofThem = (one: string | HasHandle) => DEMO_PEOPLE.includes(typeof one === 'string' ? one : one.handle)
  const cut = (lists: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [name, Array.isArray(list) ? list.filter(ofThem) : list]),
    )
  const [classes, badges] = [demo.classes.map(cut), demo.badges.map(cut)]
  const plans = demo.plans.map((plan: object) => ({ ...plan, people: [] }))
  const file = join(place, 'fewer.json')
  writeFileSync(file, JSON.stringify({ ...demo, people, classes, badges, plans }))
  return file
}
type HasHandle = { readonly handle: string }

const OPENINGS: readonly [what: string, Settings][] = [
  ['HOST', { HOST: '0.0.0.0' }],
  ['BASE_URL', { BASE_URL: 'https://api.example.org' }],
  ['SANDBOX_URL', { SANDBOX_URL: 'https://sandbox.example.org' }],
  ['NOTES_URL', { NOTES_URL: 'https://notes.example.org' }],
  ['TRUST_PROXY', { TRUST_PROXY: 'loopback' }],
]

const tryBasic = async (client: Client, clientId: string, handle: string, password = 'groundschool') => {
  const authorization = `Basic ${Buffer.from(`${handle}:${password}`).toString('base64')}`
  return (await client.get('/auth/basic', undefined, { authorization, clientid: clientId })).status
}

test('M7: a database with demo people does not start where others can reach it, until they are removed', async (t) => {
  const { settings, drop } = await ownDatabase()
  t.after(drop)
  const fewer = writeFewer()
  const second = { ...settings, DATA_DIR: join(place, 'second'), PORT: '0', SANDBOX_PORT: '0' }
  const owned = ['app', 'add', 'logbook', '--name', 'Logbook', '--basic', '--owner', '@drew']
  for (const { args, code, err } of await runAll([
    { args: ['import', fewer, '--environment', 'both'], settings },
    // A demo person remains a demo person after a change of the password.
    { args: ['user', 'password', '@ellis'], settings, input: 'another password\n' },
    { args: ['user', 'add', '@real'], settings },
    { args: owned, settings },
  ]))
    assert.equal(code, 0, `${args.join(' ')}: ${err}`)

  for (const [name, opening] of OPENINGS)
    await t.test(`it refuses to start because of ${name} alone, and says what to do`, async () => {
      const { code, err } = await runOne(['start'], { ...second, ...opening })
      assert.equal(code, 1, err)
      const sentence = `^This database has demo users, .* reach this platform: ${name} .*npx groundschool demo remove[^\\n]*\\n$`
      assert.match(err, new RegExp(sentence, 'm'))
      assert.doesNotMatch(err, /Groundschool is running|\n {4}at /)
    })

  await t.test('nor does it import demo people from a file', async () => {
    const { code, err } = await runOne(['import', 'demo/demo.json'], { ...settings, HOST: '0.0.0.0' })
    assert.equal(code, 1)
    assert.match(err, /^Nothing was imported: .*HOST is not a loopback address/m)
  })

  await t.test('one command removes them and reports what it removed; a second run finds nothing', async () => {
    const [removed, again, people, sandboxPeople] = await runAll([
      { args: ['demo', 'remove'], settings: { ...settings, HOST: '0.0.0.0' } },
      { args: ['demo', 'remove'], settings },
      { args: ['user', 'list'], settings },
      { args: ['user', 'list', '--environment', 'sandbox'], settings },
    ])
    assert.equal(removed!.code, 0, removed!.err)
    const others =
      'the course course-first-solo, the course course-preflight, the class class-alpha, the class class-bravo, the class class-charlie, the class class-foxtrot, the key KEY (revoked), the organisation northwind, the organisation sandhills'
    assert.deepEqual(removed!.out.split('\n'), [
      `production: removed 5 people, the app gs-demo-ai, the app gs-demo-app, the app gs-demo-ato, ${others.replace('KEY', 'gs_key_demo-record-store-key1')}`,
      `sandbox: removed 5 people, the app gs-sbx-demo-ai, the app gs-sbx-demo-app, the app gs-sbx-demo-ato, ${others.replace('KEY', 'gs_sbx_key_demo-record-store-key1')}`,
      '',
    ])
    assert.equal(removed!.err, 'The app gs-logbook stays, without an owner.\n')
    assert.deepEqual(
      [again!.code, again!.out],
      [0, 'production: there are no demo users\nsandbox: there are no demo users\n'],
    )
    const finley = '@finley\t\tno password\n'
    assert.deepEqual([people!.out, sandboxPeople!.out], [`${finley}@real\t\tno password\n`, finley])
  })

  await t.test('then it starts on a public HOST, and demo passwords do not work', async () => {
    const open = await startIn(join(place, 'open'), {
      ...settings,
      HOST: '0.0.0.0',
      BASE_URL: 'https://api.example.org',
    })
    assert.doesNotMatch(open.output.err, /@avery/)
    for (const handle of DEMO_PEOPLE) {
      assert.equal(await tryBasic(open.production, 'gs-logbook', handle), 401, handle)
      assert.equal(await tryBasic(open.production, 'gs-demo-app', handle), 401, handle)
      assert.equal(await tryBasic(open.sandbox, 'gs-sbx-demo-app', handle), 401, handle)
    }
    // The database records that its platform is public, so the import is refused even without the platform's settings.
    for (const environment of [[], ['--environment', 'sandbox']]) {
      const refused = await runOne(['import', 'demo/demo.json', ...environment], settings)
      assert.equal(refused.code, 1, refused.out)
      assert.match(
        refused.err,
        /^Nothing was imported: .* last started where others can reach it \(HOST is not .*DEMO=off/m,
      )
    }
    const demo = await runOne(['start'], { ...second, DEMO: 'on' })
    assert.equal(demo.code, 1, demo.err)
    assert.match(demo.err, /^DEMO cannot be on: .* last started where others can reach it \(HOST /m)
    assert.equal(await tryBasic(open.production, 'gs-demo-app', '@ellis'), 401)
    // The demo people were removed, so their handles are available again.
    assert.equal((await runOne(['user', 'add', '@drew'], settings)).code, 0)
    open.child.kill('SIGTERM')
    assert.equal((await open.ended).code, 0)
    assert.equal((await runOne(['import', 'demo/demo.json'], settings)).code, 1, 'it may be started again as it was')
  })

  await t.test('after a start that only this machine can reach, a file may bring demo people again', async () => {
    const local = await startIn(join(place, 'local'), { ...settings, DEMO: 'off' })
    assert.equal((await runOne(['user', 'remove', '@drew', '--yes'], settings)).code, 0)
    const imported = await runOne(['import', fewer], settings)
    assert.equal(imported.code, 0, imported.err)
    local.child.kill('SIGTERM')
    assert.equal((await local.ended).code, 0)
  })
})
