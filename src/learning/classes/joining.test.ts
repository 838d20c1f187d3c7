import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { answerInvitation, INVITATION, inviteAndAccept, listReceived } from '../../apps/invitations/testing.ts'
import { openExport, readAll, unzip } from '../../identity/exports/testing.ts'
import { addChild, CHILD_PASSWORD, signInChild, yearsAgo } from '../../identity/families/testing.ts'
import { actByHandle, expectDone } from '../../identity/friends/testing.ts'
import { giveMailboxes, titlesOf } from '../../identity/notifications/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { type Answer, assertError, type Person, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { STUDENT, sendRoster, statuses } from './testing-roster.ts'

const STAFF = '/edu/v1/class/staff'
const MEMBER = '/edu/v1/organisation/member'
const DAY_MS = 24 * 3_600_000

/** Opens the school, in which only Finley is a member, and adds strangers of every kind. */
async function openStrangers(t: Parameters<typeof testApp>[0], settings: Record<string, string> = {}) {
  const app = await testApp(t, { ...UNLIMITED, ...settings })
  await openSchool(app)
  const [finley, casey, drew] = [
    await signInBrowser(app, 'finley'),
    await signInBrowser(app, 'casey'),
    await signInBrowser(app, 'drew'),
  ]
  const parent = await signInBrowser(app, 'ellis')
  await addChild(parent, { handle: '@kim', password: CHILD_PASSWORD })
  await app.sql(`insert into people (handle, handle_key, created_at, public_search, disabled_at)
    values ('@hidden', 'hidden', now(), false, null), ('@disabled', 'disabled', now(), true, now())`)
  for (const inviter of ['@finley', '@casey']) await expectDone(actByHandle(drew, 'block', inviter))
  return { app, finley, casey, drew, parent }
}
/** Drew has blocked the inviters, Kim is a child, and nobody has the last handle. */
const STRANGERS = ['@drew', '@kim', '@hidden', '@disabled', '@nobody']

const enrol = (browser: TestBrowser, handle: string) => call(browser, 'PUT', STUDENT, { classId: 'alpha', handle })
const setMember = (browser: TestBrowser, handle: string, role = 'member') =>
  call(browser, 'POST', MEMBER, { organisation: 'school', handle, role })
const setStaff = (browser: TestBrowser, handle: string, role = 'observer', classId = 'bravo') =>
  call(browser, 'POST', STAFF, { classId, handle, role })
const listSent = async (browser: TestBrowser, query = 'classId=alpha') =>
  (await call(browser, 'GET', `${INVITATION}/sent?${query}&limit=100`)).body
const act = (browser: TestBrowser, verb: 'resend' | 'withdraw', invitationId: string) =>
  call(browser, 'POST', `${INVITATION}/${verb}`, { invitationId })

const membersOf = async (app: TestApp) =>
  (
    await app.sql(`select p.handle from organisation_members m join people p on p.id = m.person_id order by p.handle`)
  ).map(({ handle }) => handle)

test('an invited person is notified once, and gets one e-mail', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  await openSchool(app)
  await giveMailboxes(app)
  const casey = await signInBrowser(app, 'casey')
  const { invitationId } = (await enrol(casey, '@drew')).body
  await until('Drew is notified', async () => (await titlesOf(app, 'drew')).length > 0)
  await act(casey, 'resend', invitationId)
  await until(
    'all jobs are done',
    async () => (await app.sql(`select from jobs where kind = 'invitation'`)).length === 0,
  )
  assert.deepEqual(await titlesOf(app, 'drew'), ['Invitation for @drew to Alpha'])
  assert.deepEqual(await app.sql(`select from jobs where kind = 'notification-mail'`), [])
  assert.match((await mailbox.next()).subject, /^Invitation for @drew to Alpha/)
})

/** Replaces what differs between any two invitations: the handle, the id and the times. */
const masked = ({ status, text }: Answer, handle: string): [number, string] => [
  status,
  text
    .replaceAll(handle, '@somebody')
    .replaceAll(/"[\w-]{22}"/g, '"an id"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time'),
]

