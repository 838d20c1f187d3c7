import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, isSignedIn, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { join } from '../../apps/anonymous/testing.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { addParent } from './parents.ts'
import {
  addChild,
  auditOf,
  CHILD_PASSWORD,
  CHILDREN,
  idOf,
  KIM,
  list,
  operatorOf,
  PASSWORD,
  post,
  setBirth,
  signInChild,
  yearsAgo,
} from './testing.ts'

const NOBODY = 'None of your children has this handle'
const SEEN_KIM = {
  ...KIM,
  userType: 'child',
  country: '',
  email: '',
  publicSearch: false,
  parentFlags: { cameraDisabled: true, proximityFriends: false },
  friendRequests: 0,
}
const SETTINGS = { ...UNLIMITED, RATE_ANONYMOUS_BURST: '1000' }
test('a parent makes an account for a child', async (t) => {
  const app = await testApp(t, SETTINGS)
  const avery = await signInBrowser(app, 'avery')

  await t.test('with public search off, and apps told to keep the camera off', async () => {
    assert.deepEqual(await list(avery), [])
    const answer = await post(avery, '', { ...KIM, handle: 'kim' })
    assert.deepEqual([answer.status, answer.body], [200, SEEN_KIM], answer.text)
    assert.deepEqual(await list(avery), [SEEN_KIM])
    assert.deepEqual(await auditOf(app, '@kim'), [['child.added', `{"parent":${await idOf(app, '@avery')}}`]])
    const [kept] = await app.sql("select password_hash, administrator, developer from people where handle = '@kim'")
    assert.deepEqual(kept, { password_hash: null, administrator: false, developer: false })
  })

  await t.test('who can sign in if a password was given', async () => {
    await addChild(avery, { handle: '@lee', password: CHILD_PASSWORD })
    assert.ok(await isSignedIn(await signInChild(app, '@lee')))
    assertError(await post(avery, '', { ...KIM, handle: '@max', password: 'short' }), 400, 4003, /8 to 1000/)
  })

  await t.test('D2: smuggled fields are not stored', async () => {
    const smuggled = { userType: 'adult', publicSearch: true, administrator: true, email: 'a@example.org', id: 1 }
    const child = await addChild(avery, { handle: '@smuggler', ...smuggled, parentFlags: { cameraDisabled: false } })
    assert.deepEqual(child, { ...SEEN_KIM, handle: '@smuggler' })
    const [kept] = await app.sql(`select administrator, public_search, email from people where handle = '@smuggler'`)
    assert.deepEqual(kept, { administrator: false, public_search: false, email: null })
  })

  await t.test('invalid names and dates are refused with the reason', async () => {
    const wrong: [fields: object, code: number, sentence: RegExp][] = [
      [{ dateOfBirth: yearsAgo(13) }, 4003, /less than 13 years ago/],
      [{ dateOfBirth: yearsAgo(40) }, 4003, /less than 13 years ago/],
      [{ dateOfBirth: yearsAgo(-1) }, 4003, /must be in the past/],
      [{ dateOfBirth: 'yesterday' }, 4003, /is not a valid date/],
      [{ dateOfBirth: '' }, 4001, /dateOfBirth/],
      [{ firstName: 'a\nb' }, 4003, /firstName must be one line/],
      [{ firstName: 'a\u2028b' }, 4003, /firstName must be one line/],
      [{ lastName: '\u200b\u00ad' }, 4003, /lastName must be one line of visible text/],
      [{ handle: '@Admin' }, 4003, /The handle @admin is reserved/],
      [{ handle: 'me' }, 4003, /reserved/],
      [{ handle: '@anonymous-abc' }, 4003, /reserved/],
      [{ firstName: `a${'\u0301'.repeat(99)}` }, 4003, /few accents/],
      [{ lastName: 'x'.repeat(101) }, 4003, /lastName/],
      [{ handle: '' }, 4001, /handle/],
      [{ handle: '@KIM' }, 4002, /The handle @KIM is taken/],
      [{ handle: '@avery' }, 4002, /The handle @avery is taken/],
    ]
    for (const [fields, code, sentence] of wrong)
      assertError(await post(avery, '', { ...KIM, handle: '@new', ...fields }), 400, code, sentence)
    const youngest = await addChild(avery, { handle: '@almost', dateOfBirth: yearsAgo(13, 1) })
    assert.equal(youngest.userType, 'child')
  })

  await t.test('D7: two handles that look alike are never two accounts', async () => {
    const alike = {
      'Cyrillic letters': '@kіm',
      'a zero-width space': '@ki\u200bm',
      'a zero-width joiner': '@kim\u200d',
      'the Turkish dotless i': '@kım',
      'the Turkish dotted I': '@KİM',
      'a combining mark': '@ki\u0301m',
      'a composed letter': '@kím',
      'the Kelvin sign': '@\u212aim',
      'full-width letters': '@ｋｉｍ',
      'a long s': '@ſam',
      'a soft hyphen': '@k\u00adim',
      'right-to-left marks': '@\u202ekim',
      'a space behind': '@kim ',
    }
    for (const [name, handle] of Object.entries(alike)) {
      const answer = await post(avery, '', { ...KIM, handle })
      assertError(answer, 400, 4003, /^A handle must be 1 to 30 letters from a to z/)
      assert.ok(answer.body, name)
    }
    assertError(await post(avery, '', { ...KIM, handle: 'KIM' }), 400, 4002)
  })
})

