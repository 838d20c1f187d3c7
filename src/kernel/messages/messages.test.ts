import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tidy } from '../../operations/platform/upkeep.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import type { Caller } from '../caller.ts'
import { notify } from '../database/listener.ts'
import { migrate } from '../database/migrate.ts'
import { createTestDatabase, runSql, until } from '../database/test-database.ts'
import { topicOf } from '../jobs/jobs.ts'
import { messagePolicy, type NewMessage, SEND_MESSAGE, sendMessage } from './messages.ts'
import { openMessage, sealMessage } from './seal.ts'
import { receiveSmtp, type SmtpMail, testMailbox } from './testing.ts'

const FROM = 'Groundschool <no-reply@example.org>'
const SECRET = 'a text that only its reader may see'
const DAY_MS = 24 * 60 * 60_000

/** Returns a caller at the current time of the test's clock, which the test can advance. */
const callerOf = (app: TestApp): Caller => ({
  at: app.environment().clock(),
  requestId: 'messages-test',
  address: '192.0.2.7',
})

async function write(app: TestApp, more: Partial<NewMessage> = {}): Promise<void> {
  const { db, get } = app.environment()
  const messages = get(messagePolicy)
  const [row] = await app.sql(`select id::int as id from people where handle_key = 'avery'`)
  const what = {
    personId: Number(row?.id),
    recipient: 'avery@example.org',
    kind: 'test',
    subject: 'A test',
    text: `${SECRET}\n`,
    ...more,
  }
  await db.transaction((tx) => sendMessage(tx, callerOf(app), what, messages))
}

const wake = (app: TestApp): Promise<void> => notify(app.environment().db, topicOf(SEND_MESSAGE))

/** Reads each message together with its job, which is deleted once the message is sent. */
const rows = (app: TestApp) =>
  app.sql(
    `select m.id::int as id, j.attempts, m.sealed, j.run_at, m.sent_at, m.given_up_at
       from messages m left join jobs j on j.kind = 'message' and j.payload->>'message' = m.id::text order by m.id`,
  )

/** Waits until this many tries have failed. It looks at the log, because the database counts a try when it starts. */
const untilFailed = (app: TestApp, tries = 1): Promise<void> =>
  until(`try ${tries} failed`, () => app.log().split('it will be retried').length > tries)

const subjectsOf = (mails: readonly SmtpMail[]): string[] =>
  mails.map(({ headers }) => /^Subject: (.*)$/m.exec(headers)?.[1] ?? '').sort()

async function smtpApp(t: TestContext, settings: Record<string, string> = {}) {
  const receiver = await receiveSmtp(t)
  const app = await testApp(t, { MESSAGES_FROM: FROM, SMTP_URL: receiver.url, ...settings }, { withSandbox: true })
  return { app, receiver }
}

