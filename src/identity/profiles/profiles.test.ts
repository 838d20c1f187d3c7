import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COUNTRIES, countryChoices } from '../../../web/account/profile/countries.ts'
import { call, PASSWORD, signInBrowser } from '../../apps/account/testing.ts'
import { assertError, Client, testApp } from '../../operations/testing/testing.ts'
import { readCountry } from '../people/countries.ts'
import { PICTURE, plain, sendImage } from '../pictures/testing.ts'

const OWN = '/user/v1/my/profile'
const PROFILE = '/user/v1/profile'

test("a person's own profile has the fields of the interface, with trainer and trainee", async (t) => {
  const app = await testApp(t)
  await app.sql(`
    update people set country = 'SE', date_of_birth = '2001-03-14', gender = 'woman', position = 'Pilot', email = 'avery@example.org',
           service = '{"militaryGrade":"OF-2","jobTitle":"Instructor","secret":"x"}' where handle_key = 'avery';
    insert into organisations (key, name, created_at) values ('sandhills', 'Sandhills', now()), ('northwind', 'Northwind', now());
    insert into organisation_members select o.id, p.id, case o.key when 'sandhills' then 'Student' else 'instructor' end
      from organisations o, people p where p.handle_key = 'avery' and o.key in ('sandhills', 'northwind')`)
  const avery = await app.as('avery')
  const answer = await avery.get(OWN)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const { profilePic, coverPhoto, firstName, lastName, ...profile } = answer.body
  assert.equal(typeof firstName, 'string')
  assert.equal(typeof lastName, 'string')
  assert.ok(profilePic.includes(avery.userId) && coverPhoto.includes(avery.userId))
  assert.deepEqual(profile, {
    userId: avery.userId,
    handle: '@avery',
    userType: 'adult',
    accountType: 'Adult',
    country: 'SE',
    anonymous: false,
    militaryGrade: 'OF-2',
    jobTitle: 'Instructor',
    position: 'Pilot',
    role: 'user',
    organizationRoles: { northwind: 'instructor', sandhills: 'Student' },
    email: 'avery@example.org',
    gender: 'woman',
    trainer: true,
    trainee: true,
  })

  await t.test('a person without classes is neither, and unknown values are empty', async () => {
    const blake = await app.as('blake')
    const { body } = await blake.get(OWN)
    assert.deepEqual([body.trainer, body.trainee, body.organizationRoles, body.gender], [false, false, {}, ''])
  })

  await t.test('an unknown country is the default one, wherever an app sees it', async () => {
    await app.sql(`update people set public_search = true`)
    const blake = await app.as('blake')
    assert.equal((await blake.get(OWN)).body.country, 'US')
    assert.equal((await avery.get(PROFILE, { id: blake.userId })).body.country, 'US')
    assert.equal((await avery.get('/user/v1/search', { term: 'blake' })).body.docs[0].country, 'US')
    const second = await app.startSecond({ DEFAULT_COUNTRY: 'ca' })
    const there = new Client(second.addresses.production, blake.token, blake.userId)
    assert.equal((await there.get(OWN)).body.country, 'CA')
    const { body } = await new Client(there.address).put(OWN, {
      anonymous: true,
      clientId: 'gs-first',
      dateOfBirth: '1990-01-31',
    })
    assert.equal(body.country, 'CA')
    const { country } = (await call(await signInBrowser(app, 'blake'), 'GET', '/account/v1/profile')).body
    assert.equal(country, '', 'what people say themselves stays what they said')
  })

  await t.test('the date of birth decides about userType, on the day', async () => {
    const type = async (born: string) => {
      await app.sql(`update people set date_of_birth = '${born}' where handle_key = 'avery'`)
      const { body } = await avery.get(OWN)
      return [body.userType, body.accountType, body.parentFlags]
    }
    const now = app.environment().clock()
    const day = (years: number, days: number) =>
      new Date(Date.UTC(now.getUTCFullYear() - years, now.getUTCMonth(), now.getUTCDate() + days))
        .toISOString()
        .slice(0, 10)
    const flags = { cameraDisabled: true, proximityFriends: false }
    assert.deepEqual(await type(day(13, 1)), ['child', 'Kid', flags])
    assert.deepEqual(await type(day(13, 0)), ['teen-minor', 'Adult', undefined])
    assert.deepEqual(await type(day(18, 1)), ['teen-minor', 'Adult', undefined])
    assert.deepEqual(await type(day(18, 0)), ['adult', 'Adult', undefined])
  })
})

