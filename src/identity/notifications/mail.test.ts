import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { receiveSmtp, type SmtpMail, testMailbox } from '../../kernel/messages/testing.ts'
import { isLong } from '../../operations/testing/sizes.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { notify } from './notifications.ts'
import { giveMailboxes, notifyPerson } from './testing.ts'

const PATH = '/account/v1/notifications'
const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

async function smtpApp(t: TestContext) {
  const receiver = await receiveSmtp(t)
  const from = 'Groundschool <no-reply@example.org>'
  const app = await testApp(t, { ...UNLIMITED, MESSAGES_FROM: from, SMTP_URL: receiver.url })
  await giveMailboxes(app)
  return { app, receiver }
}

const headerOf = ({ headers }: SmtpMail, name: string): string =>
  new RegExp(`^${name}:(.*(?:\n[ \t].*)*)`, 'm').exec(headers)?.[1]?.replace(/\n\s+/g, '').trim() ?? ''
const subjectsOf = (mails: readonly SmtpMail[]): string[] => mails.map((mail) => headerOf(mail, 'Subject')).sort()
const rowOf = async (app: TestApp, key: string) =>
  (await app.sql(`select mail, mail_tried_at, mailed_at from notifications where key = '${key}'`))[0]!
const untilIdle = (app: TestApp) =>
  until('no job is left', async () => (await app.sql(`select from jobs where kind = 'notification-mail'`)).length === 0)

test('a notification is mailed as plain text, with the reason and a way to unsubscribe', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await notifyPerson(app, 'avery', { key: 'one', title: 'Check ride graded: passed, 87', link: '/dashboard/x' })
  await notifyPerson(app, 'avery', { kind: 'invited', key: 'two', title: 'You are invited' })
  await untilIdle(app)
  assert.equal(receiver.mails.length, 2)
  const mail = receiver.mails.find((one) => headerOf(one, 'Subject').startsWith('Check'))!
  const { url } = app.environment()
  assert.deepEqual(mail.to, ['avery@example.org'])
  assert.equal(headerOf(mail, 'Subject'), 'Check ride graded: passed, 87')
  assert.match(mail.text, new RegExp(`^Casey has graded your check ride\\.\n\n${url}/dashboard/x\n\n-- \n`))
  assert.match(mail.text, /You get this e-mail because your work was graded\./)
  assert.match(headerOf(mail, 'Content-Type'), /^text\/plain/)
  assert.equal(headerOf(mail, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
  const [, link] = /^<(.*)>$/.exec(headerOf(mail, 'List-Unsubscribe'))!
  assert.ok(link!.startsWith(`${url}/account/unsubscribe?token=`) && mail.text.includes(link!))
  const invited = receiver.mails.find((one) => one !== mail)!
  assert.equal(headerOf(invited, 'List-Unsubscribe'), '')
  assert.ok(!invited.text.includes('unsubscribe'))
  const [row] = await app.sql(`select kind, sealed, sent_at from messages where kind = 'notification-graded'`)
  assert.deepEqual([row!.sealed, row!.sent_at !== null], [null, true])

  await t.test('opening the link changes nothing; the button or one click do, without a sign-in', async () => {
    const emailOf = async () => {
      const avery = await signInBrowser(app, 'avery')
      const { kinds } = (await call(avery, 'GET', `${PATH}/settings`)).body
      return kinds.find(({ kind }: { kind: string }) => kind === 'graded').email
    }
    const path = link!.slice(url.length)
    const visitor = app.visitor()
    const page = await visitor.get(path)
    assert.match(page.text, /Stop e-mails about: Your work is graded/)
    assert.equal(await emailOf(), 'now')
    const seen = await visitor.submit(page, {}, '/account/unsubscribe')
    assert.match(seen.text, /You no longer get e-mails about: Your work is graded/)
    assert.equal(await emailOf(), 'off')
    await app.sql('delete from notification_settings')
    const click = { 'List-Unsubscribe': 'One-Click' }
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    for (const body of [new URLSearchParams(click), form, form]) {
      const answer = await fetch(`${app.address}${path}`, {
        method: 'POST',
        body,
        headers: { origin: 'https://mail.example.net', 'sec-fetch-site': 'cross-site' },
      })
      assert.equal(answer.status, 200, await answer.text())
      assert.equal(await emailOf(), 'off')
    }
    await notifyPerson(app, 'avery', { key: 'after' })
    assert.equal((await rowOf(app, 'after')).mail, null)
    assert.ok(!app.log().includes(new URL(link!).searchParams.get('token')!))
  })

  await t.test('a wrong link is refused with a message that reveals nothing', async () => {
    const token = new URL(link!).searchParams.get('token')!
    for (const wrong of [`${token.slice(0, -4)}AAAA`, 'x', token.slice(4)]) {
      const page = await app.visitor().get(`/account/unsubscribe?token=${wrong}`)
      assert.equal(page.status, 404)
      assert.match(page.text, /This link is incomplete or not valid/)
      assert.ok(!page.text.includes('avery'))
      assert.equal((await app.visitor().post(`/account/unsubscribe?token=${wrong}`, {})).status, 404)
    }
  })
})

test('e-mails to many people delay no e-mail to one person', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await receiver.stop()
  await app.sql(`
    insert into people (handle, handle_key, email, email_confirmed_at, created_at)
    select '@pupil-' || i, 'pupil-' || i, 'pupil-' || i || '@example.org', now(), now() from generate_series(1, 300) i`)
  const pupils = await app.sql(`select id::int as id from people where handle like '@pupil-%'`)
  const { db, clock, get } = app.environment()
  const crowd = pupils.map(({ id }) => ({
    ...{ personId: Number(id), kind: 'announcement' as const, key: 'crowd', title: 'Closed on Monday', text: 'Snow.' },
    ...{ link: '/account', at: clock() },
  }))
  await db.transaction((tx) => notify(tx, crowd, get(messagePolicy)))
  await notifyPerson(app, 'avery', { key: 'one', title: 'one' })
  await receiver.start()
  app.advance(60_000)
  await until('the e-mail to one person is sent', async () => (await rowOf(app, 'one')).mailed_at !== null)
  assert.ok(receiver.mails.length < 100, `${receiver.mails.length} came first`)
  const [left] = await app.sql(`select count(*)::int as n from jobs where kind = 'notification-mail-crowd'`)
  assert.ok(Number(left!.n) > 200)
})