test('a sealed message opens only with its key, for the same recipient, and unchanged', () => {
  const key = Buffer.alloc(32, 1)
  const to = { personId: 7, recipient: 'jo@example.org' }
  const letter = { subject: 'Größe ✈', text: SECRET }
  const sealed = sealMessage(key, to, letter)
  assert.deepEqual(openMessage([key], to, sealed), letter)
  assert.ok(!sealed.includes(SECRET))
  assert.notDeepEqual(sealMessage(key, to, letter), sealed)
  assert.throws(() => openMessage([Buffer.alloc(32, 2)], to, sealed))
  assert.throws(() => openMessage([key], { ...to, recipient: 'eve@example.org' }, sealed))
  assert.throws(() => openMessage([key], { ...to, personId: 8 }, sealed))
  for (const i of [0, 12, 28, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed[i]! ^= 1
    assert.throws(() => openMessage([key], to, changed))
  }
  assert.throws(() => openMessage([key], to, Buffer.alloc(0)))
})

test('a message is mailed to one address, once, and nothing of its text remains', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await write(app, { subject: 'Größe ✈', text: `${SECRET}: https://example.org/${'x'.repeat(120)}\n` })
  await until('it is sent', async () => (await rows(app))[0]?.sent_at != null)
  assert.equal(receiver.mails.length, 1)
  const { from, to, headers, text } = receiver.mails[0]!
  assert.deepEqual({ from, to }, { from: 'no-reply@example.org', to: ['avery@example.org'] })
  assert.match(headers, /^From: Groundschool <no-reply@example\.org>$/m)
  assert.match(headers, /^To: avery@example\.org$/m)
  assert.match(headers, /^Subject: =\?UTF-8\?/m)
  assert.match(headers, /^Auto-Submitted: auto-generated$/m)
  assert.match(headers, /^Message-ID: <production\.\d+\.\d+@localhost>$/m)
  assert.equal(text.trimEnd(), `${SECRET}: https://example.org/${'x'.repeat(120)}`)
  const [row] = await rows(app)
  assert.deepEqual([row?.sealed, row?.attempts, row?.given_up_at], [null, null, null])
  assert.ok(!app.log().includes(SECRET) && !app.log().includes(receiver.url))
  assert.deepEqual(await app.sql('select from messages', 'sandbox'), [])
})

test('waiting messages cannot be read in the outbox, and rolled back ones were never written', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await receiver.stop()
  await write(app)
  const [row] = await app.sql('select m::text as row, sealed from messages m')
  assert.ok(!String(row?.row).includes('test that') && !Buffer.from(row!.sealed as Buffer).includes('reader'))
  const { db, get } = app.environment()
  const messages = get(messagePolicy)
  const failing = db.transaction(async (tx) => {
    const what = { personId: 1, recipient: 'a@example.org', kind: 'test', subject: 'never', text: 'never' }
    await sendMessage(tx, callerOf(app), what, messages)
    throw new Error('undone')
  })
  await assert.rejects(failing, /undone/)
  await write(app, { personId: 999_999 })
  assert.equal((await rows(app)).length, 1, 'neither the undone one nor one to nobody')
})

test('a message that was tampered with in the outbox is not sent', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await receiver.stop()
  await write(app)
  await untilFailed(app)
  await app.sql(`update messages set recipient = 'eve@example.org'; update jobs set run_at = created_at`)
  await receiver.start()
  await wake(app)
  await until('it is given up', async () => (await rows(app))[0]?.given_up_at != null)
  assert.equal(receiver.mails.length, 0)
  assert.match(app.log(), /"problem":"its seal is broken","msg":"a message was given up and is lost"/)
})

test('a message file stays for thirty days, or until its reader is gone, and other files are not touched', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings, { withSandbox: true })
  const environment = app.environment()
  const folder = join(mailbox.settings.DATA_DIR!, 'messages', 'production')
  const files = () => readdirSync(folder).map((name) => name.replace(/^\d{17}-\d+-/, ''))
  const [blake] = await app.sql(`select id::int as id from people where handle_key = 'blake'`)
  await write(app, { kind: 'to-avery' })
  await write(app, { kind: 'to-blake', personId: Number(blake?.id) })
  await write(app, { kind: 'farewell', personId: null })
  await until('all are written', () => mailbox.count() === 3)
  await until('all are settled', async () => (await rows(app)).every(({ sent_at }) => sent_at !== null))
  for (const name of ['1-notes.txt', '2026-05-01-1-mine.eml', '20270101000000000-12-my-notes.txt'])
    writeFileSync(join(folder, name), 'somebody else’s')
  // These names match the pattern of message files. The two files belong to no message in this database, so they are
  // deleted; the folder remains.
  mkdirSync(join(folder, '20250501120000000-1-folder.eml'))
  for (const name of ['20260501120000000-1-other.eml', '20260501120000000-1-draft.eml.4711'])
    writeFileSync(join(folder, name), 'old')
  const others = ['1-notes.txt', '2026-05-01-1-mine.eml', 'folder.eml', 'my-notes.txt']
  await tidy(environment)
  assert.deepEqual(files().sort(), [...others, 'farewell.eml', 'to-avery.eml', 'to-blake.eml'].sort())
  await app.sql(`delete from people where handle_key = 'blake'`)
  await tidy(environment)
  assert.deepEqual(files().sort(), [...others, 'farewell.eml', 'to-avery.eml'].sort())
  app.advance(31 * DAY_MS)
  await tidy(environment)
  assert.deepEqual(files().sort(), others)
  // No message was ever written in the sandbox, so it has no folder.
  await tidy(app.environment('sandbox'))
})

