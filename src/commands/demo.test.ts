import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Client } from '../testing/testing.ts'
import { place, run, runAll, type Settings, signIn, startIn } from './testing.ts'

const DEMO_PEOPLE = ['@avery', '@blake', '@casey', '@drew', '@ellis']

const OPENINGS: readonly [what: string, Settings][] = [
  ['HOST', { HOST: '0.0.0.0' }],
  ['BASE_URL', { BASE_URL: 'https://api.example.org' }],
  ['SANDBOX_URL', { SANDBOX_URL: 'https://sandbox.example.org' }],
  ['TRUST_PROXY', { TRUST_PROXY: 'loopback' }],
]

const tryBasic = async (client: Client, clientId: string, handle: string, password = 'groundschool') => {
  const authorization = `Basic ${Buffer.from(`${handle}:${password}`).toString('base64')}`
  return (await client.get('/auth/basic', undefined, { authorization, clientid: clientId })).status
}

test('M7: a database with demo people does not start where others can reach it, until they are removed', async (t) => {
  const DATA_DIR = join(place, 'demo')
  const first = await startIn(DATA_DIR)
  await signIn(first.production, 'gs-demo-app', '@ellis:groundschool')
  // A password of one's own does not make a demo person real.
  const changed = await run(['user', 'password', '@ellis'], first.settings, 'another password\n')
  assert.equal(changed.code, 0, changed.err)
  assert.equal((await run(['user', 'add', '@real'], first.settings)).code, 0)
  const added = await run(['app', 'add', 'logbook', '--name', 'Logbook', '--basic', '--owner', '@drew'], first.settings)
  assert.equal(added.code, 0, added.err)
  first.child.kill('SIGTERM')
  await first.ended

  const lines = [
    ...OPENINGS.map(([, opening]) => ({
      args: ['start'],
      settings: { DATA_DIR, PORT: '0', SANDBOX_PORT: '0', ...opening },
    })),
    { args: ['import', 'demo/demo.json'], settings: { DATA_DIR, HOST: '0.0.0.0' } },
    { args: ['demo', 'remove'], settings: { DATA_DIR, HOST: '0.0.0.0' } },
    { args: ['demo', 'remove'], settings: { DATA_DIR } },
    { args: ['user', 'list'], settings: { DATA_DIR } },
    { args: ['user', 'list', '--environment', 'sandbox'], settings: { DATA_DIR } },
  ]
  const results = await runAll(lines)
  const [imported, removed, again, people, sandboxPeople] = results.slice(OPENINGS.length)

  for (const [i, [name]] of OPENINGS.entries())
    await t.test(`it does not start by ${name} alone, and says what to do`, () => {
      const { code, err } = results[i]!
      assert.equal(code, 1, err)
      const sentence = `^This database holds demo people, .* reach this platform: ${name} .*groundschool demo remove[^\\n]*\\n$`
      assert.match(err, new RegExp(sentence, 'm'))
      assert.doesNotMatch(err, /Groundschool is running|\n {4}at /)
    })

  await t.test('nor does it take demo people from a file there', () => {
    assert.equal(imported!.code, 1)
    assert.match(imported!.err, /^Nothing was imported: .*HOST is not a loopback address/m)
  })

  await t.test('one command removes them, and says what it removed; again it finds nothing', () => {
    assert.equal(removed!.code, 0, removed!.err)
    const others =
      'the course course-preflight, the class class-alpha, the class class-bravo, the organisation northwind, the organisation sandhills'
    assert.deepEqual(removed!.out.split('\n'), [
      `production: removed 207 people, the app gs-demo-app, ${others}`,
      `sandbox: removed 207 people, the app gs-sbx-demo-app, ${others}`,
      '',
    ])
    assert.equal(removed!.err, 'The app gs-logbook stays, without an owner.\n')
    assert.deepEqual(
      [again!.code, again!.out],
      [0, 'production: there are no demo people\nsandbox: there are no demo people\n'],
    )
    assert.deepEqual([people!.out, sandboxPeople!.out], ['@real\t\tno password\n', ''])
  })

  await t.test('then it starts on a public HOST, and nobody with a demo password signs in', async () => {
    const open = await startIn(DATA_DIR, { HOST: '0.0.0.0', BASE_URL: 'https://api.example.org' })
    assert.doesNotMatch(open.output.err, /@avery/)
    for (const handle of DEMO_PEOPLE) {
      assert.equal(await tryBasic(open.production, 'gs-logbook', handle), 401, handle)
      assert.equal(await tryBasic(open.production, 'gs-demo-app', handle), 401, handle)
      assert.equal(await tryBasic(open.sandbox, 'gs-sbx-demo-app', handle), 401, handle)
    }
    // Their handles are for anybody.
    assert.equal((await run(['user', 'add', '@drew'], open.settings)).code, 0)
    open.child.kill('SIGTERM')
    assert.equal((await open.ended).code, 0)
  })
})
