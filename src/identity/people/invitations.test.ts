import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runPeople } from '../../kernel/imports/testing.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { type TestApp, testApp } from '../../operations/testing/testing.ts'
import { sendInvitations } from './invitations.ts'
import { verifyPerson } from './people.ts'
import { resetPassword } from './resets.ts'

const DAY_MS = 24 * 60 * 60_000

const callerOf = (app: TestApp) => ({ at: app.environment().clock(), requestId: 'test', address: '192.0.2.8' })

const invite = (app: TestApp, ...handles: string[]) => {
  const { db, get } = app.environment()
  return sendInvitations(db, callerOf(app), { handles }, get(messagePolicy))
}

test('an invited person sets a first password with the link, days later, and their address is confirmed', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings)
  await runPeople(app, [{ handle: '@noor', email: 'noor@example.org' }])
  assert.equal(await invite(app, '@Noor', '@nobody'), 1)
  const message = await mailbox.next()
  assert.match(message.text, /created the account @noor for you on Groundschool\..*for 7 days/s)
  const code = new URL(message.link!).searchParams.get('code')!
  app.advance(6 * DAY_MS)
  const { db, get } = app.environment()
  await resetPassword(db, callerOf(app), { code, password: 'the first password' }, get(messagePolicy))
  assert.ok(await verifyPerson(db, callerOf(app), { handle: 'noor@example.org', password: 'the first password' }))
  assert.equal(await invite(app, '@noor'), 0)
})

test('nobody is invited twice while the link works, nor without an e-mail address, with a password, or while disabled', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings)
  await runPeople(app, [
    { handle: '@noor', email: 'noor@example.org' },
    { handle: '@silent' },
    { handle: '@has', email: 'has@example.org', password: 'a password' },
    { handle: '@out', email: 'out@example.org' },
  ])
  await app.sql(`update people set disabled_at = now() where handle_key = 'out'`)
  const everybody = ['@noor', '@silent', '@has', '@out']
  const atOnce = await Promise.all(Array.from({ length: 4 }, () => invite(app, ...everybody)))
  assert.equal(
    atOnce.reduce((sum, sent) => sum + sent),
    1,
  )
  assert.equal((await mailbox.next()).to, 'noor@example.org')
  app.advance(8 * DAY_MS)
  assert.equal(await invite(app, ...everybody), 1)
  assert.equal((await mailbox.next()).to, 'noor@example.org')
  assert.equal(mailbox.count(), 0)
})

test('no invitations are sent while messages are off', async (t) => {
  const app = await testApp(t, { MESSAGES: 'off' })
  await assert.rejects(invite(app, '@avery'), { message: /E-mail is off: create links with/ })
})