test('what is certain to have failed is tried again, and what may have arrived is not', async (t) => {
  const { app, receiver } = await smtpApp(t)
  const cases: [key: string, stage: string, answer: string, arrives: number][] = [
    ['busy', 'CONN', '421 Busy CLOSE', 1],
    ['silent close', 'CONN', 'CLOSE', 1],
    ['sender refused', 'MAIL', '451 Not now', 1],
    ['closed at the sender', 'MAIL', 'CLOSE', 1],
    ['greylisted', 'RCPT', '450 Come again', 1],
    ['unknown mailbox', 'RCPT', '550 No such user', 0],
    ['data refused', 'DATA', '451 Not now', 1],
    ['closed at data', 'DATA', 'CLOSE', 1],
    ['content refused', '.', '451 Too busy to store it', 1],
    ['dropped before the answer', '.', 'CLOSE', 1],
    ['dropped after the answer', '.', '250 Kept CLOSE', 1],
  ]
  for (const [key, stage, answer, arrives] of cases) {
    receiver.refuse(stage, answer, 1)
    await notifyPerson(app, 'avery', { key, title: key })
    const count = () => subjectsOf(receiver.mails).filter((subject) => subject === key).length
    await until(`${key} was tried`, async () => {
      const [job] = await app.sql(
        `select problem, given_up_at from jobs where kind = 'notification-mail' and given_up_at is null`,
      )
      return job === undefined || job.problem !== null
    })
    app.advance(2 * 60_000)
    await until(`${key} is settled`, async () => {
      const jobs = await app.sql(`select from jobs where kind = 'notification-mail' and given_up_at is null`)
      return jobs.length === 0
    })
    assert.equal(count(), arrives, key)
    const { mail, mail_tried_at, mailed_at } = await rowOf(app, key)
    if (key === 'dropped before the answer') assert.ok(mail_tried_at !== null && mailed_at === null)
    else assert.deepEqual([mail, mailed_at !== null], arrives === 0 ? [null, false] : ['now', true], key)
  }
  assert.match(app.log(), /"problem":"ECONNECTION CONN","msg":"a message may or may not have arrived/)
  app.advance(10 * 60_000)
  const [row] = await app.sql(
    `select count(*)::int as n from notifications where mail_tried_at is not null and mailed_at is null`,
  )
  assert.equal(row!.n, 1)
  assert.equal(subjectsOf(receiver.mails).length, new Set(subjectsOf(receiver.mails)).size)
})

test('a mail server that hangs delays nobody for long', { skip: !isLong && 'waits for the time limits' }, async (t) => {
  const { app, receiver } = await smtpApp(t)
  receiver.refuse('CONN', 'HANG', 1)
  await notifyPerson(app, 'avery', { key: 'greeting', title: 'greeting' })
  await until('it is tried', async () => (await rowOf(app, 'greeting')).mail_tried_at !== null)
  receiver.refuse('.', 'HANG', 1)
  await notifyPerson(app, 'blake', { key: 'content', title: 'content' })
  await until('the first is retried', async () => (await rowOf(app, 'greeting')).mailed_at !== null, 60_000)
  await untilIdle(app)
  assert.deepEqual(subjectsOf(receiver.mails), ['content', 'greeting'])
  assert.equal((await rowOf(app, 'content')).mailed_at, null)
})

test('settings, accounts and memberships are checked again when an e-mail is sent', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await receiver.stop()
  await app.sql(`
    insert into organisations (key, name, created_at) values ('hangar', 'Hangar', now());
    insert into organisation_members (organisation_id, person_id, role)
    select o.id, p.id, 'member' from organisations o, people p where o.key = 'hangar' and p.handle_key = 'drew'`)
  const [row] = await app.sql(`select id::int as id from organisations where key = 'hangar'`)
  await notifyPerson(app, 'avery', { key: 'turned off' })
  await notifyPerson(app, 'blake', { key: 'turned to digest' })
  await notifyPerson(app, 'casey', { key: 'disabled' })
  await notifyPerson(app, 'drew', { key: 'left', scope: `organisation:${Number(row!.id)}` })
  await notifyPerson(app, 'ellis', { key: 'sent', title: 'sent' })
  await until('all have failed once', async () => {
    const jobs = await app.sql(`select from jobs where kind = 'notification-mail' and problem is not null`)
    return jobs.length === 5
  })
  const avery = await signInBrowser(app, 'avery')
  await call(avery, 'PUT', `${PATH}/settings`, { kinds: [{ kind: 'graded', app: true, email: 'off' }] })
  const blake = await signInBrowser(app, 'blake')
  await call(blake, 'PUT', `${PATH}/settings`, { kinds: [{ kind: 'graded', app: true, email: 'digest' }] })
  await app.sql(`
    update people set disabled_at = now() where handle_key = 'casey';
    delete from organisation_members where person_id = (select id from people where handle_key = 'drew')`)
  await receiver.start()
  app.advance(60_000)
  await untilIdle(app)
  assert.deepEqual(subjectsOf(receiver.mails), ['sent'])
  assert.equal((await rowOf(app, 'turned to digest')).mail, 'digest')
  app.advance(DAY_MS + HOUR_MS)
  await until('the digest is sent', () => receiver.mails.length === 2)
  assert.deepEqual(receiver.mails[1]!.to, ['blake@example.org'])
})

