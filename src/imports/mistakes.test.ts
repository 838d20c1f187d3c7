import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IMPORT_SECTIONS } from '../platform/import-sections.ts'
import { testApp } from '../testing/testing.ts'
import { checkFile } from './rules.ts'
import { all, refused, reportOf, run, school, snapshot } from './testing.ts'

test('a mistake in the last entry leaves everything as it was', async (t) => {
  const app = await testApp(t)
  const before = await snapshot(app)
  const content = school()
  content.apps.push({ ...content.apps[0]!, key: 'last', redirectUris: ['http://evil.example.org/'] })
  assert.deepEqual(await refused(run(app, content)), [
    'apps[1].redirectUris[0]: must be https unless its host is localhost or another loopback address',
  ])
  assert.deepEqual(await snapshot(app), before)
})

test('what fails in one environment is written in neither', async (t) => {
  const app = await testApp(t)
  await app.sql(`insert into organisations (key, name, created_at) values ('here', 'Here', now())`)
  const before = await snapshot(app)
  const dangling = school({ app: { organisation: 'here' } })
  assert.deepEqual(await refused(run(app, dangling)), [
    'apps[0].organisation: is no organisation of this file or of sandbox',
  ])
  assert.deepEqual(await snapshot(app), before)

  // The very last statement of the sandbox fails, when production has written everything.
  await app.sql('alter table audit_entries add constraint never check (action <> $$import$$)', 'sandbox')
  await assert.rejects(run(app, school()), /violates check constraint "never"/)
  assert.deepEqual(await snapshot(app), before)
})

test('the report names every mistake and its place', async (t) => {
  const app = await testApp(t)
  const mistakes = await refused(
    run(app, {
      organisations: [
        { key: 'UPPER', name: '' },
        { name: 'No key' },
        'text',
        { key: 'twin', name: 'A' },
        { key: 'twin', name: 'B' },
      ],
      people: [
        { handle: '@ok', country: 'Germany', email: 'nobody', dateOfBirth: '2023-02-30' },
        { handle: 'with space', publicSearch: 'yes', password: 'short', hobby: 'none' },
        { handle: '@OK', dateOfBirth: '2999-01-01', firstName: 'a\u0000b', lastName: '\ud800' },
        { handle: '@member', organisations: { nowhere: 'member', UPPER: '' } },
        null,
      ],
      apps: [
        { key: 'sbx-app', name: 'x', status: 'open', owner: '@nobody', organisation: 'nowhere', storageBytes: -1 },
        { key: 'app', name: 'x', redirectUris: ['/relative', 'javascript:alert(1)', 'https://a/#b', 'https://u:p@a/'] },
        { key: 'app2', name: 'x', origins: ['https://a.example/path', 'null'], secrets: ['a', 'b', 'c'] },
        { key: 'app3', name: 'x', public: true, pkce: false, secrets: ['long-enough'] },
        { key: 'app4', name: 'x', redirectUris: ['https://a.example/back'], launchUri: 'https://b.example/' },
        { key: 'app5', name: 'x', redirectUris: ['https://a.example/'], launchUri: 'https://a.example/?code=1' },
      ],
      planets: [],
    }),
  )
  const places = mistakes.map((mistake) => mistake.split(': ')[0])
  assert.deepEqual(places, [
    'planets',
    'organisations[0].key',
    'organisations[0].name',
    'organisations[1].key',
    'organisations[2]',
    'people[0].email',
    'people[0].country',
    'people[1].hobby',
    'people[1].handle',
    'people[1].publicSearch',
    'people[1].password',
    'people[2].firstName',
    'people[2].lastName',
    'people[3].organisations',
    'people[4]',
    'apps[0].status',
    'apps[0].storageBytes',
    'apps[2].secrets',
    'organisations[4].key',
    'people[2].handle',
    'people[0].dateOfBirth',
    'people[2].dateOfBirth',
    'apps[0].key',
    ...[0, 1, 2, 3].map((i) => `apps[1].redirectUris[${i}]`),
    'apps[2].origins[0]',
    'apps[2].origins[1]',
    'apps[3].secrets',
    'apps[3].pkce',
    'apps[4].launchUri',
    'apps[5].launchUri',
    'people[3].organisations.nowhere',
    'apps[0].organisation',
    'apps[0].owner',
    'people[3].organisations.nowhere',
    'apps[0].organisation',
    'apps[0].owner',
  ])
  assert.equal(
    mistakes[0],
    'planets: is not known here; a file has organisations, people, apps, courses, classes, badges',
  )
  assert.equal(
    mistakes[6],
    'people[0].country: must be the two capital letters of a country, such as DE, or null for none',
  )
  assert.ok(!mistakes.join().includes('short'), 'a password reached the report')
})

test('what is no import file at all is refused', () => {
  for (const content of [
    undefined,
    null,
    3,
    'text',
    [],
    { people: {} },
    { people: 'x' },
    JSON.parse('{"__proto__": []}'),
  ])
    assert.equal(checkFile(IMPORT_SECTIONS, content, new Date()).mistakes.length, 1, JSON.stringify(content))
  assert.deepEqual(checkFile(IMPORT_SECTIONS, {}, new Date()).mistakes, [])
})

test('a dry run says what would happen and writes nothing', async (t) => {
  const app = await testApp(t)
  await run(app, school())
  const before = await snapshot(app)
  const changed = school({ person: { lastName: 'Berg', password: 'another password' } })
  changed.people.push({ ...changed.people[0]!, handle: '@new' })
  const expected = reportOf({ organisations: all(0, 0, 1), people: all(1, 1, 0), apps: all(0, 0, 1) })
  assert.deepEqual(await run(app, changed, true), { production: expected, sandbox: expected })
  assert.deepEqual(await snapshot(app), before)
  assert.deepEqual(await run(app, changed), { production: expected, sandbox: expected })
})
