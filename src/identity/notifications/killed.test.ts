import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { receiveSmtp } from '../../kernel/messages/testing.ts'
import { databaseUrl, installServer } from '../../operations/testing/machine.ts'
import { size } from '../../operations/testing/sizes.ts'
import { SECRET_KEY, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { assertWithin } from '../../operations/testing/time-limits.ts'
import { notify } from './notifications.ts'

const KILLS = size(30)
const MAILS = size(600)
const CROWD = size(10_000)
const RESET_MS = 2000

/** Creates people with confirmed addresses. */
const createPeople = (app: TestApp, count: number) =>
  app.sql(`
    insert into people (handle, handle_key, email, email_confirmed_at, created_at)
    select '@crowd-' || i, 'crowd-' || i, 'crowd-' || i || '@example.org', now(), now() from generate_series(1, ${count}) i`)

async function notifyCrowd(app: TestApp, key: string): Promise<void> {
  const { db, clock, get } = app.environment()
  const people = await app.sql(`select id::int as id from people where handle like '@crowd-%' order by id`)
  const all = people.map(({ id }) => ({
    personId: Number(id),
    kind: 'announcement' as const,
    key,
    title: `For ${id}`,
    text: 'The airfield is closed.',
    link: '/dashboard',
    at: clock(),
  }))
  for (let i = 0; i < all.length; i += 1000)
    await db.transaction((tx) => notify(tx, all.slice(i, i + 1000), get(messagePolicy)))
}

test(`killed ${KILLS} times while ${MAILS} notifications are mailed, no mail is seen twice`, async (t) => {
  const receiver = await receiveSmtp(t, { slowMs: 100 })
  const mail = { SMTP_URL: receiver.url, MESSAGES_FROM: 'no-reply@example.org' }
  const app = await testApp(t, mail)
  await createPeople(app, MAILS)
  await app.platform.stop()
  const server = await installServer(t, {
    DATABASE_URL: databaseUrl(app.connection),
    SECRET_KEY,
    DEMO: 'off',
    ...mail,
  })
  await app.sql(`
    insert into notification_inboxes (person_id, position) select id, 1 from people where handle like '@crowd-%';
    insert into notifications (person_id, position, key, kind, title, text, link, created_at, is_shown, mail)
    select id, 1, 'crowd', 'announcement', 'For ' || id, '', '/', now(), true, 'now' from people where handle like '@crowd-%'`)
  const enqueueSome = (share: number) =>
    app.sql(`
      insert into jobs (kind, payload, created_at, run_at)
      select 'notification-mail', jsonb_build_object('person', id, 'position', 1), now(), now()
        from people where handle like '@crowd-%' and mod(id, ${KILLS}) = ${share}`)
  for (let kill = 0; kill < KILLS; kill++) {
    await enqueueSome(kill)
    await server.start()
    const before = receiver.mails.length
    await until('mails are sent', () => receiver.mails.length > before + 3, 30_000)
    await sleep(Math.random() * 100)
    await server.kill()
    // The leases of the killed process end at once, so that the next one takes its jobs.
    await app.sql(`update jobs set run_at = now() where is_leased`)
  }
  await server.start()
  const isOver = async () => (await app.sql(`select from jobs where kind = 'notification-mail'`)).length === 0
  await until('all jobs are done', isOver, 120_000)
  await server.stop()
  const to = receiver.mails.map((one) => one.to[0]!)
  assert.equal(new Set(to).size, to.length, 'somebody got a mail twice')
  const [row] = await app.sql(`
    select count(*) filter (where mailed_at is not null)::int as mailed, count(*) filter (where mail_tried_at is null)::int as waiting,
           count(*) filter (where mail_tried_at is not null and mailed_at is null)::int as unknown from notifications`)
  t.diagnostic(`${to.length} of ${MAILS} arrived; recorded ${JSON.stringify(row)}`)
  assert.equal(Number(row!.waiting), 0)
  assert.ok(Number(row!.unknown) <= 5 * KILLS)
  assert.ok(Number(row!.mailed) <= to.length && to.length <= Number(row!.mailed) + Number(row!.unknown))
})

test(`while ${CROWD} notifications are mailed, a password reset is sent within ${RESET_MS} ms`, async (t) => {
  const receiver = await receiveSmtp(t)
  const app = await testApp(t, { ...UNLIMITED, SMTP_URL: receiver.url, MESSAGES_FROM: 'no-reply@example.org' })
  await app.sql(`update people set email = 'avery@example.org', email_confirmed_at = now() where handle_key = 'avery'`)
  await createPeople(app, CROWD)
  const startedMs = performance.now()
  await notifyCrowd(app, 'crowd')
  const notifiedMs = performance.now() - startedMs
  await until('the first are mailed', () => receiver.mails.length > 10)
  const visitor = app.visitor()
  const askedMs = performance.now()
  await visitor.submit(await visitor.get('/account/reset'), { handle: 'avery' })
  await until('the reset arrives', () => receiver.mails.some(({ to }) => to[0] === 'avery@example.org'), 30_000)
  const tookMs = performance.now() - askedMs
  const sentBefore = receiver.mails.length
  assert.ok(sentBefore < CROWD, 'the crowd was still being mailed')
  const isAll = () => receiver.mails.length === CROWD + 1
  await until('everybody is mailed', isAll, 10 * 60_000)
  t.diagnostic(
    `notified in ${Math.round(notifiedMs)} ms, reset after ${Math.round(tookMs)} ms, all after ${Math.round(performance.now() - startedMs)} ms`,
  )
  assert.equal(new Set(receiver.mails.map(({ to }) => to[0])).size, CROWD + 1)
  assertWithin(tookMs, RESET_MS)
})
