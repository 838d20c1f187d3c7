import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readText, refused, run, signIn, who } from '../../kernel/imports/testing.ts'
import { keepReach } from '../../kernel/installation/installation.ts'
import { assertError, Client, testApp } from '../testing/testing.ts'
import { hasDemoPeople, markEarlier, removeDemo } from './demo.ts'

const keys = {
  apps: ['demo-app', 'demo-ai', 'demo-ato'],
  organisations: ['northwind', 'sandhills'],
  courses: ['course-preflight', 'course-first-solo'],
  classes: ['class-alpha', 'class-bravo', 'class-charlie', 'class-foxtrot'],
  credentials: ['demo-record-store-key1'],
}

async function demoIsThere(t: TestContext, more: object = {}) {
  const app = await testApp(t, {}, { withSandbox: true })
  await run(app, JSON.parse(readText('demo/demo.json')))
  await run(app, more)
  const environment = app.environment()
  return { app, db: environment.db, remove: () => removeDemo(environment, who(), { keys }) }
}

const count = async (app: Awaited<ReturnType<typeof testApp>>, from: string) =>
  Number((await app.sql(`select count(*)::int as n from ${from}`))[0]!.n)

test('removing the demo removes all that belongs to it, at once on a running platform, and nothing else', async (t) => {
  const { app, db, remove } = await demoIsThere(t, {
    people: [
      {
        handle: '@noor',
        password: 'noor-has-a-password',
        organisations: { sandhills: 'student' },
        friends: ['@avery'],
      },
    ],
  })
  assert.equal(await hasDemoPeople(db), true)
  const noor = await signIn(app, 'gs-demo-app', '@noor:noor-has-a-password')
  const avery = await signIn(app, 'gs-demo-app', '@avery:groundschool')
  const [noorInDemo, averyInDemo] = [noor, avery].map(
    ({ headers }) => new Client(app.address, headers.get('access_token')!),
  ) as [Client, Client]
  for (const client of [noorInDemo, averyInDemo])
    assert.equal((await client.put('/app/v1/bucket', { id: `of-${client.token!.slice(-4)}`, data: {} })).status, 200)
  const withKey = () =>
    app.nobody().get('/xapi/statements', undefined, {
      authorization: `Basic ${Buffer.from('gs_key_demo-record-store-key1:gs-demo-secret').toString('base64')}`,
      'x-experience-api-version': '1.0.3',
    })
  assert.equal((await withKey()).status, 200)
  const anonymous = { anonymous: true, clientId: 'gs-demo-app', dateOfBirth: '2001-02-03' }
  assert.equal((await app.nobody().put('/user/v1/my/profile', anonymous)).status, 200)
  assert.equal(await count(app, 'people where anonymous'), 1)

  assert.deepEqual(await remove(), {
    people: 209,
    apps: ['gs-demo-ai', 'gs-demo-app', 'gs-demo-ato'],
    organisations: ['northwind'],
    courses: ['course-first-solo', 'course-preflight'],
    classes: ['class-alpha', 'class-bravo', 'class-charlie', 'class-foxtrot'],
    credentials: ['gs_key_demo-record-store-key1'],
    appsLeft: [],
    organisationsLeft: ['sandhills'],
    classesLeft: [],
    coursesLeft: [],
  })
  for (const client of [noorInDemo, averyInDemo])
    assert.ok([401, 403].includes((await client.get('/app/v1/bucket/list')).status), 'a token outlived its app')
  assertError(await signIn(app, 'gs-demo-app', '@ellis:groundschool'), 401, 4013)
  assert.equal((await withKey()).status, 401, 'everybody knows its secret')
  assertError(await signIn(app, 'gs-first', '@ellis:groundschool'), 401, 4011)
  assert.equal((await signIn(app, 'gs-first', '@noor:noor-has-a-password')).status, 200)
  // Finley exists in every test database and is not a demo person.
  assert.deepEqual(await app.sql('select handle from people order by 1'), [{ handle: '@finley' }, { handle: '@noor' }])
  for (const table of ['buckets', 'attempts', 'standings', 'objective_scores', 'notes', 'statements', 'plans'])
    assert.equal(await count(app, table), 0, table)
  assert.equal(await count(app, `installation where name like 'demo%'`), 0)
  assert.equal(await count(app, 'retired_handles'), 0)
  assert.equal(await hasDemoPeople(db), false)
  assert.equal((await remove()).people, 0)

  // The demo data in the other environment is unchanged.
  assert.equal(await hasDemoPeople(app.environment('sandbox').db), true)
  assert.equal((await signIn(app, 'gs-sbx-demo-app', '@ellis:groundschool', 'sandbox')).status, 200)
})

