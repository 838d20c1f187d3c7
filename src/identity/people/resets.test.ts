import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { until } from '../../kernel/database/test-database.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import { assertError, type Person, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { changeOwnPassword, changePassword, disablePerson, verifyPerson } from './people.ts'
import { askReset, makeResetLink, readReset, resetPassword } from './resets.ts'

const MINUTE_MS = 60_000
const LIST = '/app/v1/bucket/list'

const callerOf = (app: TestApp): Caller => ({
  at: app.environment().clock(),
  requestId: 'resets-test',
  address: '192.0.2.8',
})

const giveEmail = (app: TestApp, ...people: Person[]) =>
  Promise.all(
    people.map((name) => app.sql(`update people set email = '${name}@example.org' where handle_key = '${name}'`)),
  )

const verify = (app: TestApp, handle: string, password: string) =>
  verifyPerson(app.environment().db, callerOf(app), { handle, password })

/** Fails to sign in often enough that the next attempt has to wait for a minute. */
async function failOften(app: TestApp, handle: string): Promise<void> {
  await assert.rejects(verify(app, handle, 'wrong'), { code: 4011 })
  await app.sql(`update sign_in_failures set failures = 10 where subject = 'pair:192.0.2.8 ${handle}'`)
  await assert.rejects(verify(app, handle, 'wrong'), { code: 4011 })
}

const ask = (app: TestApp, handle: string, name?: EnvironmentName) =>
  askReset(app.environment(name).db, callerOf(app), { handle }, app.environment(name).get(messagePolicy))

const reset = (app: TestApp, code: string, password: string, name?: EnvironmentName) =>
  resetPassword(app.environment(name).db, callerOf(app), { code, password }, app.environment(name).get(messagePolicy))

const codeIn = (link: string | undefined): string => new URL(link!).searchParams.get('code')!

/** Creates a reset link for an administrator to pass on, which needs no message, and returns its code. */
const codeFor = async (app: TestApp, handle: string): Promise<string> =>
  codeIn(await makeResetLink(app.environment().db, callerOf(app), { handle }, app.environment().get(messagePolicy)))

const auditOf = async (app: TestApp, handle: string, after = 0): Promise<unknown[]> =>
  (
    await app.sql(
      `select e.action from audit_entries e join people p on p.id = e.person_id
        where p.handle_key = '${handle}' and e.id > ${after} order by e.id`,
    )
  ).map(({ action }) => action)

const selfOf = async (app: TestApp, handle: string) => {
  const [row] = await app.sql(`select id::int as id, handle from people where handle_key = '${handle}'`)
  return { ...callerOf(app), personId: Number(row?.id), handle: String(row?.handle), browserId: 'of a test' }
}

const epochOf = async (app: TestApp, handle: string): Promise<number> =>
  Number((await app.sql(`select epoch from people where handle_key = '${handle}'`))[0]?.epoch)

test('a person who forgot the password sets a new one with a link from a message', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings)
  await giveEmail(app, 'avery')
  await app.givePassword('avery')
  const avery = await app.as('avery')
  assert.equal((await avery.get(LIST)).status, 200)
  await failOften(app, 'avery')
  await assert.rejects(verify(app, 'avery', 'groundschool'), { code: 4291 })

  await ask(app, '@AVERY')
  const { to, subject, text, link } = await mailbox.next()
  assert.deepEqual({ to, subject }, { to: 'avery@example.org', subject: 'Reset your password (@avery)' })
  assert.match(link!, new RegExp(`^${app.environment().url}/account/reset\\?code=gs_pr_[\\w-]{49}$`))
  assert.match(text, /works once, for 30 minutes/)
  assert.match(text, /If it wasn’t you, ignore this message/)
  const code = codeIn(link)
  const [kept] = await app.sql(`select r::text as row from password_resets r`)
  assert.ok(!String(kept?.row).includes(code.slice(6)), 'only its hash is kept')

  const { db, get } = app.environment()
  const messages = get(messagePolicy)
  assert.equal((await readReset(db, callerOf(app), { code }, messages)).handle, '@avery')
  for (const password of ['', 'seven..', 'x'.repeat(1001)])
    await assert.rejects(reset(app, code, password), { code: 4003 })
  const before = await epochOf(app, 'avery')
  const person = await reset(app, code, 'the new one')
  assert.deepEqual(person, { id: person.id, epoch: before + 1 })
  assert.equal(await epochOf(app, 'avery'), before + 1)

  await until('old tokens are dead', async () => (await avery.get(LIST)).status === 403, 1_000)
  assertError(await avery.get(LIST), 403, 4034)
  assert.deepEqual(await verify(app, 'avery', 'the new one'), person, 'and nobody has to wait any longer')
  await assert.rejects(verify(app, 'avery', 'groundschool'), { code: 4011 })
  const told = await mailbox.next()
  assert.deepEqual([told.to, told.subject], ['avery@example.org', 'Your password was changed (@avery)'])
  assert.equal(told.link, `${app.environment().url}/account/reset`)
  assert.deepEqual((await auditOf(app, 'avery')).slice(-5), [
    'password.reset-asked',
    'email.confirmed',
    'password.reset',
    'sessions.ended',
    'sign-in.failed',
  ])
  assert.ok(!app.log().includes('the new one'))
})

