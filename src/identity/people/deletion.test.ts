import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { call, isSignedIn, PASSWORD, signInBrowser } from '../../apps/account/testing.ts'
import { assertStorageAddsUp, PATH, through, UNLIMITED } from '../../apps/buckets/testing.ts'
import { exchange, obtainCode, pkcePair, REDIRECT_URI, registerApp } from '../../apps/oauth/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { importContent } from '../../kernel/imports/imports.ts'
import { testMailbox } from '../../kernel/messages/testing.ts'
import { FORGETTING } from '../../operations/platform/forgetting.ts'
import { tidy } from '../../operations/platform/upkeep.ts'
import type { TestBrowser } from '../../operations/testing/browser.ts'
import { withClient } from '../../operations/testing/databases.ts'
import { type Answer, assertError, type Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { addParent } from '../families/parents.ts'
import { addChild, auditOf, CHILD_PASSWORD, KIM, signInChild } from '../families/testing.ts'
import { disablePerson } from './people.ts'
import { removePerson } from './removal.ts'
import { operator, populate, tablesThatName } from './testing-traces.ts'

const DELETE = '/account/v1/delete'
const leave = (browser: TestBrowser, handle = '@avery', password: string | undefined = PASSWORD): Promise<Answer> =>
  call(browser, 'POST', DELETE, { handle, ...(password === undefined ? {} : { password }) })

const peopleNamed = (app: TestApp, handle: string) => app.sql(`select id from people where handle_key = '${handle}'`)

async function assertNoTrouble(app: TestApp): Promise<void> {
  await assertStorageAddsUp(app)
  assert.ok(!app.log().includes('unhandled error'))
}

test('deleting an account requires proof of identity and of intent', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const browser = await signInBrowser(app, 'avery')

  await t.test('the password and the handle are required', async () => {
    assertError(await leave(browser, '@blake'), 400, 4003, /handle must be your own handle, @avery/)
    assertError(await call(browser, 'POST', DELETE, { password: PASSWORD }), 400, 4001)
    assertError(await call(browser, 'POST', DELETE, { handle: '@avery' }), 400, 4001, /password/)
    assertError(await leave(browser, '@avery', 'wrong'), 401, 4011)
    assert.equal((await peopleNamed(app, 'avery')).length, 1)
  })

  await t.test('only a browser of the person can do it, not an app or another site', async () => {
    const token = await app.as('avery')
    assertError(await token.post(DELETE, { handle: '@avery', password: PASSWORD }), 401, 4016)
    const foreign = { 'sec-fetch-site': 'cross-site' }
    assertError(await call(browser, 'POST', DELETE, { handle: '@avery', password: PASSWORD }, foreign), 403, 4032)
    assert.equal((await peopleNamed(app, 'avery')).length, 1)
  })

  await t.test('a person without a password must have signed in within the last ten minutes', async () => {
    const blake = await signInBrowser(app, 'blake')
    await app.sql(`update people set password_hash = null where handle_key = 'blake'`)
    app.advance(11 * 60_000)
    assertError(await leave(blake, '@blake', undefined), 401, 4016, /Sign in again/)
    assert.equal((await peopleNamed(app, 'blake')).length, 1)
    const again = await signInBrowser(app, 'blake')
    await app.sql(`update people set password_hash = null where handle_key = 'blake'`)
    app.advance(9 * 60_000)
    const left = await leave(again, '@BLAKE', undefined)
    assert.deepEqual([left.status, left.body], [200, { success: true }], left.text)
    assert.deepEqual(await peopleNamed(app, 'blake'), [])
  })

  await t.test('a child cannot, but a parent can', async () => {
    const parent = await signInBrowser(app, 'casey')
    await addChild(parent, { password: CHILD_PASSWORD })
    const kim = await signInChild(app, '@kim')
    assertError(await leave(kim, '@kim', CHILD_PASSWORD), 403, 4032, /ask a parent/)
    const gone = await call(parent, 'POST', '/account/v1/children/delete', { handle: '@kim', password: PASSWORD })
    assert.equal(gone.status, 200, gone.text)
    assert.deepEqual(await peopleNamed(app, 'kim'), [])
  })

  await t.test("a child in nobody's care can, with the same proof", async () => {
    const [parent, other] = [await signInBrowser(app, 'casey'), await signInBrowser(app, 'drew')]
    await addChild(parent, { handle: '@orphan', password: CHILD_PASSWORD })
    await addParent(app.environment().db, operator(app), { child: '@orphan', parent: '@drew' })
    const orphan = await signInChild(app, '@orphan')
    assert.equal((await leave(parent, '@casey')).status, 200)
    assertError(await leave(orphan, '@orphan', CHILD_PASSWORD), 403, 4032, /ask a parent/)
    // A child whose only remaining parent is disabled counts as having no parent.
    await disablePerson(app.environment().db, operator(app), { handle: '@drew', isDisabled: true }, FORGETTING)
    assert.equal(await isSignedIn(other), false)
    assertError(await leave(orphan, '@orphan', PASSWORD), 401, 4011)
    const left = await leave(orphan, '@orphan', CHILD_PASSWORD)
    assert.equal(left.status, 200, left.text)
    assert.deepEqual(await peopleNamed(app, 'orphan'), [])
  })
})

