import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, type Person } from '../../operations/testing/testing.ts'
import { call } from '../account/testing.ts'
import { secretSeal } from '../apps/secrets.ts'
import { sealName } from './discovery.ts'
import { recordFailure } from './problems.ts'
import { resealProviders } from './providers.ts'
import { answers, type Lies, redirectTo, startLiar } from './testing-liar.ts'
import { openOrganisations, PROVIDER } from './testing-organisations.ts'

async function open(t: Parameters<typeof openOrganisations>[0], settings: Record<string, string> = {}) {
  const opened = await openOrganisations(t, settings)
  const liar = await startLiar(t)
  const { issuer, clientId, clientSecret } = liar
  const connect = (more: object = {}, person: Person = 'casey') =>
    opened.post(person, '', { issuer, clientId, clientSecret, ...more })
  return { ...opened, liar, connect }
}

test('owners and administrators configure the provider, and nobody else', async (t) => {
  const { app, post, read, connect, send } = await open(t)
  const changes: [string, object][] = [
    ['', { issuer: 'http://127.0.0.1:9', clientId: 'x', clientSecret: 'y' }],
    ['/mode', { mode: 'off' }],
    ['/remove', {}],
    ['/domain', { domain: 'school.example' }],
    ['/domain/prove', { domain: 'school.example' }],
    ['/domain/remove', { domain: 'school.example' }],
    ['/unlink', { handle: '@finley' }],
  ]
  for (const person of ['avery', 'finley', 'blake'] as const) {
    for (const [path, body] of changes) assertError(await post(person, path, body), 403, 4032)
    assertError(await read(person), 403, 4032)
    assertError(await send(person, 'GET', `${PROVIDER}/failures?organisation=school`), 403, 4032)
  }
  assertError(await post('casey', '', { organisation: 'nowhere', createsAccounts: true }), 403, 4032)
  assert.equal(await app.sql('select from providers').then((rows) => rows.length), 0)
  assert.equal((await connect()).status, 200)
  assert.equal((await post('ellis', '', { createsAccounts: true })).body.createsAccounts, true)
})

test('changes need a recent sign-in', async (t) => {
  const { app, browserOf, post, read } = await open(t)
  await browserOf('casey')
  app.advance(11 * 60_000)
  for (const path of ['', '/mode', '/remove', '/domain', '/domain/prove', '/domain/remove', '/unlink'])
    assertError(
      await post('casey', path, { mode: 'off', domain: 'school.example', handle: '@finley' }),
      401,
      4016,
      /Sign in again/,
    )
  assert.equal((await read('casey')).status, 200)
})

test('a provider that was connected is off until it is tested, and its secret is never shown', async (t) => {
  const { app, connect, read, liar, audit, markTested } = await open(t)
  const none = (await read('casey')).body
  assert.deepEqual(none, {
    organisation: 'school',
    issuer: null,
    clientId: null,
    mode: 'off',
    createsAccounts: false,
    groupsClaim: null,
    groupRoles: [],
    testedDate: null,
    breakGlass: [],
    domains: [],
    redirectUri: `${app.environment().url}/account/provider/school/callback`,
    logoutUri: `${app.environment().url}/account/provider/signed-out`,
    signInUrl: `${app.environment().url}/account/provider?organisation=school`,
    people: 0,
  })
  const groupRoles = [{ group: 'Staff', role: 'instructor' }]
  const { body } = await connect({ createsAccounts: true, groupsClaim: 'groups', groupRoles })
  assert.deepEqual(body, {
    ...none,
    issuer: liar.issuer,
    clientId: liar.clientId,
    createsAccounts: true,
    groupsClaim: 'groups',
    groupRoles,
  })
  assert.deepEqual((await read('drew')).body, body)
  await markTested()
  assert.match((await read('casey')).body.testedDate, /^20/)
  const stored = await app.sql(`select encode(sealed_secret, 'escape') as sealed, metadata from providers`)
  assert.ok(!JSON.stringify(stored).includes(liar.clientSecret))
  const written = await app.sql(`select detail from audit_entries`)
  assert.ok(!JSON.stringify(written).includes(liar.clientSecret) && !app.log().includes(liar.clientSecret))
  assert.deepEqual(
    (await audit()).map(({ action, detail }) => [action, detail.organisation, detail.issuer]),
    [['provider.connected', 'school', liar.issuer]],
  )
})