test('a link works once, for half an hour, until the password changes, and in its environment only', async (t) => {
  const app = await testApp(t, { MESSAGES: 'off' }, { withSandbox: true })
  const { db, get } = app.environment()
  const messages = get(messagePolicy)

  await t.test('used', async () => {
    const code = await codeFor(app, 'avery')
    await reset(app, code, 'the first use')
    await assert.rejects(reset(app, code, 'the second use'), { code: 4008, message: /already used: request a new one/ })
    await assert.rejects(readReset(db, callerOf(app), { code }, messages), { code: 4008 })
    assert.ok(await verify(app, 'avery', 'the first use'))
  })

  await t.test('expired', async () => {
    const code = await codeFor(app, 'avery')
    app.advance(29 * MINUTE_MS)
    assert.ok(await readReset(db, callerOf(app), { code }, messages))
    app.advance(MINUTE_MS)
    await assert.rejects(reset(app, code, 'after half an hour'), { code: 4015, message: /^This link has expired/ })
  })

  await t.test('outdated by another change of the password or of the account', async () => {
    const codes = [await codeFor(app, 'blake'), await codeFor(app, 'blake')]
    await reset(app, codes[0]!, 'the first link')
    await assert.rejects(reset(app, codes[1]!, 'the second link'), { code: 4015, message: /request a new one/ })
    const later = await codeFor(app, 'blake')
    await disablePerson(db, callerOf(app), { handle: 'blake', isDisabled: true }, FORGETTING)
    await assert.rejects(reset(app, later, 'while disabled'), { code: 4015 })
    await disablePerson(db, callerOf(app), { handle: 'blake', isDisabled: false }, FORGETTING)
    await assert.rejects(reset(app, later, 'when enabled again'), { code: 4015 })
    assert.ok(await verify(app, 'blake', 'the first link'))
  })

  await t.test('unknown, cut off, of another kind, or of the sandbox', async () => {
    const code = await codeFor(app, 'casey')
    const others = [
      mintToken('reset', 'production'),
      mintToken('code', 'production'),
      mintToken('reset', 'sandbox'),
      code.slice(0, -1),
      `${code}x`,
      '',
      'x'.repeat(100_000),
    ]
    for (const other of others)
      await assert.rejects(reset(app, other, 'long enough'), { code: 4015, message: /request a new one/ })
    await assert.rejects(reset(app, code, 'long enough', 'sandbox'), { code: 4015 })
    assert.ok(await reset(app, code, 'long enough'))
  })

  await t.test('deleted a day after it expired', async () => {
    const count = async () => (await app.sql('select from password_resets')).length
    assert.ok((await count()) > 0)
    app.advance(24 * 60 * MINUTE_MS)
    const kept = await count()
    await codeFor(app, 'drew')
    await tidy(app.environment())
    assert.ok((await count()) <= kept)
    app.advance(31 * MINUTE_MS)
    await tidy(app.environment())
    assert.equal(await count(), 1)
  })
})

test('one link used by ten requests at once sets one password', async (t) => {
  const app = await testApp(t, { MESSAGES: 'off' })
  const second = await app.startSecond()
  for (let round = 0; round < 3; round++) {
    const code = await codeFor(app, 'avery')
    const before = await epochOf(app, 'avery')
    const [here, there] = [app.environment(), second.environments[0]!]
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => {
        const { db, get } = i % 2 ? here : there
        const messages = get(messagePolicy)
        return resetPassword(db, callerOf(app), { code, password: `password of ${i}` }, messages)
      }),
    )
    const winners = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []))
    assert.equal(winners.length, 1, JSON.stringify(results))
    for (const result of results) if (result.status === 'rejected') assert.equal(result.reason.code, 4008)
    assert.equal(await epochOf(app, 'avery'), before + 1)
    assert.ok(await verify(app, 'avery', `password of ${winners[0]}`))
  }
})