test('only an adult with an account is a parent', async (t) => {
  const app = await testApp(t, SETTINGS)
  const [avery, blake] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
  for (const [years, days] of [
    [7, 0],
    [13, 0],
    [18, 1],
  ] as const) {
    await setBirth(app, 'avery', yearsAgo(years, days))
    assertError(await post(avery, '', KIM), 400, 4004, /must be an adult with an account/)
  }
  await setBirth(app, 'avery', yearsAgo(18))
  await addChild(avery)
  assert.equal((await addChild(blake, { handle: '@lee' })).handle, '@lee')

  // Neither an app acting for a parent nor a caller who is not signed in to the platform itself may use these
  // operations.
  assertError(await (await app.as('avery')).get(CHILDREN), 401, 4016)
  assertError(await (await app.as('avery')).post(CHILDREN, { ...KIM, handle: '@max' }), 401, 4016)
  assertError(await (await join(app)).client.post(CHILDREN, { ...KIM, handle: '@max' }), 401, 4016)
  assertError(await app.nobody().get(CHILDREN), 401, 4016)
})

test('a parent decides for a child, and nobody else does', async (t) => {
  const app = await testApp(t, SETTINGS, { withSandbox: true })
  const [avery, blake] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
  await addChild(avery, { password: CHILD_PASSWORD })
  await addChild(blake, { handle: '@other' })
  const kim = await signInChild(app, '@kim')

  await t.test('public search, the flags for apps, and the name', async () => {
    const answer = await post(avery, '/settings', {
      handle: 'KIM',
      publicSearch: 'true',
      cameraDisabled: false,
      proximityFriends: true,
      firstName: ' Kimberly ',
      country: 'de',
    })
    const changed = {
      ...SEEN_KIM,
      firstName: 'Kimberly',
      country: 'DE',
      publicSearch: true,
      parentFlags: { cameraDisabled: false, proximityFriends: true },
    }
    assert.deepEqual([answer.status, answer.body], [200, changed], answer.text)
    assert.deepEqual(await list(avery), [changed])
    const [kept] = await app.sql(`select '1kimberly' = any(search_keys) as found from people where handle = '@kim'`)
    assert.equal(kept?.found, true)
    const parent = await idOf(app, '@avery')
    assert.deepEqual((await auditOf(app, '@kim')).slice(1), [
      ['child.changed', JSON.stringify({ parent, publicSearch: true, cameraDisabled: false, proximityFriends: true })],
    ])
  })

  await t.test('fields that are left out stay, and repeated values are not audited again', async () => {
    const before = await auditOf(app, '@kim')
    const answer = await post(avery, '/settings', { handle: '@kim', publicSearch: true, country: '' })
    assert.equal(answer.body.firstName, 'Kimberly')
    assert.equal(answer.body.country, '')
    assert.deepEqual(await auditOf(app, '@kim'), before)
    assertError(await post(avery, '/settings', { handle: '@kim', country: 'zz' }), 400, 4003, /two-letter/)
    assertError(await post(avery, '/settings', { handle: '@kim', lastName: '\u0007' }), 400, 4003, /one line/)
  })

  await t.test('the child does not decide about it', async () => {
    const change = (fields: object) => call(kim, 'POST', '/account/v1/profile', fields)
    assertError(await change({ publicSearch: false }), 403, 4032, /A parent decides/)
    await change({ position: 'pupil', cameraDisabled: true, parentFlags: { cameraDisabled: true } })
    const [child] = await list(avery)
    assert.deepEqual([child.publicSearch, child.parentFlags.cameraDisabled], [true, false])
  })

  await t.test('and users of its apps see it from then on, with what the parent has decided', async () => {
    await setBirth(app, 'casey', yearsAgo(12))
    await addParent(app.environment().db, operatorOf(app), { child: '@casey', parent: '@avery' })
    const [casey, drew] = [await app.as('casey'), await app.as('drew')]
    const read = () => drew.get('/user/v1/profile', { id: casey.userId })
    assertError(await read(), 404, 4042)
    await post(avery, '/settings', { handle: '@casey', publicSearch: true, proximityFriends: true })
    const { body } = await read()
    assert.deepEqual(
      [body.handle, body.userType, body.accountType, body.parentFlags],
      ['@casey', 'child', 'Kid', { cameraDisabled: true, proximityFriends: true }],
    )
    const { body: parent } = await (await app.as('avery')).get('/user/v1/my/profile')
    assert.equal(parent.accountType, 'Parent')
    await post(avery, '/settings', { handle: '@casey', publicSearch: false })
    assertError(await read(), 404, 4042)
    await setBirth(app, 'casey', null)
  })

  await t.test('D1: to everyone else the child does not exist', async () => {
    const strangers = { 'another parent': blake, 'the child itself': kim }
    const doors: [path: string, fields: object][] = [
      ['/settings', { publicSearch: true }],
      ['/settings', { email: 'mine@example.org', password: PASSWORD }],
      ['/password', { password: PASSWORD, newPassword: 'a new password' }],
      ['/delete', { password: PASSWORD }],
      ['/leave', {}],
      ...['request', 'accept', 'decline', 'cancel', 'remove', 'block', 'unblock'].map((verb): [string, object] => [
        `/friends/${verb}`,
        { friend: '@casey' },
      ]),
    ]
    for (const [name, browser] of Object.entries(strangers)) {
      for (const [path, fields] of doors) {
        const [there, notThere] = [
          await post(browser, path, { handle: '@kim', ...fields }),
          await post(browser, path, { handle: '@nobody', ...fields }),
        ]
        assertError(there, 404, 4042, new RegExp(NOBODY))
        assert.equal(there.text, notThere.text, `${name} ${path}`)
      }
      const read = (handle: string) => call(browser, 'GET', `${CHILDREN}/friends?handle=${handle}`)
      assert.deepEqual((await read('@kim')).text, (await read('@nobody')).text)
      assertError(await read('@kim'), 404, 4042)
    }
    assert.deepEqual(
      (await list(blake)).map(({ handle }: { handle: string }) => handle),
      ['@other'],
    )
    assert.deepEqual(await list(kim), [])
    // The handle of an adult, or of a child in the other environment, is also refused as unknown.
    assertError(await post(avery, '/settings', { handle: '@drew', publicSearch: true }), 404, 4042)
    const sandbox = await signInBrowser(app, 'avery', 'sandbox')
    assertError(await post(sandbox, '/settings', { handle: '@kim', publicSearch: true }), 404, 4042)
  })

  await t.test('the e-mail address, with their own password; the old one gets a message', async () => {
    const set = (fields: object) => post(avery, '/settings', { handle: '@kim', password: PASSWORD, ...fields })
    const kept = async () => (await app.sql(`select email from people where handle = '@kim'`))[0]?.email
    const told = async () => {
      const rows = await app.sql(`select recipient from messages where kind = 'email-changed' order by id`)
      return rows.map(({ recipient }) => recipient)
    }
    const before = await auditOf(app, '@kim')
    const mum = 'mum@example.org'
    assertError(await post(avery, '/settings', { handle: '@kim', email: mum }), 400, 4001, /password is missing/)
    assertError(await set({ email: mum, password: CHILD_PASSWORD }), 401, 4011, /current password is wrong/)
    assertError(await set({ email: 'nowhere' }), 400, 4003, /e-mail address/)
    assertError(await set({ email: 'a@b@c', firstName: 'Not saved' }), 400, 4003)
    assertError(await post(blake, '/settings', { handle: '@kim', email: mum, password: PASSWORD }), 404, 4042)
    assertError(
      await call(avery, 'POST', `${CHILDREN}/settings?password=${PASSWORD}`, { handle: '@kim', email: mum }),
      400,
      4000,
      /must be in the body/,
    )
    assert.deepEqual([await kept(), await told(), await auditOf(app, '@kim')], [null, [], before])

    const answer = await set({ email: ` ${mum} `, firstName: 'Kimmy' })
    assert.deepEqual([answer.status, answer.body.email, answer.body.firstName], [200, mum, 'Kimmy'], answer.text)
    assert.deepEqual([(await list(avery))[0].email, await told()], [mum, []])
    const parent = await idOf(app, '@avery')
    assert.deepEqual((await auditOf(app, '@kim')).slice(before.length), [['child.email', `{"parent":${parent}}`]])

    // Changing the e-mail address invalidates reset links sent to the old one.
    assert.equal((await call(app.visitor(), 'POST', '/account/v1/password/reset/ask', { handle: '@kim' })).status, 200)
    const open = () =>
      app.sql(`select 1 from password_resets r join people p on p.id = r.person_id
      where p.handle = '@kim' and r.used_at is null`)
    assert.equal((await open()).length, 1)
    assert.equal((await set({ email: 'kim@example.org' })).status, 200)
    assert.deepEqual([await kept(), await told(), await open()], ['kim@example.org', [mum], []])
    assert.equal((await set({ email: '' })).body.email, '')
    assert.deepEqual([await kept(), await told()], [null, [mum, 'kim@example.org']])
    assert.equal((await set({ firstName: 'Kimberly' })).body.email, '', 'what is not given stays')
    assertError(
      await call(kim, 'POST', '/account/v1/email', { email: mum, password: CHILD_PASSWORD }),
      403,
      4032,
      /A parent decides the e-mail address of a child; ask a parent/,
    )
  })

  await t.test('the password, with their own; all sessions of the child end', async () => {
    const set = (fields: object) =>
      post(avery, '/password', { handle: '@kim', password: PASSWORD, newPassword: 'another password', ...fields })
    assertError(await set({ password: CHILD_PASSWORD }), 401, 4011, /current password is wrong/)
    assertError(await set({ newPassword: 'short' }), 400, 4003, /8 to 1000/)
    assert.ok(await isSignedIn(kim))
    const answer = await set({})
    assert.deepEqual([answer.status, answer.body], [200, { success: true, passkeys: [] }], answer.text)
    assert.ok(!(await isSignedIn(kim)))
    assert.ok(await isSignedIn(avery))
    assert.ok(await isSignedIn(await signInChild(app, '@kim', 'another password')))
    assert.deepEqual((await auditOf(app, '@kim')).at(-1), ['child.password', `{"parent":${await idOf(app, '@avery')}}`])
    assertError(
      await call(avery, 'POST', `${CHILDREN}/password?password=${PASSWORD}`, { handle: '@kim' }),
      400,
      4000,
      /must be in the body/,
    )
  })
})