test('D14: to the inviter, a stranger, a child, somebody who blocked them, and nobody look the same', async (t) => {
  const { app, finley, casey } = await openStrangers(t)
  const kinds: Record<string, (handle: string) => Promise<Answer>> = {
    'the organisation': (handle) => setMember(finley, handle),
    'its owners': (handle) => setMember(finley, handle, 'owner'),
    'a class': (handle) => enrol(casey, handle),
    'the staff': (handle) => setStaff(finley, handle, 'observer', 'alpha'),
    'a roster': (handle) => sendRoster(casey, `handle\n${handle}\n`, { classId: 'alpha' }, 'text/csv'),
    'a roster that drops': (handle) =>
      sendRoster(casey, `handle,action\n${handle},drop\n`, { classId: 'alpha' }, 'text/csv'),
    'a preview': (handle) => sendRoster(casey, `handle\n${handle}\n`, { classId: 'alpha', dryRun: 'true' }, 'text/csv'),
  }
  for (const [name, invite] of Object.entries(kinds)) {
    const told = new Set<string>()
    for (const handle of STRANGERS) told.add(JSON.stringify(masked(await invite(handle), handle)))
    assert.equal(told.size, 1, `${name}: ${[...told].join('\n')}`)
    await app.sql('delete from invitations')
  }

  await t.test('also in the list of those who were invited, before and after they expire', async () => {
    const invited = await enrol(casey, 'Drew')
    assert.deepEqual(Object.keys(invited.body).sort(), [
      'classId',
      'expiresDate',
      'firstName',
      'handle',
      'invitationId',
      'lastName',
      'name',
      'organisation',
      'role',
      'sentDate',
      'status',
    ])
    assert.deepEqual([invited.body.handle, invited.body.status], ['@Drew', 'pending'])
    for (const handle of STRANGERS.slice(1)) await enrol(casey, handle)
    const rowsOf = async (browser: TestBrowser) =>
      (await listSent(browser)).docs.map((row: Record<string, string>) =>
        masked({ status: 200, text: JSON.stringify(row) } as Answer, row.handle!),
      )
    assert.deepEqual([new Set((await rowsOf(casey)).map(String)).size, (await listSent(casey)).total], [1, 5])
    app.advance(15 * DAY_MS)
    const [later] = [await signInBrowser(app, 'casey')]
    const rows = (await listSent(later)).docs
    assert.deepEqual(new Set(rows.map(({ status }: { status: string }) => status)), new Set(['notAccepted']))
    assert.equal(new Set((await rowsOf(later)).map(String)).size, 1)
  })
  assert.deepEqual(await statuses(app), { avery: 'active', blake: 'active' })
  assert.deepEqual(await membersOf(app), ['@finley'])
})

test('D14: members of the organisation are added at once, and people who add themselves', async (t) => {
  const { app, finley, casey } = await openStrangers(t)
  await inviteAndAccept(app, 'avery', setMember(finley, '@avery'))
  assert.equal((await setMember(finley, '@avery', 'instructor')).body.role, 'instructor')
  assert.equal((await setStaff(finley, '@avery')).body.role, 'observer')
  assert.equal((await enrol(casey, '@finley')).body.status, 'active')
  const { body } = await sendRoster(casey, 'handle,studentId\n@blake,\n@drew,drew-1\n', {}, 'text/csv')
  assert.deepEqual([body.counts.unchanged, body.counts.invited], [1, 1])
  // Blake joined the class before, without being a member of the organisation.
  assert.deepEqual(await statuses(app), { avery: 'active', blake: 'active', finley: 'active' })
  await app.sql(`update people set administrator = true where handle = '@ellis'`)
  const ellis = await signInBrowser(app, 'ellis')
  assert.equal((await setMember(ellis, '@ellis')).body.role, 'member')
  const mine = await call(ellis, 'PUT', '/edu/v1/organisation', { organisation: 'mine', name: 'M', owner: '@ellis' })
  assert.equal(mine.body.role, 'owner')
  const theirs = await call(ellis, 'PUT', '/edu/v1/organisation', { organisation: 'its', name: 'I', owner: '@nobody' })
  assert.deepEqual([theirs.status, theirs.body.role], [200, null])
})