test('while the mail server is down messages wait, longer each time, and are sent once it is back', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await receiver.stop()
  await write(app)
  for (const [i, wantedMs] of [10_000, 20_000, 40_000, 80_000, 160_000].entries()) {
    await untilFailed(app, i + 1)
    const [row] = await rows(app)
    const waitMs = Number(row?.run_at) - app.environment().clock().getTime()
    assert.equal(row?.attempts, i + 1)
    assert.ok(waitMs > wantedMs * 0.75 - 3_000 && waitMs <= wantedMs * 1.25, `try ${i + 1}: ${waitMs} ms`)
    if (wantedMs === 160_000) await receiver.start()
    app.advance(wantedMs * 1.25)
    await wake(app)
  }
  await until('it is sent', async () => (await rows(app))[0]?.sent_at != null)
  assert.equal(receiver.mails.length, 1)
  assert.match(app.log(), /"problem":"ECONNREFUSED CONN","msg":"sending a message failed; it will be retried"/)
  assert.ok(!app.log().includes(SECRET) && !app.log().includes('avery@example.org'))
})

test('after a day, or once it is pointless, a message is given up with a line in the log', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await receiver.stop()
  await write(app)
  await untilFailed(app)
  app.advance(DAY_MS)
  await receiver.start()
  await wake(app)
  await until('it is given up', async () => (await rows(app))[0]?.given_up_at != null)
  assert.equal((await rows(app))[0]?.sealed, null)
  assert.match(
    app.log(),
    /"level":"error".*"kind":"test","attempts":2,"problem":"it came too late","msg":"a message was given up/,
  )

  await receiver.stop()
  await write(app, { until: new Date(callerOf(app).at.getTime() + 5_000) })
  await until('the short one is given up at once', async () => (await rows(app))[1]?.given_up_at != null)
  assert.equal(receiver.mails.length, 0)
})

test('a mailbox that does not exist is not retried, any other refusal is', async (t) => {
  const { app, receiver } = await smtpApp(t)
  receiver.refuse('RCPT', '550 5.1.1 <avery@example.org> unknown', 1)
  await write(app)
  await until('it is given up', async () => (await rows(app))[0]?.given_up_at != null)
  assert.match(app.log(), /"problem":"the mailbox was refused with 550"/)

  receiver.refuse('MAIL', '550 5.7.1 Sender refused', 1)
  await write(app)
  await until('it waits', async () => app.log().includes('"problem":"EENVELOPE MAIL FROM 550"'))
  app.advance(20_000)
  await wake(app)
  await until('it is sent', async () => (await rows(app))[1]?.sent_at != null)
  assert.ok(!app.log().includes('unknown') && !app.log().includes('Sender refused'))
})

test('an address that a mail server could read as two stays one', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await write(app, { recipient: 'avery@example.org, eve@example.org' })
  await until(
    'it was settled',
    async () => /sending a message failed|given up/.test(app.log()) || receiver.mails.length > 0,
  )
  for (const { to } of receiver.mails) assert.deepEqual(to.length, 1)
  assert.ok(!receiver.mails.some(({ to }) => to.includes('eve@example.org')))
})