test('a parent answers friend requests to a child', async (t) => {
  const app = await testApp(t, SETTINGS)
  const [avery, blake] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'blake')]
  await addChild(avery, { password: CHILD_PASSWORD })
  await post(avery, '/settings', { handle: '@kim', publicSearch: true })
  await app.sql(`update people set public_search = true where handle in ('@blake', '@casey')`)
  const kim = await signInChild(app, '@kim')
  const own = (browser: typeof kim, verb: string, handle: string) =>
    call(browser, 'POST', `/account/v1/friends/${verb}`, { handle })
  const forKim = (verb: string, friend: string) => post(avery, `/friends/${verb}`, { handle: '@kim', friend })
  const friends = async () => {
    const { body } = await call(avery, 'GET', `${CHILDREN}/friends?handle=kim`)
    return Object.fromEntries(
      Object.entries<{ handle: string }[]>(body).map(([name, people]) => [name, people.map(({ handle }) => handle)]),
    )
  }
  const none = { friends: [], received: [], sent: [], blocked: [] }

  await t.test('which are counted', async () => {
    assert.deepEqual(await friends(), none)
    assert.equal((await own(blake, 'request', '@kim')).status, 200)
    assert.equal((await list(avery))[0].friendRequests, 1)
    assert.deepEqual(await friends(), { ...none, received: ['@blake'] })
    // Requests of disabled people, and of people who were declined before, are neither listed nor counted.
    for (const [hide, show] of [
      [`update people set disabled_at = now() where handle = '@blake'`, `update people set disabled_at = null`],
      [`update friendships set is_quiet = true`, `update friendships set is_quiet = false`],
    ] as const) {
      await app.sql(hide)
      assert.equal((await list(avery))[0].friendRequests, 0, hide)
      assert.deepEqual(await friends(), none, hide)
      await app.sql(show)
    }
  })

  await t.test("the child cannot by itself; both sides see the parent's answer", async () => {
    assertError(await own(kim, 'accept', '@blake'), 400, 4004, /A parent accepts/)
    assert.equal((await forKim('accept', 'Blake')).status, 200)
    assert.deepEqual(await friends(), { ...none, friends: ['@blake'] })
    assert.equal((await list(avery))[0].friendRequests, 0)
    const { body } = await call(blake, 'GET', '/account/v1/friends')
    assert.deepEqual(
      body.friends.map(({ handle }: { handle: string }) => handle),
      ['@kim'],
    )
  })

  await t.test('and ends, requests, cancels, declines, blocks and unblocks', async () => {
    assert.equal((await forKim('remove', '@blake')).status, 200)
    assert.deepEqual(await friends(), none)
    assert.equal((await forKim('request', '@casey')).status, 200)
    assert.deepEqual(await friends(), { ...none, sent: ['@casey'] })
    assert.equal((await forKim('cancel', '@casey')).status, 200)
    assert.equal((await own(blake, 'request', '@kim')).status, 200)
    assert.equal((await forKim('decline', '@blake')).status, 200)
    assert.deepEqual(await friends(), none)
    assert.equal((await forKim('block', '@blake')).status, 200)
    assert.deepEqual(await friends(), { ...none, blocked: ['@blake'] })
    assert.equal((await forKim('unblock', '@blake')).status, 200)
    assert.deepEqual(await friends(), none)
  })

  await t.test('a person without a relation to the child looks like an unknown one', async () => {
    const blocking = ['block', 'unblock']
    for (const verb of ['request', 'accept', 'decline', 'cancel', 'remove', ...blocking]) {
      const [hidden, nobody] = [await forKim(verb, '@drew'), await forKim(verb, '@nobody')]
      if (blocking.includes(verb)) assert.deepEqual([hidden.status, hidden.body], [200, { success: true }])
      else assertError(hidden, 404, 4042)
      assert.equal(hidden.text, nobody.text)
    }
    assertError(await forKim('request', '@kim'), 400, 4003)
  })
})

test("a parent deletes a child's account for good, with their own password", async (t) => {
  const app = await testApp(t, SETTINGS)
  const avery = await signInBrowser(app, 'avery')
  await addChild(avery, { password: CHILD_PASSWORD })
  const kim = await signInChild(app, '@kim')
  const id = await idOf(app, '@kim')
  assertError(await post(avery, '/delete', { handle: '@kim', password: CHILD_PASSWORD }), 401, 4011)
  assert.equal((await list(avery)).length, 1)
  const answer = await post(avery, '/delete', { handle: '@kim', password: PASSWORD })
  assert.deepEqual([answer.status, answer.body], [200, { success: true }], answer.text)
  assert.ok(!(await isSignedIn(kim)))
  assert.deepEqual(await list(avery), [])
  assert.deepEqual(await app.sql(`select id from people where id = ${id}`), [])
  assert.deepEqual(await app.sql('select child_id from guardians'), [])
  const [entry] = await app.sql(
    `select detail::text from audit_entries where action = 'person.removed' and person_id = ${id}`,
  )
  assert.equal(entry?.detail, '{"reason":"removed by a parent"}')
  assertError(await post(avery, '/delete', { handle: '@kim', password: PASSWORD }), 404, 4042)
})