test('sessions and tokens of a deleted account stop working at once, in every process', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const second = await app.startSecond()
  const [here, mobile] = [await signInBrowser(app, 'avery'), await signInBrowser(app, 'avery')]
  const first = await app.as('avery')
  const elsewhere = through(await app.as('avery', 'second'), second.addresses.production)
  const { clientId, secret } = await registerApp(app, { key: 'logbook' })
  const { verifier, challenge } = pkcePair()
  const obtain = async () => (await obtainCode(app, { clientId, challenge })).code
  const redeem = (code: string) =>
    exchange(app, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
      client_id: clientId,
      client_secret: secret,
    })
  const { refresh_token } = (await redeem(await obtain())).body
  const unused = await obtain()
  for (const client of [first, elsewhere]) assert.equal((await client.get(`${PATH}/list`)).status, 200)

  const left = await leave(here)
  assert.equal(left.status, 200, left.text)
  assert.equal(here.cookies.has('gs_browser'), false)
  assertError(await first.get(`${PATH}/list`), 403, 4034)
  await until('the other process has heard of it', async () => (await elsewhere.get(`${PATH}/list`)).status === 403)
  assert.equal(await isSignedIn(mobile), false)
  assert.equal((await redeem(unused)).status, 401)
  const own = { client_id: clientId, client_secret: secret }
  assert.equal((await exchange(app, { grant_type: 'refresh_token', refresh_token, ...own })).status, 403)
  assertError(await app.nobody().post('/account/v1/signin', { handle: '@avery', password: PASSWORD }), 401, 4011)
})

test('only the data that docs/your-data.md lists outlives a deleted account', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const leaver = await populate(app)
  const rules = [...readFileSync('docs/your-data.md', 'utf8').matchAll(/^\| `(\w+)` \|[^|]*\| ([^|]*) \|$/gm)]
  const documented = rules.map(([, table]) => table).sort()

  await t.test('this test populates every table that can name a person, and the document lists them all', async () => {
    const columns = await app.sql(
      `select c.conrelid::regclass::text as name from pg_constraint c
        where c.contype = 'f' and c.confrelid in ('people'::regclass, 'app_users'::regclass)
        union select table_name from information_schema.columns
        where table_schema = 'gs_production' and column_name ~ '(^|_)(person|user|users|caller|owner|handle|email|recipient)(_id|_key|$)'`,
    )
    // This lock makes upkeep wait, which would otherwise empty `search_words_left` within two seconds.
    const before = await withClient(app.connection, async (client) => {
      await client.query('begin; lock table gs_production.search_words in exclusive mode')
      await app.sql(`insert into search_words_left (app_id, word) select min(id), 'quillon' from apps`)
      return tablesThatName(app, leaver)
    })
    for (const { name } of columns) assert.ok(before.includes(String(name)), `${name} is not populated by this test`)
    assert.deepEqual(before, documented)
  })

  await t.test('only the documented data stays', async () => {
    const left = await leave(leaver.browser, leaver.handle)
    assert.equal(left.status, 200, left.text)
    const waiting = 'select from messages where sent_at is null and given_up_at is null'
    await until('the last message has gone out', async () => (await app.sql(waiting)).length === 0)
    await tidy(app.environment())
    const stays = rules.filter(([, , rule]) => rule!.startsWith('stays')).map(([, table]) => table)
    assert.deepEqual(await tablesThatName(app, leaver), stays.sort())
    // The audit log still contains the person's id, and the history of a shared bucket the user id, but no table
    // contains the person's name, handle or e-mail address.
    const { personId: _id, userIds: _users, sessionIds: _sessions, ...names } = leaver.traces
    assert.deepEqual(await tablesThatName(app, { traces: names }), [])
  })

  await t.test('their app stays without an owner, and shared buckets stay without them', async () => {
    assert.deepEqual(await app.sql(`select owner_id from apps where client_id = 'gs-theirs'`), [{ owner_id: null }])
    const { body } = await leaver.blake.get(PATH, { id: 'shared' })
    assert.deepEqual([body.users, body.data.theirs], [[leaver.blake.userId], 'Zephyrine was here'])
    await assertNoTrouble(app)
  })
})

