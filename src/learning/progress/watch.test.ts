import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { openStream, through, UNLIMITED } from '../../apps/buckets/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { assertError, type Client, testApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { classWatch } from './watch.ts'
import * as store from './watch-store.ts'

const PATH = '/edu/v1/lesson/progress'
const ALPHA = { lessonId: 'walkaround', classId: 'alpha' }
const watch = (who: Client, headers: Record<string, string> = {}, classId = 'alpha') =>
  openStream(who, { classId }, headers, '/edu/v1/class/events')
const act = async (who: Client, verb: string, what: object = ALPHA) => {
  const answer = await who.post(`${PATH}/${verb}`, what)
  assert.equal(answer.status, 200, answer.text)
}
const complete = async (who: Client) => {
  const answer = await who.post(PATH, { ...ALPHA, complete: true, pass: true, score: 90 })
  assert.equal(answer.status, 200, answer.text)
}

test('watching a class', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app)
  const second = await app.startSecond()
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const elsewhere = through(avery, second.addresses.production)
  const refusal = async (who: Client, classId = 'alpha') => {
    const { response } = await watch(who, {}, classId)
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text), text, headers: response.headers }
  }

  await t.test(
    'begins with everybody as they are, and tells what they do, whichever process they do it in',
    async () => {
      await act(avery, 'start')
      await act(avery, 'idle')
      await until('the events are in the log', async () => (await app.sql('select from event_outbox')).length === 0)
      const stream = await watch(casey)
      const ready = await stream.next()
      const nobody = { name: '', lessonId: null, state: null, result: null, score: null, changedDate: null }
      assert.deepEqual([ready.event, ready.data.classId], ['ready', 'alpha'])
      assert.deepEqual(ready.data.students, [
        {
          studentId: 'avery-alpha',
          handle: '@avery',
          name: '',
          lessonId: 'walkaround',
          state: 'idle',
          result: 'IN PROGRESS',
          score: null,
          changedDate: ready.data.students[0].changedDate,
        },
        { ...nobody, studentId: 'blake-alpha', handle: '@blake' },
      ])
      const steps: [Client, string, string][] = [
        [elsewhere, 'active', 'in progress'],
        [avery, 'pause', 'paused'],
        [elsewhere, 'resume', 'in progress'],
      ]
      for (const [who, verb, state] of steps) {
        await act(who, verb)
        const { event, data } = await stream.next(1000)
        assert.deepEqual(
          [event, data.studentId, data.lessonId, data.state],
          ['change', 'avery-alpha', 'walkaround', state],
        )
      }
      await avery.post(`${PATH}/objective`, { ...ALPHA, objectiveId: 'safety', score: 75 })
      const scored = (await stream.next(1000)).data
      assert.deepEqual([scored.kind, scored.objectiveId, scored.score], ['objective.scored', 'safety', 75])
      await complete(elsewhere)
      const done = await stream.next(1000)
      // The data has only the declared fields, so no internal id leaves the server.
      assert.deepEqual(done.data, {
        kind: 'attempt.completed',
        studentId: 'avery-alpha',
        handle: '@avery',
        name: '',
        lessonId: 'walkaround',
        objectiveId: null,
        state: 'completed',
        result: 'PASS',
        score: 90,
        changedDate: done.data.changedDate,
      })
      // An event of another class is not sent: the next event is that of Blake in alpha.
      await act(blake, 'start', { lessonId: 'walkaround', classId: 'bravo' })
      await act(blake, 'start')
      assert.equal((await stream.next(1000)).data.studentId, 'blake-alpha')
      await stream.close()
    },
  )

  await t.test('resumes at another process with what was missed, each once and in order', async () => {
    const first = await watch(casey)
    const { id } = await first.next()
    await first.close()
    for (const verb of ['pause', 'resume', 'idle']) await act(blake, verb)
    const resumed = await watch(through(casey, second.addresses.production), { 'last-event-id': id! })
    assert.deepEqual(await resumed.next(), { id, event: 'ready', data: { classId: 'alpha' } })
    const kinds = []
    for (let i = 0; i < 3; i++) kinds.push((await resumed.next()).data.kind)
    assert.deepEqual(kinds, ['attempt.paused', 'attempt.resumed', 'attempt.idle'])
    await act(blake, 'active')
    assert.equal((await resumed.next(1000)).data.kind, 'attempt.active')
    await resumed.close()
  })

  await t.test('an event id that is no longer in the log, or never was, gives reset', async () => {
    const [{ id: oldest } = {}] = await app.sql('select id::int from events order by id limit 1')
    await app.sql(`delete from events where id = ${oldest}`)
    for (const id of [String(oldest), '999999999']) {
      const stream = await watch(casey, { 'last-event-id': id })
      assert.equal((await stream.next()).event, 'ready')
      const reset = await stream.next()
      assert.deepEqual([reset.event, reset.data.students.length], ['reset', 2])
      await act(blake, 'pause')
      await act(blake, 'resume')
      assert.equal((await stream.next()).data.kind, 'attempt.paused')
      await stream.close()
    }
    for (const id of ['0', 'x', '-1', '']) {
      const stream = await watch(casey, { 'last-event-id': id })
      assert.equal((await stream.next()).data.students.length, 2)
      await stream.close()
    }
  })

  await t.test(
    'is for staff and managers; students, strangers and unknown classes are refused alike (D1)',
    async () => {
      for (const who of [casey, await app.as('ellis'), await app.as('finley')]) {
        const stream = await watch(who)
        assert.equal((await stream.next()).event, 'ready')
        await stream.close()
      }
      const [words] = new Set(
        await Promise.all(
          [avery, blake, await app.as('drew')].map(async (who) => {
            const answer = await refusal(who)
            assertError(answer, 403, 4032)
            return answer.body.error_description
          }),
        ),
      )
      assert.equal((await refusal(casey, 'nowhere')).body.error_description, words)
      assertError(await refusal(casey, 'bravo'), 403, 4032)
      assertError(await refusal(app.nobody()), 401, 4016)
    },
  )

  await t.test('ends when the role does, on every process, also while nothing happens; others go on', async () => {
    const streams = await Promise.all([
      watch(casey),
      watch(through(casey, second.addresses.production)),
      watch(await app.as('finley')),
    ])
    for (const stream of streams) await stream.next()
    const [ofCasey, ofCaseyElsewhere, ofFinley] = streams
    await app.sql(
      `delete from class_staff where role = 'instructor' and class_id = (select id from classes where key = 'alpha')`,
    )
    for (const stream of [ofCasey!, ofCaseyElsewhere!]) {
      assert.deepEqual(await stream.next(2000), { id: undefined, event: 'removed', data: { classId: 'alpha' } })
      await stream.ended()
    }
    await act(blake, 'pause')
    assert.equal((await ofFinley!.next(1000)).event, 'change')
    await ofFinley!.close()
    await app.sql(
      `insert into class_staff select c.id, p.id, 'instructor' from classes c, people p where c.key = 'alpha' and p.handle = '@casey'`,
    )
  })

  await t.test('works with the cookie of a browser, and ends when that is signed out', async () => {
    const browser = await signInBrowser(app, 'casey')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const stream = await watch(app.nobody(), { cookie })
    assert.equal((await stream.next()).event, 'ready')
    await act(blake, 'resume')
    assert.equal((await stream.next(1000)).event, 'change')
    assert.equal((await call(browser, 'POST', '/account/v1/signout', {})).status, 200)
    await stream.ended(3000)
  })

  await t.test('events of deleted accounts are skipped', async () => {
    const stream = await watch(casey)
    const { id } = await stream.next()
    await stream.close()
    await act(blake, 'pause')
    await complete(blake)
    await act(avery, 'start')
    await until('the events are in the log', async () => (await app.sql('select from event_outbox')).length === 0)
    await app.sql(`delete from people where handle = '@blake'`)
    const resumed = await watch(casey, { 'last-event-id': id! })
    await resumed.next()
    assert.deepEqual((await resumed.next()).data.studentId, 'avery-alpha')
    await resumed.close()
  })

  await t.test('fifty at once for a person', async () => {
    const feed = app.environment().get(classWatch)
    await until('earlier streams are gone', () => feed.size === 0)
    const streams = await Promise.all(Array.from({ length: 50 }, () => watch(casey)))
    assertError(await refusal(casey), 429, 4291, /A user can have at most 50 open streams/)
    const other = await watch(await app.as('finley'))
    assert.equal((await other.next()).event, 'ready')
    for (const stream of [...streams, other]) await stream.close()
    await until('all are gone', () => feed.size === 0)
  })
})

test('the newest event of a class is found by an index, however many there are', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  await app.sql(
    `insert into events select nextval('event_ids'), n % 7, 'attempt.idle', 'x', jsonb_build_object('class', n % 100), now() from generate_series(1, 20000) n;
     analyze events`,
  )
  const plan = await app.sql(`explain ${store.listNewest.text.replaceAll('$1', `'{7}'::bigint[]`)}`)
  const text = plan.map((row) => row['QUERY PLAN']).join('\n')
  assert.doesNotMatch(text, /Seq Scan on events|-> +Sort/, text)
})