test('another issuer or client turns the provider off, needs its own secret, and deletes nothing', async (t) => {
  const { app, connect, post, liar, markTested } = await open(t)
  await connect()
  await markTested()
  assert.equal((await post('casey', '/mode', { mode: 'allowed' })).body.mode, 'allowed')
  await app.sql(
    `insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at)
     select o.id, '${liar.issuer}', 'kim', p.id, now(), now() from organisations o, people p where o.key = 'school' and p.handle_key = 'finley'`,
  )
  // The same address, a new secret and other settings are no other provider.
  const same = await post('casey', '', { issuer: `${liar.issuer}/`, createsAccounts: true })
  assert.deepEqual([same.body.mode, same.body.people, same.body.testedDate === null], ['allowed', 1, false])
  assertError(await post('casey', '', { clientId: 'other' }), 400, 4001, /clientSecret is missing/)
  const other = await startLiar(t)
  assertError(await post('casey', '', { issuer: other.issuer }), 400, 4001, /clientSecret is missing/)
  const moved = await post('casey', '', { clientId: 'other', clientSecret: 'another secret' })
  assert.deepEqual([moved.body.mode, moved.body.testedDate, moved.body.people], ['off', null, 1])
  assertError(await post('casey', '/mode', { mode: 'allowed' }), 400, 4006, /Test the provider/)
  const [row] = await app.sql('select version, tested_version from providers')
  assert.deepEqual(row, { version: 2, tested_version: null })
  await connect({ issuer: other.issuer })
  assert.equal((await app.sql('select from provider_identities')).length, 1)
})

test('a new secret and other groups have to be tested again before the mode is raised; it stays until then', async (t) => {
  const { connect, post, liar, markTested } = await open(t)
  const groupRoles = [{ group: 'Staff', role: 'instructor' }]
  const { clientSecret } = liar
  await connect({ groupsClaim: 'groups', groupRoles })
  await markTested()
  await post('casey', '/mode', { mode: 'allowed' })
  const same = await post('casey', '', { clientSecret, groupsClaim: 'groups', groupRoles, createsAccounts: true })
  assert.notEqual(same.body.testedDate, null)
  const enforce = () => post('casey', '/mode', { mode: 'enforced', breakGlass: ['@casey'] })
  for (const change of [{ clientSecret: 'a new secret' }, { groupsClaim: 'roles' }, { groupRoles: [] }]) {
    const { body } = await post('casey', '', change)
    assert.deepEqual([body.mode, body.testedDate], ['allowed', null], JSON.stringify(change))
    assertError(await enforce(), 400, 4006, /Test the provider/)
    assert.equal((await post('casey', '/mode', { mode: 'allowed' })).status, 200)
    await markTested()
  }
  await enforce()
  await post('casey', '', { clientSecret: 'another secret' })
  assert.equal((await post('casey', '/mode', { mode: 'allowed' })).status, 200)
  assert.equal((await post('casey', '/mode', { mode: 'off' })).status, 200)
  assertError(await post('casey', '/mode', { mode: 'allowed' }), 400, 4006, /Test the provider/)
})

test('an issuer is accepted with or without a slash, or as the address of its configuration', async (t) => {
  const { connect, liar } = await open(t)
  for (const typed of [
    liar.issuer,
    `${liar.issuer}/`,
    ` ${liar.issuer}/.well-known/openid-configuration `,
    `${liar.issuer}/.well-known/oauth-authorization-server`,
  ])
    assert.equal((await connect({ issuer: typed })).body.issuer, liar.issuer, typed)
  liar.lies = { configuration: (right) => ({ ...right, issuer: `${liar.issuer}/` }) }
  assert.equal((await connect()).body.issuer, `${liar.issuer}/`)
})

