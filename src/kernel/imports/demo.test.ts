import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { printDemo } from '../../../demo/make-demo.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { all, readText, run, signIn } from './testing.ts'

const demo = () => JSON.parse(readText('demo/demo.json'))

const demoIsThere = async (t: TestContext) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const report = await run(app, demo())
  return { app, report }
}

test('the demo data lets the demo people sign in to both environments, each with its own client ID', async (t) => {
  const { app, report } = await demoIsThere(t)
  // Five of the demo people already exist in every test database, so the import updates them.
  assert.deepEqual(report.production!.people, all(204, 5, 0))
  for (const person of ['avery', 'blake', 'casey', 'drew', 'ellis'])
    assert.equal((await signIn(app, 'gs-demo-app', `@${person}:groundschool`)).status, 200, person)
  const inSandbox = (clientId: string) => signIn(app, clientId, '@avery:groundschool', 'sandbox')
  assert.equal((await inSandbox('gs-sbx-demo-app')).status, 200)
  assertError(await inSandbox('gs-demo-app'), 401, 4013, /production/)
  assertError(await signIn(app, 'gs-sbx-demo-app', '@avery:groundschool'), 401, 4013, /sandbox/)
})

test('the demo data is as contract §11 says', async (t) => {
  const { app } = await demoIsThere(t)
  const people = await app.sql(
    `select handle from people where public_search and password_hash is null and handle_key <> 'finley'`,
  )
  assert.equal(people.length, 200)
  const [found] = await app.sql(
    `select p.handle, a.implicit_enabled, a.basic_enabled, a.status,
            array(select uri from app_redirect_uris where app_id = a.id order by 1) as uris
       from apps a join people p on p.id = a.owner_id where client_id = 'gs-demo-app'`,
  )
  assert.deepEqual(found, {
    handle: '@drew',
    implicit_enabled: true,
    basic_enabled: true,
    status: 'approved',
    uris: [
      'demo://callback',
      'http://127.0.0.1/callback',
      'http://localhost:4000/demo/callback',
      'http://localhost:4000/docs/callback',
      'http://localhost:4001/docs/callback',
    ],
  })
  const special = await app.sql(
    `select handle, administrator, developer from people where administrator or developer order by 1`,
  )
  assert.deepEqual(special, [
    { handle: '@drew', administrator: false, developer: true },
    { handle: '@ellis', administrator: true, developer: false },
  ])
  for (const environment of ['production', 'sandbox'] as const) {
    const [counts] = await app.sql(
      `select (select count(*)::int from app_users) as users, (select count(*)::int from app_users where allowed_at is null) as unasked,
              (select count(*)::int from findable_users) as found`,
      environment,
    )
    assert.deepEqual(counts, { users: 209, unasked: 209, found: 205 })
    const friends = await app.sql(
      `select a.handle as one, b.handle as other from friendships f join people a on a.id = f.asker_id
         join people b on b.id = f.asked_id where f.accepted_at is not null`,
      environment,
    )
    assert.deepEqual(friends, [{ one: '@avery', other: '@blake' }])
  }
  const results = await app.sql(
    `select result, count(*)::int from attempts t join enrolments e on e.id = t.enrolment_id join people p on p.id = e.person_id
      where p.handle not in ('@avery', '@blake') group by result order by 1`,
  )
  assert.deepEqual(
    results.map(({ result }) => result),
    ['FAIL', 'IN PROGRESS', 'INCOMPLETE', 'PASS'],
  )
  const [ofNamed] = await app.sql(
    `select (select count(*)::int from attempts) as attempts, (select count(*)::int from notes) as notes, (select count(*)::int from objective_scores) as scores,
            (select count(*)::int from attempts t join enrolments e on e.id = t.enrolment_id where e.key in ('student-avery', 'student-blake', 'student-blake-bravo')) as own,
            (select count(*)::int from enrolments e join classes c on c.id = e.class_id where c.key = 'class-bravo') as bravo`,
  )
  assert.deepEqual(ofNamed, { attempts: 60, notes: 9, scores: 20, own: 0, bravo: 1 })
  const statements = await app.sql(
    `select count(*)::int as all, count(l.attempt_id)::int as within, count(l.sender_id)::int as sent, bool_and(s.app_id = a.id) as by_app
       from statements s join statement_links l on l.seq = s.seq join apps a on a.client_id = 'gs-demo-app'`,
  )
  assert.deepEqual(statements, [{ all: 16, within: 16, sent: 16, by_app: true }])
  const again = {
    organisations: all(0, 0, 2),
    people: all(0, 0, 209),
    apps: all(0, 0, 3),
    files: all(0, 0, 2),
    questions: all(0, 0, 9),
    courses: all(0, 0, 2),
    classes: all(0, 0, 4),
    badges: all(0, 0, 2),
    credentials: all(0, 0, 1),
    plans: all(0, 0, 1),
  }
  assert.deepEqual(await run(app, demo()), { production: again, sandbox: again })
})

test('demo.json is what make-demo.ts generates', () => {
  assert.equal(readText('demo/demo.json'), printDemo())
})
