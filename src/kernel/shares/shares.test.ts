import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { call, PASSWORD, signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { openSchool } from '../../learning/courses/testing.ts'
import { PATH as PROGRESS } from '../../learning/progress/testing.ts'
import { type Answer, assertError, type Client, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { makeTestKey } from '../../records/credentials/testing.ts'
import { accountAgent, bases } from '../../records/statements/model/names.ts'
import { makeMonths } from '../../records/statements/storing/store.ts'
import { storeStatements } from '../../records/statements/storing/storing.ts'
import { makeStatement, Speaker } from '../../records/xapi/testing.ts'
import { until } from '../database/test-database.ts'
import { shareUpkeep } from './shares.ts'

const KIB = 1024
const NOTE = '/edu/v1/note'
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const settings = (person: number, app = 1_000_000) => ({
  ...UNLIMITED,
  RECORDS_PERSON_BYTES: String(person * KIB),
  RECORDS_APP_BYTES: String(app * KIB),
})
const isFull = (answer: Answer) => assertError(answer, 400, 4007, /^The storage for records of this user, app or key/)
/** A note counts for as many KiB as this, with its row. */
const noteOf = (kib: number) => ({ text: 'x'.repeat(kib * KIB - 512) })

const usedBy = async (app: TestApp, handle: string): Promise<number> =>
  Number(
    (
      await app.sql(
        `select coalesce(sum(bytes), 0)::int as used from shares where person_id = (select id from people where handle_key = '${handle}')`,
      )
    )[0]!.used,
  )

/** Asserts that every share is the sum of its records. */
async function assertSharesAddUp(app: TestApp): Promise<void> {
  const wrong = await app.sql(
    `select s.share_no, s.bytes, r.bytes as found from shares s cross join lateral (
       select coalesce(sum(x.bytes), 0) as bytes from (
         select bytes_of(n) as bytes from notes n where n.share_no = s.share_no
         union all select bytes_of(a) from attempts a where a.share_no = s.share_no
         union all select bytes_of(v) from evaluations v where v.share_no = s.share_no
         union all select bytes_of(d) from documents d where d.share_no = s.share_no
         union all select t.charge from statements t where t.share_no = s.share_no) x) r
      where s.bytes <> r.bytes and (s.person_id is not null or s.credential_id is not null)`,
  )
  assert.deepEqual(wrong, [])
}

/** Sends ten requests at once. Returns how many were accepted; all others must have been refused as over the share. */
async function race(send: (i: number) => Promise<Answer>): Promise<number> {
  const answers = await Promise.all(numbers(10).map(send))
  const refused = answers.filter(({ status }) => status !== 200 && status !== 204)
  for (const answer of refused) isFull(answer)
  return answers.length - refused.length
}

const speakerOf = (client: Client) => new Speaker(client)

test('ten notes at the edge of a share: those that fit are stored, and deleting gives back (D13)', async (t) => {
  const app = await testApp(t, settings(12))
  const [avery, blake] = [await app.as('avery'), await app.as('blake')]
  const { noteId } = (await avery.put(NOTE, noteOf(9))).body
  assert.equal(await race(() => avery.put(NOTE, { text: 'x' })), 3)
  assert.equal(await usedBy(app, 'avery'), 12 * KIB)
  const before = (await avery.get(`${NOTE}/list`)).body
  assert.equal(before.length, 4, 'reads go on')
  isFull(await (await app.as('avery', 'second')).put(NOTE, { text: 'x' }))
  await app.givePassword('avery')
  const { storage } = (await call(await signInBrowser(app, 'avery'), 'GET', '/account/v1/profile')).body
  assert.deepEqual(storage, { usedBytes: 12 * KIB, limitBytes: 12 * KIB }, 'the person sees how much they use')
  assert.equal((await blake.put(NOTE, { text: 'x' })).status, 200, 'others have their own share')
  assert.equal((await avery.post(`${NOTE}/remove`, { noteId })).status, 200)
  assert.equal(await usedBy(app, 'avery'), 3 * KIB)
  assert.equal((await avery.put(NOTE, noteOf(9))).status, 200)
  await assertSharesAddUp(app)
})

test('an attempt counts with its answers; over the share nothing of it changes (D13)', async (t) => {
  const app = await testApp(t, settings(8))
  await openSchool(app)
  const avery = await app.as('avery')
  const about = { lessonId: 'walkaround', classId: 'alpha' }
  assert.equal((await avery.post(`${PROGRESS}/start`, about)).status, 200)
  const answersOf = (kib: number) => [{ essay: 'x'.repeat(kib * KIB) }]
  const small = { ...about, answers: answersOf(3) }
  assert.equal((await avery.post(PROGRESS, small)).status, 200)
  // The platform's own statement about the start counts too.
  await until('the start is recorded', async () => (await usedBy(app, 'avery')) > 4 * KIB)
  const used = await usedBy(app, 'avery')
  const before = await avery.get(PROGRESS, about)
  assert.equal(before.body.answers[0].essay.length, 3 * KIB)
  isFull(await avery.post(PROGRESS, { ...about, pass: true, complete: true, answers: answersOf(9) }))
  assert.equal((await avery.get(PROGRESS, about)).text, before.text)
  assert.equal(await usedBy(app, 'avery'), used)
  assert.equal((await avery.post(PROGRESS, { ...about, answers: [] })).status, 200, 'less is always possible')
  assert.ok((await usedBy(app, 'avery')) < used)
  await assertSharesAddUp(app)
})

test('ten statements at the edge of a share, sent with those of others: only the excess is refused (D13)', async (t) => {
  const app = await testApp(t, settings(32))
  const { homePage } = app.environment().get(bases)
  const [avery, blake] = [speakerOf(await app.as('avery')), speakerOf(await app.as('blake'))]
  const make = (name: string) => makeStatement({ actor: accountAgent(homePage, name) })
  assert.equal((await avery.post(make('@avery'))).status, 200)
  const each = await usedBy(app, 'avery')
  const fitting = Math.floor((32 * KIB) / each) - 1
  const first = numbers(fitting - 3).map(() => make('@avery'))
  assert.equal((await avery.post(first)).status, 200)
  const [accepted] = await Promise.all([
    race(() => avery.post(make('@avery'))),
    ...numbers(10).map(async () => assert.equal((await blake.post(make('@blake'))).status, 200)),
  ])
  assert.equal(accepted, 3)
  assert.equal((await avery.post(first)).status, 200, 'what is stored already needs no room')
  isFull(await avery.post([make('@avery'), make('@avery')]))
  const page = await avery.get({ limit: 100 })
  assert.equal(page.body.statements.length, fitting + 1, 'what was acknowledged can be read')
  await assertSharesAddUp(app)
  const before = new Date(Date.now() + 1000).toISOString()
  app.advance(2000)
  const removed = await (await makeTestKey(app)).client.post('/lrs/v1/statements/retention', { before })
  assert.equal(removed.status, 200, removed.text)
  assert.equal(await usedBy(app, 'avery'), 0)
  assert.equal((await avery.post(make('@avery'))).status, 200)
})

test('statements that a person sends through two apps, stored together, never exceed the share (D13)', async (t) => {
  const app = await testApp(t, settings(8))
  const environment = app.environment()
  const { homePage } = environment.get(bases)
  const [person] = await app.sql(`select id::int from people where handle_key = 'avery'`)
  const apps = await app.sql(`select id::int from apps where name in ('first', 'second')`)
  const stored = await Promise.allSettled(
    numbers(10).map((i) => {
      const own = { appId: Number(apps[i % 2]!.id), personId: Number(person!.id), senderKey: 'test' }
      const statement = makeStatement({ actor: accountAgent(homePage, '@avery') })
      return storeStatements({ at: new Date(), ...own }, [{ statement }], environment)
    }),
  )
  assert.equal(stored.filter(({ status }) => status === 'fulfilled').length, 8)
  assert.equal(await usedBy(app, 'avery'), 8 * KIB)
  await assertSharesAddUp(app)
})

test('a month of statements that is dropped gives its storage back (D13)', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const environment = app.environment()
  const { homePage } = environment.get(bases)
  const [person] = await app.sql(`select id::int from people where handle_key = 'avery'`)
  const [used] = await app.sql(`select id::int from apps where name = 'first'`)
  await environment.db.first(makeMonths, { now: new Date('2025-01-15T00:00:00Z') })
  const at = new Date('2025-01-20T00:00:00Z')
  const sender = { at, appId: Number(used!.id), personId: Number(person!.id), senderKey: 'test' }
  const made = numbers(5).map(() => ({ statement: makeStatement({ actor: accountAgent(homePage, '@avery') }) }))
  await storeStatements(sender, made, environment)
  assert.equal((await (await app.as('avery')).put(NOTE, { text: 'x' })).status, 200)
  assert.equal(await usedBy(app, 'avery'), 6 * KIB)
  const { client } = await makeTestKey(app)
  const removed = await client.post('/lrs/v1/statements/retention', { before: '2025-02-01T00:00:00Z' })
  assert.deepEqual([removed.body.statements, removed.body.months], [5, 1])
  assert.equal(await usedBy(app, 'avery'), KIB)
  await assertSharesAddUp(app)
})

test('an attachment counts for the statement that brings it (D13)', async (t) => {
  const app = await testApp(t, settings(16))
  const { homePage } = app.environment().get(bases)
  const avery = await app.as('avery')
  const send = (bytes: Buffer) => {
    const sha2 = createHash('sha256').update(bytes).digest('hex')
    const attachment = {
      usageType: 'https://example.org/usage',
      display: { en: 'x' },
      contentType: 'text/plain',
      length: bytes.length,
      sha2,
    }
    const statement = makeStatement({ actor: accountAgent(homePage, '@avery'), attachments: [attachment] })
    const raw = [
      '--b\r\ncontent-type: application/json\r\n\r\n',
      JSON.stringify(statement),
      `\r\n--b\r\ncontent-type: text/plain\r\ncontent-transfer-encoding: binary\r\nx-experience-api-hash: ${sha2}\r\n\r\n`,
      bytes.toString(),
      '\r\n--b--\r\n',
    ].join('')
    return speakerOf(avery).send('POST', '/xapi/statements', {
      raw,
      headers: { 'content-type': 'multipart/mixed; boundary=b' },
    })
  }
  isFull(await send(Buffer.alloc(20 * KIB, 'b')))
  assert.equal((await send(Buffer.alloc(6 * KIB, 'a'))).status, 200)
  isFull(await send(Buffer.alloc(12 * KIB, 'b')))
  assert.deepEqual(await app.sql('select count(*)::int from attachments'), [{ count: 1 }])
  await assertSharesAddUp(app)
})

test('documents count for the app that writes them and for the person; keys have a share of their own (D13)', async (t) => {
  const app = await testApp(t, settings(8, 12))
  const { homePage } = app.environment().get(bases)
  const agent = JSON.stringify(accountAgent(homePage, '@avery'))
  const put = (client: Client, stateId: string, bytes: number) =>
    speakerOf(client).send('PUT', '/xapi/activities/state', {
      query: { activityId: 'https://example.org/a', agent, stateId },
      raw: Buffer.alloc(bytes),
      headers: { 'content-type': 'a/b' },
      version: '1.0.3',
    })
  const avery = await app.as('avery')
  assert.equal((await put(avery, 'one', 4 * KIB)).status, 204)
  isFull(await put(avery, 'two', 4 * KIB))
  assert.equal((await put(avery, 'one', 5 * KIB)).status, 204)
  const { client } = await makeTestKey(app)
  assert.equal(await race((i) => put(client, `key ${i}`, KIB)), 6)
  assert.equal((await put(avery, 'one', 10)).status, 204)
  assert.equal(await usedBy(app, 'avery'), KIB)
  await assertSharesAddUp(app)
})

test('all people of an app together have a share, which other apps do not touch (D13)', async (t) => {
  const app = await testApp(t, settings(8, 12))
  const [avery, blake] = [await app.as('avery'), await app.as('blake')]
  for (const one of [avery, blake]) assert.equal((await one.put(NOTE, noteOf(6))).status, 200)
  await shareUpkeep.run(app.environment())
  isFull(await avery.put(NOTE, { text: 'x' }))
  isFull(await (await app.as('casey')).put(NOTE, { text: 'x' }))
  const casey = await app.as('casey', 'second')
  assert.equal((await casey.put(NOTE, { text: 'x' })).status, 200)
  for (const { noteId } of (await avery.get(`${NOTE}/list`)).body) await avery.post(`${NOTE}/remove`, { noteId })
  await shareUpkeep.run(app.environment())
  assert.equal((await blake.put(NOTE, { text: 'x' })).status, 200)
})

test('shares add up when a class and a person are deleted (D13)', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app)
  const { homePage } = app.environment().get(bases)
  const [avery, casey] = [await app.as('avery'), await app.as('casey')]
  await avery.post(`${PROGRESS}/start`, { lessonId: 'walkaround', classId: 'alpha' })
  assert.equal((await casey.put(NOTE, { text: 'About a student.', studentId: 'avery-alpha' })).status, 200)
  assert.equal((await casey.put(NOTE, { text: 'About nothing.' })).status, 200)
  for (const [who, name] of [
    [avery, '@avery'],
    [casey, '@casey'],
  ] as const) {
    const answer = await speakerOf(who).post(makeStatement({ actor: accountAgent(homePage, name) }))
    assert.equal(answer.status, 200)
  }
  const used = await usedBy(app, 'casey')
  await app.sql(`delete from classes where key = 'alpha'`)
  assert.equal(await usedBy(app, 'casey'), used - KIB)
  await assertSharesAddUp(app)
  await app.givePassword('avery')
  const browser = await signInBrowser(app, 'avery')
  const left = await call(browser, 'POST', '/account/v1/delete', { handle: '@avery', password: PASSWORD })
  assert.equal(left.status, 200, left.text)
  await assertSharesAddUp(app)
})

