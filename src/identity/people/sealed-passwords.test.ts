import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { upkeepAt } from '../../kernel/caller.ts'
import { until } from '../../kernel/database/test-database.ts'
import { importContent } from '../../kernel/imports/imports.ts'
import { all, importAfter, importBehind, readPerson, signIn, who } from '../../kernel/imports/testing.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { assertError, Client, type Person, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { preparePasswords } from './import-passwords.ts'
import { passwordSeal, verifySealed } from './password-seals.ts'
import { verifyPassword } from './passwords.ts'
import { changePassword, disablePerson } from './people.ts'
import { makeResetLink, resetPassword } from './resets.ts'
import { hashSealed, hashSealedLater } from './sealed-passwords.ts'

const HOUR_MS = 3_600_000
const PASSWORD = 'a password of a file'
const ARGON2ID = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/
const SEALED = /^\$sealed\$[\w+/]+=*$/

/** A platform whose log is searched for the passwords of this file too. */
async function start(t: TestContext): Promise<TestApp> {
  const app = await testApp(t, { RATE_ADDRESS_BURST: '100000' })
  t.after(() => assert.doesNotMatch(app.log(), /password of|a new one of|own choice/))
  return app
}

/** Leaves somebody with a password that an import has not hashed yet. */
async function giveSealed(app: TestApp, person: Person, password = PASSWORD) {
  const sealed = app.environment().get(passwordSeal).seal(password)
  await app.sql(`update people set password_hash = '${sealed}' where handle_key = '${person}'`)
  return { personId: Number((await readPerson(app, person)).id), sealed }
}

const storedOf = async (app: TestApp, handle: string) => String((await readPerson(app, handle)).password_hash)
const epochOf = async (app: TestApp, handle: string) => (await readPerson(app, handle)).epoch
const basic = async (app: TestApp, handle: string, password: string) =>
  (await signIn(app, 'gs-first', `${handle}:${password}`)).status
const listSealed = (app: TestApp) => app.sql(`select handle from people where password_hash like '$sealed$%'`)
const listJobs = (app: TestApp) => app.sql(`select from jobs where kind = 'passwords'`)
const hashInBackground = (app: TestApp) => {
  const { db, clock } = app.environment()
  return db.transaction((tx) => hashSealedLater(tx, upkeepAt(clock())))
}
const untilHashed = (app: TestApp) => until('the job is done', async () => (await listJobs(app)).length === 0, 60_000)

test('a seal opens to its password in its own environment alone, and does not tell how long that is', async (t) => {
  const app = await start(t)
  const [production, sandbox] = [app.environment().get(passwordSeal), app.environment('sandbox').get(passwordSeal)]
  const sealed = production.seal(PASSWORD)
  assert.match(sealed, SEALED)
  assert.notEqual(sealed, production.seal(PASSWORD))
  assert.equal(production.open(sealed), PASSWORD)
  assert.equal(sandbox.open(sealed), undefined)
  const changed = `${sealed.slice(0, -6)}${sealed.at(-6) === 'A' ? 'B' : 'A'}${sealed.slice(-5)}`
  for (const broken of [changed, sealed.slice(0, 30), '$sealed$']) assert.equal(production.open(broken), undefined)
  assert.equal(production.seal('8 signs!').length, production.seal('thirty signs, or one or two more').length)
  for (const odd of ['cafe\u0301 au lait', 'a "quoted" \\ one  ', 'x'.repeat(1000), '🛩️ and \0 and \ud800'])
    assert.equal(production.open(production.seal(odd)), odd)
})

test('the two ways to write an accent are one sealed password, and none of a thousand and one characters is right', async (t) => {
  const seal = (await start(t)).environment().get(passwordSeal)
  const verify = async (password: string, own: string) =>
    (await verifySealed({ password, sealed: seal.seal(own) }, seal)).isRight
  assert.equal(await verify('cafe\u0301 au lait', 'caf\u00e9 au lait'), true)
  assert.equal(await verify('x'.repeat(1000), 'x'.repeat(1000)), true)
  assert.equal(await verify('x'.repeat(1001), 'x'.repeat(1001)), false)
  assert.equal(await verify('x'.repeat(1001), 'x'.repeat(1000)), false)
})