test('when a link and a password change are used at once, one of them wins', async (t) => {
  const app = await testApp(t, { MESSAGES: 'off' })
  const { db, get } = app.environment()
  const messages = get(messagePolicy)
  for (let round = 0; round < 5; round++) {
    await changePassword(db, callerOf(app), { handle: 'blake', password: 'the old one' }, messages)
    const before = await epochOf(app, 'blake')
    const self = await selfOf(app, 'blake')
    const [byLink, byOwner] = await Promise.allSettled([
      reset(app, await codeFor(app, 'blake'), 'by the link'),
      changeOwnPassword(db, self, { password: 'the old one', newPassword: 'by the owner' }, messages),
    ])
    const [won, lost] = byLink.status === 'fulfilled' ? [byLink, byOwner] : [byOwner, byLink]
    assert.deepEqual([won.status, lost.status], ['fulfilled', 'rejected'])
    assert.ok(lost.status === 'rejected' && [4006, 4011, 4015].includes(lost.reason.code), String(lost))
    assert.equal(await epochOf(app, 'blake'), before + 1)
    assert.ok(await verify(app, 'blake', byLink.status === 'fulfilled' ? 'by the link' : 'by the owner'))
  }
})

test('asking for a link reveals nothing about the account', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings)
  await giveEmail(app, 'avery', 'casey', 'drew')
  await app.sql(`update people set email = 'ellis@example.org, eve@example.org' where handle_key = 'ellis'`)
  const { db, get } = app.environment()
  const messages = get(messagePolicy)
  await disablePerson(db, callerOf(app), { handle: 'casey', isDisabled: true }, FORGETTING)

  /** Returns the names of the statements that a request for a reset link runs, in order. */
  const watch = async (handle: string): Promise<string[]> => {
    const names: string[] = []
    const watched: Db = {
      ...db,
      transaction: (work) =>
        db.transaction((tx) => {
          const inner: Db = {
            ...tx,
            all: (statement, params) => {
              names.push(statement.name)
              return tx.all(statement, params)
            },
            first: (statement, params) => {
              names.push(statement.name)
              return tx.first(statement, params)
            },
          }
          return work(inner)
        }),
    }
    assert.equal(await askReset(watched, callerOf(app), { handle }, messages), undefined)
    return names
  }

  const known = await watch('avery')
  await mailbox.next()
  for (const [why, handle] of [
    ['unknown', '@ghost'],
    ['disabled', '@casey'],
    ['no e-mail address', '@blake'],
    ['an e-mail address that is two', '@ellis'],
    ['not a handle', `${'x'.repeat(5_000)}'`],
  ] as const)
    assert.deepEqual(await watch(handle), known, why)
  for (let i = 0; i < 3; i++) assert.deepEqual(await watch('drew'), known)
  assert.deepEqual(await watch('drew'), known, 'and the fourth within the hour')

  for (let i = 0; i < 3; i++) assert.equal((await mailbox.next()).to, 'drew@example.org')
  await until('nothing waits', async () => (await app.sql('select from messages where sent_at is null')).length === 0)
  assert.equal(mailbox.count(), 0)
  const entries = await app.sql(
    `select p.handle_key as person, count(*)::int as n from audit_entries e left join people p on p.id = e.person_id
      where e.action = 'password.reset-asked' group by 1 order by 1`,
  )
  assert.deepEqual(entries, [
    { person: 'avery', n: 1 },
    { person: 'blake', n: 1 },
    { person: 'casey', n: 1 },
    { person: 'drew', n: 4 },
    { person: 'ellis', n: 1 },
    { person: null, n: 2 },
  ])
})

test('a mailbox gets three links an hour, however many ask at once', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings, { withSandbox: true })
  await giveEmail(app, 'avery')
  const links = async () => (await app.sql('select from password_resets')).length
  for (let round = 0; round < 4; round++) await Promise.all(Array.from({ length: 10 }, () => ask(app, 'avery')))
  assert.equal(await links(), 3)
  assert.equal((await app.sql(`select from audit_entries where action = 'password.reset-asked'`)).length, 40)
  app.advance(61 * MINUTE_MS)
  await ask(app, 'avery')
  assert.equal(await links(), 4)
  await ask(app, 'avery', 'sandbox')
  assert.equal(await links(), 4, 'the other environment has its own')
})