test('while the disk is low large writes are refused, small writes and reads go on, the sandbox first (D13)', async (t) => {
  const app = await testApp(t, { ...UNLIMITED, SANDBOX_DISK_RESERVE_BYTES: String(2 ** 52) }, { withSandbox: true })
  const large = { id: 'large', data: { text: 'x'.repeat(9 * KIB) } }
  const bucket = '/app/v1/bucket'
  const [production, sandbox] = [await app.as('avery'), await app.as('avery', 'first', 'sandbox')]
  assert.equal((await production.put(bucket, large)).status, 200)
  const refused = await sandbox.put(bucket, large)
  assertError(refused, 503, 5030, /disk is almost full/)
  assert.equal(refused.headers.get('retry-after'), '60')
  assert.equal((await sandbox.put(bucket, { ...large, data: {} })).status, 200)
  assert.equal((await sandbox.get(bucket, { id: 'large' })).status, 200)
  const metrics = await app.nobody('sandbox').get('/metrics')
  assert.match(metrics.text, /groundschool_disk_free_bytes\{environment="sandbox"\} [1-9]/)
  assert.match(metrics.text, /groundschool_disk_reserve_bytes\{environment="sandbox"\} 4503599627370496/)
  assert.match(metrics.text, /groundschool_records_bytes\{environment="sandbox"\} 0/)
})

test('on a full disk writes get 503, reads go on, and writes succeed once there is room again (D13)', async (t) => {
  const app = await testApp(t, UNLIMITED)
  const avery = await app.as('avery')
  assert.equal((await avery.put(NOTE, { text: 'kept' })).status, 200)
  await app.sql(
    `create function refuse() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
     create trigger full_disk before insert on notes execute function refuse()`,
  )
  assertError(await avery.put(NOTE, { text: 'lost' }), 503, 5030, /disk of the database is full/)
  assert.deepEqual(
    (await avery.get(`${NOTE}/list`)).body.map(({ text }: { text: string }) => text),
    ['kept'],
  )
  await app.sql('drop trigger full_disk on notes')
  assert.equal((await avery.put(NOTE, { text: 'later' })).status, 200)
})