test('up to 200 passwords that need a new hash are hashed at once, however many the file has', async (t) => {
  const app = await start(t)
  await app.givePassword('avery')
  const avery = await storedOf(app, 'avery')
  const seal = app.environment().get(passwordSeal)
  const people = ['avery', ...Array.from({ length: 200 }, (_, i) => `p${i}`)].map((handle) => ({
    handle,
    password: 'groundschool',
  }))
  const stored = (handle: string) => (handle === 'avery' ? avery : null)
  const how = { isDryRun: false, onProgress: () => {} }
  const few = await preparePasswords(people, [{ seal, find: stored }], how)
  assert.equal(
    few.choose('@avery', avery, () => seal),
    undefined,
  )
  assert.match(few.choose('@p199', null, () => seal)!, ARGON2ID)
  assert.equal(few.sealed, 0)

  const many = await preparePasswords(people, [{ seal, find: () => null }], how)
  assert.match(many.choose('@p199', null, () => seal)!, SEALED)
  assert.equal(many.sealed, 201)
  const dry = await preparePasswords(people, [{ seal, find: () => null }], { ...how, isDryRun: true })
  assert.equal(
    dry.choose('@p199', null, () => seal),
    '(a new password)',
  )
  assert.equal(dry.sealed, 0)
})

test('passwords of a large file work at once, and are hashed by those who sign in and in the background', async (t) => {
  const app = await start(t)
  const passwordOf = (i: number) => `the password of ${i}`
  const people = Array.from({ length: 201 }, (_, i) => ({ handle: `@p${i}`, password: passwordOf(i) }))
  const notes: string[] = []
  const content = { people: [{ handle: '@avery', firstName: 'Held' }, ...people] }
  // Decided in an hour, as far as the platform knows: until then it leaves the job alone.
  const later = { ...who(), at: new Date(Date.now() + HOUR_MS) }
  await importContent([app.environment()], later, { content, onNote: (note) => notes.push(note) })
  assert.deepEqual(notes, ['The 201 new passwords work already; the platform hashes them while it runs.'])
  const stored = await app.sql(`select password_hash from people where handle ~ '^@p[0-9]'`)
  assert.equal(stored.length, 201)
  for (const { password_hash } of stored) assert.match(String(password_hash), SEALED)
  assert.deepEqual([(await listSealed(app)).length, (await listJobs(app)).length], [201, 1])

  // By the API of apps, by the operation of the pages, and by the page itself.
  const byAccount = (handle: string, password: string) =>
    call(app.visitor(), 'POST', '/account/v1/signin', { handle, password })
  const byPage = async (handle: string, password: string) => {
    const browser = app.visitor()
    return (await browser.submit(await browser.get('/account/signin'), { handle, password })).status
  }
  assert.deepEqual([await basic(app, '@p0', passwordOf(1)), await basic(app, '@p0', passwordOf(0))], [401, 200])
  assertError(await byAccount('p1', passwordOf(0)), 401, 4011, /^The handle or the password is wrong$/)
  assert.equal((await byAccount('P1', passwordOf(1))).body.handle, '@p1')
  assert.deepEqual([await byPage('@p2', passwordOf(0)), await byPage('@p2', passwordOf(2))], [401, 303])
  for (const [i, handle] of ['p0', 'p1', 'p2'].entries()) {
    const hash = await storedOf(app, handle)
    assert.match(hash, ARGON2ID)
    assert.ok(await verifyPassword({ password: passwordOf(i), hash }))
    assert.equal(await epochOf(app, handle), 0)
  }
  const hashOf0 = await storedOf(app, 'p0')
  assert.equal((await listSealed(app)).length, 198)

  app.advance(HOUR_MS)
  await untilHashed(app)
  assert.deepEqual(await listSealed(app), [])
  assert.equal(await storedOf(app, 'p0'), hashOf0, 'what is hashed already stays')
  assert.deepEqual(await app.sql(`select count(*)::int as n from people where handle ~ '^@p[0-9]' and epoch <> 0`), [
    { n: 0 },
  ])
  for (const i of [0, 3, 100, 200])
    assert.deepEqual(
      [await basic(app, `@p${i}`, passwordOf(i)), await basic(app, `@p${i}`, 'wrong')],
      [200, 401],
      `${i}`,
    )
})