test('a link that could not be sent in time is not sent later', async (t) => {
  const app = await testApp(t, { MESSAGES_FROM: 'a@example.org', SMTP_URL: 'smtp://127.0.0.1:1' })
  await giveEmail(app, 'avery')
  await ask(app, 'avery')
  const [row] = await app.sql(
    `select extract(epoch from j.give_up_at - r.expires_at)::int as late from jobs j, password_resets r where j.kind = 'message'`,
  )
  assert.deepEqual(row, { late: 0 })
})

test('while messages are off, an administrator hands the link over', async (t) => {
  const app = await testApp(t, { MESSAGES: 'off' })
  await giveEmail(app, 'avery')
  for (const handle of ['avery', 'ghost'])
    await assert.rejects(ask(app, handle), {
      code: 4006,
      message: /E-mail is off: ask an administrator/,
    })
  for (let i = 0; i < 5; i++) await codeFor(app, 'avery')
  await assert.rejects(codeFor(app, '@ghost'), { code: 4042 })
  await disablePerson(app.environment().db, callerOf(app), { handle: 'blake', isDisabled: true }, FORGETTING)
  await assert.rejects(codeFor(app, 'blake'), { code: 4006, message: '@blake is disabled: enable the account first' })
  assert.ok(await reset(app, await codeFor(app, 'avery'), 'handed over'))
  assert.deepEqual(await app.sql('select from messages'), [])
})

test('a person changes their own password', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, mailbox.settings)
  await giveEmail(app, 'avery')
  await Promise.all([app.givePassword('avery'), app.givePassword('blake')])
  const { db, get } = app.environment()
  const messages = get(messagePolicy)
  const change = async (password: string, newPassword: string) =>
    changeOwnPassword(db, await selfOf(app, 'avery'), { password, newPassword }, messages)

  await t.test('with the current password, and all sessions and tokens end', async () => {
    const avery = await app.as('avery')
    const code = await codeFor(app, 'avery')
    const before = await epochOf(app, 'avery')
    const person = await change('groundschool', 'my own choice')
    assert.equal(person.epoch, before + 1)
    assert.deepEqual(await verify(app, 'avery', 'my own choice'), person)
    await until('old tokens are dead', async () => (await avery.get(LIST)).status === 403, 1_000)
    await assert.rejects(reset(app, code, 'an old link'), { code: 4015 })
    assert.equal((await mailbox.next()).subject, 'Your password was changed (@avery)')
  })

  await t.test('not to the same password, nor to one that is too short or too long', async () => {
    await assert.rejects(change('my own choice', 'my own choice'), { code: 4003, message: /must differ/ })
    await assert.rejects(change('caf\u00e9 cr\u00e8me', 'cafe\u0301 cre\u0300me'), { code: 4003 })
    for (const password of ['', 'seven..', 'x'.repeat(1001)])
      await assert.rejects(change('my own choice', password), { code: 4003 })
  })

  await t.test('not with a wrong password; guesses lead to waits, unaffected by what strangers try', async () => {
    const guess = () => change('a guess', 'a new password')
    await failOften(app, 'avery')
    await assert.rejects(verify(app, 'avery', 'my own choice'), { code: 4291 })
    for (let i = 0; i < 5; i++) await assert.rejects(guess(), { code: 4011, message: 'The current password is wrong' })
    await assert.rejects(change('my own choice', 'a new password'), { code: 4291 })
    app.advance(2 * MINUTE_MS)
    assert.ok(await change('my own choice', 'a new password'))
    await mailbox.next()
  })

  await t.test("not somebody else's", async () => {
    const self = { ...(await selfOf(app, 'avery')), handle: '@blake' }
    await assert.rejects(
      changeOwnPassword(db, self, { password: 'groundschool', newPassword: 'a new password' }, messages),
      { code: 4011 },
    )
    assert.ok(await verify(app, 'blake', 'groundschool'))
  })

  await t.test('ten concurrent changes: one succeeds', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => change('a new password', `password of ${i}`)),
    )
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await mailbox.next()).to, 'avery@example.org')
  })

  await t.test('an operator can change it too, and the person is notified', async () => {
    await changePassword(db, callerOf(app), { handle: 'avery', password: 'set by an operator' }, messages)
    assert.ok(await verify(app, 'avery', 'set by an operator'))
    const { to, text } = await mailbox.next()
    assert.equal(to, 'avery@example.org')
    assert.doesNotMatch(text, /set by an operator/)
    await changePassword(db, callerOf(app), { handle: 'blake', password: 'no address, no message' }, messages)
    assert.equal(mailbox.count(), 0)
  })
})
