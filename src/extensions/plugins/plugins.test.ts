import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { resealSecrets } from '../../apps/apps/apps.ts'
import { secretSeal } from '../../apps/apps/secrets.ts'
import { refused, run } from '../../kernel/imports/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { findHosted } from './hosted.ts'

const PATH = '/plugin/v1/plugin'
const app = await sharedApp(UNLIMITED, { withSandbox: true })
await app.sql(
  `update people set administrator = true where handle = '@ellis';
   insert into organisations (key, name, created_at) values ('school', 'School', now()), ('other', 'Other', now());
   insert into organisation_members (organisation_id, person_id, role)
   select o.id, p.id, r.role from (values ('school', '@drew', 'developer'), ('school', '@casey', 'owner'), ('school', '@avery', 'member'),
     ('other', '@blake', 'owner')) r(key, handle, role)
     join organisations o on o.key = r.key join people p on p.handle = r.handle`,
)
const [drew, casey, ellis, blake, avery] = [
  await signInBrowser(app, 'drew'),
  await signInBrowser(app, 'casey'),
  await signInBrowser(app, 'ellis'),
  await signInBrowser(app, 'blake'),
  await signInBrowser(app, 'avery'),
]
const ATO = {
  kind: 'ato',
  name: 'Helper',
  organisation: 'school',
  addresses: { request: 'http://127.0.0.1:4102/request' },
  redirectUris: ['http://127.0.0.1/callback'],
  permissions: ['ato'],
}
const register = async (fields: object) => {
  const { body, status, text } = await call(drew, 'PUT', PATH, { ...ATO, ...fields })
  assert.equal(status, 200, text)
  return body
}
const audited = async (action: string) =>
  (await app.sql(`select detail from audit_entries where action = '${action}' order by id desc limit 1`))[0]?.detail

test('developers and owners of an organisation register plugins for it, and nobody else does', async () => {
  const made = await register({ key: 'helper', description: 'Helps' })
  const { clientSecret, createdDate, secrets, permissions, ...rest } = made
  assert.match(clientSecret, /^gs_cs_/)
  assert.deepEqual(rest, {
    clientId: 'gs-helper',
    kind: 'ato',
    name: 'Helper',
    description: 'Helps',
    organisation: 'school',
    organisationName: 'School',
    owner: '@drew',
    status: 'pending',
    active: false,
    addresses: [
      {
        purpose: 'request',
        uri: 'http://127.0.0.1:4102/request',
        failingSince: null,
        offDate: null,
        offReason: null,
      },
    ],
    redirectUris: ['http://127.0.0.1/callback'],
    organisations: [],
  })
  assert.deepEqual(permissions, [{ permission: 'ato', askedDate: createdDate, grantedDate: null }])
  assert.deepEqual(secrets, [{ createdDate, lastUsedDate: null }])
  assertError(await call(drew, 'PUT', PATH, { ...ATO, key: 'helper' }), 400, 4002)
  assert.equal((await call(casey, 'PUT', PATH, { ...ATO, key: 'owned' })).status, 200)
  for (const browser of [avery, blake])
    assertError(await call(browser, 'PUT', PATH, ATO), 403, 4032, /not one of its developers/)
  assertError(await call(drew, 'PUT', PATH, { ...ATO, organisation: 'other' }), 403, 4032)
  assertError(await (await app.as('drew')).put(PATH, ATO), 401, 4016)
})

test('fields that a kind of plugin does not use are refused by name', async () => {
  const wrong: [object, RegExp][] = [
    [{ addresses: { capabilities: 'https://a.example.org' } }, /addresses.capabilities/],
    [{ addresses: { request: 'ftp://a.example.org' } }, /addresses.request must/],
    [{ permissions: ['badges'] }, /can request ato, not badges/],
    [{ redirectUris: ['javascript:alert(1)'] }, /redirect URI/],
    [{ key: 'sbx-x' }, /sbx-/],
    [{ kind: 'robot' }, /kind/],
  ]
  for (const [fields, why] of wrong) {
    const answer = await call(drew, 'PUT', PATH, { ...ATO, ...fields })
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.error_description, why)
  }
  assert.deepEqual(await app.sql(`select from apps where client_id = 'gs-sbx-x'`), [])
})

test('a plugin may do nothing until an administrator grants it something and its owner activates it', async () => {
  const { clientId, clientSecret } = await register({ key: 'slow' })
  const token = { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId, client_secret: clientSecret }
  assertError(await app.nobody().post('/oauth/token', token), 401, 4013, undefined, 'oauth')
  assertError(await call(drew, 'POST', `${PATH}/activate`, { clientId, active: true }), 400, 4006, /administrator/)
  for (const browser of [drew, casey])
    assertError(await call(browser, 'POST', `${PATH}/permissions`, { clientId, permissions: ['ato'] }), 403, 4032)
  assertError(
    await call(ellis, 'POST', `${PATH}/permissions`, { clientId, permissions: ['badges'] }),
    400,
    4003,
    /does not request badges/,
  )
  const granted = await call(ellis, 'POST', `${PATH}/permissions`, { clientId, permissions: ['ato'] })
  assert.deepEqual([granted.body.status, granted.body.active], ['approved', false])
  assert.ok(granted.body.permissions[0].grantedDate)
  assert.equal((await call(drew, 'POST', `${PATH}/activate`, { clientId, active: true })).body.active, true)
  assertError(await call(drew, 'POST', PATH, { clientId, addresses: { request: null } }), 400, 4006, /address/)
  assertError(await call(drew, 'POST', PATH, { clientId, redirectUris: [] }), 400, 4006, /redirect URI/)
  const detail = (await audited('plugin.permissions-granted')) as { permissions: string }
  assert.equal(detail.permissions, 'ato')
})