test('D14: the invited person sees who invites, where and as what, and decides', async (t) => {
  const { app, finley, casey } = await openStrangers(t)
  const hidden = await signInBrowser(app, 'hidden' as Person)
  await setMember(finley, '@hidden', 'developer')
  await sendRoster(casey, 'handle,studentId\n@hidden,chosen\n', {}, 'text/csv')
  await setStaff(finley, '@hidden', 'instructor')
  const seen = await listReceived(hidden)
  assert.deepEqual(
    seen.map((one: { role: string; class: { name: string } | null; inviter: { handle: string } }) => [
      one.role,
      one.class?.name,
      one.inviter.handle,
    ]),
    [
      ['instructor', 'Bravo', '@finley'],
      ['student', 'Alpha', '@casey'],
      ['developer', undefined, '@finley'],
    ],
  )
  assert.deepEqual(seen[2].organisation, { organisation: 'school', name: 'School' })
  assert.deepEqual([seen[0].isOwn, seen[0].mayAnswer, seen[0].invited.handle], [true, true, '@hidden'])
  assert.deepEqual(await membersOf(app), ['@finley'])
  // Other people cannot answer the invitation, and the invited person can answer it only once.
  assertError(await answerInvitation(casey, 'accept', seen[0].invitationId), 404, 4042)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => answerInvitation(hidden, 'accept', seen[1].invitationId)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404])
  for (const { invitationId } of [seen[0], seen[2]])
    assert.equal((await answerInvitation(hidden, 'accept', invitationId)).status, 200)
  assert.deepEqual(await listReceived(hidden), [])
  assert.equal((await listSent(casey)).total, 0)
  assert.deepEqual(await membersOf(app), ['@finley', '@hidden'])
  const [student] = await app.sql(
    `select key from enrolments e join people p on p.id = e.person_id where p.handle = '@hidden'`,
  )
  assert.deepEqual(student, { key: 'chosen' })
  const { body: bravo } = await call(hidden, 'GET', '/edu/v1/class?classId=bravo')
  assert.equal(bravo.role, 'instructor')
  const audit = await app.sql(
    `select action, count(*)::int as n from audit_entries where action like 'invitation.%' group by 1 order by 1`,
  )
  assert.deepEqual(audit, [
    { action: 'invitation.accepted', n: 3 },
    { action: 'invitation.sent', n: 3 },
  ])
})

test('D14: somebody who has blocked the inviter never sees the invitation, and cannot accept it', async (t) => {
  const { app, finley, drew } = await openStrangers(t)
  const { body } = await setMember(finley, '@drew')
  assert.deepEqual(await listReceived(drew), [])
  assertError(await answerInvitation(drew, 'accept', body.invitationId), 404, 4042)
  const avery = await signInBrowser(app, 'avery')
  const { body: second } = await setMember(finley, '@avery')
  await expectDone(actByHandle(avery, 'block', '@finley'))
  assert.deepEqual(await listReceived(avery), [])
  assertError(await answerInvitation(avery, 'accept', second.invitationId), 404, 4042)
})

test('D14: a parent answers for a child, who sees the invitation; nobody does for a grown-up', async (t) => {
  const { app, casey, parent } = await openStrangers(t)
  const kim = await signInChild(app, '@kim')
  const { body } = await enrol(casey, '@kim')
  const [toChild] = await listReceived(kim)
  assert.deepEqual([toChild.isOwn, toChild.mayAnswer], [true, false])
  for (const verb of ['accept', 'decline'] as const)
    assertError(await answerInvitation(kim, verb, body.invitationId), 400, 4004, /accepted or declined by a parent/)
  const [toParent] = await listReceived(parent)
  assert.deepEqual([toParent.isOwn, toParent.mayAnswer, toParent.invited.handle], [false, true, '@kim'])
  assertError(await answerInvitation(await signInBrowser(app, 'blake'), 'accept', body.invitationId), 404, 4042)
  assert.equal((await answerInvitation(parent, 'accept', body.invitationId)).status, 200)
  assert.deepEqual(await statuses(app), { avery: 'active', blake: 'active', kim: 'active' })

  await t.test('a parent who has blocked the inviter does not see it, and a child of 13 decides alone', async () => {
    await addChild(parent, { handle: '@lee', password: CHILD_PASSWORD })
    await enrol(casey, '@lee')
    await expectDone(actByHandle(parent, 'block', '@casey'))
    assert.deepEqual(await listReceived(parent), [])
    await expectDone(actByHandle(parent, 'unblock', '@casey'))
    assert.equal((await listReceived(parent)).length, 1)
    await app.sql(`update people set date_of_birth = '${yearsAgo(14)}' where handle = '@lee'`)
    assert.deepEqual(await listReceived(parent), [])
    const [own] = await listReceived(await signInChild(app, '@lee'))
    assert.equal(own.mayAnswer, true)
  })
})