test('a provider that cannot be used is refused in words', async (t) => {
  const { connect, liar, post, app } = await open(t)
  const without = (name: string): Lies => ({ configuration: ({ [name]: _, ...right }) => right })
  const but = (more: object): Lies => ({ configuration: (right) => ({ ...right, ...more }) })
  const configuration = (answer: (typeof answers)[keyof typeof answers]): Lies => ({
    answers: { configuration: answer },
  })
  const cases: [Lies, number, RegExp][] = [
    [
      but({ issuer: 'https://login.example.org/other' }),
      4003,
      /says that its issuer is https:\/\/login\.example\.org\/other/,
    ],
    [but({ issuer: `${liar.issuer}/{tenantid}/v2.0` }), 4003, /address of your own tenant/],
    [without('issuer'), 4003, /does not name its issuer/],
    [without('authorization_endpoint'), 4003, /has no authorization_endpoint/],
    [without('token_endpoint'), 4003, /has no token_endpoint/],
    [without('jwks_uri'), 4003, /has no jwks_uri/],
    [but({ response_types_supported: ['id_token'] }), 4003, /response_types_supported lacks code/],
    [but({ response_types_supported: 'code' }), 4003, /response_types_supported .* must be a list/],
    [but({ code_challenge_methods_supported: ['plain'] }), 4003, /PKCE with S256/],
    [but({ id_token_signing_alg_values_supported: ['HS256', 'none'] }), 4003, /HS256, none, which proves nothing/],
    [but({ token_endpoint_auth_methods_supported: ['private_key_jwt'] }), 4003, /accepts no client secret/],
    [but({ token_endpoint: 'http://login.example.org/token' }), 4003, /token_endpoint must be https/],
    [but({ authorization_endpoint: 'javascript:alert(1)' }), 4003, /authorization_endpoint must be/],
    [but({ jwks_uri: 'https://10.0.0.1/jwks' }), 4003, /jwks_uri must have a host on the public internet/],
    [but({ userinfo_endpoint: 'https://intranet/me' }), 4003, /userinfo_endpoint must have a host on the public/],
    [but({ end_session_endpoint: 7 }), 4003, /end_session_endpoint must be an address; it is 7/],
    [configuration(answers.html), 4003, /not a JSON object/],
    [configuration(answers.empty), 4003, /not a JSON object/],
    [configuration(answers.fail), 4006, /responded with 500/],
    [configuration(answers.close), 4006, /reset|failed/],
    [configuration(answers.huge), 4006, /larger than 256 KiB/],
    [configuration(answers.endless), 4006, /larger than 256 KiB/],
    [{ answers: { configuration: redirectTo('https://login.example.org') } }, 4006, /redirects are not followed/],
  ]
  for (const [lies, code, words] of cases) {
    liar.lies = lies
    assertError(await connect(), 400, code, words)
  }
  liar.lies = {}
  for (const [issuer, words] of [
    ['http://login.example.org', /issuer must be https/],
    ['https://192.168.0.1', /issuer must have a host on the public internet/],
    ['https://169.254.169.254/latest', /issuer must have a host on the public internet/],
    ['ftp://login.example.org', /address of your provider/],
    ['login.example.org', /address of your provider/],
    [`${liar.issuer}?tenant=1`, /without a query/],
    ['http://user:secret@127.0.0.1/', /address of your provider/],
  ] as const)
    assertError(await connect({ issuer }), 400, 4003, words)
  assertError(await connect({ issuer: 'http://127.0.0.1:1' }), 400, 4006, /Connection refused/)
  assertError(await post('casey', '', { clientId: 'x' }), 400, 4001, /issuer is missing/)
  assert.equal((await app.sql('select from providers')).length, 0)
})

test('a provider on this machine is refused where plugins must be on the public internet', async (t) => {
  const { connect } = await open(t, { PLUGIN_ADDRESSES: 'public' })
  assertError(await connect(), 400, 4003, /issuer must be https/)
})

test('a provider that hangs is given up after five seconds', async (t) => {
  const { connect, liar } = await open(t)
  liar.lies = { answers: { configuration: answers.hang } }
  assertError(await connect(), 400, 4006, /no complete response within 5 seconds/)
})