test('a plugin of others looks like one that does not exist', async () => {
  const { clientId } = await register({ key: 'hidden' })
  const asks = (name: string) => [
    call(blake, 'GET', `${PATH}?clientId=${name}`),
    call(blake, 'POST', PATH, { clientId: name, name: 'Mine' }),
    call(blake, 'POST', `${PATH}/activate`, { clientId: name, active: true }),
    call(blake, 'POST', `${PATH}/remove`, { clientId: name }),
    call(blake, 'PUT', `${PATH}/secret`, { clientId: name }),
    call(blake, 'POST', `${PATH}/secret/drop`, { clientId: name }),
  ]
  const [theirs, nobodys] = await Promise.all([Promise.all(asks(clientId)), Promise.all(asks('gs-nowhere'))])
  for (const [i, answer] of theirs.entries()) {
    assertError(answer, 403, 4032, /do not work on it/)
    assert.equal(answer.text, nobodys[i]!.text)
  }
  assert.equal((await call(blake, 'GET', `${PATH}/list`)).body.total, 0)
  const listed = (await call(drew, 'GET', `${PATH}/list?organisation=school&limit=100`)).body.docs
  assert.ok(listed.some((one: { clientId: string }) => one.clientId === clientId))
})

test('an owner lets a plugin see the people of the organisation; a developer does not', async () => {
  const { clientId } = await register({ key: 'sees', kind: 'ai', addresses: {}, permissions: ['user-records'] })
  const give = (browser: typeof drew, organisation: string, given: boolean) =>
    call(browser, 'POST', `${PATH}/organisation`, { clientId, organisation, given })
  assertError(await give(drew, 'school', true), 403, 4032)
  assertError(await give(casey, 'other', true), 403, 4032)
  assert.deepEqual((await give(casey, 'school', true)).body, { success: true })
  assert.deepEqual((await give(blake, 'other', true)).body, { success: true })
  const seen = async () => {
    const [row] = await app.sql(
      `select array_agg(w.handle order by w.handle) as people from plugins p join apps a on a.id = p.app_id and a.client_id = '${clientId}',
              lateral plugin_people(p.id) s join people w on w.id = s.person_id`,
    )
    return row!.people
  }
  assert.deepEqual(await seen(), ['@avery', '@blake', '@casey', '@drew'])
  await give(casey, 'school', false)
  assert.deepEqual(await seen(), ['@blake'])
})

test('secrets are kept sealed, two at a time; the platform sends the older one until it is dropped', async () => {
  const { clientId, clientSecret } = await register({ key: 'turning' })
  await call(ellis, 'POST', `${PATH}/permissions`, { clientId, permissions: ['ato'] })
  await call(drew, 'POST', `${PATH}/activate`, { clientId, active: true })
  const environment = app.environment()
  const [row] = await app.sql(
    `select p.id::int as id from plugins p join apps a on a.id = p.app_id where a.client_id = '${clientId}'`,
  )
  const secrets = async () =>
    (await findHosted(environment.db, { pluginId: Number(row!.id), purpose: 'request' }, environment))?.secrets
  assert.deepEqual(await secrets(), [clientSecret])
  const { clientSecret: second } = (await call(drew, 'PUT', `${PATH}/secret`, { clientId })).body
  assertError(await call(drew, 'PUT', `${PATH}/secret`, { clientId }), 400, 4006, /already has 2 secrets/)
  assert.deepEqual(await secrets(), [clientSecret, second])
  const kept = await app.sql(`select encode(sealed, 'escape') as sealed from app_secrets where sealed is not null`)
  assert.ok(kept.every(({ sealed }) => !String(sealed).includes('gs_cs_')))
  assert.equal((await call(drew, 'POST', `${PATH}/secret/drop`, { clientId })).body.secrets.length, 1)
  assert.deepEqual(await secrets(), [second])
  await call(drew, 'POST', `${PATH}/activate`, { clientId, active: false })
  assert.equal(await secrets(), undefined)
})