test('a wrong password counts like any other, and a disabled account stays closed and sealed', async (t) => {
  const app = await start(t)
  await app.givePassword('avery')
  await giveSealed(app, 'blake')
  const { sealed } = await giveSealed(app, 'casey')
  for (const handle of ['avery', 'blake']) for (let i = 0; i < 5; i++) await basic(app, handle, 'wrong')
  const failures = await app.sql(
    `select failures from sign_in_failures where about ~ '(avery|blake)$' order by subject`,
  )
  assert.deepEqual(
    failures.map(({ failures: n }) => n),
    [5, 5, 5, 5],
  )
  assert.deepEqual([await basic(app, '@avery', 'groundschool'), await basic(app, '@blake', PASSWORD)], [429, 429])
  assert.match(await storedOf(app, 'blake'), SEALED)
  await disablePerson(app.environment().db, who(), { handle: '@casey', isDisabled: true }, FORGETTING)
  assert.equal(await basic(app, '@casey', PASSWORD), 401)
  assert.equal(await storedOf(app, 'casey'), sealed)
})

test('who has set another password meanwhile keeps it', async (t) => {
  const app = await start(t)
  const { db, get } = app.environment()
  const avery = await giveSealed(app, 'avery')
  await changePassword(db, who(), { handle: '@avery', password: 'their own choice' })
  assert.equal(await hashSealed(db, avery, get(passwordSeal)), 'replaced')
  assert.equal(await basic(app, '@avery', 'their own choice'), 200)

  for (let i = 0; i < 5; i++) {
    const blake = await giveSealed(app, 'blake')
    await Promise.all([
      hashSealed(db, blake, get(passwordSeal)),
      basic(app, '@blake', PASSWORD),
      changePassword(db, who(), { handle: '@blake', password: `their own choice ${i}` }),
    ])
    assert.ok(await verifyPassword({ password: `their own choice ${i}`, hash: await storedOf(app, 'blake') }))
  }
})

test('somebody whose password is sealed can set a new one by a link', async (t) => {
  const app = await start(t)
  const { db, get, clock } = app.environment()
  await giveSealed(app, 'avery')
  const caller = { ...who(), at: clock() }
  const link = new URL(await makeResetLink(db, caller, { handle: '@avery' }, get(messagePolicy)))
  const code = link.searchParams.get('code')!
  await resetPassword(db, caller, { code, password: 'a new one of their own' }, get(messagePolicy))
  await hashInBackground(app)
  await untilHashed(app)
  assert.deepEqual(
    [await basic(app, '@avery', PASSWORD), await basic(app, '@avery', 'a new one of their own')],
    [401, 200],
  )
})

test('a link that was sent before the password was hashed still works', async (t) => {
  const app = await start(t)
  const { db, get, clock } = app.environment()
  await giveSealed(app, 'avery')
  const caller = { ...who(), at: clock() }
  const link = new URL(await makeResetLink(db, caller, { handle: '@avery' }, get(messagePolicy)))
  await hashInBackground(app)
  await untilHashed(app)
  assert.match(await storedOf(app, 'avery'), ARGON2ID)
  const what = { code: link.searchParams.get('code')!, password: 'a new one of their own' }
  await resetPassword(db, caller, what, get(messagePolicy))
  assert.equal(await basic(app, '@avery', 'a new one of their own'), 200)
})

