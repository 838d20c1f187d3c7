import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, isSignedIn, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { assertError, type Person, type TestApp, testApp } from '../testing/testing.ts'

const PERSON = '/admin/v1/person'
const DAY_MS = 24 * 60 * 60_000
const NOOR = { firstName: 'Noor', lastName: 'Haddad', email: 'noor@example.org' }

/** Opens a platform where Ellis is administrator, and Casey and Drew own the organisation `school`. */
async function open(t: TestContext) {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  await app.sql(
    `update people set administrator = true where handle_key = 'ellis';
     insert into organisations (key, name, created_at) values ('school', 'School', now()), ('club', 'Club', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'owner' from organisations o, people p where o.key = 'school' and p.handle_key in ('casey', 'drew')`,
  )
  const browsers = { ellis: await signInBrowser(app, 'ellis'), casey: await signInBrowser(app, 'casey') }
  const as = (name: keyof typeof browsers) => ({
    put: (body: object) => call(browsers[name], 'PUT', PERSON, body),
    post: (path: string, body: object) => call(browsers[name], 'POST', `${PERSON}${path}`, body),
    get: (path: string) => call(browsers[name], 'GET', `${PERSON}${path}`),
  })
  const claim = (link: string, password = 'my own password') =>
    call(app.visitor(), 'POST', '/account/v1/password/reset', {
      code: new URL(link).searchParams.get('code')!,
      password,
    })
  return { app, mailbox, ellis: as('ellis'), casey: as('casey'), claim }
}

const statusOf = async (app: TestApp, handle: string) =>
  (await app.sql(`select person_status(p, now()) as status from people p where handle = '${handle}'`))[0]?.status

test('an administrator creates a person, who sets a password with the link and is active from then on', async (t) => {
  const { app, mailbox, ellis, claim } = await open(t)
  const { status, body } = await ellis.put({ ...NOOR, organisation: 'school', role: 'instructor' })
  assert.equal(status, 200)
  assert.deepEqual(
    [body.handle, body.name, body.status, body.managedBy],
    ['@noor.haddad', 'Noor Haddad', 'invited', 'school'],
  )
  const message = await mailbox.next()
  assert.equal(message.to, 'noor@example.org')
  assert.match(message.text, /School created the account @noor\.haddad for you .*Its owners can change/s)
  assert.equal((await claim(message.link!)).status, 200)
  assert.equal(await statusOf(app, '@noor.haddad'), 'active')
  assertError(await claim(message.link!), 400, 4008, /already used/)
  const { body: read } = await ellis.get('?handle=noor.haddad')
  assert.deepEqual(read.organisations, [{ key: 'school', name: 'School', role: 'instructor' }])
})

test('a handle is derived from the name or the address, and a free one is found', async (t) => {
  const { ellis } = await open(t)
  const handleOf = async (what: object) => (await ellis.put({ invite: false, ...what })).body.handle
  assert.equal(await handleOf({ firstName: 'Zoë', lastName: 'van der Berg' }), '@zoe.van.der.berg')
  assert.equal(await handleOf({ firstName: 'Zoë', lastName: 'van der Berg' }), '@zoe.van.der.berg2')
  assert.equal(await handleOf({ email: 'J.Doe+x@example.org' }), '@j.doe.x')
  assert.equal(await handleOf({ firstName: 'Admin' }), '@person')
  assert.equal(await handleOf({ firstName: '美咲', email: 'misaki@example.org' }), '@misaki')
  assertError(await ellis.put({ handle: '@casey' }), 400, 4002, /taken/)
  assertError(await ellis.put({}), 400, 4001)
  assertError(await ellis.put({ firstName: 'X', role: 'owner' }), 400, 4001)
  assertError(await ellis.put({ email: 'no address' }), 400, 4003)
  assertError(await ellis.put({ email: 'misaki@example.org' }), 409, 4091, /belongs to @misaki/)
})

test('an address that another account has is refused, confirmed or not, unless two accounts are wanted', async (t) => {
  const { app, mailbox, ellis, casey } = await open(t)
  await app.sql(
    `update people set email = handle_key || '@example.org' where handle_key in ('avery', 'blake');
     update people set email_confirmed_at = now() where handle_key = 'avery'`,
  )
  await ellis.put({ ...NOOR, organisation: 'school' })
  await mailbox.next()
  for (const name of ['avery', 'blake']) {
    const [email, handle] = [`${name.toUpperCase()}@example.org`, '@noor.haddad']
    const reason = new RegExp(`belongs to @${name}`)
    assertError(await ellis.put({ email, invite: false }), 409, 4091, reason)
    assertError(await ellis.post('', { handle, email }), 409, 4091, reason)
    // Owners are not told who has an address.
    assert.equal((await casey.post('', { handle, email })).status, 200)
    assert.equal((await ellis.post('', { handle, email: email.toLowerCase() })).status, 200)
    assert.equal((await ellis.post('', { handle, email: '' })).status, 200)
    assert.equal((await ellis.post('', { handle, email, allowSameAddress: true })).status, 200)
    assert.equal((await ellis.put({ email, invite: false, allowSameAddress: true })).status, 200)
  }
})

