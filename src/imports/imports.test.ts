import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { TSchema } from 'typebox'
import { printDemo } from '../../demo/make-demo.ts'
import { hashSecret } from '../apps/secrets.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import { changePassword } from '../people/people.ts'
import { assertError, type TestApp, testApp } from '../testing.ts'
import { importContent } from './imports.ts'
import { checkFile, ImportRefused } from './rules.ts'
import { SECTIONS } from './schema.ts'

const who = () => ({ at: new Date(), requestId: 'test', address: 'test' })
const readText = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const demo = () => JSON.parse(readText('demo/demo.json'))

const run = (app: TestApp, content: unknown, isDryRun = false) =>
  importContent(app.platform.environments, who(), { content, isDryRun })

const all = (created: number, updated: number, unchanged: number) => ({ created, updated, unchanged })

const school = (changes: { organisation?: object; person?: object; app?: object } = {}) => ({
  organisations: [{ key: 'hangar', name: 'Hangar Seven', ...changes.organisation }],
  people: [
    {
      handle: '@Noor',
      firstName: 'Noor',
      lastName: 'Ækström',
      email: 'noor@example.org',
      country: 'SE',
      dateOfBirth: '1996-02-29',
      publicSearch: true,
      developer: true,
      organisations: { hangar: 'instructor' },
      password: 'noor-has-a-password',
      ...changes.person,
    },
  ],
  apps: [
    {
      key: 'logbook',
      name: 'Logbook',
      organisation: 'hangar',
      owner: 'noor',
      redirectUris: ['https://logbook.example.org/callback', 'logbook://callback'],
      origins: ['https://logbook.example.org'],
      basic: true,
      secrets: ['a-secret-of-the-logbook'],
      storageBytes: 2_097_152,
      ...changes.app,
    },
  ],
})

/** Everything that an import can touch. */
const snapshot = async (app: TestApp) =>
  Object.fromEntries(
    await Promise.all(
      (['production', 'sandbox'] as const).flatMap((environment) =>
        [
          'organisations',
          'people',
          'organisation_members',
          'apps',
          'app_secrets',
          'app_redirect_uris',
          'app_origins',
          'app_storage',
          'app_users',
          'guardians',
          'friendships',
          'audit_entries',
        ].map(async (table) => {
          const rows = await app.sql(`select to_json(t)::text as row from ${table} t order by 1`, environment)
          return [`${environment}.${table}`, rows]
        }),
      ),
    ),
  )

const signIn = (app: TestApp, clientId: string, credentials: string, environment: EnvironmentName = 'production') =>
  app.nobody(environment).get('/auth/basic', undefined, {
    authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    clientid: clientId,
  })

const bearer = (answer: { headers: Headers }) => ({ authorization: `Bearer ${answer.headers.get('access_token')}` })

async function refused(work: Promise<unknown>): Promise<readonly string[]> {
  const problem = await work.then(
    () => assert.fail('the import was not refused'),
    (error) => error,
  )
  assert.ok(problem instanceof ImportRefused, String(problem))
  return problem.mistakes
}

test('a file arrives in both environments, and importing it again changes nothing', async (t) => {
  const app = await testApp(t)
  const first = await run(app, school())
  const created = { organisations: all(1, 0, 0), people: all(1, 0, 0), apps: all(1, 0, 0) }
  assert.deepEqual(first, { production: created, sandbox: created })
  for (const environment of ['production', 'sandbox'] as const) {
    const [person] = await app.sql(
      `select p.*, date_of_birth::text as born, o.key, m.role from people p
         join organisation_members m on m.person_id = p.id join organisations o on o.id = m.organisation_id
        where handle_key = 'noor'`,
      environment,
    )
    const { handle, first_name, last_name, country, born, developer, administrator, key, role } = person!
    assert.deepEqual(
      [handle, first_name, last_name, country, born, developer, administrator, key, role],
      ['@Noor', 'Noor', 'Ækström', 'SE', '1996-02-29', true, false, 'hangar', 'instructor'],
    )
    const [found] = await app.sql(
      `select a.client_id, a.status, a.pkce_required, a.implicit_enabled, s.blocks_limit::int, encode(secret_hash, 'hex') as hash,
              array(select uri from app_redirect_uris where app_id = a.id order by 1) as uris
         from apps a join app_storage s on s.app_id = a.id join app_secrets using (app_id) where a.name = 'Logbook'`,
      environment,
    )
    assert.deepEqual(found, {
      client_id: environment === 'production' ? 'gs-logbook' : 'gs-sbx-logbook',
      status: 'approved',
      pkce_required: true,
      implicit_enabled: false,
      blocks_limit: 2048,
      hash: hashSecret('a-secret-of-the-logbook', app.environment(environment).secretHashKey).toString('hex'),
      uris: ['https://logbook.example.org/callback', 'logbook://callback'],
    })
  }

  const { 'production.audit_entries': audit, ...before } = await snapshot(app)
  assert.equal(audit!.length, 1)
  const unchanged = { organisations: all(0, 0, 1), people: all(0, 0, 1), apps: all(0, 0, 1) }
  assert.deepEqual(await run(app, school()), { production: unchanged, sandbox: unchanged })
  const { 'production.audit_entries': auditAfter, ...after } = await snapshot(app)
  assert.deepEqual({ ...after, 'sandbox.audit_entries': [] }, { ...before, 'sandbox.audit_entries': [] })
  assert.equal(auditAfter!.length, 2)
})

