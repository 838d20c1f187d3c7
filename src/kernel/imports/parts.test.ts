import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser } from '../../apps/account/testing.ts'
import { PROFILE } from '../../apps/anonymous/testing.ts'
import { lockPeople } from '../../identity/people/import-store.ts'
import { verifyPassword } from '../../identity/people/passwords.ts'
import { changePassword } from '../../identity/people/people.ts'
import { removePerson } from '../../identity/people/removal.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { until } from '../database/test-database.ts'
import { keepParts } from './carry-out.ts'
import { importContent } from './imports.ts'
import { all, friendships, idOf, importAfter, importBehind, readPerson, run, runPeople, who } from './testing.ts'

/** Finds the import job once it has recorded which part is first. */
const watched = (app: TestApp) =>
  app.sql(`select from jobs where kind = 'import' and payload ? 'seen' and not is_leased`)

const crowd = (count: number) => Array.from({ length: count }, (_, i) => ({ handle: `@c${i}`, lastName: 'Crowd' }))

test('people whom a large import changes wait for one part of it only', async (t) => {
  const app = await testApp(t)
  await app.givePassword('avery')
  await run(app, { people: crowd(1000) })
  const content = {
    people: [{ handle: '@avery', lastName: 'First' }, ...crowd(1000).map((one) => ({ ...one, lastName: 'Renamed' }))],
  }
  const report = await importBehind(app, 'c999', content, async () => {
    assert.equal((await readPerson(app, 'avery')).last_name, 'First')
    const avery = await app.as('avery')
    const { status, body } = await avery.get(PROFILE)
    assert.deepEqual([status, body.lastName], [200, 'First'])
    // Profile changes, sign-ins and withdrawals of consent once had to wait for the whole import.
    await app.sql(`update people set country = 'SE' where handle_key in ('avery', 'c0')`)
    await signInBrowser(app, 'avery')
    await app.sql(`update app_users set withdrawn_at = now() where user_id = '${avery.userId}'`)
  })
  assert.deepEqual(report.production!.people, all(0, 1001, 0))
  const rows = await app.sql(
    `select last_name, country, count(*)::int as people from people where last_name in ('First', 'Renamed') group by 1, 2 order by 1, 2`,
  )
  assert.deepEqual(rows, [
    { last_name: 'First', country: 'SE', people: 1 },
    { last_name: 'Renamed', country: 'SE', people: 1 },
    { last_name: 'Renamed', country: null, people: 999 },
  ])
})

test('an accepted import is finished by the platform itself or by the next import', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  const keep = (handle: string) =>
    db.transaction((tx) =>
      keepParts(tx, who(), [{ organisations: [], people: [{ handle, isKnown: false }], apps: [] }]),
    )
  await keep('@left1')
  app.advance(5000)
  await until('the platform looked', async () => (await watched(app)).length === 1)
  assert.equal((await app.sql('select from import_parts')).length, 1, 'somebody may be at it')
  app.advance(5000)
  await until('it is written', async () => (await app.sql('select from import_parts')).length === 0)
  await until(
    'nobody looks any more',
    async () => (await app.sql(`select from jobs where kind = 'import'`)).length === 0,
  )
  await keep('@left2')
  assert.deepEqual((await runPeople(app, [{ handle: '@left2' }])).production!.people, all(0, 0, 1))
  const found = await app.sql(`select handle from people where handle like '@left_' order by 1`)
  assert.deepEqual(found, [{ handle: '@left1' }, { handle: '@left2' }])
  assert.deepEqual(await app.sql('select from import_parts'), [])
})

test('people who leave during an import are not brought back, and those named with them arrive', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const content = {
    people: [
      { handle: '@avery', firstName: 'Held' },
      { handle: '@casey', firstName: 'Gone', friends: ['@new'] },
      { handle: '@new', friends: ['@casey', '@drew'] },
      { handle: '@kid', dateOfBirth: '2020-01-01', parents: ['@casey', '@drew'] },
    ],
    apps: [{ key: 'theirs', name: 'Theirs', owner: '@casey' }],
  }
  const personId = await idOf(app, 'casey')
  await importBehind(app, 'avery', content, () =>
    removePerson(app.environment().db, who(), { personId, reason: 'test', forget: FORGETTING }),
  )
  assert.equal(await readPerson(app, 'casey'), undefined)
  assert.equal((await readPerson(app, 'avery')).first_name, 'Held')
  assert.deepEqual(
    (await friendships(app)).map(({ one, other }) => [one, other]),
    [['drew', 'new']],
  )
  assert.deepEqual((await friendships(app, 'sandbox')).length, 2)
  const parents = `select p.handle from guardians g join people p on p.id = g.parent_id order by 1`
  assert.deepEqual(await app.sql(parents), [{ handle: '@drew' }])
  assert.deepEqual(await app.sql(parents, 'sandbox'), [{ handle: '@casey' }, { handle: '@drew' }])
  assert.deepEqual(await app.sql(`select owner_id from apps where client_id = 'gs-theirs'`), [{ owner_id: null }])
})

