import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../kernel/database/test-database.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { size } from '../../operations/testing/sizes.ts'
import { type Answer, assertError, type Person, testApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { call, signInBrowser, UNLIMITED } from '../account/testing.ts'
import { answerInvitation, INVITATION, listReceived } from '../invitations/testing.ts'

const DAY_MS = 24 * 60 * 60_000
const ORGANISATION = '/edu/v1/organisation'

/** Opens a platform where Casey and Drew own `school`, Avery has confirmed an address, and Ellis is administrator. */
async function open(t: TestContext) {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  await app.sql(
    `update people set administrator = true where handle_key = 'ellis';
     update people set email = 'Avery@example.org', email_confirmed_at = now() where handle_key = 'avery';
     insert into organisations (key, name, created_at) values ('school', 'School', now()), ('club', 'Club', now());
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'owner' from organisations o, people p
      where (o.key, p.handle_key) in (('school', 'casey'), ('school', 'drew'), ('club', 'blake'))`,
  )
  const browsers = new Map<Person, TestBrowser>()
  const browserOf = async (person: Person) => {
    const browser = browsers.get(person) ?? (await signInBrowser(app, person))
    browsers.set(person, browser)
    return browser
  }
  const invite = async (person: Person, handle: string, more: object = {}) =>
    call(await browserOf(person), 'POST', `${ORGANISATION}/member`, {
      organisation: 'school',
      handle,
      role: 'instructor',
      ...more,
    })
  const list = async (person: Person, more = '') =>
    (await call(await browserOf(person), 'GET', `${ORGANISATION}/members?organisation=school&pending=true${more}`)).body
  const importCsv = async (person: Person, csv: string, query: Record<string, string> = {}): Promise<Answer> => {
    const address = `${ORGANISATION}/people?${new URLSearchParams({ organisation: 'school', ...query })}`
    const seen = await (await browserOf(person)).send(address, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: csv,
    })
    return { status: seen.status, text: seen.text, headers: seen.headers, body: JSON.parse(seen.text) }
  }
  const claim = (link: string) =>
    call(app.visitor(), 'POST', '/account/v1/password/reset', {
      code: new URL(link).searchParams.get('code')!,
      password: 'my own password',
    })
  const ask = async (person: Person, verb: 'resend' | 'withdraw', invitationId: string) =>
    call(await browserOf(person), 'POST', `${INVITATION}/${verb}`, { invitationId })
  const count = async (email: string) =>
    Number((await app.sql(`select count(*) from people where lower(email) = '${email}'`))[0]!.count)
  const signInAgain = () => browsers.clear()
  return { app, mailbox, browserOf, invite, list, importCsv, claim, ask, count, signInAgain }
}

const NOOR = { firstName: 'Noor', lastName: 'Haddad' }

test('an owner invites an address: an account is created, and using its link joins the organisation', async (t) => {
  const { app, mailbox, invite, list, claim } = await open(t)
  const { body } = await invite('casey', 'noor@example.org', NOOR)
  assert.deepEqual(
    [body.handle, body.name, body.role, body.status],
    ['noor@example.org', 'Noor Haddad', 'instructor', 'pending'],
  )
  const message = await mailbox.next()
  assert.match(message.text, /School created the account @noor\.haddad for you/)
  const [pending] = (await list('casey', '&status=invited')).docs
  assert.deepEqual(
    [pending.handle, pending.email, pending.firstName, pending.status, pending.managed],
    [null, 'noor@example.org', 'Noor', 'invited', false],
  )
  assert.equal((await claim(message.link!)).status, 200)
  const [member] = (await list('casey', '&role=instructor')).docs
  assert.deepEqual(
    [member.handle, member.email, member.role, member.status, member.managed, member.invitationId],
    ['@noor.haddad', 'noor@example.org', 'instructor', 'active', true, null],
  )
  const audited = await app.sql(`select action from audit_entries where action ~ '^(member|invitation)' order by id`)
  assert.deepEqual(
    audited.map(({ action }) => action),
    ['invitation.sent', 'invitation.accepted', 'member.set'],
  )
  const again = await invite('casey', 'NOOR@example.org', { role: 'member' })
  assert.deepEqual([again.body.handle, again.body.role], ['@noor.haddad', 'member'])
})