test('mail to another machine is encrypted or not sent, unless the URL allows it', async (t) => {
  const receiver = await receiveSmtp(t)
  receiver.refuse('STAR', '502 Not here', 1)
  // 0.0.0.0 reaches this machine too, but does not count as a loopback address.
  const SMTP_URL = receiver.url.replace('127.0.0.1', '0.0.0.0')
  const app = await testApp(t, { MESSAGES_FROM: FROM, SMTP_URL })
  await write(app)
  await until('it is refused', () => app.log().includes('"problem":"ETLS STARTTLS 502"'))
  assert.equal(receiver.mails.length, 0)
  await app.platform.stop()
  app.advance(20_000)
  await app.startSecond({ SMTP_URL: `${SMTP_URL}?requireTLS=false` })
  await until('it is sent', () => receiver.mails.length === 1)
})

test('two processes on one database deliver each message once', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await app.startSecond()
  const wanted = Array.from({ length: 60 }, (_, i) => `Number ${i}`)
  await Promise.all(wanted.map((subject) => write(app, { subject })))
  await until('all are sent', async () => (await rows(app)).every(({ sent_at }) => sent_at != null), 20_000)
  await wake(app)
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.deepEqual(subjectsOf(receiver.mails), wanted.toSorted())
})

test('messages claimed by a dead process return to the others once the lease ends', async (t) => {
  const { app, receiver } = await smtpApp(t, { STOP_SECONDS: '1' })
  // The mail server accepts the connection but does not respond, so the try is still running when its process dies.
  receiver.refuse('MAIL', '', 1)
  await write(app)
  await until('it is claimed', async () => (await rows(app))[0]?.attempts === 1)
  const leaseMs = Number((await rows(app))[0]?.run_at) - app.environment().clock().getTime()
  assert.ok(leaseMs > 100_000 && leaseMs <= 120_000, `${leaseMs} ms`)
  await app.platform.stop()
  const second = await app.startSecond()
  const wakeSecond = () => notify(second.environments[0]!.db, topicOf(SEND_MESSAGE))
  app.advance(100_000)
  await wakeSecond()
  await new Promise((resolve) => setTimeout(resolve, 400))
  assert.equal((await rows(app))[0]?.attempts, 1)
  app.advance(21_000)
  await wakeSecond()
  await until('it is sent', async () => (await rows(app))[0]?.sent_at != null)
  assert.equal(receiver.mails.length, 1)
})

test('a stop finishes the current message, and a start sends the rest', async (t) => {
  const { app, receiver } = await smtpApp(t)
  await Promise.all(Array.from({ length: 20 }, (_, i) => write(app, { subject: `Number ${i}` })))
  await until('some are under way', () => receiver.mails.length > 0)
  await app.platform.stop()
  const left = (await rows(app)).filter(({ sent_at }) => sent_at == null)
  assert.ok(
    left.every(({ attempts }) => attempts === 0),
    'nothing is left half done',
  )
  assert.equal(receiver.mails.length, 20 - left.length)
  await app.startSecond()
  await until('all are sent', () => receiver.mails.length === 20, 20_000)
  assert.equal(new Set(subjectsOf(receiver.mails)).size, 20)
})

test('in development a message is a file readable by its owner only, and the log names it', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings)
  await write(app, { recipient: 'avery@example.org\r\nBcc: eve@example.org' })
  const { to, subject, text, headers, file, mode } = await mailbox.next()
  assert.deepEqual({ subject, text, mode }, { subject: 'A test', text: `${SECRET}\n`, mode: 0o600 })
  assert.equal(to, 'avery@example.org Bcc: eve@example.org')
  assert.deepEqual(Object.keys(headers), ['From', 'To', 'Subject', 'Date', 'Message-ID'])
  await until('it is sent', async () => (await rows(app))[0]?.sent_at != null)
  assert.ok(app.log().includes(`"file":"${file}","kind":"test","msg":"message written to a file"`))
  assert.ok(!app.log().includes(SECRET))
  assert.deepEqual(readdirSync(join(file, '..')).length, 1)
})