test('another user is read by id: of the same app, with public search on', async (t) => {
  const app = await testApp(t)
  const avery = await app.as('avery')
  const blake = await app.as('blake')
  const search = (on: boolean) => app.sql(`update people set public_search = ${on} where handle_key = 'blake'`)
  await search(true)
  const own = (await blake.get(OWN)).body
  const { email, gender, trainer, trainee, position, role, organizationRoles, ...entry } = own
  const answer = await avery.get(`${PROFILE}?id=${blake.userId}`)
  assert.deepEqual(answer.body, entry, 'without what is for themselves alone')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  void [email, gender, trainer, trainee, position, role, organizationRoles]

  const gone = async (id: string, why: string) => {
    const refused = await avery.get(`${PROFILE}?id=${encodeURIComponent(id)}`)
    assertError(refused, 404, 4042)
    assert.equal(refused.body.error_description, 'There is no such user in this app, or they cannot be found', why)
  }
  await t.test('a userId that one app learned means nothing to another', async () => {
    const elsewhere = await app.as('blake', 'second')
    assert.notEqual(elsewhere.userId, blake.userId)
    await gone(elsewhere.userId, 'the id of another app')
    assertError(await elsewhere.get(`${PROFILE}?id=${blake.userId}`), 404, 4042)
  })
  await t.test('people who cannot be found get 404', async () => {
    await gone('nobody', 'unknown')
    await search(false)
    await gone(blake.userId, 'public search off')
    await search(true)
    await app.sql(`update people set disabled_at = now() where handle_key = 'blake'`)
    await gone(blake.userId, 'disabled')
    await app.sql(`update people set disabled_at = null where handle_key = 'blake'`)
    await app.sql(`update app_users set withdrawn_at = now() where user_id = '${blake.userId}'`)
    await gone(blake.userId, 'consent withdrawn')
  })
  await t.test('the caller can always read their own', async () => {
    await app.sql(`update people set public_search = false where handle_key = 'avery'`)
    assert.equal((await avery.get(`${PROFILE}?id=${avery.userId}`)).body.handle, '@avery')
  })
  await t.test('without an id the parameter is named', async () => {
    for (const query of ['', '?id=', '?id=nil']) assertError(await avery.get(PROFILE + query), 400, 4001)
  })
})