test('settings are one line each, and a group gives one role', async (t) => {
  const { connect, post } = await open(t)
  await connect({ groupsClaim: 'groups' })
  const twice = [
    { group: 'Staff', role: 'owner' },
    { group: ' Staff', role: 'instructor' },
  ]
  assertError(await post('casey', '', { groupRoles: twice }), 400, 4003, /Staff is in the list twice/)
  assertError(await post('casey', '', { groupRoles: [{ group: ' ', role: 'owner' }] }), 400, 4001)
  assertError(await post('casey', '', { groupRoles: [{ group: 'a', role: 'administrator' }] }), 400, 4003)
  assertError(await post('casey', '', { groupRoles: Array(51).fill({ group: 'a', role: 'owner' }) }), 400, 4003)
  assertError(await post('casey', '', { groupsClaim: 'a\u0000b' }), 400, 4003)
  assertError(await post('casey', '', { clientSecret: 'ü' }), 400, 4003, /plain characters/)
  assert.equal((await post('casey', '', { groupsClaim: '' })).body.groupsClaim, null)
})

test('enforcing needs a tested provider and an owner who can sign in without it', async (t) => {
  const { app, connect, post, markTested, audit } = await open(t)
  assertError(await post('casey', '/mode', { mode: 'allowed' }), 400, 4006, /connect one first/)
  await connect()
  assertError(
    await post('casey', '/mode', { mode: 'enforced', breakGlass: ['@casey'] }),
    400,
    4006,
    /Test the provider/,
  )
  assert.equal((await app.sql('select from break_glass_accounts')).length, 0)
  await markTested()
  const enforce = (breakGlass?: string[]) =>
    post('casey', '/mode', { mode: 'enforced', ...(breakGlass && { breakGlass }) })
  assertError(await enforce(), 400, 4006, /at least one owner/)
  assertError(await enforce([]), 400, 4006, /at least one owner/)
  for (const other of ['@finley', '@avery', '@blake', '@nobody'])
    assertError(await enforce([other]), 400, 4003, /is not an owner/)
  assertError(await enforce(Array(11).fill('@casey')), 400, 4003)
  await app.sql(`update people set password_hash = null where handle_key = 'drew'`)
  assertError(await enforce(['@drew']), 400, 4006, /has a password or a passkey/)
  const done = await enforce(['@drew', 'CASEY'])
  assert.deepEqual([done.body.mode, done.body.breakGlass], ['enforced', ['@casey', '@drew']])
  assert.equal((await enforce()).body.mode, 'enforced')
  assertError(await enforce([]), 400, 4006, /at least one owner/)
  assert.equal((await post('casey', '/mode', { mode: 'off', breakGlass: [] })).body.mode, 'off')
  const changes = (await audit()).filter(({ action }) => action === 'provider.mode')
  assert.deepEqual(
    changes.map(({ detail }) => [detail.before, detail.after, detail.breakGlass]),
    [
      ['off', 'enforced', '@casey @drew'],
      ['enforced', 'enforced', '@casey @drew'],
      ['enforced', 'off', ''],
    ],
  )
})

test('a break-glass account that is no longer an owner has to use the provider', async (t) => {
  const { app, connect, post, markTested, send } = await open(t)
  await connect()
  await markTested()
  await app.sql(
    `update people set managed_by = (select id from organisations where key = 'school') where handle_key in ('drew', 'finley')`,
  )
  await post('casey', '/mode', { mode: 'enforced', breakGlass: ['@casey', '@drew'] })
  const required = async () =>
    (await app.sql(`select handle_key from people where required_provider(id) is not null order by 1`)).map(
      ({ handle_key }) => handle_key,
    )
  assert.deepEqual(await required(), ['finley'])
  await send('casey', 'POST', '/edu/v1/organisation/member', {
    organisation: 'school',
    handle: '@drew',
    role: 'member',
  })
  assert.deepEqual(await required(), ['drew', 'finley'])
})