test('an unwritable folder is a failed attempt', async (t) => {
  const mailbox = testMailbox(t)
  const inTheWay = join(mailbox.settings.DATA_DIR!, 'messages')
  writeFileSync(inTheWay, '')
  const app = await testApp(t, mailbox.settings)
  await write(app)
  await until('it is said', () => /"problem":"(EEXIST|ENOTDIR)","msg":"sending a message failed/.test(app.log()))
  rmSync(inTheWay)
  app.advance(20_000)
  await wake(app)
  await mailbox.next()
})

test('with messages off nothing is written', async (t) => {
  const app = await testApp(t, { MESSAGES: 'off' })
  assert.equal(app.environment().get(messagePolicy).isOn, false)
  await write(app)
  assert.deepEqual(await rows(app), [])
})

test('messages are deleted after thirty days', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings)
  await write(app)
  await mailbox.next()
  await until('it is sent', async () => (await rows(app))[0]?.sent_at != null)
  app.advance(29 * DAY_MS)
  await tidy(app.environment())
  assert.equal((await rows(app)).length, 1)
  app.advance(2 * DAY_MS)
  await tidy(app.environment())
  assert.deepEqual(await rows(app), [])
})

test('a migration turns waiting messages into jobs, but not finished ones', async (t) => {
  const { connection, drop } = await createTestDatabase()
  t.after(drop)
  await migrate(connection, 'carried', undefined, 18)
  const ask = (text: string) => runSql(connection, `set search_path to carried; set timezone to 'UTC'; ${text}`)
  await ask(
    `insert into messages (kind, recipient, created_at, attempts, next_try_at, give_up_at, sent_at, given_up_at) values
       ('sent', '', now(), 1, now(), now(), now(), null), ('lost', '', now(), 1, now(), now(), null, now()),
       ('waiting', '', '2026-05-01T12:00Z', 3, '2026-05-01T12:05Z', '2026-05-02T12:00Z', null, null);
     insert into import_parts (decided_at, request_id, address, content) values (now(), '', '', '[]'), (now(), '', '', '[]')`,
  )
  await migrate(connection, 'carried')
  assert.deepEqual(
    await ask(
      `select kind, payload, attempts, is_leased, run_at::text, give_up_at::text from jobs where kind = 'message'`,
    ),
    [
      {
        kind: 'message',
        payload: { message: 3, kind: 'waiting' },
        attempts: 3,
        is_leased: false,
        run_at: '2026-05-01 12:05:00+00',
        give_up_at: '2026-05-02 12:00:00+00',
      },
    ],
  )
  assert.deepEqual(await ask(`select unique_key from jobs where kind = 'import'`), [{ unique_key: 'parts' }])
})

test('with MESSAGES=log the whole message is printed to standard error, as plain text', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'groundschool-messages-'))
  const script = `
    import { openDelivery } from '${new URL('./ways.ts', import.meta.url)}'
    import { readConfig } from '${new URL('../config.ts', import.meta.url)}'
    const delivery = openDelivery({ name: 'sandbox', config: readConfig({ MESSAGES: 'log' }), log: undefined })
    await delivery.deliver({ id: 1, kind: 'test', recipient: 'jo@example.org', subject: 'S', messageId: '<1@x>', createdAt: new Date(0),
      text: 'https://example.org/account/reset?code=gs_sbx_pr_0123456789012345678901234567890123456789\\n' })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: dataDir })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  const [code] = await once(child, 'close')
  rmSync(dataDir, { recursive: true })
  assert.deepEqual({ code, out }, { code: 0, out: '' })
  assert.match(
    err,
    /\nTo: jo@example\.org\nSubject: S\n.*\n\nhttps:\/\/example\.org\/account\/reset\?code=gs_sbx_pr_0123/s,
  )
})