test('D14: a decline is not told to the inviter, who cannot insist', async (t) => {
  const { app, casey } = await openStrangers(t)
  const hidden = await signInBrowser(app, 'hidden' as Person)
  const { body } = await enrol(casey, '@hidden')
  await enrol(casey, '@nobody')
  assert.equal((await answerInvitation(hidden, 'decline', body.invitationId)).status, 200)
  assert.deepEqual(await listReceived(hidden), [])
  assertError(await answerInvitation(hidden, 'accept', body.invitationId), 404, 4042)
  const stateOf = async (browser: TestBrowser) =>
    Object.fromEntries(
      (await listSent(browser)).docs.map((row: Record<string, string>) => [row.handle, [row.status, row.sentDate]]),
    )
  const pending = await stateOf(casey)
  assert.deepEqual(pending['@hidden'], ['pending', body.sentDate])
  // Inviting again keeps the pending invitation.
  assert.equal((await enrol(casey, '@hidden')).body.invitationId, body.invitationId)
  assert.deepEqual(await stateOf(casey), pending)
  assertError(await act(casey, 'resend', body.invitationId), 400, 4006, /less than a day ago/)
  app.advance(2 * DAY_MS)
  const [casey2, hidden2] = [await signInBrowser(app, 'casey'), await signInBrowser(app, 'hidden' as Person)]
  assert.equal((await act(casey2, 'resend', body.invitationId)).body.status, 'pending')
  assert.deepEqual(await listReceived(hidden2), [], 'sent again within 30 days of the decline')
  app.advance(2 * DAY_MS)
  const casey3 = await signInBrowser(app, 'casey')
  assert.equal((await act(casey3, 'resend', body.invitationId)).status, 200)
  app.advance(2 * DAY_MS)
  assertError(await act(await signInBrowser(app, 'casey'), 'resend', body.invitationId), 400, 4006, /3 times/)
})

test('an invitation can be withdrawn, and expires', async (t) => {
  const { app, casey, finley } = await openStrangers(t, { INVITATION_DAYS: '5' })
  const hidden = await signInBrowser(app, 'hidden' as Person)
  const { body } = await enrol(casey, '@hidden')
  assert.equal(Date.parse(body.expiresDate) - Date.parse(body.sentDate), 5 * DAY_MS)
  assert.equal((await act(casey, 'withdraw', body.invitationId)).status, 200)
  assertError(await act(casey, 'withdraw', body.invitationId), 403, 4032)
  assert.deepEqual([await listReceived(hidden), (await listSent(casey)).total], [[], 0])
  assertError(await answerInvitation(hidden, 'accept', body.invitationId), 404, 4042)
  assertError(await enrol(casey, '@hidden'), 400, 4006, /less than a day ago/)
  const staff = await setStaff(finley, '@hidden', 'instructor', 'alpha')
  assertError(staff, 400, 4006)
  app.advance(DAY_MS)
  const again = await enrol(await signInBrowser(app, 'casey'), '@hidden')
  assert.equal((await listReceived(await signInBrowser(app, 'hidden' as Person))).length, 1)
  app.advance(6 * DAY_MS)
  const late = await signInBrowser(app, 'hidden' as Person)
  assert.deepEqual(await listReceived(late), [])
  assertError(await answerInvitation(late, 'accept', again.body.invitationId), 404, 4042)
})

test('instructors see and change the invitations of their students, owners all of them', async (t) => {
  const { finley, casey, drew } = await openStrangers(t)
  const { body: student } = await enrol(casey, '@hidden')
  const { body: staff } = await setStaff(finley, '@nobody', 'observer', 'alpha')
  const { body: member } = await setMember(finley, '@nobody')
  const seen = async (browser: TestBrowser, query?: string) =>
    (await listSent(browser, query)).docs?.map(({ role }: { role: string }) => role)
  assert.deepEqual(await seen(casey), ['student'])
  assert.deepEqual(await seen(finley), ['observer', 'student'])
  assert.deepEqual(await seen(finley, 'organisation=school'), ['member'])
  for (const { invitationId } of [staff, member]) assertError(await act(casey, 'withdraw', invitationId), 403, 4032)
  assertError(await act(drew, 'withdraw', student.invitationId), 403, 4032)
  for (const query of ['classId=alpha', 'organisation=school', 'classId=nowhere'])
    assertError(await call(drew, 'GET', `${INVITATION}/sent?${query}`), 403, 4032)
  assertError(await call(casey, 'GET', `${INVITATION}/sent?organisation=school`), 403, 4032)
  assertError(await call(casey, 'GET', `${INVITATION}/sent`), 400, 4003)
  // A pending invitation keeps its role.
  assertError(await enrol(casey, '@nobody'), 400, 4006, /is already invited as observer/)
  for (const { invitationId } of [student, staff, member])
    assert.equal((await act(finley, 'withdraw', invitationId)).status, 200)
})