test('an owner corrects the address and the names of a pending invitation; the old link stops working', async (t) => {
  const { mailbox, browserOf, invite, list, claim, count, ask } = await open(t)
  const correct = async (person: Person, invitationId: string, change: object) =>
    call(await browserOf(person), 'POST', `${INVITATION}/correct`, { invitationId, ...change })
  const wrong = (await invite('casey', 'nor@example.org', { firstName: 'Nor', lastName: 'Haddad' })).body
  const first = await mailbox.next()
  assertError(await correct('blake', wrong.invitationId, { email: 'noor@example.org' }), 403, 4032)
  assertError(await correct('casey', wrong.invitationId, { email: 'noor' }), 400, 4003)
  const { body } = await correct('drew', wrong.invitationId, { email: 'noor@example.org', firstName: 'Noor' })
  assert.deepEqual([body.handle, body.name, body.role], ['noor@example.org', 'Noor Haddad', 'instructor'])
  const second = await mailbox.next()
  assert.equal(second.to, 'noor@example.org')
  await until('the account is deleted', async () => (await count('nor@example.org')) === 0)
  assertError(await claim(first.link!), 401, 4015)
  assertError(await correct('casey', wrong.invitationId, { email: 'again@example.org' }), 403, 4032)
  // The same address waits a minute before another message, and a member needs no invitation.
  assertError(await correct('casey', body.invitationId, { lastName: 'Hadad' }), 400, 4006)
  assert.equal((await claim(second.link!)).status, 200)
  assert.deepEqual(
    (await list('casey', '&query=noor')).docs.map((one: { email: string; firstName: string }) => [
      one.email,
      one.firstName,
    ]),
    [['noor@example.org', 'Noor']],
  )
  const other = (await invite('casey', 'avry@example.org')).body
  assertError(await correct('casey', other.invitationId, { email: 'noor@example.org' }), 400, 4006)
  assert.equal((await ask('casey', 'withdraw', other.invitationId)).status, 200)
})

test('correcting only the names of an invitation renames the account that waits for its person', async (t) => {
  const { app, mailbox, browserOf, invite } = await open(t)
  const { invitationId } = (await invite('casey', 'noor@example.org', { firstName: 'Nor', lastName: 'Hadad' })).body
  await mailbox.next()
  await app.sql(`update invitations set sent_at = sent_at - interval '2 minutes'`)
  const { body } = await call(await browserOf('casey'), 'POST', `${INVITATION}/correct`, { invitationId, ...NOOR })
  assert.equal(body.name, 'Noor Haddad')
  const readName = async () =>
    (
      await app.sql(`select concat_ws(' ', first_name, last_name) as name from people where email = 'noor@example.org'`)
    )[0]
  await until('the account is renamed', async () => (await readName())?.name === 'Noor Haddad')
})

test('an address that has an account gets the same answer, and an ordinary invitation', async (t) => {
  const { mailbox, browserOf, invite, list, count } = await open(t)
  const [known, unknown] = [await invite('casey', 'avery@example.org'), await invite('casey', 'nobody@example.org')]
  const shape = ({ status, body }: Answer) => [
    status,
    { ...body, invitationId: '', handle: '', sentDate: '', expiresDate: '' },
  ]
  assert.deepEqual(shape(known), shape(unknown))
  const messages = [await mailbox.next(), await mailbox.next()].toSorted((a, b) => (a.to < b.to ? -1 : 1))
  assert.deepEqual(
    messages.map(({ subject }) => subject),
    ['Invitation for @avery to School', 'Invitation to School'],
  )
  assert.equal(await count('avery@example.org'), 1)
  const { docs } = await list('casey', '&status=invited')
  const masked = docs.map((one: object) => ({ ...one, email: '', invitationId: '', invitationExpiresDate: '' }))
  assert.deepEqual(masked[0], masked[1])
  const [received] = await listReceived(await browserOf('avery'))
  assert.equal((await answerInvitation(await browserOf('avery'), 'accept', received.invitationId)).status, 200)
  const [member] = (await list('casey', '&query=avery')).docs
  assert.deepEqual([member.handle, member.email, member.managed], ['@avery', null, false])
})

