import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { hashSecret, secretHashKeys } from '../../apps/apps/secrets.ts'
import { changePassword } from '../../identity/people/people.ts'
import { IMPORT_SECTIONS } from '../../operations/platform/import-sections.ts'
import { size } from '../../operations/testing/sizes.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { importContent } from './imports.ts'
import { fieldsOf } from './rules.ts'
import {
  all,
  bearer,
  countStatements,
  readPerson,
  readText,
  reportOf,
  run,
  school,
  signIn,
  snapshot,
  untilSomebodyWaits,
  who,
} from './testing.ts'

test('a file arrives in both environments, and importing it again changes nothing', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const first = await run(app, school())
  const created = reportOf({ organisations: all(1, 0, 0), people: all(1, 0, 0), apps: all(1, 0, 0) })
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
      hash: hashSecret('a-secret-of-the-logbook', app.environment(environment).get(secretHashKeys)[0]!).toString('hex'),
      uris: ['https://logbook.example.org/callback', 'logbook://callback'],
    })
  }

  const { 'production.audit_entries': audit, ...before } = await snapshot(app)
  assert.equal(audit!.length, 1)
  const unchanged = reportOf({ organisations: all(0, 0, 1), people: all(0, 0, 1), apps: all(0, 0, 1) })
  assert.deepEqual(await run(app, school()), { production: unchanged, sandbox: unchanged })
  const { 'production.audit_entries': auditAfter, ...after } = await snapshot(app)
  assert.deepEqual({ ...after, 'sandbox.audit_entries': [] }, { ...before, 'sandbox.audit_entries': [] })
  assert.equal(auditAfter!.length, 2)
})

test('one environment alone can be imported into', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const before = await snapshot(app)
  await importContent([app.environment('sandbox')], who(), { content: school() })
  const after = await snapshot(app)
  assert.equal(after['sandbox.people']!.length, before['sandbox.people']!.length + 1)
  assert.deepEqual(after['production.people'], before['production.people'])
})