test('the handle of a deleted account is reserved for half a year, but an import restores the person', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const add = async (handle: string) =>
    call(await signInBrowser(app, 'blake'), 'POST', '/account/v1/children', { ...KIM, handle })
  const days = (count: number) => app.advance(count * 24 * 3_600_000)
  for (const person of ['avery', 'casey'] as const)
    assert.equal((await leave(await signInBrowser(app, person), `@${person}`)).status, 200)
  assertError(await add('@Avery'), 400, 4002, /recently released/)
  days(179)
  await tidy(app.environment())
  assertError(await add('@avery'), 400, 4002, /recently released/)
  const content = { people: [{ handle: '@casey', firstName: 'Casey', lastName: 'Again' }] }
  await importContent(app.platform.environments, operator(app), { content, isDryRun: false })
  assert.equal((await peopleNamed(app, 'casey')).length, 1)
  days(2)
  assert.equal((await add('@avery')).status, 200)
  await tidy(app.environment())
  assert.deepEqual(await app.sql('select until from retired_handles'), [])
})

test('the handle of a child who was here for less than a day is free again', async (t) => {
  const app = await testApp(t, UNLIMITED)
  let parent = await signInBrowser(app, 'avery')
  const remove = () =>
    call(parent, 'POST', '/account/v1/children/delete', { handle: '@kim', password: PASSWORD }).then(({ status }) =>
      assert.equal(status, 200),
    )
  await addChild(parent)
  app.advance(23 * 3_600_000)
  parent = await signInBrowser(app, 'avery')
  await remove()
  assert.deepEqual(await app.sql('select until from retired_handles'), [])
  await addChild(parent)
  app.advance(25 * 3_600_000)
  parent = await signInBrowser(app, 'avery')
  await remove()
  assertError(await call(parent, 'POST', '/account/v1/children', KIM), 400, 4002)
  // The handle of a person who is not a child is reserved for half a year, however briefly the account existed.
  assert.equal((await leave(parent, '@avery')).status, 200)
  assert.equal((await app.sql('select until from retired_handles')).length, 2)
})

test('children with no other parent can no longer be found', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const parent = await signInBrowser(app, 'avery')
  await addChild(parent)
  const found = await call(parent, 'POST', '/account/v1/children/settings', { handle: '@kim', publicSearch: true })
  assert.equal(found.status, 200, found.text)
  assert.equal((await leave(parent)).status, 200)
  const [kim] = await app.sql(`select public_search from people where handle = '@kim'`)
  assert.deepEqual(kim, { public_search: false })
  assert.ok((await auditOf(app, '@kim')).some(([, detail]) => detail.includes('no parent is left')))
})

test('a person with an e-mail address is notified, and the address is deleted once the message is sent', async (t) => {
  const mailbox = testMailbox(t)
  const app = await testApp(t, { ...UNLIMITED, ...mailbox.settings })
  await app.sql(`update people set email = 'avery@example.org' where handle_key = 'avery'`)
  assert.equal((await leave(await signInBrowser(app, 'avery'))).status, 200)
  const message = await mailbox.next()
  assert.equal(message.to, 'avery@example.org')
  assert.equal(message.subject, 'Account deleted (@avery)')
  await until('nothing of it is left', async () => {
    const [row] = await app.sql(`select recipient, sealed, sent_at from messages`)
    return row?.sent_at !== null && row?.recipient === '' && row.sealed === null
  })
})

test('an interrupted removal resumes, and the person cannot sign in meanwhile', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const browser = await signInBrowser(app, 'avery')
  const avery = await app.as('avery')
  await Promise.all(Array.from({ length: 120 }, (_, i) => avery.put(PATH, { id: `many ${i}` })))
  const [person] = await peopleNamed(app, 'avery')
  const { db } = app.environment()
  let parts = 0
  const dying = new Proxy(db, {
    get: (target, name, receiver) =>
      name === 'transaction'
        ? (work: Parameters<typeof db.transaction>[0]) => {
            if (parts++ > 0) throw new Error('the process dies')
            return target.transaction(work)
          }
        : Reflect.get(target, name, receiver),
  })
  await assert.rejects(
    removePerson(dying, operator(app), { personId: Number(person!.id), reason: 'test', forget: FORGETTING }),
    /dies/,
  )
  assertError(await avery.get(`${PATH}/list`), 403, 4034)
  assert.equal(await isSignedIn(browser), false)
  assertError(await app.nobody().post('/account/v1/signin', { handle: '@avery', password: PASSWORD }), 401, 4011)
  assert.equal((await peopleNamed(app, 'avery')).length, 1)
  await tidy(app.environment())
  assert.deepEqual(await peopleNamed(app, 'avery'), [])
  assert.deepEqual(await app.sql(`select id from buckets where id like 'many%'`), [])
  await assertNoTrouble(app)
})