test('a person changes what they say about themselves', async (t) => {
  const app = await testApp(t)
  const browser = await signInBrowser(app, 'avery')
  const avery = await app.as('avery')
  const change = (body: object) => call(browser, 'POST', '/account/v1/profile', body)
  const read = async () => (await call(browser, 'GET', '/account/v1/profile')).body

  await t.test('and apps see it at once', async () => {
    const answer = await change({
      firstName: ' Zoë ',
      lastName: 'Lind',
      country: 'se',
      gender: 'x',
      position: 'Chief',
      publicSearch: false,
    })
    assert.equal(answer.status, 200)
    const { body } = await avery.get(OWN)
    assert.deepEqual(
      [body.firstName, body.lastName, body.country, body.gender, body.position],
      ['Zoë', 'Lind', 'SE', 'x', 'Chief'],
    )
    assert.equal((await read()).publicSearch, false)
  })
  await t.test('fields that are left out stay, empty ones are cleared', async () => {
    await change({ gender: '' })
    const body = await read()
    assert.deepEqual([body.firstName, body.gender, body.position], ['Zoë', '', 'Chief'])
  })
  await t.test('nothing else can be set (D2)', async () => {
    await change({
      handle: '@root',
      administrator: true,
      developer: true,
      trainer: true,
      userType: 'adult',
      accountType: 'Community',
      dateOfBirth: '1900-01-01',
      email: 'x@example.org',
      userId: 'u',
      service: { jobTitle: 'x' },
      militaryGrade: 'OF-10',
    })
    const [row] = await app.sql(
      `select handle, administrator, developer, account_kind, date_of_birth, service::text, email from people where first_name = 'Zoë'`,
    )
    assert.deepEqual(
      [row?.handle, row?.administrator, row?.developer, row?.account_kind, row?.service],
      ['@avery', false, false, null, '{}'],
    )
    assert.notEqual(row?.email, 'x@example.org')
  })
  await t.test('what cannot be shown is refused', async () => {
    for (const body of [
      { country: 'Sweden' },
      { country: '1!' },
      { country: 'ß' },
      { country: 'ı' },
      { country: 'ŉ' },
      { country: 'zz' },
      { country: 'EU' },
      { country: 'UK' },
      { firstName: `a${'\u0301'.repeat(99)}` },
      { firstName: 'a\nb' },
      { lastName: 'x'.repeat(101) },
      { firstName: '\u202eevil' },
      { firstName: 'two\u2028lines' },
      { lastName: 'two\u2029parts' },
      { firstName: '\u200b' },
      { lastName: ' \u00ad\u2060 \u3164' },
      { position: '\u2800' },
      { publicSearch: 'maybe' },
    ])
      assert.equal((await change(body)).status, 400, JSON.stringify(body))
  })
  await t.test('a child does not decide whether it can be found', async () => {
    await app.sql(`update people set date_of_birth = now() - interval '8 years' where handle_key = 'avery'`)
    const refused = await change({ publicSearch: true })
    assertError(refused, 403, 4032)
    assert.match(refused.body.error_description, /parent/)
  })
  await t.test('nor what it is called and where it lives, but all else', async () => {
    const before = await read()
    for (const body of [{ firstName: 'Kid' }, { lastName: '' }, { country: 'FR' }, { position: 'x', lastName: 'Kid' }])
      assertError(await change(body), 403, 4032, /^A parent decides the name/)
    assert.deepEqual(await read(), before)
    const { firstName, lastName, country, publicSearch } = before
    const same = { firstName: ` ${firstName}`, lastName, country: country.toLowerCase(), publicSearch }
    const answer = await change({ ...same, gender: 'girl', position: 'pupil' })
    assert.deepEqual([answer.status, answer.body], [200, { ...before, gender: 'girl', position: 'pupil' }])
  })
  await t.test('an app cannot: a token is not enough', async () => {
    assert.equal((await avery.post('/account/v1/profile', { firstName: 'Mallory' })).status, 401)
  })
})

test('an e-mail address is changed with the password, and the old one is told', async (t) => {
  const app = await testApp(t)
  await app.sql(`update people set email = 'old@example.org' where handle_key = 'avery'`)
  const browser = await signInBrowser(app, 'avery')
  const change = (email: string, password = PASSWORD) => call(browser, 'POST', '/account/v1/email', { email, password })
  assertError(await change('new@example.org', 'wrong'), 401, 4011)
  assertError(await change('no address'), 400, 4003)
  assert.equal((await change('new@example.org')).status, 200)
  const [row] = await app.sql(`select email from people where handle_key = 'avery'`)
  assert.equal(row?.email, 'new@example.org')
  const [told] = await app.sql(`select recipient from messages where kind = 'email-changed'`)
  assert.equal(told?.recipient, 'old@example.org')
  const [entry] = await app.sql(`select count(*)::int as n from audit_entries where action = 'email.changed'`)
  assert.equal(entry?.n, 1)

  await t.test('a child does not change it by itself', async () => {
    await app.sql(`update people set date_of_birth = now() - interval '8 years' where handle_key = 'avery'`)
    assertError(await change('child@example.org'), 403, 4032, /^A parent decides/)
    assertError(await change(''), 403, 4032)
    const [kept] = await app.sql(`select email from people where handle_key = 'avery'`)
    assert.equal(kept?.email, 'new@example.org')
    await app.sql(`update people set date_of_birth = null where handle_key = 'avery'`)
  })

  await t.test('a person with only passkeys proves it by a recent sign-in', async () => {
    const ask = (email: string) => call(browser, 'POST', '/account/v1/email', { email })
    assertError(await ask('left-open@example.org'), 400, 4001, /password/)
    await app.sql(`update people set password_hash = null where handle_key = 'avery'`)
    assert.equal((await ask('passkey@example.org')).status, 200)
    app.advance(11 * 60_000)
    assertError(await ask('left-open@example.org'), 401, 4016, /Sign in again/)
    const [kept] = await app.sql(`select email from people where handle_key = 'avery'`)
    assert.equal(kept?.email, 'passkey@example.org')
  })
})