test('the addresses of demo people are confirmed, so that an invitation by address finds their accounts', async (t) => {
  const { app } = await demoIsThere(t)
  const unconfirmed = await app.sql(`select handle from people where email is not null and email_confirmed_at is null`)
  // The people of the tests were demo people before the file gave them an address.
  assert.deepEqual(unconfirmed.map(({ handle }) => handle).toSorted(), [
    '@avery',
    '@blake',
    '@casey',
    '@drew',
    '@ellis',
  ])
})

test('a real person never becomes a demo person, even with a handle of the demo', async (t) => {
  const app = await testApp(t)
  const file = { people: [{ handle: '@finley', demo: true, password: 'groundschool' }] }
  assert.deepEqual(await refused(run(app, file)), [
    'people[0]: must not be a demo user, because @finley already exists and is not one',
  ])
  await run(app, { people: [{ handle: '@mona', demo: true }] })
  await removeDemo(app.environment(), who(), { keys })
  await run(app, { people: [{ handle: '@mona' }, { handle: '@avery', demo: false }] })
  assert.equal(await hasDemoPeople(app.environment().db), false)
  assert.match((await refused(run(app, { people: [{ handle: '@mona', demo: true }] })))[0]!, /^people\[0\]: must not/)
})

test('demo people count from the moment their import is accepted', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  await removeDemo(app.environment(), who(), { keys })
  assert.equal(await hasDemoPeople(db), false)
  const part = JSON.stringify([{ people: [{ handle: '@late', demo: true }] }])
  await app.sql(
    `insert into import_parts (decided_at, request_id, address, content) values (now(), 'x', 'x', '${part}')`,
  )
  assert.equal(await hasDemoPeople(db), true)
  assert.equal((await removeDemo(app.environment(), who(), { keys })).people, 1)
  assert.deepEqual([await hasDemoPeople(db), await count(app, 'import_parts')], [false, 0])
})

test('demo people of a version that stored no mark are recognised by the app imported with them', async (t) => {
  const { app, db, remove } = await demoIsThere(t)
  await app.sql(`delete from installation where name like 'demo%'`)
  assert.equal(await hasDemoPeople(db), false)
  await markEarlier(db, who(), { environment: 'production', keys })
  assert.equal(await hasDemoPeople(db), true)
  // Five of the demo people already exist in every test database, so they were not created by the import.
  assert.equal((await remove()).people, 204)
})

test('a class with a real student stays with its course and is reported, and its public join code stops working', async (t) => {
  const { app, remove } = await demoIsThere(t, {
    people: [{ handle: '@noor', password: 'noor-has-a-password' }],
    classes: [
      { key: 'class-alpha', course: 'course-preflight', name: 'Preflight Alpha', students: [{ handle: '@noor' }] },
    ],
  })
  const codes = () => app.sql('select key, join_code from classes order by key')
  assert.deepEqual((await codes())[0], { key: 'class-alpha', join_code: 'ALPHA-2026' })
  const removed = await remove()
  assert.deepEqual(
    [removed.classes, removed.classesLeft, removed.courses, removed.coursesLeft],
    [['class-bravo', 'class-charlie', 'class-foxtrot'], ['class-alpha'], ['course-first-solo'], ['course-preflight']],
  )
  assert.deepEqual(await codes(), [{ key: 'class-alpha', join_code: null }])
  assert.equal(await count(app, 'enrolments'), 1)
})

test('M7: demo people are not imported if the platform of the database is public', async (t) => {
  const app = await testApp(t)
  const { db } = app.environment()
  const file = { people: [{ handle: '@mona', demo: true }, { handle: '@real' }] }
  await keepReach(db, 'HOST is not a loopback address (0.0.0.0)')
  assert.deepEqual(await refused(run(app, file)), [
    'people[0]: must not be a demo user, because others can reach the platform of this database: HOST is not a loopback address (0.0.0.0)',
  ])
  await run(app, { people: [{ handle: '@real' }] })
  await keepReach(db, undefined)
  await run(app, file)
  assert.equal(await hasDemoPeople(db), true)
})