test('an address that somebody only typed into their profile does not lead to their account', async (t) => {
  const { app, mailbox, browserOf, invite, count } = await open(t)
  await app.sql(`update people set email = 'boss@example.org' where handle_key = 'finley'`)
  await invite('casey', 'boss@example.org', { role: 'owner' })
  await mailbox.next()
  assert.equal(await count('boss@example.org'), 2)
  assert.deepEqual(await listReceived(await browserOf('finley')), [])
})

test('a member whose unconfirmed address the caller can see is no stranger, and gets a role only by handle', async (t) => {
  const { app, mailbox, invite, importCsv, count } = await open(t)
  await app.sql(
    `update people set email = 'drew@example.org' where handle_key = 'drew';
     update people set email = 'finley@example.org', managed_by = (select id from organisations where key = 'school') where handle_key = 'finley';
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'member' from organisations o, people p where o.key = 'school' and p.handle_key = 'finley'`,
  )
  const resultOf = async (person: Person, csv: string) =>
    (await importCsv(person, csv, { dryRun: 'true' })).body.rows.map((row: Record<string, unknown>) => [
      row.result,
      row.reason,
    ])
  const hint = (handle: string) =>
    `is the address of the member ${handle}, who has not confirmed it; use the handle instead`
  const csv = 'email,role\nfinley@example.org,\nDrew@example.org,owner\n'
  assert.deepEqual(await resultOf('ellis', csv), [
    ['unchanged', null],
    ['unchanged', null],
  ])
  // An owner sees the addresses of accounts that the organisation manages, and no others.
  assert.deepEqual(await resultOf('casey', csv), [
    ['unchanged', null],
    ['invited', null],
  ])
  assert.deepEqual(await resultOf('casey', 'email,role\nfinley@example.org,owner\n'), [['refused', hint('@finley')]])
  assertError(await invite('casey', 'finley@example.org'), 400, 4006, /the member @finley/)
  assert.deepEqual([await count('finley@example.org'), mailbox.count()], [1, 0])
})

test('an invitation that is withdrawn takes its account and its link along', async (t) => {
  const { app, mailbox, invite, list, claim, ask, count } = await open(t)
  const { body } = await invite('casey', 'noor@example.org', NOOR)
  const { link } = await mailbox.next()
  assert.equal((await ask('casey', 'withdraw', body.invitationId)).status, 200)
  assertError(await claim(link!), 401, 4015, /withdrawn|unknown/)
  await until('the account is deleted', async () => (await count('noor@example.org')) === 0)
  assert.equal((await list('casey', '&status=invited')).total, 0)
  assertError(await invite('casey', 'noor@example.org', NOOR), 400, 4006, /less than a minute ago/)
  app.advance(61_000)
  assert.equal((await invite('casey', 'noor@example.org', NOOR)).status, 200)
  assert.match((await mailbox.next()).text, /@noor\.haddad /)
})

