import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { testApp } from '../testing/testing.ts'

const OVERVIEW = '/admin/v1/overview'

test('the overview says what waits, what grew and what is wrong', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, ...testMailbox(t).settings })
  await app.sql(`update people set administrator = true where handle_key = 'ellis'`)
  const ellis = await signInBrowser(app, 'ellis')
  const read = async () => (await call(ellis, 'GET', OVERVIEW)).body
  const nothing = { apps: 0, changedApps: 0, permissions: 0, invited: 0, expired: 0, uninvited: 0 }

  await t.test('it is calm if nothing waits and nothing is wrong', async () => {
    const { waiting, problems, growth } = await read()
    assert.deepEqual(waiting, nothing)
    assert.deepEqual(problems, [])
    const [people] = await app.sql('select count(*)::int as n from people where not anonymous')
    assert.equal(growth.people.total, people!.n)
    assert.deepEqual(growth.activePeople, { last7Days: 1, last30Days: 1 })
  })

  await t.test('it counts what is new and who was active, by 7 and 30 days', async () => {
    const before = (await read()).growth
    await app.sql(
      `insert into people (handle, handle_key, first_name, last_name, created_at, search_version)
       select '@new' || d, 'new' || d, '', '', now() - make_interval(days => d), 0 from unnest(array[3, 20, 50]) d;
       insert into organisations (key, name, created_at) select 'o' || d, 'O', now() - make_interval(days => d) from unnest(array[3, 20, 50]) d;
       insert into browsers (id, token_hash, person_id, epoch, door, device, created_at, last_used_at, expires_at)
       select gen_random_uuid(), sha256(p.handle::bytea), p.id, 0, 'password', 'x', p.created_at, p.created_at, p.created_at from people p where p.handle_key ~ '^new'`,
    )
    const { growth } = await read()
    assert.deepEqual(growth.people, {
      total: before.people.total + 3,
      last7Days: before.people.last7Days + 1,
      last30Days: before.people.last30Days + 2,
    })
    assert.deepEqual(growth.organisations, {
      total: before.organisations.total + 3,
      last7Days: before.organisations.last7Days + 1,
      last30Days: before.organisations.last30Days + 2,
    })
    assert.deepEqual(growth.activePeople, { last7Days: 2, last30Days: 3 })
    // A session of an app counts as well, by the time of its last refresh.
    const token = await app.as('avery')
    assert.ok(token)
    assert.deepEqual((await read()).growth.activePeople, { last7Days: 3, last30Days: 4 })
  })

  await t.test('it counts apps, permissions, and accounts that nobody has claimed', async () => {
    await app.sql(
      `update people set unclaimed = true, invited_until = now() + interval '1 day' where handle_key = 'new3';
       update people set unclaimed = true, invited_until = now() - interval '1 day' where handle_key = 'new20';
       update people set unclaimed = true where handle_key = 'new50';
       insert into apps (client_id, name, owner_id, status, public_client, pkce_required, implicit_enabled, basic_enabled, created_at)
       select 'gs-waits', 'Waits', id, 'pending', false, true, false, false, now() from people where handle_key = 'drew'`,
    )
    assert.deepEqual((await read()).waiting, { ...nothing, apps: 1, invited: 1, expired: 1, uninvited: 1 })
    await app.sql(`update people set disabled_at = now() where handle_key ~ '^new'`)
    assert.deepEqual((await read()).waiting, { ...nothing, apps: 1 })
  })

  await t.test('it names failed e-mails and jobs of the last week, and late work', async () => {
    await app.sql(
      `insert into jobs (kind, payload, created_at, run_at, given_up_at, problem)
       select k, '{}', now(), now(), now() - d, 'x'
         from (values ('message', interval '1 day'), ('message', interval '2 days'), ('sweep-x', interval '1 day'), ('old-x', interval '9 days')) v(k, d)`,
    )
    const { problems } = await read()
    assert.deepEqual(problems, [
      { problem: 'emailFailed', value: 2, name: null, clientId: null },
      { problem: 'jobsFailed', value: 1, name: 'sweep-x', clientId: null },
    ])
  })
})

test('the overview says that e-mail is off', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, MESSAGES: 'off' })
  await app.sql(`update people set administrator = true where handle_key = 'ellis'`)
  const { body } = await call(await signInBrowser(app, 'ellis'), 'GET', OVERVIEW)
  assert.deepEqual(body.problems, [{ problem: 'emailOff', value: 0, name: null, clientId: null }])
})

test('administrators land on the overview after signing in, everybody else on their account', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await app.sql(`update people set administrator = true where handle_key = 'ellis'`)
  for (const [person, home] of [
    ['ellis', '/admin'],
    ['avery', '/account'],
  ] as const) {
    await app.givePassword(person)
    const browser = app.visitor()
    const seen = await browser.submit(await browser.get('/account/signin'), {
      handle: person,
      password: 'groundschool',
    })
    assert.equal(seen.location, home)
    // The script that signs in with a passkey opens the page again.
    assert.equal((await browser.get('/account/signin')).location, home)
  }
})