test('D6: an account is deleted while it is in use', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, POOL_SIZE: '10' })
  const second = await app.startSecond()
  const assertEach = (answers: readonly Answer[], allowed: readonly number[]) => {
    for (const { status, text } of answers) assert.ok(allowed.includes(status), `${status} ${text}`)
  }

  await t.test('while it writes to buckets', async () => {
    const [avery, blake] = [await app.as('avery'), await app.as('blake')]
    const clients: Client[] = [avery, through(avery, second.addresses.production)]
    const browser = await signInBrowser(app, 'avery')
    const writing = Promise.all(
      Array.from({ length: 150 }, (_, i) => {
        const id = `storm ${i % 20}`
        const headers: Record<string, string> = i % 4 ? {} : { 'idempotency-key': randomUUID() }
        const client = clients[i % 2]!
        return i % 3
          ? client.post(PATH, { id, key: `k${i}`, value: i }, headers)
          : client.put(PATH, { id, users: i % 2 ? [blake.userId] : [] }, headers)
      }),
    )
    const [answers, left] = await Promise.all([writing, leave(browser)])
    assert.equal(left.status, 200, left.text)
    assertEach(answers, [200, 401, 403, 404, 409])
    const dangling = await app.sql(
      `select b.id from buckets b cross join unnest(b.users) u
        where not exists (select from app_users a where a.user_id = u)`,
    )
    assert.deepEqual(dangling, [])
    await assertNoTrouble(app)
  })

  await t.test('while an app exchanges a code', async () => {
    const { clientId, secret } = await registerApp(app, { key: 'racer' })
    const { verifier, challenge } = pkcePair()
    const { code, browser } = await obtainCode(app, { clientId, challenge, person: 'casey' })
    const request = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT_URI }
    const [left, exchanged] = await Promise.all([
      leave(browser, '@casey'),
      exchange(app, { ...request, client_id: clientId, client_secret: secret }),
    ])
    assert.equal(left.status, 200, left.text)
    assertEach([exchanged], [200, 401])
    if (exchanged.status === 200) {
      const { access_token: token } = exchanged.body
      const used = await app.nobody().get(`${PATH}/list`, {}, { authorization: `Bearer ${token}` })
      assertError(used, 403, 4034)
    }
    assert.deepEqual(await app.sql(`select id from sessions where user_id not in (select user_id from app_users)`), [])
    await assertNoTrouble(app)
  })

  await t.test('by two requests at once', async () => {
    const browsers = [await signInBrowser(app, 'drew'), await signInBrowser(app, 'drew')]
    const answers = await Promise.all(browsers.map((browser) => leave(browser, '@drew')))
    assertEach(answers, [200, 401])
    assert.ok(answers.some(({ status }) => status === 200))
    const removed = await app.sql(
      `select id from audit_entries where action = 'person.removed' and detail->>'reason' = 'deleted by its owner'
          and person_id not in (select id from people) order by id desc`,
    )
    assert.equal(removed.length, 3, 'once each')
    await assertNoTrouble(app)
  })

  await t.test('while somebody befriends and blocks them', async () => {
    const [ellis, finley] = [await app.as('ellis'), await app.as('finley')]
    await app.sql('update people set public_search = true')
    const browser = await signInBrowser(app, 'ellis')
    const acts = ['request', 'accept', 'block', 'unblock', 'remove', 'decline'].flatMap((verb) =>
      Array.from({ length: 5 }, () => [
        finley.post(`/user/v1/my/friends/${verb}`, { userId: ellis.userId }),
        ellis.post(`/user/v1/my/friends/${verb}`, { userId: finley.userId }),
      ]),
    )
    const [left, answers] = await Promise.all([leave(browser, '@ellis'), Promise.all(acts.flat())])
    assert.equal(left.status, 200, left.text)
    assertEach(answers, [200, 400, 401, 403, 404, 409])
    assert.deepEqual(await peopleNamed(app, 'ellis'), [])
    await assertNoTrouble(app)
  })
})