test('the page of an invitation says that it was withdrawn or used, and after the password that the account is ready', async (t) => {
  const { app, mailbox, invite, ask, count } = await open(t)
  const look = (link: string) => app.visitor().get(link.slice(app.environment().url.length))
  const { body } = await invite('casey', 'sam@example.org')
  const withdrawn = (await mailbox.next()).link!
  await ask('casey', 'withdraw', body.invitationId)
  await until('the account is deleted', async () => (await count('sam@example.org')) === 0)
  const ended = await look(withdrawn)
  assert.equal(ended.status, 401)
  assert.match(ended.text, /<h1>Invitation no longer valid<\/h1>.*withdrawn or has expired: ask the organisation/s)
  assert.doesNotMatch(ended.text, /Forgot your password|<form/)
  // A link that never existed looks the same.
  const made = withdrawn.replace(/code=[^&]*/, `code=${mintToken('reset', 'production')}`)
  assert.equal((await look(made)).text, ended.text)

  await invite('casey', 'noor@example.org', NOOR)
  const { link } = await mailbox.next()
  const browser = app.visitor()
  const form = await browser.get(link!.slice(app.environment().url.length))
  const password = 'my own password'
  const sent = await browser.submit(form, { new_password: password, again: password })
  assert.equal(sent.location, '/account/reset?done=account-ready')
  const done = await browser.follow(sent)
  assert.match(
    done.text,
    /<h1>Your account is ready<\/h1>.*You joined <bdi>School<\/bdi> as instructor\..*href="\/dashboard"/s,
  )
  assert.doesNotMatch(done.text, /signed out|Passkeys you kept/)
  assert.match((await look(link!)).text, /already used: sign in/)
})

test('an invitation expires after seven days, and a new one replaces its link', async (t) => {
  const { app, mailbox, invite, list, claim, ask, signInAgain } = await open(t)
  const { body } = await invite('casey', 'noor@example.org', NOOR)
  const first = await mailbox.next()
  assertError(await ask('casey', 'resend', body.invitationId), 400, 4006, /wait a minute/)
  app.advance(7 * DAY_MS + 1000)
  signInAgain()
  assertError(await claim(first.link!), 401, 4015, /expired/)
  assert.equal((await list('casey', '&status=expired')).total, 1)
  assert.equal((await ask('drew', 'resend', body.invitationId)).status, 200)
  const second = await mailbox.next()
  assertError(await claim(first.link!), 400, 4008)
  assert.equal((await claim(second.link!)).status, 200)
  assertError(await claim(second.link!), 400, 4008, /already used/)
  assertError(await ask('casey', 'resend', body.invitationId), 403, 4032)
})

test('withdrawing while the link is used either ends it, or leaves a member', async (t) => {
  const { mailbox, invite, list, claim, ask, count } = await open(t)
  for (let i = 0; i < 5; i++) {
    const email = `race${i}@example.org`
    const { body } = await invite('casey', email, { firstName: `Race${i}` })
    const { link } = await mailbox.next()
    const [used] = await Promise.all([claim(link!), ask('casey', 'withdraw', body.invitationId)])
    const members = (await list('casey', `&query=race${i}`)).docs
    if (used.status === 200) {
      assert.deepEqual([members.length, members[0].status], [1, 'active'])
      await mailbox.next()
    } else {
      assertError(used, 401, 4015)
      await until('the account is deleted', async () => (await count(email)) === 0)
    }
  }
})

test('two organisations that invite the same new address share its account, and only its creator manages it', async (t) => {
  const { mailbox, browserOf, invite, claim, count, list } = await open(t)
  await invite('casey', 'noor@example.org', NOOR)
  const first = await mailbox.next()
  await invite('blake', 'noor@example.org', { organisation: 'club' })
  assert.equal((await mailbox.next()).subject, 'Invitation for @noor.haddad to Club')
  assert.equal(await count('noor@example.org'), 1)
  const noor = await claim(first.link!)
  assert.equal(noor.status, 200)
  assert.equal((await list('casey', '&query=noor')).docs[0].managed, true)
  const received = await call(await browserOf('casey'), 'GET', `${INVITATION}/list`)
  assert.deepEqual(received.body, [])
})

test('an owner who is removed by another owner at the same time cannot remove them', async (t) => {
  const { browserOf } = await open(t)
  const remove = async (person: Person, handle: string) =>
    call(await browserOf(person), 'POST', `${ORGANISATION}/member/remove`, { organisation: 'school', handle })
  await browserOf('casey')
  await browserOf('drew')
  const both = await Promise.all([remove('casey', '@drew'), remove('drew', '@casey')])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 403])
})

