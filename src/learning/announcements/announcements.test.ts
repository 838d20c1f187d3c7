import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { UNLIMITED } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { enqueue } from '../../kernel/jobs/jobs.ts'
import { assertError, sharedApp, testApp } from '../../operations/testing/testing.ts'
import { joinSchool, openSchool } from '../courses/testing.ts'
import { type Browsing, browse } from '../progress/testing.ts'
import { DISTRIBUTION } from './distribution.ts'

const PATH = '/edu/v1/announcement'
const NEWS = { title: 'Simulator closed', text: 'Friday’s sessions move to Monday.' }

const app = await sharedApp({ ...UNLIMITED, RATE_ANNOUNCEMENT_PER_HOUR: '1000' })
await openSchool(app)
await joinSchool(app, `p.handle_key in ('avery', 'blake')`)
const NAMES = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley'] as const
const as = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await browse(app, name)] as const)),
) as Record<(typeof NAMES)[number], Browsing>
await app.sql(`update people set administrator = false`)

const distributed = () =>
  until('everything is distributed', async () => {
    const jobs = await app.sql(`select from jobs where kind like 'announcement%'`)
    return jobs.length === 0
  })
/** Lists the handles of the people who have a notification of an announcement, read or not. */
const listNotified = async (announcementId: string): Promise<string[]> =>
  (
    await app.sql(
      `select p.handle_key from notifications n join people p on p.id = n.person_id where n.key = 'announcement:${announcementId}' order by 1`,
    )
  ).map(({ handle_key }) => String(handle_key))

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
  assertError(await as.avery.post(`${PATH}/remove`, { announcementId }), 404, 4042)
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

test('the staff and the active students of a class are notified, but not the author', async () => {
  // A notification of an earlier test must not arrive after the one that is looked at.
  await distributed()
  await app.sql(`update enrolments set status = 'suspended' where key = 'blake-alpha'`)
  const { announcementId } = (await announce(as.casey)).body
  await distributed()
  assert.deepEqual(await listNotified(announcementId), ['avery', 'ellis'])
  await app.sql(`update enrolments set status = 'active' where key = 'blake-alpha'`)
  const { docs } = (await as.avery.get('/account/v1/notifications', { limit: '1' })).body
  assert.deepEqual(
    [docs[0].kind, docs[0].title, docs[0].text, docs[0].link],
    ['announcement', 'Alpha: Simulator closed', NEWS.text, `/account/announcements/${announcementId}`],
  )
})

test('the members of an organisation are notified, whatever their role', async () => {
  const { announcementId } = (await announce(as.finley, { organisation: 'school' })).body
  await distributed()
  const members = await app.sql(
    `select p.handle_key from organisation_members m join people p on p.id = m.person_id where p.handle_key <> 'finley' order by 1`,
  )
  assert.ok(members.length > 0)
  assert.deepEqual(
    await listNotified(announcementId),
    members.map(({ handle_key }) => handle_key),
  )
})

test('people who leave before it reaches them, or join later, get nothing', async () => {
  await app.sql(
    `create function hold_job() returns trigger language plpgsql as $$ begin new.run_at := now() + interval '1 day'; return new; end $$;
     create trigger hold before insert on jobs for each row when (new.kind = 'announcement') execute function hold_job()`,
  )
  const { announcementId } = (await announce(as.casey)).body
  await app.sql(
    `drop trigger hold on jobs; drop function hold_job();
     update enrolments set status = 'dropped' where key = 'blake-alpha';
     insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
     select 'drew-alpha', c.id, p.id, 'active', now(), now() from classes c, people p where c.key = 'alpha' and p.handle_key = 'drew';
     update jobs set run_at = now() where kind = 'announcement'`,
  )
  await distributed()
  assert.deepEqual(await listNotified(announcementId), ['avery', 'ellis'])
  await app.sql(
    `update enrolments set status = 'active' where key = 'blake-alpha'; delete from enrolments where key = 'drew-alpha'`,
  )
})

test('deleting an announcement withdraws what was not read', async () => {
  const { announcementId } = (await announce(as.casey)).body
  await distributed()
  const { docs } = (await as.avery.get('/account/v1/notifications', { limit: '1' })).body
  await as.avery.post('/account/v1/notifications/read', { notificationIds: [docs[0].notificationId] })
  assert.equal((await as.casey.post(`${PATH}/remove`, { announcementId })).status, 200)
  await distributed()
  assert.deepEqual(await listNotified(announcementId), ['avery'])
})

/** Opens a school with this many members, besides its owner Finley. */
async function openCrowd(t: TestContext, count: number) {
  const crowd = await testApp(t, UNLIMITED)
  await openSchool(crowd)
  await crowd.sql(
    `insert into people (handle, handle_key, created_at) select '@crowd-' || i, 'crowd-' || i, now() from generate_series(1, ${count}) i`,
  )
  await joinSchool(crowd, `p.handle_key like 'crowd-%'`)
  const countOf = async (what: string) => Number((await crowd.sql(`select count(*)::int as n from ${what}`))[0]!.n)
  return {
    crowd,
    finley: await browse(crowd, 'finley'),
    countNotified: () => countOf('notifications'),
    countPeople: () => countOf('(select distinct person_id from notifications) p'),
    isDistributed: async () => (await countOf(`jobs where kind = 'announcement'`)) === 0,
  }
}

test('everybody is notified once, although connections are killed while it is distributed', async (t) => {
  const { crowd, finley, countNotified, countPeople, isDistributed } = await openCrowd(t, 3000)
  assert.equal((await announce(finley, { organisation: 'school' })).status, 200)
  let kills = 0
  while (kills < 3 && (await countNotified()) < 2500) {
    const [row] = await crowd.sql(
      `select count(pg_terminate_backend(pid))::int as n from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and query like '%wanted as materialized%'`,
    )
    kills += Number(row!.n)
    if (Number(row!.n) > 0) crowd.advance(5000)
  }
  assert.ok(kills > 0, 'a connection was killed in the middle')
  await until(
    'it is distributed',
    async () => {
      crowd.advance(5000)
      return isDistributed()
    },
    30_000,
  )
  assert.deepEqual([await countNotified(), await countPeople()], [3000, 3000])
})

test('a job that runs again from the start notifies nobody twice', async (t) => {
  const { crowd, finley, countNotified, isDistributed } = await openCrowd(t, 1200)
  const { announcementId } = (await announce(finley, { organisation: 'school' })).body
  await until('it is distributed', isDistributed)
  assert.equal(await countNotified(), 1200)
  await crowd.sql(
    `update announcements set position = 0, waiting = array(select person_id from notifications order by 1) where key = '${announcementId}'`,
  )
  const { db, clock } = crowd.environment()
  const [row] = await crowd.sql('select id::int as id from announcements')
  await db.transaction((tx) => enqueue(tx, DISTRIBUTION, { payload: { id: Number(row!.id) }, at: clock() }))
  await until('it has run again', isDistributed)
  assert.equal(await countNotified(), 1200)
})

test('an announcement to 10,000 members answers at once, and reaches all of them soon', async (t) => {
  const { finley, countNotified, isDistributed } = await openCrowd(t, 10_000)
  const began = performance.now()
  assert.equal((await announce(finley, { organisation: 'school' })).status, 200)
  const answered = performance.now()
  await until('it is distributed', isDistributed, 60_000)
  t.diagnostic(
    `answered in ${Math.round(answered - began)} ms, distributed in ${Math.round(performance.now() - answered)} ms`,
  )
  assert.equal(await countNotified(), 10_000)
  assert.ok(answered - began < 2000)
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