test('D14: guessing handles by inviting is limited, also all at once, in a roster and by an organisation', async (t) => {
  const limits = { RATE_INVITE_PER_HOUR: '20', RATE_INVITE_ORGANISATION_PER_HOUR: '30' }
  const { app, finley, casey } = await openStrangers(t, limits)
  app.holdClock()
  const guesses = await Promise.all(Array.from({ length: 25 }, (_, i) => enrol(casey, `@guess${i}`)))
  assert.deepEqual(
    [200, 429].map((code) => guesses.filter(({ status }) => status === code).length),
    [20, 5],
  )
  const refused = await enrol(casey, '@hidden')
  assertError(refused, 429, 4291, /At most 20 users can be invited in an hour/)
  assert.equal(refused.headers.get('retry-after'), '3600')
  assertError(await sendRoster(casey, 'handle\n@hidden\n', {}, 'text/csv'), 429, 4291)
  // A preview sends nothing and tells nothing.
  const preview = await sendRoster(casey, 'handle\n@hidden\n', { dryRun: 'true' }, 'text/csv')
  assert.equal(preview.body.counts.invited, 1)
  const roster = (count: number) => `handle\n${Array.from({ length: count }, (_, i) => `@more${i}`).join('\n')}\n`
  assertError(await sendRoster(finley, roster(11), {}, 'text/csv'), 429, 4291)
  assert.equal((await sendRoster(finley, roster(10), {}, 'text/csv')).body.counts.invited, 10)
  assertError(await setMember(finley, '@hidden'), 429, 4291)
  // Withdrawing does not give tries back.
  const { docs } = await listSent(casey)
  await act(casey, 'withdraw', docs[0].invitationId)
  assertError(await enrol(casey, '@other'), 429, 4291)
  app.advance(3_600_001)
  assert.equal((await enrol(casey, '@hidden')).status, 200)
})

test('one message goes to the person, or to the parents of a child, and none to those who do not see it', async (t) => {
  const mailbox = testMailbox(t)
  const { app, casey } = await openStrangers(t, mailbox.settings)
  await app.sql(`update people set email = handle_key || '@example.org'`)
  for (const handle of STRANGERS) await enrol(casey, handle)
  const messages = [await mailbox.next(), await mailbox.next()]
  assert.deepEqual(messages.map(({ to }) => to).sort(), ['ellis@example.org', 'hidden@example.org'])
  assert.match(messages[0]!.text, /@casey\) invited @\w+ to the class Alpha of School, as student/)
  assert.equal(messages[0]!.link, `${app.environment().url}/account/invitations`)
  await enrol(casey, '@hidden')
  const isIdle = async () => (await app.sql(`select from jobs where kind in ('invitation', 'message')`)).length === 0
  await until('all messages are sent', isIdle)
  assert.equal(mailbox.count(), 0)
})