test('the last break-glass account stays an owner while the provider is enforced; administrators may change that', async (t) => {
  const { app, connect, post, markTested, send, browserOf } = await open(t)
  await connect()
  await markTested()
  await post('casey', '/mode', { mode: 'enforced', breakGlass: ['@casey', '@drew'] })
  const organisation = 'school'
  const demote = (by: Person, handle: string) =>
    send(by, 'POST', '/edu/v1/organisation/member', { organisation, handle, role: 'member' })
  const leave = () => send('casey', 'POST', '/edu/v1/organisation/leave', { organisation })
  const remove = () => send('casey', 'POST', '/edu/v1/organisation/member/remove', { organisation, handle: '@casey' })
  // Drew could not sign in without the provider either.
  await app.sql(`update people set password_hash = null where handle_key = 'drew'`)
  const words = /the last break-glass account .* choose another owner/
  for (const answer of [await demote('casey', '@casey'), await leave(), await remove()])
    assertError(answer, 400, 4006, words)
  assert.equal((await demote('casey', '@drew')).status, 200)
  await app.sql(
    `update organisation_members set role = 'owner' where person_id = (select id from people where handle_key = 'drew')`,
  )
  await app.givePassword('drew')
  assert.equal((await demote('ellis', '@drew')).status, 200)
  await app.sql(
    `update organisation_members set role = 'owner' where person_id = (select id from people where handle_key = 'drew')`,
  )
  await post('casey', '/mode', { mode: 'enforced', breakGlass: ['@casey'] })
  assertError(await demote('casey', '@casey'), 400, 4006, words)
  const imported = await (await browserOf('casey')).send('/edu/v1/organisation/people?organisation=school', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'handle,role\n@casey,member',
  })
  assert.match(JSON.parse(imported.text).rows[0].reason, /is the last break-glass account/)
  assert.equal((await demote('ellis', '@casey')).status, 200)
})

test('a mode that is set while the client changes never applies to the untested one', async (t) => {
  const { connect, post, markTested, read } = await open(t)
  await connect()
  for (let round = 0; round < 5; round++) {
    await markTested()
    await Promise.all([
      post('casey', '/mode', { mode: 'allowed' }),
      post('drew', '', { clientId: `client-${round}`, clientSecret: 'secret' }),
    ])
    const { mode, testedDate, clientId } = (await read('casey')).body
    assert.deepEqual([mode, testedDate, clientId], ['off', null, `client-${round}`])
  }
})

test('two owners who connect at the same time leave one provider with one secret', async (t) => {
  const { app, connect, read } = await open(t)
  const done = await Promise.all([
    connect({ clientId: 'one', clientSecret: 'secret of one' }),
    connect({ clientId: 'two', clientSecret: 'secret of two' }, 'drew'),
  ])
  assert.deepEqual(
    done.map(({ status }) => status),
    [200, 200],
  )
  const { clientId } = (await read('casey')).body
  const [row] = await app.sql(`select encode(sealed_secret, 'hex') as sealed, version from providers`)
  const secret = app
    .environment()
    .get(secretSeal)
    .open(sealName('school'), Buffer.from(String(row!.sealed), 'hex'))
  assert.equal(secret, `secret of ${clientId}`)
  assert.equal(row!.version, 2)
})

test('disconnecting removes the provider, its accounts and sign-ins; domains stay', async (t) => {
  const { app, connect, post, read, liar, audit } = await open(t)
  assertError(await post('casey', '/remove', {}), 404, 4042)
  await connect()
  await post('casey', '/domain', { domain: 'school.example' })
  await app.sql(
    `insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at)
     select o.id, '${liar.issuer}', 'kim', p.id, now(), now() from organisations o, people p where o.key = 'school' and p.handle_key = 'finley';
     insert into provider_sign_ins (state_hash, organisation_id, browser_hash, version, purpose, is_kept, is_fresh, created_at, expires_at)
     select '\\x01', id, '\\x02', 1, 'sign-in', false, false, now(), now() + interval '10 minutes' from organisations where key = 'school';
     insert into break_glass_accounts select o.id, p.id from organisations o, people p where o.key = 'school' and p.handle_key = 'casey'`,
  )
  assert.equal((await post('casey', '/remove', {})).status, 200)
  for (const table of ['providers', 'provider_identities', 'provider_sign_ins', 'break_glass_accounts'])
    assert.equal((await app.sql(`select from ${table}`)).length, 0, table)
  const { issuer, domains } = (await read('casey')).body
  assert.deepEqual([issuer, domains.length], [null, 1])
  const last = (await audit()).at(-1)!
  assert.deepEqual([last.action, last.detail.before, last.detail.people], ['provider.removed', liar.issuer, 1])
})

