import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSchool } from '../../learning/courses/testing.ts'
import { IMPORT_SECTIONS } from '../../operations/platform/import-sections.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { checkFile } from './rules.ts'
import { all, refused, reportOf, run, school, snapshot } from './testing.ts'

test('a mistake in the last entry leaves everything as it was', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const before = await snapshot(app)
  const content = school()
  content.apps.push({ ...content.apps[0]!, key: 'last', redirectUris: ['http://evil.example.org/'] })
  assert.deepEqual(await refused(run(app, content)), [
    'apps[1].redirectUris[0]: must be https unless its host is localhost or another loopback address',
  ])
  assert.deepEqual(await snapshot(app), before)
})

test('an import that fails in one environment is written in neither', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  await app.sql(`insert into organisations (key, name, created_at) values ('here', 'Here', now())`)
  const before = await snapshot(app)
  const dangling = school({ app: { organisation: 'here' } })
  assert.deepEqual(await refused(run(app, dangling)), [
    'apps[0].organisation: refers to no organisation in this file or in sandbox',
  ])
  assert.deepEqual(await snapshot(app), before)

  // Makes the last statement for the sandbox fail, after everything has been written to production.
  await app.sql('alter table audit_entries add constraint never check (action <> $$import$$)', 'sandbox')
  await assert.rejects(run(app, school()), /violates check constraint "never"/)
  assert.deepEqual(await snapshot(app), before)
})

test('the report names every mistake with its place', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
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
    'planets: is unknown; a file can have organisations, people, apps, files, questions, courses, classes, credentials, badges, plans',
  )
  assert.equal(mistakes[6], 'people[0].country: must be a two-letter country code, such as DE, or null for none')
  assert.ok(!mistakes.join().includes('short'), 'a password reached the report')
})

test('content that is not an import file is refused', () => {
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

test('a dry run reports what would happen and writes nothing', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  await run(app, school())
  const before = await snapshot(app)
  const changed = school({ person: { lastName: 'Berg', password: 'another password' } })
  changed.people.push({ ...changed.people[0]!, handle: '@new' })
  const expected = reportOf({ organisations: all(0, 0, 1), people: all(1, 1, 0), apps: all(0, 0, 1) })
  assert.deepEqual(await run(app, changed, true), { production: expected, sandbox: expected })
  assert.deepEqual(await snapshot(app), before)
  assert.deepEqual(await run(app, changed), { production: expected, sandbox: expected })
})

test('statements, credentials and plans are checked before anything is written', async (t) => {
  const app = await testApp(t)
  const said = {
    id: '00000000-0000-4000-8000-000000000001',
    handle: '@avery',
    app: 'first',
    lesson: 'walkaround',
    verb: 'Perfect Sequence',
    timestamp: '2025-09-01T08:03:10Z',
  }
  const key = { key: 'a-key-of-twenty-two-xx', name: 'Simulator', scopes: ['statements/write'] }
  const plan = {
    key: 'night',
    owner: '@ellis',
    name: 'Night',
    text: 'At night',
    organisations: ['hangar'],
    people: [{ handle: '@avery', score: 1, engines: [] }],
    created: '2026-01-12T10:00:00Z',
  }
  const made = makeSchool({ alpha: { statements: [said] } })
  const file = (statements: readonly object[], keys: readonly object[], plans: readonly object[]) => ({
    ...made,
    organisations: [...made.organisations, { key: 'hangar', name: 'Hangar' }],
    classes: made.classes.map((one, i) => (i === 0 ? { ...one, statements } : one)),
    credentials: keys,
    plans,
  })
  const wrong = file(
    [
      { ...said, id: 'x' },
      { ...said, handle: '@ellis', lesson: 'nowhere', timestamp: '2099-01-01T00:00:00Z' },
      { ...said, app: 'nothing' },
    ],
    [{ ...key, key: 'short', scopes: ['everything'], secrets: ['short'] }],
    [
      {
        ...plan,
        owner: '@nobody',
        created: '2099-01-01T00:00:00Z',
        people: [{ handle: '@avery', score: 2, engines: [] }],
      },
    ],
  )
  const mistakes = await refused(run(app, wrong))
  // Each missing reference is reported once per environment, so duplicates are removed.
  const places = [...new Set(mistakes.map((text) => text.replace(/:.*/s, '')))]
  assert.deepEqual(places.toSorted(), [
    'classes[0].statements[0].id',
    'classes[0].statements[1].timestamp',
    'classes[0].statements[2].app',
    'classes[0].statements[2].id',
    'credentials[0].key',
    'credentials[0].scopes',
    'credentials[0].secrets',
    'plans[0].created',
    'plans[0].owner',
    'plans[0].people[0].score',
  ])
  const elsewhere = await refused(run(app, file([{ ...said, handle: '@ellis', lesson: 'nowhere' }], [], [])))
  assert.deepEqual(elsewhere, [
    'classes[0].statements[0].handle: must be a student of the class',
    'classes[0].statements[0].lesson: must be a lesson of the class',
  ])
  assert.deepEqual(
    await app.sql('select (select count(*)::int from statements) as s, (select count(*)::int from plans) as p'),
    [{ s: 0, p: 0 }],
  )

  const good = file([said], [key], [plan])
  await run(app, good)
  const again = (await run(app, good)).production!
  assert.deepEqual(
    [again.classes, again.credentials, again.plans],
    [all(0, 0, made.classes.length), all(0, 0, 1), all(0, 0, 1)],
  )
  const casey = await app.as('casey')
  const { url } = app.environment()
  const { body } = await casey.get('/edu/v1/class/timeline', { classId: 'alpha', studentId: 'avery-alpha' })
  const shown = body.docs.filter(({ kind }: { kind: string }) => kind === 'statement')
  assert.deepEqual(
    shown.map(({ lessonId, data }: { lessonId: string; data: object }) => ({ lessonId, ...data })),
    [
      {
        lessonId: 'walkaround',
        statementId: said.id,
        verb: `${url}/xapi/verbs/perfect-sequence`,
        verbName: 'Perfect Sequence',
        timestamp: '2025-09-01T08:03:10Z',
        result: null,
        extensions: { [`${url}/xapi/api-id/lesson`]: 'walkaround' },
      },
    ],
  )
})