test('a person reads their own settings', async (t) => {
  const app = await testApp(t)
  const browser = await signInBrowser(app, 'avery')
  const read = async () => {
    const { hasPassword, hasParent, hasPicture, hasCover } = (await call(browser, 'GET', '/account/v1/profile')).body
    return { hasPassword, hasParent, hasPicture, hasCover }
  }
  const nothing = { hasPassword: true, hasParent: false, hasPicture: false, hasCover: false }
  assert.deepEqual(await read(), nothing)
  const image = await plain(64, 64).png().toBuffer()
  assert.equal((await sendImage(browser, PICTURE, image)).status, 200)
  assert.deepEqual(await read(), { ...nothing, hasPicture: true })
  await app.sql(`
    update people set password_hash = null where handle_key = 'avery';
    insert into guardians (child_id, parent_id, created_at)
      select c.id, p.id, now() from people c, people p where c.handle = '@avery' and p.handle = '@drew'`)
  assert.deepEqual(await read(), { ...nothing, hasPassword: false, hasPicture: true }, 'nobody decides for an adult')
  await app.sql(`update people set date_of_birth = now() - interval '9 years' where handle_key = 'avery'`)
  assert.equal((await read()).hasParent, true)
  await app.sql(`update people set disabled_at = now() where handle_key = 'drew'`)
  assert.equal((await read()).hasParent, false, 'nor does somebody who is disabled')
})

test('what settings say that a person may do is what the operations let them do, at every age', async (t) => {
  const app = await testApp(t)
  const browser = await signInBrowser(app, 'avery')
  const born = new Date(Date.now() - 5 * 366 * 86_400_000).toISOString().slice(0, 10)
  const CHILD = { handle: '@kid', firstName: 'Kid', lastName: '', dateOfBirth: born }
  for (const years of [8, 15, 30]) {
    await app.sql(`update people set date_of_birth = now() - interval '${years} years' where handle_key = 'avery'`)
    const settings = (await call(browser, 'GET', '/account/v1/profile')).body
    const isAllowed = async (path: string, body: object) =>
      ![4004, 4032].includes((await call(browser, 'POST', path, body)).body.error_code)
    const { may } = settings
    assert.deepEqual(may, {
      changeNames: await isAllowed('/account/v1/profile', { firstName: `Avery ${years}` }),
      changePublicSearch: await isAllowed('/account/v1/profile', { publicSearch: !settings.publicSearch }),
      changeEmail: await isAllowed('/account/v1/email', { email: `${years}@example.org`, password: PASSWORD }),
      decideFriends: await isAllowed('/account/v1/friends/request', { handle: '@blake' }),
      lookAfterChildren: await isAllowed('/account/v1/children', CHILD),
    })
    assert.deepEqual([may.changeNames, may.lookAfterChildren], [years >= 13, years >= 18])
    const here = (await call(browser, 'GET', '/account/v1/here')).body
    assert.equal(here.person.may.lookAfterChildren, may.lookAfterChildren)
  }
})

test('the pages offer every country, and no other', () => {
  assert.equal(COUNTRIES.length, 250, 'ISO 3166 has 249, and Kosovo')
  for (const { code } of COUNTRIES) assert.equal(readCountry(code.toLowerCase(), null), code)
  const isThere = (code: string) => COUNTRIES.some((one) => one.code === code)
  for (const code of ['DE', 'GB', 'QA', 'TW', 'US', 'XK', 'ZA']) assert.ok(isThere(code), code)
  for (const code of ['EU', 'ZZ', 'XA', 'DD']) assert.ok(!isThere(code), code)
  assert.deepEqual(countryChoices('QX', 'Not said').slice(0, 2), [
    { value: '', label: 'Not said' },
    { value: 'QX', label: 'QX' },
  ])
})