test('a member who is disconnected is signed out everywhere', async (t) => {
  const { app, connect, post, liar, browserOf, audit } = await open(t)
  await connect()
  await app.sql(
    `insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at)
     select o.id, '${liar.issuer}', p.handle_key, p.id, now(), now() from organisations o, people p
      where o.key = 'school' and p.handle_key in ('finley', 'avery')`,
  )
  const finley = await browserOf('finley')
  const client = await app.as('finley')
  assert.equal((await post('casey', '/unlink', { handle: '@Finley' })).status, 200)
  assert.equal((await call(finley, 'GET', '/account/v1/me')).status, 401)
  assertError(await client.get('/user/v1/my/profile'), 403, 4034)
  assertError(await post('casey', '/unlink', { handle: '@finley' }), 404, 4042)
  assertError(await post('blake', '/unlink', { organisation: 'club', handle: '@avery' }), 404, 4042)
  assert.equal((await app.sql('select from provider_identities')).length, 1)
  assert.equal((await audit()).at(-1)!.action, 'provider.unlinked')
})

test('failures are listed for the owners, newest first, without tokens, and 1,000 at most', async (t) => {
  const { app, send, connect } = await open(t)
  await connect()
  const { db, clock } = app.environment()
  const [school] = await app.sql(`select id::int as id from organisations where key = 'school'`)
  const [club] = await app.sql(`select id::int as id from organisations where key = 'club'`)
  const who = { at: clock(), requestId: 'test', address: '127.0.0.1' }
  const record = (what: object, organisation = school) =>
    recordFailure(db, who, { organisationId: Number(organisation!.id), problem: 'It failed', ...what })
  await record({
    claim: 'iss',
    found: 'a'.repeat(5000),
    expected: `eyJ${'a'.repeat(40)}.${'b'.repeat(40)}.${'c'.repeat(40)}`,
  })
  await record({}, club)
  const reference = await record({ found: '<script>\u202ealert(1)\n</script>' })
  assert.match(reference, /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/)
  const list = async (more = '') => (await send('drew', 'GET', `${PROVIDER}/failures?organisation=school${more}`)).body
  const { docs, total } = await list()
  assert.equal(total, 2)
  const { date, ...newest } = docs[0]
  assert.match(date, /^20/)
  assert.deepEqual(newest, {
    reference,
    problem: 'It failed',
    claim: null,
    found: '<script> alert(1) </script>',
    expected: null,
  })
  assert.equal(docs[1].found.length, 300)
  assert.equal(docs[1].expected, '(a token)')
  await app.sql(
    `insert into provider_failures (organisation_id, at, reference, problem) select ${school!.id}, now(), 'X', n::text from generate_series(1, 1200) n`,
  )
  await Promise.all([record({ problem: 'last' }), record({ problem: 'last' })])
  const after = await list('&limit=100')
  assert.ok(after.total <= 1001, String(after.total))
  assert.equal(after.docs[0].problem, 'last')
  assert.equal((await app.sql(`select from provider_failures where organisation_id = ${club!.id}`)).length, 1)
})

test('secrets of providers are encrypted again when the key changes', async (t) => {
  const { app, connect, liar } = await open(t)
  await connect()
  const second = await app.startSecond({ SEAL_KEYS: Buffer.alloc(32, 'new').toString('base64url') })
  const { db, get } = second.environments[0]!
  assert.equal(await resealProviders(db, get(secretSeal)), 1)
  assert.equal(await resealProviders(db, get(secretSeal)), 0)
  const [row] = await app.sql(`select encode(sealed_secret, 'hex') as sealed from providers`)
  assert.equal(get(secretSeal).open(sealName('school'), Buffer.from(String(row!.sealed), 'hex')), liar.clientSecret)
})
