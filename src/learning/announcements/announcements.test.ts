import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { assertError, sharedApp, testApp } from '../../operations/testing/testing.ts'
import { joinSchool, openSchool } from '../courses/testing.ts'
import { type Browsing, browse } from '../progress/testing.ts'

const PATH = '/edu/v1/announcement'
const NEWS = { title: 'Simulator closed', text: 'Friday’s sessions move to Monday.' }

const app = await sharedApp({ ...UNLIMITED, RATE_ANNOUNCEMENT_PER_HOUR: '1000' })
await openSchool(app)
await joinSchool(app, `p.handle_key = 'jules'`)
const NAMES = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley'] as const
const as = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await browse(app, name)] as const)),
) as Record<(typeof NAMES)[number], Browsing>
await app.sql(`update people set administrator = false`)

const announce = (who: Browsing, more: object = { classId: 'alpha' }) => who.put(PATH, { ...NEWS, ...more })

test('an instructor announces to a class, and its students and staff read it', async () => {
  const { status, body, text } = await announce(as.casey, { classId: 'alpha', title: ' Simulator closed ' })
  assert.equal(status, 200, text)
  const { announcementId, createdDate, ...rest } = body
  assert.deepEqual(rest, {
    organisation: 'school',
    organisationName: 'School',
    classId: 'alpha',
    className: 'Alpha',
    ...NEWS,
    authorName: rest.authorName,
    mayDelete: true,
  })
  for (const who of [as.avery, as.blake, as.ellis, as.finley]) {
    const { body: page } = await who.get(`${PATH}/list`, { classId: 'alpha', limit: '1' })
    assert.equal(page.docs[0].announcementId, announcementId)
    assert.equal(page.docs[0].createdDate, createdDate)
    assert.equal((await who.get(PATH, { announcementId })).body.text, NEWS.text)
  }
  assert.equal((await as.casey.get(`${PATH}/list`, { classId: 'alpha' })).body.recipients, 3)
  assert.equal((await as.avery.get(`${PATH}/list`, { classId: 'alpha' })).body.recipients, null)
})

test('others cannot announce to a class or an organisation, nor read what was announced there', async () => {
  const { announcementId } = (await announce(as.casey)).body
  for (const who of [as.avery, as.drew, as.ellis]) assertError(await announce(who), 403, 4032)
  for (const who of [as.avery, as.casey, as.drew])
    assertError(await announce(who, { organisation: 'school' }), 403, 4032)
  assertError(await as.drew.get(`${PATH}/list`, { classId: 'alpha' }), 403, 4032)
  assertError(await as.drew.get(`${PATH}/list`, { organisation: 'school' }), 403, 4032)
  assertError(await as.drew.get(PATH, { announcementId }), 404, 4042)
  assertError(await as.drew.post(`${PATH}/remove`, { announcementId }), 404, 4042)
  assertError(await as.avery.post(`${PATH}/remove`, { announcementId }), 403, 4032)
})

test('an owner announces to the organisation, and administrators to every one', async () => {
  assert.equal((await announce(as.finley, { organisation: 'school' })).status, 200)
  assert.equal((await announce(as.finley)).status, 200)
  await app.sql(`update people set administrator = handle_key = 'drew'`)
  assert.equal((await announce(as.drew, { organisation: 'school' })).status, 200)
  await app.sql(`update people set administrator = false`)
})

test('an announcement needs a title, a text and one place, and no closed class', async () => {
  assertError(await announce(as.casey, { classId: 'alpha', title: ' ' }), 400, 4001)
  assertError(await announce(as.casey, { classId: 'alpha', text: ' ' }), 400, 4001)
  assertError(await announce(as.casey, { classId: 'alpha', title: 'two\nlines' }), 400, 4003)
  assertError(await announce(as.casey, { classId: 'alpha', title: 'x'.repeat(201) }), 400, 4003)
  assertError(await announce(as.casey, { classId: 'alpha', text: 'x'.repeat(10_001) }), 400, 4003)
  assertError(await announce(as.casey, { classId: 'alpha', announcementId: 'short' }), 400, 4003)
  assertError(await announce(as.finley, {}), 400, 4001)
  assertError(await announce(as.finley, { classId: 'alpha', organisation: 'school' }), 400, 4003)
  assertError(await as.finley.get(`${PATH}/list`), 400, 4001)
  await app.sql(`update classes set ended_at = now() where key = 'bravo'`)
  assertError(await announce(as.drew, { classId: 'bravo' }), 400, 4006)
})

test('an announcement that is sent twice is created once', async () => {
  const announcementId = randomUUID()
  const sent = await Promise.all([1, 2, 3].map(() => announce(as.casey, { classId: 'alpha', announcementId })))
  assert.deepEqual(
    sent.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual(await app.sql(`select count(*)::int as n from announcements where key = '${announcementId}'`), [
    { n: 1 },
  ])
  assertError(await announce(as.finley, { classId: 'alpha', announcementId }), 409, 4091)
})

test('announcements and their deletion are in the audit log', async () => {
  const { announcementId } = (await announce(as.casey)).body
  assert.equal((await as.finley.post(`${PATH}/remove`, { announcementId })).status, 200)
  assertError(await as.casey.get(PATH, { announcementId }), 404, 4042)
  const rows = await app.sql(
    `select action, detail->>'class' as class from audit_entries where detail->>'announcement' = '${announcementId}' order by id`,
  )
  assert.deepEqual(rows, [
    { action: 'announcement.created', class: 'alpha' },
    { action: 'announcement.deleted', class: 'alpha' },
  ])
})

test('an author can create 20 announcements an hour', async (t) => {
  const limited = await testApp(t)
  await openSchool(limited)
  const casey = await browse(limited, 'casey')
  for (let n = 0; n < 20; n++) assert.equal((await announce(casey)).status, 200)
  const refused = await announce(casey)
  assertError(refused, 429, 4291)
  assert.match(refused.text, /20 announcements an hour/)
  limited.advance(60 * 60_000)
  assert.equal((await announce(casey)).status, 200)
})