test('a digest has what was not read yet, at most 50 entries, and is sent once a day', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  await giveMailboxes(app)
  const many = Array.from({ length: 60 }, (_, i) => ({ kind: 'note' as const, key: `note:${i}`, title: `Note ${i}` }))
  await notifyPerson(app, 'avery', ...many)
  await notifyPerson(app, 'blake', { kind: 'note', key: 'only', title: 'Only note', link: '/dashboard/notes' })
  const avery = await signInBrowser(app, 'avery')
  const { docs } = (await call(avery, 'GET', `${PATH}?limit=1`)).body
  await call(avery, 'POST', `${PATH}/read`, { notificationIds: [docs[0].notificationId] })
  assert.equal(mailbox.count(), 0)
  app.advance(DAY_MS + HOUR_MS)
  const mails = [await mailbox.next(), await mailbox.next()]
  const [first, second] = mails.sort((a, b) => a.to.localeCompare(b.to))
  assert.equal(first!.subject, '59 notifications')
  assert.match(first!.text, /^- Note 58\n {2}http\S+\/dashboard\n\n- Note 57\n/)
  assert.match(first!.text, /\n- Note 9\n.*\nand 9 more: http\S+\/account\/notifications\n/s)
  assert.ok(!first!.text.includes('Note 8\n') && !first!.text.includes('Note 59'))
  assert.deepEqual([second!.to, second!.subject], ['blake@example.org', 'Only note'])
  assert.match(first!.headers['List-Unsubscribe']!, /^<http.*>$/)
  await untilIdle(app)
  app.advance(DAY_MS)
  await notifyPerson(app, 'avery', { kind: 'note', key: 'tomorrow', title: 'Tomorrow' })
  app.advance(DAY_MS + HOUR_MS)
  assert.equal((await mailbox.next()).subject, 'Tomorrow')

  await t.test('can be turned off with its link', async () => {
    const [, link] = /<(.*)>/.exec(first!.headers['List-Unsubscribe']!)!
    const { url } = app.environment()
    const page = await app.visitor().get(link!.slice(url.length))
    assert.match(page.text, /Stop e-mails about: The daily digest/)
    await app.visitor().post(link!.slice(url.length), {})
    const { kinds } = (await call(await signInBrowser(app, 'avery'), 'GET', `${PATH}/settings`)).body
    const off = kinds.filter(({ email }: { email: string }) => email === 'off')
    assert.deepEqual(
      off.map(({ kind }: { kind: string }) => kind),
      ['unlocked', 'overdue', 'note'],
    )
  })
})
