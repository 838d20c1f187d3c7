import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lesson, openSchool } from '../../learning/courses/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { assertError, type Person, sharedApp } from '../../operations/testing/testing.ts'
import { call, signInBrowser, UNLIMITED } from '../account/testing.ts'

const app = await sharedApp(UNLIMITED)
await openSchool(app, { lessons: [lesson('one')] })
await app.sql(
  `update people set administrator = true where handle = '@ellis';
   update people set first_name = 'Søren', last_name = 'Ångström Zephyr' where handle = '@blake';
   update classes set name = 'Zephyr ' || key;
   update course_versions set name = 'Zephyr course';
   insert into organisations (key, name, created_at) values ('zephyr-one', 'Zephyr One', now()), ('zephyr-two', 'Zephyr Two', now());
   insert into organisation_members (organisation_id, person_id, role)
   select o.id, p.id, 'owner' from organisations o, people p where o.key = 'zephyr-one' and p.handle = '@drew';
   insert into apps (client_id, name, organisation_id, status, created_at)
   select 'gs-' || o.key || k.key, o.name || ' ' || k.key, o.id, 'approved', now() from organisations o, (values ('app'), ('plugin')) k(key) where o.key like 'zephyr%';
   insert into app_storage (app_id, blocks_limit) select id, 1 from apps where client_id like 'gs-zephyr%';
   insert into plugins (app_id, kind, description, is_active, created_at) select id, 'ai', '', false, now() from apps where client_id like 'gs-zephyr%plugin';
   insert into plans (key, person_id, name, notes, text, organisations, created_at, changed_at)
   select 'plan-' || p.handle_key, p.id, 'Zephyr of ' || p.handle_key, '', 'x', '{}', now(), now() from people p where p.handle in ('@drew', '@casey')`,
)
const browsers = new Map<Person, TestBrowser>()
const find = async (person: Person, text: string) => {
  const browser = browsers.get(person) ?? (await signInBrowser(app, person))
  browsers.set(person, browser)
  const { body, status, text: raw } = await call(browser, 'GET', `/account/v1/find?text=${encodeURIComponent(text)}`)
  assert.equal(status, 200, raw)
  return body.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`) as string[]
}

test('people find what they may see, and nothing else', async () => {
  // Avery is a student of the class alpha, and Casey teaches it. Drew observes the class bravo, is a developer of an
  // organisation, and has a plan. Ellis observes alpha and is an administrator.
  const avery = await find('avery', 'zephyr')
  assert.ok(avery.length > 0 && avery.every((one) => one.startsWith('class ')), avery.join())
  const casey = await find('casey', 'zephyr')
  assert.ok(casey.includes('class alpha') && casey.includes('student blake-alpha'), casey.join())
  assert.ok(casey.includes('plan plan-casey'))
  assert.ok(!casey.some((one) => /^(app|plugin|organisation|person|course) |plan-drew/.test(one)), casey.join())
  assert.deepEqual(await find('drew', 'zephyr'), [
    'class bravo',
    'student blake-bravo',
    'plan plan-drew',
    'app gs-zephyr-oneapp',
    'plugin gs-zephyr-oneplugin',
    'organisation zephyr-one',
  ])
  assert.deepEqual(await find('finley', 'zephyr'), ['course course'], 'an owner manages the courses of the school')
  const ellis = await find('ellis', 'zephyr')
  assert.ok(ellis.includes('app gs-zephyr-twoapp') && ellis.includes('organisation zephyr-two'), ellis.join())
  assert.ok(!ellis.some((one) => one.startsWith('plan ')), ellis.join())
  assert.deepEqual(await find('ellis', 'søren'), ['student blake-alpha', 'person @blake'])
  assert.deepEqual(await find('drew', 'søren'), ['student blake-bravo'])
})

test('words are found in any order, without accents, and mean nothing but themselves', async () => {
  const blake = ['student blake-alpha']
  assert.deepEqual((await find('casey', 'ANGSTROM zeph')).slice(0, 1), blake)
  for (const text of ['%', '_', '\\', 'zephyr nothing', "'; drop"])
    assert.deepEqual(await find('casey', text), [], text)
  assertError(await call(browsers.get('casey')!, 'GET', '/account/v1/find?text='), 400, 4001)
  assertError(await call(app.visitor(), 'GET', '/account/v1/find?text=x'), 401, 4016)
})

test('lessons of one’s own classes and friends are found; nobody finds those of others', async () => {
  const lessons = async (person: Person) => (await find(person, 'one')).filter((one) => one.startsWith('lesson '))
  assert.deepEqual(await lessons('avery'), ['lesson one'])
  assert.deepEqual(await lessons('casey'), ['lesson one'])
  // Finley owns the school, but is in none of its classes.
  assert.deepEqual(await lessons('finley'), [])
  await app.sql(
    `insert into friendships (asker_id, asked_id, requested_at, accepted_at, is_quiet)
     select a.id, b.id, now(), now(), false from people a, people b where a.handle = '@finley' and b.handle = '@blake'`,
  )
  assert.deepEqual(await find('finley', 'angstrom'), ['friend @blake'])
  assert.deepEqual(await find('avery', 'angstrom'), [])
  await app.sql(`update people set disabled_at = now() where handle = '@blake'`)
  assert.deepEqual(await find('finley', 'angstrom'), [])
  await app.sql(`update people set disabled_at = null where handle = '@blake'`)
})

test('a person who leaves no longer finds it, and at most eight of a kind are shown', async () => {
  await app.sql(
    `insert into organisations (key, name, created_at) select 'many-' || n, 'Many ' || n, now() from generate_series(1, 20) n`,
  )
  assert.equal((await find('ellis', 'many')).length, 8)
  await app.sql(`delete from organisation_members where person_id = (select id from people where handle = '@drew')`)
  assert.deepEqual(await find('drew', 'zephyr'), ['class bravo', 'student blake-bravo', 'plan plan-drew'])
  await app.sql(`delete from class_staff`)
  assert.deepEqual(await find('drew', 'zephyr'), ['plan plan-drew'])
  assert.ok(!(await find('casey', 'zephyr')).some((one) => /^(class|student) /.test(one)))
})