test('one environment alone can be imported into', async (t) => {
  const app = await testApp(t)
  const before = await snapshot(app)
  await importContent([app.environment('sandbox')], who(), { content: school() })
  const after = await snapshot(app)
  assert.equal(after['sandbox.people']!.length, before['sandbox.people']!.length + 1)
  assert.deepEqual(after['production.people'], before['production.people'])
})

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
      ],
      courses: [],
    }),
  )
  const places = mistakes.map((mistake) => mistake.split(': ')[0])
  assert.deepEqual(places, [
    'courses',
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
    'people[3].organisations.nowhere',
    'apps[0].organisation',
    'apps[0].owner',
    'people[3].organisations.nowhere',
    'apps[0].organisation',
    'apps[0].owner',
  ])
  assert.equal(mistakes[0], 'courses: is not known here; a file has organisations, people, apps')
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
    assert.equal(checkFile(content, new Date()).mistakes.length, 1, JSON.stringify(content))
  assert.deepEqual(checkFile({}, new Date()).mistakes, [])
})

test('a dry run says what would happen and writes nothing', async (t) => {
  const app = await testApp(t)
  await run(app, school())
  const before = await snapshot(app)
  const changed = school({ person: { lastName: 'Berg', password: 'another password' } })
  changed.people.push({ ...changed.people[0]!, handle: '@new' })
  const expected = { organisations: all(0, 0, 1), people: all(1, 1, 0), apps: all(0, 0, 1) }
  assert.deepEqual(await run(app, changed, true), { production: expected, sandbox: expected })
  assert.deepEqual(await snapshot(app), before)
  assert.deepEqual(await run(app, changed), { production: expected, sandbox: expected })
})

test('what a file does not name stays, and a list that it names is replaced', async (t) => {
  const app = await testApp(t)
  await run(app, school())
  const report = await run(app, {
    organisations: [{ key: 'tower', name: 'Tower' }],
    people: [{ handle: 'NOOR', country: null, organisations: { tower: 'controller' } }],
    apps: [{ key: 'logbook', name: 'Logbook', redirectUris: ['logbook://other'], owner: null }],
  })
  assert.deepEqual(report.production, { organisations: all(1, 0, 0), people: all(0, 1, 0), apps: all(0, 1, 0) })
  const [person] = await app.sql(
    `select first_name, country, developer, password_hash is not null as signs_in,
            array(select o.key from organisation_members m join organisations o on o.id = m.organisation_id
                   where m.person_id = p.id) as organisations from people p where handle_key = 'noor'`,
  )
  assert.deepEqual(person, {
    first_name: 'Noor',
    country: null,
    developer: true,
    signs_in: true,
    organisations: ['tower'],
  })
  const [found] = await app.sql(
    `select basic_enabled, owner_id, (select count(*)::int from app_secrets where app_id = a.id) as secrets,
            array(select uri from app_redirect_uris where app_id = a.id) as uris,
            array(select origin from app_origins where app_id = a.id) as origins from apps a where client_id = 'gs-logbook'`,
  )
  assert.deepEqual(found, {
    basic_enabled: true,
    owner_id: null,
    secrets: 1,
    uris: ['logbook://other'],
    origins: ['https://logbook.example.org'],
  })
})

test('the same password keeps its sessions, another one ends them', async (t) => {
  const app = await testApp(t)
  await run(app, school())
  const session = await signIn(app, 'gs-logbook', '@noor:noor-has-a-password')
  assert.equal(session.status, 200)
  const list = () => app.nobody().get('/app/v1/bucket/list', undefined, bearer(session))
  await run(app, school({ person: { lastName: 'Berg' } }))
  assert.equal((await list()).status, 200)
  await run(app, school({ person: { lastName: 'Berg', password: 'noor has a new one' } }))
  assertError(await list(), 403, 4034)
  assertError(await signIn(app, 'gs-logbook', '@noor:noor-has-a-password'), 401, 4011)
  assert.equal((await signIn(app, 'gs-logbook', '@noor:noor has a new one')).status, 200)
})

