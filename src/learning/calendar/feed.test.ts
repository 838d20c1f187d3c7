import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { mintToken } from '../../kernel/sessions/tokens.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { setDates } from './testing.ts'

const FEED = '/edu/v1/calendar/feed'
const DAY_MS = 86_400_000

const open = async (t: Parameters<typeof testApp>[0], settings: Record<string, string> = {}) => {
  const app = await testApp(t, { ...UNLIMITED, ...settings })
  await openSchool(app)
  const avery = await signInBrowser(app, 'avery')
  const at = (days: number) => new Date(app.environment().clock().getTime() + days * DAY_MS).toISOString()
  const create = async (): Promise<string> => {
    const answer = await call(avery, 'POST', FEED, {})
    assert.equal(answer.status, 200, answer.text)
    return answer.body.url
  }
  return { app, avery, at, create }
}

test('a person creates, replaces and deletes their calendar address', async (t) => {
  const { app, avery, at, create } = await open(t)
  await setDates(app, { classId: 'alpha', lessonId: 'walkaround', due: at(2) })
  const { body: none } = await call(avery, 'GET', FEED)
  assert.deepEqual(none, { created: null, lastRead: null })
  const first = await create()
  assert.ok(first.startsWith(`${app.environment().url}/calendar/gs_cf_`), first.slice(0, 40))
  const answer = await fetch(first)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/calendar; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'private, max-age=300')
  const text = await answer.text()
  assert.match(text, /SUMMARY:walkaround is due · Alpha\r\n/)
  const same = await fetch(first, { headers: { 'if-none-match': answer.headers.get('etag')! } })
  assert.deepEqual([same.status, await same.text()], [304, ''])
  const { body } = await call(avery, 'GET', FEED)
  assert.ok(body.created !== null && body.lastRead !== null)
  // The database has only a hash.
  const [row] = await app.sql(`select encode(token_hash, 'hex') as hash, f::text as whole from calendar_feeds f`)
  assert.ok(!String(row!.whole).includes(first.slice(-20)))

  const second = await create()
  assert.deepEqual([(await fetch(first)).status, (await fetch(second)).status], [404, 200])
  const removed = await call(avery, 'DELETE', FEED)
  assert.equal(removed.status, 200, removed.text)
  assert.equal((await fetch(second)).status, 404)
  assert.equal((await call(avery, 'DELETE', FEED)).status, 200)
  const actions = await app.sql(`select action from audit_entries where action like 'calendar-feed%' order by id`)
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['calendar-feed.created', 'calendar-feed.created', 'calendar-feed.deleted'],
  )
})

test('an event keeps its UID when its date changes, and its sequence grows', async (t) => {
  const { app, at, create } = await open(t)
  const url = await create()
  const read = async () => {
    const text = await (await fetch(url)).text()
    return {
      uid: /UID:(.*)\r/.exec(text)![1],
      sequence: Number(/SEQUENCE:(.*)\r/.exec(text)![1]),
      start: /DTSTART:(.*)\r/.exec(text)![1],
    }
  }
  await setDates(app, { classId: 'alpha', lessonId: 'walkaround', due: at(2) })
  await app.sql(`update lesson_dates set set_at = set_at - interval '1 hour'`)
  const before = await read()
  await setDates(app, { classId: 'alpha', lessonId: 'walkaround', due: at(3) })
  const after = await read()
  assert.equal(after.uid, before.uid)
  assert.ok(after.sequence > before.sequence)
  assert.notEqual(after.start, before.start)
})

test('wrong addresses, and those of disabled and deleted people, are not found', async (t) => {
  const { app, create } = await open(t)
  const url = await create()
  const base = url.slice(0, url.lastIndexOf('/'))
  for (const path of [
    'x.ics',
    `${mintToken('calendar', 'production')}.ics`,
    `${mintToken('calendar', 'sandbox')}.ics`,
    `${'y'.repeat(190)}.ics`,
  ])
    assert.equal((await fetch(`${base}/${path}`)).status, 404, path)
  assert.equal((await fetch(url, { method: 'POST' })).status, 405)
  await app.sql(`update people set disabled_at = now() where handle = '@avery'`)
  assert.equal((await fetch(url)).status, 404)
  await app.sql(`update people set disabled_at = null where handle = '@avery'`)
  assert.equal((await fetch(url)).status, 200)
})

test('a class that the student has left is no longer in the feed', async (t) => {
  const { app, at, create } = await open(t)
  await setDates(app, { classId: 'alpha', due: at(2) })
  const url = await create()
  assert.match(await (await fetch(url)).text(), /SUMMARY:Alpha: class is due/)
  await app.sql(`update enrolments set status = 'dropped' where key = 'avery-alpha'`)
  assert.doesNotMatch(await (await fetch(url)).text(), /VEVENT/)
})

test('the feed is bounded: at most 1,000 events, the earliest first', async (t) => {
  const { app, at, create } = await open(t)
  await app.sql(`
    insert into lessons (key, course_id) select 'many-' || i, id from courses, generate_series(1, 490) i where key = 'course';
    insert into lesson_versions (version_id, lesson_id, position, name, description, is_assessment, instructor_graded, is_public, launch_parameters, passes_code, prerequisites, earlier)
      select k.version_id, l.id, 100 + l.id, repeat('🛩', 200), '', false, false, false, '{}', false, '{}', '{}' from lessons l join courses k on k.id = l.course_id where l.key like 'many-%';
    insert into lesson_dates (class_id, lesson_id, opens_at, due_at, closes_at, set_at)
      select c.id, l.id, '${at(1)}', '${at(2)}', '${at(3)}', now() from classes c, lessons l where c.key = 'alpha' and l.key like 'many-%'`)
  const text = await (await fetch(await create())).text()
  assert.equal(text.match(/BEGIN:VEVENT/g)!.length, 1000)
  assert.ok(text.length < 2_000_000, String(text.length))
})

test('the secret of an address is never logged, even if the request fails', async (t) => {
  const { app, create } = await open(t, { SLOW_REQUEST_MS: '1', LOG_SAMPLE: '1' })
  const url = await create()
  await fetch(url)
  await app.sql(`alter table calendar_feeds rename to feeds_gone`)
  assert.equal((await fetch(url)).status, 500)
  assert.match(app.log(), /readCalendarFile/)
  assert.ok(!app.log().includes(url.slice(-40, -10)))
})

test('the address works in the environment in which it was created', async (t) => {
  const app = await testApp(t, UNLIMITED, { withSandbox: true })
  const avery = await signInBrowser(app, 'avery')
  const { url } = (await call(avery, 'POST', FEED, {})).body
  assert.equal((await fetch(url)).status, 200)
  const other = url.replace(app.environment().url, app.environment('sandbox').url)
  assert.notEqual(other, url)
  assert.equal((await fetch(other)).status, 404)
})

test('deleting the account deletes the address', async (t) => {
  const { app, create } = await open(t)
  await create()
  await app.sql(`delete from people where handle = '@avery'`)
  assert.deepEqual(await app.sql('select * from calendar_feeds'), [])
})