test('D14: people leave an organisation, and with it all of its classes; the last owner stays', async (t) => {
  const { app, finley } = await openStrangers(t)
  await inviteAndAccept(app, 'blake', setMember(finley, '@blake', 'developer'))
  await inviteAndAccept(app, 'ellis', setMember(finley, '@ellis', 'owner'))
  const [blake, ellis] = [await signInBrowser(app, 'blake'), await signInBrowser(app, 'ellis')]
  const leave = (browser: TestBrowser, organisation = 'school') =>
    call(browser, 'POST', '/edu/v1/organisation/leave', { organisation })
  assert.equal((await leave(blake)).status, 200)
  const left = await app.sql(`select e.key, e.status, e.has_left from enrolments e join people p on p.id = e.person_id
    where p.handle = '@blake' order by e.key`)
  assert.deepEqual(left, [
    { key: 'blake-alpha', status: 'dropped', has_left: true },
    { key: 'blake-bravo', status: 'dropped', has_left: true },
  ])
  assertError(await leave(blake), 403, 4032)
  assert.equal((await leave(blake)).text, (await leave(blake, 'nowhere')).text)
  // Ellis was an observer of alpha.
  assert.equal((await leave(ellis)).status, 200)
  assertError(await call(ellis, 'GET', '/edu/v1/class?classId=alpha'), 403, 4032)
  assertError(await leave(finley), 400, 4006, /last owner/)
  assert.deepEqual(await membersOf(app), ['@finley'])
  const audit = await app.sql(
    `select action || ' ' || p.handle_key as line from audit_entries a join people p on p.id = a.person_id
      where action like '%.left' order by a.id`,
  )
  assert.deepEqual(
    audit.map(({ line }) => line),
    ['member.left blake', 'student.left blake', 'student.left blake', 'member.left ellis', 'staff.left ellis'],
  )

  await t.test('instructors cannot bring back somebody who has left, except by an invitation', async () => {
    const casey = await signInBrowser(app, 'casey')
    assertError(await call(casey, 'POST', `${STUDENT}/reinstate`, { studentId: 'blake-alpha' }), 400, 4006, /invite/)
    const csv = (action: string) => sendRoster(casey, `handle,action\n@blake,${action}\n`, {}, 'text/csv')
    assert.match((await csv('reinstate')).body.rows[0].reason, /left the class/)
    assert.equal((await csv('add')).body.rows[0].result, 'invited')
    await app.sql('delete from invitations')
    await inviteAndAccept(app, 'blake', enrol(casey, '@blake'))
    assert.deepEqual(await statuses(app), { avery: 'active', blake: 'active' })
  })
})

test('D12: an app cannot make its user leave a class or an organisation, nor answer invitations', async (t) => {
  const { app, finley } = await openStrangers(t)
  const [avery, browser] = [await app.as('avery'), await signInBrowser(app, 'avery')]
  const { body } = await setMember(finley, '@avery')
  assertError(await avery.post('/edu/v1/class/leave', { classId: 'alpha' }), 403, 4032, /Apps cannot do this/)
  for (const path of ['/edu/v1/organisation/leave', `${INVITATION}/accept`, `${INVITATION}/decline`])
    assertError(await avery.post(path, { organisation: 'school', invitationId: body.invitationId }), 401, 4016)
  assertError(await avery.get(`${INVITATION}/list`), 401, 4016)
  assert.deepEqual(await statuses(app), { avery: 'active', blake: 'active' })
  const leave = (who: TestBrowser) => call(who, 'POST', '/edu/v1/class/leave', { classId: 'alpha' })
  assert.equal((await leave(browser)).status, 200)
  assert.deepEqual(await statuses(app), { avery: 'dropped', blake: 'active' })
  // An observer leaves too; an instructor is relieved by an owner.
  assert.equal((await leave(await signInBrowser(app, 'ellis'))).status, 200)
  assertError(await leave(await signInBrowser(app, 'casey')), 403, 4032)
  const { staff } = (await call(finley, 'GET', '/edu/v1/class?classId=alpha')).body
  assert.deepEqual(
    staff.map(({ handle }: { handle: string }) => handle),
    ['@casey'],
  )
})

test('invitations are in the download of both sides, and gone when either account is deleted', async (t) => {
  const { app, finley, drew } = await openStrangers(t)
  const { body } = await setMember(finley, '@drew')
  const download = async (browser: TestBrowser) =>
    JSON.parse(
      unzip(await readAll(await openExport(browser)))
        .get('invitations.json')!
        .toString(),
    )
  const [{ sentDate, expiresDate, ...received }] = (await download(drew)).received
  assert.deepEqual([sentDate, expiresDate], [body.sentDate, body.expiresDate])
  assert.deepEqual(received, {
    organisation: 'school',
    classId: null,
    role: 'member',
    inviter: '@finley',
    declinedDate: null,
    closedDate: null,
  })
  assert.equal((await download(finley)).sent[0].handle, '@drew')
  await setMember(finley, '@hidden')
  await app.sql(`delete from people where handle = '@drew'`)
  const { docs } = await listSent(finley, 'organisation=school')
  assert.deepEqual(
    docs.map(({ handle }: { handle: string }) => handle),
    ['@hidden'],
  )
  await app.sql(`delete from people where handle = '@finley'`)
  assert.deepEqual(await app.sql('select * from invitations'), [])
})