test('a password that cannot be opened is nobody’s, and is taken away with a line in the log', async (t) => {
  const app = await start(t)
  const foreign = app.environment('sandbox').get(passwordSeal).seal(PASSWORD)
  await app.sql(`update people set password_hash = '${foreign}' where handle_key = 'avery'`)
  await giveSealed(app, 'blake')
  assert.equal(await basic(app, '@avery', PASSWORD), 401)
  await hashInBackground(app)
  await untilHashed(app)
  const { id, password_hash } = await readPerson(app, 'avery')
  assert.equal(password_hash, null)
  assert.match(await storedOf(app, 'blake'), ARGON2ID)
  const lines = app
    .log()
    .split('\n')
    .filter((line) => line.includes('cannot be opened'))
  assert.equal(lines.length, 1)
  const { level, personId } = JSON.parse(lines[0]!)
  assert.deepEqual([level, personId], ['warn', Number(id)])
})

test('somebody who is signed in proves nothing by a sealed password until it is hashed', async (t) => {
  const app = await start(t)
  const browser = await signInBrowser(app, 'avery')
  await giveSealed(app, 'avery')
  const change = () =>
    call(browser, 'POST', '/account/v1/password', { password: PASSWORD, newPassword: 'a new one of their own' })
  const refused = await change()
  assertError(
    refused,
    503,
    5030,
    /^Your password was imported a moment ago and is being prepared; try again in a minute$/,
  )
  assert.equal(refused.headers.get('retry-after'), '30')
  await hashInBackground(app)
  await untilHashed(app)
  assert.equal((await change()).status, 200)
})

test('the same file again changes nothing, whether its passwords are sealed or hashed', async (t) => {
  const app = await start(t)
  const { db, get } = app.environment()
  const avery = await giveSealed(app, 'avery')
  const again = async (isDryRun: boolean) => {
    const content = { people: [{ handle: '@avery', password: PASSWORD }] }
    return (await importContent([app.environment()], who(), { content, isDryRun })).production!.people
  }
  for (const isDryRun of [true, false]) assert.deepEqual(await again(isDryRun), all(0, 0, 1))
  assert.equal(await storedOf(app, 'avery'), avery.sealed)
  await hashSealed(db, avery, get(passwordSeal))
  for (const isDryRun of [true, false]) assert.deepEqual(await again(isDryRun), all(0, 0, 1))
  // Hashed while the import gets ready.
  const blake = await giveSealed(app, 'blake')
  const content = { people: [{ handle: '@blake', password: PASSWORD }] }
  await importAfter(app, content, () => hashSealed(db, blake, get(passwordSeal)))
  assert.equal(await epochOf(app, 'blake'), 0)
  assert.equal(await basic(app, '@blake', PASSWORD), 200)
})

test('another password in a later file counts, however far the first ones are hashed', async (t) => {
  const app = await start(t)
  const { db, get } = app.environment()
  const seal = get(passwordSeal)
  const next = 'a new one of the file'
  const people = ['@avery', '@blake', '@casey'].map((handle) => ({ handle, password: next }))
  const [avery, blake, casey] = [
    await giveSealed(app, 'avery'),
    await giveSealed(app, 'blake'),
    await giveSealed(app, 'casey'),
  ]
  const dry = await importContent([app.environment()], who(), { content: { people }, isDryRun: true })
  assert.deepEqual(dry.production!.people, all(0, 3, 0))
  assert.equal(await storedOf(app, 'avery'), avery.sealed, 'a dry run writes nothing')

  const report = await importAfter(app, { people }, async () => {
    await hashSealed(db, avery, seal)
    await changePassword(db, who(), { handle: '@casey', password: 'their own choice' })
  })
  assert.deepEqual(report.production!.people, all(0, 2, 1))
  assert.deepEqual([await basic(app, '@avery', PASSWORD), await basic(app, '@avery', next)], [401, 200])
  assert.deepEqual([await basic(app, '@blake', PASSWORD), await basic(app, '@blake', next)], [401, 200])
  assert.deepEqual([await basic(app, '@casey', next), await basic(app, '@casey', 'their own choice')], [401, 200])
  assert.deepEqual(await Promise.all([blake, casey].map((one) => hashSealed(db, one, seal))), ['replaced', 'replaced'])
})