test('a sealed secret opens for its own plugin and environment alone, and keys can be changed', async () => {
  const [production, sandbox] = [app.environment().get(secretSeal), app.environment('sandbox').get(secretSeal)]
  const sealed = production.seal('gs-a', 'secret of a')
  assert.equal(production.open('gs-a', sealed), 'secret of a')
  assert.throws(() => production.open('gs-b', sealed))
  assert.throws(() => sandbox.open('gs-a', sealed))
  sealed[sealed.length - 1]! ^= 1
  assert.throws(() => production.open('gs-a', sealed))
  const second = await app.startSecond({ SEAL_KEYS: Buffer.alloc(32, 'new').toString('base64url') })
  const { db, get } = second.environments.find(({ name }) => name === 'production')!
  const rows = () =>
    app.sql(
      `select a.client_id, encode(s.sealed, 'hex') as sealed from app_secrets s join apps a on a.id = s.app_id where s.sealed is not null`,
    )
  assert.equal(await resealSecrets(db, get(secretSeal)), (await rows()).length)
  assert.equal(await resealSecrets(db, get(secretSeal)), 0)
  for (const { client_id, sealed } of await rows()) {
    const moved = Buffer.from(String(sealed), 'hex')
    assert.match(get(secretSeal).open(String(client_id), moved), /^gs_cs_/)
    assert.throws(() => production.open(String(client_id), moved), /not in SEAL_KEYS/)
  }
})

test('a removed plugin is gone for everybody', async () => {
  const { clientId, clientSecret } = await register({ key: 'short-lived' })
  assert.deepEqual((await call(drew, 'POST', `${PATH}/remove`, { clientId })).body, { success: true })
  assertError(await call(drew, 'GET', `${PATH}?clientId=${clientId}`), 403, 4032)
  const token = { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId, client_secret: clientSecret }
  assertError(await app.nobody().post('/oauth/token', token), 401, 4012, undefined, 'oauth')
})

test('an address or a permission is changed by somebody who has just signed in, and that is in the log', async () => {
  const { clientId } = await register({ key: 'fresh' })
  const change = (addresses: object) => call(drew, 'POST', PATH, { clientId, addresses })
  assert.equal((await change({ request: 'http://127.0.0.1:4103/r' })).status, 200)
  const { by, ...detail } = (await audited('plugin.address')) as { by: number }
  assert.deepEqual(detail, { purpose: 'request', uri: 'http://127.0.0.1:4103/r' })
  const [doer] = await app.sql(`select handle from people where id = ${by}`)
  assert.equal(doer?.handle, '@drew')
  app.advance(11 * 60_000)
  assertError(await change({ request: null }), 401, 4016, /Sign in again/)
  assertError(await call(drew, 'PUT', `${PATH}/secret`, { clientId }), 401, 4016)
  assertError(await call(ellis, 'POST', `${PATH}/permissions`, { clientId, permissions: [] }), 401, 4016)
  assert.equal((await call(drew, 'GET', `${PATH}?clientId=${clientId}`)).status, 200)
  const again = await signInBrowser(app, 'drew')
  const addresses = { distributions: 'http://127.0.0.1:4103/d' }
  assert.equal((await call(again, 'POST', PATH, { clientId, addresses })).body.addresses.length, 2)
})

test('plugins come by an import file too, with their secrets sealed, and a second time nothing changes', async () => {
  const plugin = {
    kind: 'ato',
    addresses: { request: 'http://127.0.0.1:4102/request' },
    permissions: ['ato'],
    organisations: ['school'],
  }
  const organisations = [{ key: 'school', name: 'School' }]
  const file = {
    organisations,
    apps: [{ key: 'filed', name: 'Filed', organisation: 'school', secrets: ['a-secret-of-it'], plugin }],
  }
  await run(app, file)
  const environment = app.environment('sandbox')
  const ids = async () =>
    app.sql(
      `select p.id::int as id, s.id::int as secret from plugins p join apps a on a.id = p.app_id join app_secrets s on s.app_id = a.id where a.client_id = 'gs-sbx-filed'`,
      'sandbox',
    )
  const [row] = await ids()
  const request = { pluginId: Number(row!.id), purpose: 'request' } as const
  const hosted = await findHosted(environment.db, request, environment)
  assert.deepEqual([hosted?.uri, hosted?.secrets], ['http://127.0.0.1:4102/request', ['a-secret-of-it']])
  await run(app, file)
  assert.deepEqual(await ids(), [row])
  await run(app, { apps: [{ key: 'filed', name: 'Filed', plugin: { kind: 'ato', active: false } }] })
  assert.equal(await findHosted(environment.db, request, environment), undefined)
  const wrong = {
    apps: [{ key: 'filed', name: 'x', plugin: { kind: 'ai', addresses: { request: 'x' }, permissions: ['ato'] } }],
  }
  assert.deepEqual(await refused(run(app, wrong)), [
    'apps[0].plugin.addresses.request: must be left out: a plugin of this kind has URLs for capabilities, candidates',
    'apps[0].plugin.permissions[0]: must be one of user-records, badges, skills, mission-planner',
  ])
  const turned = { apps: [{ key: 'filed', name: 'x', plugin: { kind: 'ai' } }] }
  assert.deepEqual(await refused(run(app, turned)), ['apps[0].plugin.kind: must stay ato'])
})