test('a person who nears the maximum number of friends while an import waits does not exceed it', async (t) => {
  const app = await testApp(t)
  await run(app, { people: crowd(999) })
  const newcomers = [1, 2, 3].map((i) => ({ handle: `@new${i}`, friends: ['@drew', '@ellis'] }))
  const content = { people: [{ handle: '@avery', firstName: 'Held' }, ...newcomers] }
  await importBehind(app, 'avery', content, () =>
    app.sql(
      `insert into friendships (asker_id, asked_id, requested_at, accepted_at)
       select drew.id, c.id, now(), now() from people drew, people c where drew.handle_key = 'drew' and c.last_name = 'Crowd'`,
    ),
  )
  const friends = (await friendships(app)).filter(({ other }) => String(other).startsWith('new'))
  assert.deepEqual(friends.map(({ one }) => one).sort(), ['drew', 'ellis', 'ellis', 'ellis'])
})

test('changes that people make during an import stay, unless the file changes the same field', async (t) => {
  const app = await testApp(t)
  const noor = { handle: '@noor', country: 'DE', publicSearch: true, password: 'the password at first' }
  await run(app, { people: [noor] })
  const content = {
    people: [
      { handle: '@avery', firstName: 'Held' },
      { ...noor, lastName: 'New', password: 'another one from the file' },
    ],
  }
  await importBehind(app, 'avery', content, async () => {
    await changePassword(app.environment().db, who(), { handle: '@noor', password: 'her own new one' })
    await app.sql(
      `update people set country = 'SE', public_search = false, last_name = 'Own' where handle_key = 'noor'`,
    )
  })
  const { country, public_search, last_name, password_hash } = await readPerson(app, 'noor')
  assert.deepEqual([country, public_search, last_name], ['SE', false, 'New'])
  assert.ok(await verifyPassword({ password: 'her own new one', hash: String(password_hash) }))
})

test('people who leave, or set a new password, while an import is prepared stay away, or keep it', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const { db } = app.environment()
  const password = 'from the file'
  const content = { people: ['@avery', '@blake', '@new'].map((handle) => ({ handle, password, friends: ['@casey'] })) }
  const personId = await idOf(app, 'blake')
  const report = await importAfter(app, content, async () => {
    await changePassword(db, who(), { handle: '@avery', password: 'her own new one' })
    await removePerson(db, who(), { personId, reason: 'test', forget: FORGETTING })
  })
  assert.deepEqual([report.production!.people, report.sandbox!.people], [all(1, 1, 0), all(1, 2, 0)])
  assert.equal(await readPerson(app, 'blake'), undefined)
  const { password_hash } = await readPerson(app, 'avery')
  assert.ok(await verifyPassword({ password: 'her own new one', hash: String(password_hash) }))
  assert.equal((await friendships(app)).length, 2)
})

test('an import builds on what an earlier one accepted, and a dry run is refused until that is written', async (t) => {
  const app = await testApp(t)
  const part = { organisations: [], people: [{ handle: '@left', isKnown: false }], apps: [] }
  await app.environment().db.transaction((tx) => keepParts(tx, who(), [part]))
  const content = { people: [{ handle: '@avery', friends: ['@left'] }] }
  await assert.rejects(run(app, content, true), /An earlier import is not finished yet/)
  assert.equal((await app.sql('select from import_parts')).length, 1)
  await importContent([app.environment()], who(), { content })
  assert.equal((await friendships(app)).length, 1)
})

test('one commit accepts an import for both environments', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const content = { people: [{ handle: '@avery', firstName: 'Held' }, ...crowd(300)] }
  await importBehind(app, 'avery', content, async () => {
    const decisions = `select distinct (select xmin::text from gs_sandbox.audit_entries where action = 'import') as sandbox, xmin::text as production from import_parts`
    const [row, ...more] = await app.sql(decisions)
    assert.equal(more.length, 0)
    assert.equal(row!.production, row!.sandbox)
  })
})

test('a part that takes too long is split, and the error names an entry that cannot be written', async (t) => {
  const app = await testApp(t, { STATEMENT_TIMEOUT_MS: '400' })
  await run(app, { people: crowd(100) })
  const content = { people: crowd(100).map((one) => ({ ...one, lastName: 'Renamed' })) }
  const renamed = async () => (await app.sql(`select from people where last_name = 'Renamed'`)).length
  const stop = await app.environment().db.transaction(async (tx) => {
    await tx.all(lockPeople, { handles: ['c60'] })
    return run(app, content).catch((problem: Error) => problem)
  })
  assert.equal(await renamed(), 60)
  assert.ok(stop instanceof Error)
  assert.match(stop.message, /^The file was accepted, and the rest .* the part with @c60 cannot be written/)
  app.advance(5000)
  await until('the platform looked', async () => (await watched(app)).length === 1)
  app.advance(5000)
  await until('the rest is written', async () => (await renamed()) === 100)
})

test('no stored part contains a readable password or secret', async (t) => {
  const app = await testApp(t)
  const people = [
    { handle: '@avery', firstName: 'Held' },
    { handle: '@new', password: 'a password of somebody new' },
  ]
  const content = { people, apps: [{ key: 'logbook', name: 'Logbook', secrets: ['a secret of the logbook'] }] }
  await importBehind(app, 'avery', content, async () => {
    const rows = await app.sql('select content::text from import_parts')
    const text = JSON.stringify(rows)
    assert.match(text, /@new/)
    assert.match(text, /logbook/)
    assert.doesNotMatch(text, /password of somebody|secret of the logbook/)
  })
  assert.deepEqual(await app.sql('select from import_parts'), [])
})