test('an invitation expires after seven days, is replaced when it is sent again, and dies when it is withdrawn', async (t) => {
  const { app, mailbox, ellis, claim } = await open(t)
  await ellis.put(NOOR)
  const first = await mailbox.next()
  assert.equal((await ellis.post('/invitation/resend', { handle: 'noor.haddad' })).status, 200)
  app.advance(7 * DAY_MS + 1)
  assertError(await claim(first.link!), 401, 4015, /expired/)
  const fresh = await signInBrowser(app, 'ellis')
  const ask = (path: string) => call(fresh, 'POST', `${PERSON}${path}`, { handle: 'noor.haddad' })
  const list = async (status: string) => (await call(fresh, 'GET', `${PERSON}/list?status=${status}`)).body.total
  assert.deepEqual([await list('expired'), await list('invited')], [1, 0])
  assert.equal((await ask('/invitation/resend')).body.status, 'invited')
  const second = await mailbox.next()
  app.advance(61_000)
  await ask('/invitation/resend')
  const third = await mailbox.next()
  assertError(await claim(second.link!), 400, 4008)
  assert.equal((await ask('/invitation/withdraw')).status, 200)
  assertError(await claim(third.link!), 401, 4015, /unknown/)
  assertError(await ask('/invitation/resend'), 404, 4042)
  assert.equal((await call(fresh, 'PUT', PERSON, { ...NOOR, handle: 'noor.haddad' })).status, 200)
})

test('two requests to send an invitation again at the same time send one link, and it works', async (t) => {
  const { app, mailbox, ellis, claim } = await open(t)
  await ellis.put({ ...NOOR, invite: false })
  assert.equal(await statusOf(app, '@noor.haddad'), 'uninvited')
  const both = await Promise.all([1, 2].map(() => ellis.post('/invitation/resend', { handle: 'noor.haddad' })))
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  )
  const message = await mailbox.next()
  assert.equal((await claim(message.link!)).status, 200)
  // Messages are sent in order, so a second link would come before this one.
  assert.match((await mailbox.next()).subject, /^Your password was changed/)
})

test('a link that is used while the invitation is withdrawn either works, or the account is gone', async (t) => {
  const { app, mailbox, ellis, claim } = await open(t)
  for (let i = 0; i < 5; i++) {
    const { body } = await ellis.put({ firstName: `Race${i}`, email: `race${i}@example.org` })
    const { link } = await mailbox.next()
    const [used, withdrawn] = await Promise.all([
      claim(link!),
      ellis.post('/invitation/withdraw', { handle: body.handle }),
    ])
    const status = await statusOf(app, body.handle)
    if (used.status === 200) {
      assert.equal(status, 'active')
      assertError(withdrawn, 400, 4006, /set up the account already/)
      await mailbox.next()
    } else {
      assertError(used, 401, 4015)
      assert.deepEqual([withdrawn.status, status], [200, undefined])
    }
  }
})

test('an owner corrects, disables and deletes accounts that their organisation created', async (t) => {
  const { app, mailbox, ellis, casey, claim } = await open(t)
  await ellis.put({ ...NOOR, organisation: 'school' })
  await claim((await mailbox.next()).link!)
  await mailbox.next()
  const handle = 'noor.haddad'
  const { body } = await casey.post('', { handle, firstName: 'Nour', newHandle: '@nour', email: 'nour@example.org' })
  assert.deepEqual([body.handle, body.name, body.email], ['@nour', 'Nour Haddad', 'nour@example.org'])
  const messages = [await mailbox.next(), await mailbox.next()].toSorted((a, b) => (a.to < b.to ? -1 : 1))
  assert.deepEqual(
    messages.map(({ to, subject }) => [to, subject]),
    [
      ['noor@example.org', 'Your e-mail address was changed (@nour)'],
      ['nour@example.org', 'Your handle was changed (@nour)'],
    ],
  )
  assertError(await casey.post('', { handle: '@nour', newHandle: '@blake' }), 400, 4002, /taken/)
  const about = { handle: '@nour', reason: 'Left the school' }
  assert.equal((await casey.post('/disable', about)).body.status, 'disabled')
  assert.equal((await casey.post('/enable', about)).body.status, 'active')
  const deletion = await casey.get('/deletion?handle=nour')
  assert.deepEqual(deletion.body, {
    handle: '@nour',
    classesTaught: 0,
    classesAttended: 0,
    appsOwned: 0,
    organisationsOwned: 0,
    organisationsWithoutOwner: [],
  })
  assert.equal((await casey.post('/delete', about)).status, 200)
  assert.equal(await statusOf(app, '@nour'), undefined)
  const actions = await app.sql(`select action from audit_entries where action like 'person.%' order by id`)
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['person.added', 'person.corrected', 'person.disabled', 'person.enabled', 'person.deleted', 'person.removed'],
  )
})