const HEAD = 'email,handle,givenName,familyName,role\n'

test('a file invites people, changes roles, and explains each row that it refuses', async (t) => {
  const { mailbox, importCsv, list } = await open(t)
  const csv = `${HEAD}noor@example.org,,Noor,Haddad,instructor
,@finley,,,
,@drew,,,member
no address,,,,
,two words,,,
,,,,
sam@example.org,,=cmd|' /C calc'!A0,Lee,
lou@example.org,,Lou,Berg,pilot
NOOR@example.org,,,,
jo@example.org,,Jo
`
  const dry = await importCsv('casey', csv, { dryRun: 'true' })
  assert.deepEqual(
    dry.body.rows.map(({ row, result, reason }: Record<string, unknown>) => [row, result, reason]),
    [
      [2, 'invited', null],
      [3, 'invited', null],
      [4, 'updated', null],
      [5, 'refused', 'is not an e-mail address'],
      [6, 'refused', 'two words is not a valid handle; a handle looks like @avery'],
      [7, 'refused', 'has neither an e-mail address nor a handle'],
      [8, 'refused', 'givenName must not begin like a formula: remove the ='],
      [9, 'refused', 'role must be owner, developer, instructor, member'],
      [10, 'refused', 'appears twice'],
      [11, 'refused', 'has 3 fields, but there are 5 columns'],
    ],
  )
  assert.deepEqual([dry.body.written, (await list('casey')).total, mailbox.count()], [false, 2, 0])
  assert.equal((await importCsv('casey', csv, { allOrNothing: 'true' })).body.written, false)
  const done = await importCsv('casey', csv)
  assert.deepEqual(done.body.counts, { invited: 2, updated: 1, unchanged: 0, refused: 7 })
  assert.equal((await mailbox.next()).to, 'noor@example.org')
  const again = await importCsv('casey', csv)
  assert.deepEqual(again.body.counts, { invited: 0, updated: 0, unchanged: 3, refused: 7 })
  assert.equal((await list('casey')).total, 4)
  assertError(await importCsv('avery', csv), 403, 4032)
  assertError(await importCsv('casey', 'name\nx'), 400, 4003, /Unknown column name/)
  const last = await importCsv('casey', 'handle,role\n@casey,member')
  assert.equal(last.body.rows[0].reason, 'is the last owner: give another member the role owner first')
})

test('a file corrects the names of accounts that the organisation manages, and of no others', async (t) => {
  const { app, mailbox, invite, importCsv, claim } = await open(t)
  await invite('casey', 'noor@example.org', NOOR)
  await claim((await mailbox.next()).link!)
  const csv = 'E-mail,Given name,Family name\nnoor@example.org,Nour,\n'
  const { body } = await importCsv('casey', `${csv}`.replace('E-mail', 'email'))
  assert.deepEqual(body.counts, { invited: 0, updated: 1, unchanged: 0, refused: 0 })
  assert.equal((await importCsv('casey', 'handle,givenName\n@drew,Andrew')).body.counts.unchanged, 1)
  const names = await app.sql(
    `select first_name from people where handle_key in ('noor.haddad', 'drew') order by handle_key`,
  )
  assert.deepEqual(
    names.map(({ first_name }) => first_name),
    ['', 'Nour'],
  )
})

test('a file may have semicolons or tabs, and the headings that spreadsheets of schools have', async (t) => {
  const { importCsv } = await open(t)
  for (const [separator, i] of [
    [',', 0],
    [';', 1],
    ['\t', 2],
  ] as const) {
    const rows = [
      ['First name', 'SURNAME', 'E-Mail', 'Role'],
      ['Noor', '"Haddad, Dr."', `noor${i}@example.org`, 'instructor'],
    ]
    const csv = rows.map((row) => row.join(separator)).join('\r\n')
    const { status, body } = await importCsv('casey', csv, { dryRun: 'true' })
    assert.deepEqual([status, body.counts?.invited], [200, 1], JSON.stringify(body))
  }
  assertError(await importCsv('casey', 'First name,givenName,email\na,b,c'), 400, 4003, /two columns named givenName/)
})