test('values that a file leaves out stay, and a list in the file replaces the stored one', async (t) => {
  const app = await testApp(t)
  await run(app, school())
  const report = await run(app, {
    organisations: [{ key: 'tower', name: 'Tower' }],
    people: [{ handle: 'NOOR', country: null, organisations: { tower: 'controller' } }],
    apps: [{ key: 'logbook', name: 'Logbook', redirectUris: ['logbook://other'], owner: null }],
  })
  assert.deepEqual(
    report.production,
    reportOf({ organisations: all(1, 0, 0), people: all(0, 1, 0), apps: all(0, 1, 0) }),
  )
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

test('an app keeps its owner and organisation if the file leaves them out', async (t) => {
  const app = await testApp(t)
  await run(app, school())
  const has = async () =>
    (
      await app.sql(
        `select a.name, p.handle, o.key from apps a left join people p on p.id = a.owner_id
           left join organisations o on o.id = a.organisation_id where client_id = 'gs-logbook'`,
      )
    )[0]
  await run(app, { apps: [{ key: 'logbook', name: 'Renamed' }] })
  assert.deepEqual(await has(), { name: 'Renamed', handle: '@Noor', key: 'hangar' })
})

test('apps allow anonymous users and show public buckets to members only, unless a file says otherwise', async (t) => {
  const app = await testApp(t)
  const has = async () =>
    (await app.sql(`select anonymous_enabled, shared_buckets from apps where client_id = 'gs-logbook'`))[0]
  await run(app, school())
  assert.deepEqual(await has(), { anonymous_enabled: true, shared_buckets: false })
  const report = await run(app, { apps: [{ key: 'logbook', name: 'Logbook', anonymous: false, sharedBuckets: true }] })
  assert.deepEqual(report.production?.apps, all(0, 1, 0))
  await run(app, { apps: [{ key: 'logbook', name: 'Renamed' }] })
  assert.deepEqual(await has(), { anonymous_enabled: false, shared_buckets: true })
  await run(app, { apps: [{ key: 'other', name: 'Other', anonymous: false, sharedBuckets: true }] })
  const [other] = await app.sql(`select anonymous_enabled, shared_buckets from apps where client_id = 'gs-other'`)
  assert.deepEqual(other, await has())
})

test("a file sets an app's launch address, which must be one that sign-in may lead to", async (t) => {
  const app = await testApp(t)
  const has = async () => (await app.sql(`select launch_uri from apps where client_id = 'gs-logbook'`))[0]?.launch_uri
  const bring = (fields: object) => run(app, { apps: [{ key: 'logbook', name: 'Logbook', ...fields }] })
  const [here, there] = ['https://here.example/back', 'https://there.example/back']
  await bring({ redirectUris: [here, there], launchUri: `${here}?from=lesson` })
  assert.equal(await has(), `${here}?from=lesson`)
  const again = await bring({ redirectUris: [here, there], launchUri: `${here}?from=lesson` })
  assert.deepEqual(again.production?.apps, all(0, 0, 1))
  await bring({})
  assert.equal(await has(), `${here}?from=lesson`, 'what a file does not name stays')
  await bring({ redirectUris: [there] })
  assert.equal(await has(), null, 'it goes with the redirect URI that it was')
  await bring({ redirectUris: [here], launchUri: here })
  await bring({ launchUri: null })
  assert.equal(await has(), null)
})

test('a file says where an app is told about sign-outs', async (t) => {
  const app = await testApp(t)
  const has = async () =>
    (
      await app.sql(
        `select post_logout_redirect_uris as uris, backchannel_logout_uri as uri, backchannel_logout_session_required as sid
           from apps where client_id = 'gs-logbook'`,
      )
    )[0]
  const bring = (fields: object) => run(app, { apps: [{ key: 'logbook', name: 'Logbook', ...fields }] })
  const fields = {
    postLogoutRedirectUris: ['https://app.example.org/out'],
    backchannelLogoutUri: 'https://app.example.org/told',
    backchannelLogoutSessionRequired: true,
  }
  const stored = { uris: fields.postLogoutRedirectUris, uri: fields.backchannelLogoutUri, sid: true }
  await bring(fields)
  assert.deepEqual(await has(), stored)
  assert.deepEqual((await bring(fields)).production?.apps, all(0, 0, 1))
  await bring({ basic: true })
  assert.deepEqual(await has(), stored, 'what a file does not name stays')
  await bring({ postLogoutRedirectUris: [], backchannelLogoutUri: null, backchannelLogoutSessionRequired: false })
  assert.deepEqual(await has(), { uris: null, uri: null, sid: false })
})

test('a file sets the public keys of an app, and how its ID tokens are signed', async (t) => {
  const app = await testApp(t)
  const has = async () =>
    (
      await app.sql(
        `select token_auth_method as method, public_keys as keys, id_token_algorithm as algorithm from apps where client_id = 'gs-logbook'`,
      )
    )[0]
  const bring = (fields: object) => run(app, { apps: [{ key: 'logbook', name: 'Logbook', ...fields }] })
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one' }
  const keyed = { tokenEndpointAuthMethod: 'private_key_jwt', publicKeys: JSON.stringify(key) }
  await bring({ ...keyed, idTokenAlgorithm: 'EdDSA' })
  const { kty, crv, x } = key
  const stored = { method: 'private_key_jwt', keys: [{ kty, crv, x, kid: 'one' }], algorithm: 'EdDSA' }
  assert.deepEqual(await has(), stored)
  assert.deepEqual((await bring({ ...keyed, idTokenAlgorithm: 'EdDSA' })).production?.apps, all(0, 0, 1))
  await bring({ basic: true })
  assert.deepEqual(await has(), stored, 'what a file does not name stays')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
  for (const [wrong, why] of [
    [{ publicKeys: pem }, /apps\[0\]\.publicKeys: must not contain a private key/],
    [{ tokenEndpointAuthMethod: 'private_key_jwt' }, /tokenEndpointAuthMethod: must be client_secret, or/],
    [{ ...keyed, publicKeys: null }, /publicKeys: must have a key/],
    [{ ...keyed, public: true }, /a public client cannot keep a private key/],
    [{ idTokenAlgorithm: 'none' }, /idTokenAlgorithm: must be RS256 or ES256 or EdDSA/],
  ] as const)
    await assert.rejects(bring(wrong), why)
  assert.deepEqual(await has(), stored)
  await bring({ publicKeys: null, idTokenAlgorithm: 'RS256' })
  assert.deepEqual(await has(), { method: null, keys: null, algorithm: 'RS256' }, 'without a key it uses a secret')
})

test('importing the same password keeps its sessions, another one ends them', async (t) => {
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

test('a running platform applies new origins and suspensions of apps at once', async (t) => {
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

test('importing one file twice at once creates every entry once', async (t) => {
  const app = await testApp(t, {}, { withSandbox: true })
  const people = Array.from({ length: 500 }, (_, i) => ({ handle: `@twin${i}` }))
  const reports = await Promise.all([run(app, { people }), run(app, { people }), run(app, { people })])
  for (const environment of ['production', 'sandbox'] as const) {
    const counts = reports.map((report) => report[environment]!.people!)
    assert.deepEqual(counts.map(({ created }) => created).sort(), [0, 0, 500])
    assert.deepEqual(counts.map(({ unchanged }) => unchanged).sort(), [0, 500, 500])
  }
})

test('an import never reverts a password that its owner changes at the same moment', async (t) => {
  const app = await testApp(t)
  await run(app, school())
  const { db } = app.environment()
  // The new password is not committed yet when the import first reads the person, so the stored password is still that
  // of the file.
  const content = school({ person: { firstName: 'Nour' } })
  const importing = await db.transaction(async (tx) => {
    await changePassword(tx, who(), { handle: '@noor', password: "noor's own choice" })
    const result = run(app, content)
    await untilSomebodyWaits(app)
    return { result }
  })
  assert.deepEqual((await importing.result).production!.people, all(0, 1, 0))
  assert.equal((await readPerson(app, 'noor')).first_name, 'Nour')
  assert.equal((await signIn(app, 'gs-logbook', "@noor:noor's own choice")).status, 200)
})

const CROWD = size(12_345)
/** The expected number of parts: those of the people, and one for the organisation. */
const PARTS = Math.ceil(CROWD / 200) + 1

test(`${CROWD} people are imported in a few statements`, async (t) => {
  const app = await testApp(t)
  const people = Array.from({ length: CROWD }, (_, i) => ({ handle: `@p${i}`, organisations: { crowd: `role ${i}` } }))
  const content = { organisations: [{ key: 'crowd', name: 'Crowd' }], people }
  const { target, counted } = countStatements(app.environment())
  const report = await importContent([target], who(), { content })
  assert.deepEqual(report.production!.people, all(CROWD, 0, 0))
  assert.ok(counted() > PARTS && counted() < PARTS * 10, `${counted()} statements`)
  const [row] = await app.sql(
    `select count(*)::int as right from people p join organisation_members m on m.person_id = p.id
      where m.role = 'role ' || substr(p.handle_key, 2)`,
  )
  assert.equal(row!.right, CROWD)
})

test('docs/import.md describes every field as the schema does', () => {
  const text = readText('docs/import.md')
  for (const section of IMPORT_SECTIONS) {
    const [, part = ''] = text.split(`### \`${section.name}\``)
    for (const [name, schema] of Object.entries<TSchema>(fieldsOf(section))) {
      const { must, about } = schema as unknown as { must: string; about: string }
      const mark = section.schema.required?.includes(name) ? ' (required)' : ''
      const row = `| \`${name}\`${mark} | ${must} | ${about} |`
      assert.ok(part.includes(row), `docs/import.md lacks this row of ${section.name}:\n${row}`)
    }
  }
})