test('an owner cannot change strangers, administrators, or people of another organisation, and learns nothing', async (t) => {
  const { app, ellis, casey } = await open(t)
  await ellis.put({ ...NOOR, organisation: 'school' })
  const handle = '@noor.haddad'
  const tries: [path: string, body: object][] = [
    ['', { email: 'mine@example.org' }],
    ['/disable', { reason: 'x' }],
    ['/enable', { reason: 'x' }],
    ['/delete', { reason: 'x' }],
    ['/invitation/resend', {}],
    ['/invitation/withdraw', {}],
  ]
  const refused = async (who: string) => {
    for (const [path, body] of tries)
      assertError(
        await casey.post(path, { handle: who, ...body }),
        403,
        4032,
        /^No account with this handle is managed/,
      )
    assertError(await casey.get(`/deletion?handle=${who}`), 403, 4032)
  }
  await refused('@blake')
  await refused('@nobody')
  await refused('@ellis')
  await app.sql(`update people set administrator = true where handle = '${handle}'`)
  await refused(handle)
  await app.sql(`update people set administrator = false where handle = '${handle}'`)
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from organisations o, people p where o.key = 'club' and p.handle = '${handle}'`,
  )
  await refused(handle)
  assertError(await casey.put({ firstName: 'X' }), 403, 4032)
  assertError(
    await casey.post('/administrator', { handle: '@drew', administrator: true, reason: 'x' }),
    403,
    4032,
    /administrator/,
  )
  assert.equal(await statusOf(app, handle), 'invited')
})

test('removing somebody from the organisation that manages their account ends its rights', async (t) => {
  const { app, ellis, casey } = await open(t)
  await ellis.put({ ...NOOR, organisation: 'school' })
  const browser = await signInBrowser(app, 'casey')
  const remove = { organisation: 'school', handle: 'noor.haddad' }
  assert.equal((await call(browser, 'POST', '/edu/v1/organisation/member/remove', remove)).status, 200)
  assertError(await casey.post('', { handle: 'noor.haddad', firstName: 'X' }), 403, 4032)
})

test('administrators make others administrator and take it back, but never the last one, nor themselves', async (t) => {
  const { app, ellis } = await open(t)
  const reason = 'Runs the office'
  const drew = await signInBrowser(app, 'drew')
  const set = (handle: string, administrator: boolean) =>
    ellis.post('/administrator', { handle, administrator, reason })
  assertError(await set('@ellis', false), 400, 4006, /own role/)
  assert.equal((await set('@drew', true)).body.administrator, true)
  assert.equal((await set('@drew', true)).status, 200)
  const mutual = await Promise.all([
    set('@drew', false),
    call(drew, 'POST', `${PERSON}/administrator`, { handle: '@ellis', administrator: false, reason }),
  ])
  assert.deepEqual(mutual.map(({ status }) => status).toSorted(), [200, 403])
  const [left] = await app.sql('select count(*)::int as administrators from people where administrator')
  assert.equal(left!.administrators, 1)
  const added = await app.sql(`select from audit_entries where action = 'administrator.added'`)
  assert.equal(added.length, 1)
})

test('somebody who was only invited cannot become administrator', async (t) => {
  const { ellis } = await open(t)
  await ellis.put(NOOR)
  const what = { handle: 'noor.haddad', administrator: true, reason: 'x' }
  assertError(await ellis.post('/administrator', what), 400, 4006, /accept the invitation/)
})

test('two owners who delete each other at the same time leave one of them', async (t) => {
  const { app } = await open(t)
  await app.sql(
    `update people set managed_by = (select id from organisations where key = 'school') where handle_key in ('casey', 'drew')`,
  )
  const remove = async (person: Person, handle: string) =>
    call(await signInBrowser(app, person), 'POST', `${PERSON}/delete`, { handle, reason: 'x' })
  const [casey, drew] = [await signInBrowser(app, 'casey'), await signInBrowser(app, 'drew')]
  const results = await Promise.all([
    call(casey, 'POST', `${PERSON}/delete`, { handle: '@drew', reason: 'x' }),
    call(drew, 'POST', `${PERSON}/delete`, { handle: '@casey', reason: 'x' }),
  ])
  assert.equal(results.filter(({ status }) => status === 200).length, 1, results.map(({ text }) => text).join('\n'))
  assert.equal([await isSignedIn(casey), await isSignedIn(drew)].filter((one) => one).length, 1)
  assertError(await remove(results[0]!.status === 200 ? 'casey' : 'drew', '@nobody'), 403, 4032)
})

test('a new address of an invited person ends the link that was sent to the old one', async (t) => {
  const { mailbox, ellis, claim } = await open(t)
  await ellis.put(NOOR)
  const { link } = await mailbox.next()
  const { body } = await ellis.post('', { handle: 'noor.haddad', email: 'right@example.org' })
  assert.deepEqual([body.status, body.email], ['uninvited', 'right@example.org'])
  assertError(await claim(link!), 400, 4008)
})