test('a file of a thousand people is imported at once, and repeating it changes nothing', async (t) => {
  const { app, importCsv, list } = await open(t)
  const people = size(1000)
  const csv = HEAD + Array.from({ length: people }, (_, i) => `p${i}@example.org,,Per${i},Son,`).join('\n')
  const startedMs = performance.now()
  const { body } = await importCsv('casey', csv)
  assert.equal(body.counts.invited, people)
  assertWithin(performance.now() - startedMs, 10_000)
  assert.deepEqual((await importCsv('casey', csv)).body.counts, {
    invited: 0,
    updated: 0,
    unchanged: people,
    refused: 0,
  })
  assert.equal((await list('casey', '&status=invited&limit=1')).total, people)
  await until(
    'everybody has an account',
    async () => {
      const [row] = await app.sql('select count(*)::int as n from people where unclaimed and invited_until is not null')
      return row!.n === people
    },
    60_000,
  )
  const [handle] = await app.sql(`select handle from people where email = 'p7@example.org'`)
  assert.equal(handle!.handle, '@per7.son')
})

test('a roster names people by e-mail address, and invites those whom nobody knows', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  await openSchool(app)
  await app.sql(`update people set email = handle_key || '@example.org', email_confirmed_at = now()`)
  const casey = await signInBrowser(app, 'casey')
  const send = async (csv: string) => {
    const seen = await casey.send('/edu/v1/class/roster?classId=alpha', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: csv,
    })
    return JSON.parse(seen.text)
  }
  const csv = 'email,givenName,familyName\nblake@example.org,,\nnoor@example.org,Noor,Haddad\n'
  const { counts } = await send(csv)
  assert.deepEqual([counts.unchanged, counts.invited, counts.refused], [1, 1, 0])
  const twice = await send('handle\n@blake\nblake@example.org\n')
  assert.equal(twice.rows[1].reason, 'appears twice')
  const { link } = await mailbox.next()
  const claimed = await call(app.visitor(), 'POST', '/account/v1/password/reset', {
    code: new URL(link!).searchParams.get('code')!,
    password: 'my own password',
  })
  assert.equal(claimed.status, 200)
  const enrolled = `select from enrolments e join people p on p.id = e.person_id where p.handle_key = 'noor.haddad' and e.status = 'active'`
  await until('the student is in the class', async () => (await app.sql(enrolled)).length === 1)
  const [membership] = await app.sql(
    `select m.role from organisation_members m join people p on p.id = m.person_id where p.handle_key = 'noor.haddad'`,
  )
  assert.equal(membership!.role, 'member')
  assert.deepEqual((await send(csv)).counts.unchanged, 2)
})

test('an administrator sends an expired invitation again, and using its link still joins the organisation', async (t) => {
  const { app, mailbox, browserOf, invite, list, claim, signInAgain } = await open(t)
  await invite('casey', 'noor@example.org', NOOR)
  await mailbox.next()
  app.advance(8 * DAY_MS)
  signInAgain()
  const ellis = await browserOf('ellis')
  const { body } = await call(ellis, 'POST', '/admin/v1/person/invitation/resend', { handle: '@noor.haddad' })
  assert.equal(body.status, 'invited')
  const [pending] = (await list('casey', '&status=invited')).docs
  assert.equal(pending.invitationExpiresDate, body.invitationExpiresDate)
  const claimed = await claim((await mailbox.next()).link!)
  assert.equal(claimed.status, 200, claimed.text)
  const [member] = (await list('casey', '&role=instructor')).docs
  assert.deepEqual([member.handle, member.status, member.managed], ['@noor.haddad', 'active', true])
})