test('another password in a later file counts too when it is hashed after the file was accepted', async (t) => {
  const app = await start(t)
  const { db, get } = app.environment()
  const blake = await giveSealed(app, 'blake')
  const people = [
    { handle: '@avery', firstName: 'Held' },
    { handle: '@blake', password: 'a new one of the file' },
  ]
  await importBehind(app, 'avery', { people }, () => hashSealed(db, blake, get(passwordSeal)))
  assert.equal(await basic(app, '@blake', 'a new one of the file'), 200)
})

test('a seal of another key that a file replaces is replaced, also when the job takes it away meanwhile', async (t) => {
  const app = await start(t)
  const { db, get } = app.environment()
  const sealed = app.environment('sandbox').get(passwordSeal).seal(PASSWORD)
  await app.sql(`update people set password_hash = '${sealed}' where handle_key = 'avery'`)
  const personId = Number((await readPerson(app, 'avery')).id)
  const content = { people: [{ handle: '@avery', password: 'a new one of the file' }] }
  await importAfter(app, content, () => hashSealed(db, { personId, sealed }, get(passwordSeal)))
  assert.equal(await basic(app, '@avery', 'a new one of the file'), 200)
})

test('two processes that hash, and people who sign in meanwhile, leave one good hash for each', async (t) => {
  const app = await start(t)
  const second = await app.startSecond()
  const there = new Client(second.addresses.production)
  const seal = app.environment().get(passwordSeal)
  const numbers = Array.from({ length: 30 }, (_, i) => i)
  const passwordOf = (i: number) => `the password of ${i}`
  const rows = numbers.map((i) => `('@p${i}', 'p${i}', '${seal.seal(passwordOf(i))}', now())`)
  await app.sql(`insert into people (handle, handle_key, password_hash, created_at) values ${rows.join()}`)
  const basicThere = (i: number) =>
    there.get('/auth/basic', undefined, {
      authorization: `Basic ${Buffer.from(`@p${i}:${passwordOf(i)}`).toString('base64')}`,
      clientid: 'gs-first',
    })
  const [, ...answers] = await Promise.all([
    hashInBackground(app),
    ...numbers
      .filter((i) => i % 2 === 1)
      .flatMap((i) => [basicThere(i), signIn(app, 'gs-first', `@p${i}:${passwordOf(i)}`)]),
  ])
  for (const { status, text } of answers) assert.equal(status, 200, text)
  await untilHashed(app)
  for (const i of numbers) {
    const hash = await storedOf(app, `p${i}`)
    assert.match(hash, ARGON2ID)
    assert.ok(await verifyPassword({ password: passwordOf(i), hash }), `${i}`)
    assert.equal(await epochOf(app, `p${i}`), 0)
  }
})

test('somebody whom another import seals behind the job’s back is hashed too', async (t) => {
  const app = await start(t)
  const { db, clock } = app.environment()
  await giveSealed(app, 'avery')
  const { personId } = await giveSealed(app, 'finley')
  await app.sql(
    `insert into jobs (kind, unique_key, payload, created_at, run_at)
     values ('passwords', 'sealed', '{"after": ${personId}}', now(), now() + interval '1 hour') returning id`,
  )
  await db.transaction((tx) => hashSealedLater(tx, upkeepAt(clock())))
  await untilHashed(app)
  assert.deepEqual(await listSealed(app), [])
  assert.ok(await verifyPassword({ password: PASSWORD, hash: await storedOf(app, 'avery') }))
})