test('a running platform sees new origins and suspended apps at once', async (t) => {
  const app = await testApp(t)
  const preflight = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'GET' }
    const answer = await app.nobody().send('OPTIONS', '/app/v1/bucket', { headers })
    return answer.headers.get('access-control-allow-origin')
  }
  assert.equal(await preflight('https://logbook.example.org'), null)
  await run(app, school())
  await eventually(async () => (await preflight('https://logbook.example.org')) === 'https://logbook.example.org')

  const session = await signIn(app, 'gs-logbook', '@noor:noor-has-a-password')
  const list = () => app.nobody().get('/app/v1/bucket/list', undefined, bearer(session))
  assert.equal((await list()).status, 200)
  await run(app, school({ app: { status: 'suspended' } }))
  await eventually(async () => (await list()).status === 401)
  assertError(await signIn(app, 'gs-logbook', '@noor:noor-has-a-password'), 401, 4013)
})

async function eventually(claim: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 3000
  while (!(await claim())) {
    assert.ok(Date.now() < deadline, 'it did not come true')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('two imports of one file at once make every entry once', async (t) => {
  const app = await testApp(t)
  const people = Array.from({ length: 500 }, (_, i) => ({ handle: `@twin${i}` }))
  const reports = await Promise.all([run(app, { people }), run(app, { people }), run(app, { people })])
  for (const environment of ['production', 'sandbox'] as const) {
    const counts = reports.map((report) => report[environment]!.people)
    assert.deepEqual(counts.map(({ created }) => created).sort(), [0, 0, 500])
    assert.deepEqual(counts.map(({ unchanged }) => unchanged).sort(), [0, 500, 500])
  }
})

test('an import never takes back a password that its owner changes at the same moment', async (t) => {
  const app = await testApp(t)
  await run(app, school())
  const { db } = app.environment()
  const isBlocked = async () => {
    const rows = await app.sql(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  }
  const importing = await db.transaction(async (tx) => {
    await changePassword(tx, who(), { handle: '@noor', password: "noor's own choice" })
    const result = run(app, { people: [{ handle: '@noor', firstName: 'Nour' }] })
    await eventually(isBlocked)
    return { result }
  })
  await assert.rejects(importing.result, /nothing was imported, so import it again/)
  assert.equal((await signIn(app, 'gs-logbook', "@noor:noor's own choice")).status, 200)
})

test('thousands of people arrive in a few statements', async (t) => {
  const app = await testApp(t)
  const people = Array.from({ length: 12_345 }, (_, i) => ({ handle: `@p${i}`, organisations: { crowd: `role ${i}` } }))
  const content = { organisations: [{ key: 'crowd', name: 'Crowd' }], people }
  let statements = 0
  const countStatements = (tx: Db): Db => ({
    ...tx,
    all: (statement, params) => {
      statements++
      return tx.all(statement, params)
    },
  })
  const { name, secretHashKey, db } = app.environment()
  const counted: Db = { ...db, transaction: (work) => db.transaction((tx) => work(countStatements(tx))) }
  const report = await importContent([{ name, secretHashKey, db: counted }], who(), { content })
  assert.deepEqual(report.production!.people, all(12_345, 0, 0))
  assert.ok(statements > 13 && statements < 50, `${statements} statements`)
  const [row] = await app.sql(
    `select count(*)::int as right from people p join organisation_members m on m.person_id = p.id
      where m.role = 'role ' || substr(p.handle_key, 2)`,
  )
  assert.equal(row!.right, 12_345)
})

const demoIsThere = async (t: TestContext) => {
  const app = await testApp(t)
  const report = await run(app, demo())
  return { app, report }
}

test('the demo data opens both environments to the demo people, each with its own client ID', async (t) => {
  const { app, report } = await demoIsThere(t)
  // Five of them are the people of every test.
  assert.deepEqual(report.production!.people, all(202, 5, 0))
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
    uris: ['demo://callback', 'http://127.0.0.1/callback', 'http://localhost:4000/demo/callback'],
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
    assert.deepEqual(counts, { users: 207, unasked: 207, found: 205 })
    const friends = await app.sql(
      `select a.handle as one, b.handle as other from friendships f join people a on a.id = f.asker_id
         join people b on b.id = f.asked_id where f.accepted_at is not null`,
      environment,
    )
    assert.deepEqual(friends, [{ one: '@avery', other: '@blake' }])
  }
  const again = { organisations: all(0, 0, 2), people: all(0, 0, 207), apps: all(0, 0, 1) }
  assert.deepEqual(await run(app, demo()), { production: again, sandbox: again })
})

test('demo.json is what make-demo.ts makes', () => {
  assert.equal(readText('demo/demo.json'), printDemo())
})

test('docs/import.md describes every field as the schema does', () => {
  const text = readText('docs/import.md')
  for (const [section, { properties, required }] of Object.entries(SECTIONS)) {
    const [, part = ''] = text.split(`### \`${section}\``)
    for (const [name, schema] of Object.entries<TSchema>(properties)) {
      const { must, about } = schema as unknown as { must: string; about: string }
      const mark = (required as string[]).includes(name) ? ' (required)' : ''
      const row = `| \`${name}\`${mark} | ${must} | ${about} |`
      assert.ok(part.includes(row), `docs/import.md lacks this row of ${section}:\n${row}`)
    }
  }
})
