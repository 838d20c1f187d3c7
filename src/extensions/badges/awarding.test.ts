import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser } from '../../apps/account/testing.ts'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { run } from '../../kernel/imports/testing.ts'
import { complete, listEvents, PATH as PROGRESS } from '../../learning/progress/testing.ts'
import { type Person, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { AI, ASSERTION, earned, openHelper, openSchools } from './testing.ts'

const PATH = '/edu/v1/badge'

/** All lessons of the course except the walkaround and the checkride. */
const MIDDLE = [
  ['checklist', { pass: true, score: 90 }],
  ['interior', { pass: true }],
  ['exterior', { pass: true }],
] as const

const heldBy = async (app: TestApp, person: Person): Promise<string[]> =>
  (await (await app.as(person)).get(`${PATH}/my`, { limit: 100 })).body.docs
    .map(({ name }: { name: string }) => name)
    .sort()

/** Waits until the consumer of the badges module has read all events and none of its jobs is left. */
async function settle(app: TestApp): Promise<void> {
  await until('all events are read and no job waits', async () => {
    const [row] = await app.sql(
      `select (select count(*) from event_outbox)::int as waiting, (select count(*) from jobs where kind = 'badges.give')::int as jobs,
              coalesce((select max(id) from events), 0)::int <= (select position from event_consumers where name = 'badges')::int as is_read`,
    )
    return row!.waiting === 0 && row!.jobs === 0 && row!.is_read === true
  })
}

async function open(t: Parameters<typeof testApp>[0]) {
  const app = await testApp(t, UNLIMITED)
  await openSchools(app)
  const finley = await signInBrowser(app, 'finley')
  const make = async (fields: object): Promise<string> => {
    const { status, text, body } = await call(finley, 'PUT', PATH, fields)
    assert.equal(status, 200, text)
    return body.badgeId
  }
  return { app, finley, make }
}

test('badges are given when they are earned, once, and stay', async (t) => {
  const { app, finley, make } = await open(t)
  const course = await make({ name: 'Course badge', courseId: 'course', image: 'an-image' })
  const objective = await make({ name: 'Safety badge', objectiveId: 'safety' })
  const blake = await app.as('blake')
  const pass = (lessonId: string, report: object, classId = 'bravo') => complete(blake, { lessonId, classId }, report)

  await t.test('not before every lesson is passed, in one class', async () => {
    await pass('walkaround', { pass: true })
    for (const [lessonId, report] of MIDDLE) await pass(lessonId, report)
    await pass('checkride', { pass: false, score: 95 })
    // Blake passes the missing lesson, but in class alpha instead of bravo. Alpha is sequential, so it would not accept
    // the last lesson first.
    await app.sql(`update classes set is_sequential = false where key = 'alpha'`)
    await pass('checkride', { pass: true, score: 95 }, 'alpha')
    await settle(app)
    assert.deepEqual(await heldBy(app, 'blake'), [])
    assert.deepEqual(await listEvents(app, 'badge.%'), [])
  })

  await t.test('then by the platform, with one event for each, whose fields are pinned here', async () => {
    await pass('checkride', { pass: true, score: 95 })
    await settle(app)
    assert.deepEqual(await heldBy(app, 'blake'), ['Course badge', 'Safety badge'])
    const { body } = await blake.get(`${PATH}/my`)
    const { issuedOn, ...held } = body.docs.find((one: { badgeId: string }) => one.badgeId === course)
    assert.ok(Date.parse(issuedOn))
    assert.deepEqual(held, {
      badgeId: course,
      name: 'Course badge',
      type: 'course',
      image: 'an-image',
      issuerName: 'School',
      lessonId: null,
      classId: 'bravo',
      versionId: '1',
      organisation: 'school',
      assertedBy: null,
    })
    const rows = await app.sql(
      `select id::int as assertion, person_id::int as person, badge_id::int as badge, badge_key as "badgeKey", organisation_id::int as organisation, null as plugin
         from badge_assertions order by id`,
    )
    const events = await listEvents(app, 'badge.%')
    assert.deepEqual(
      events.map(({ payload }) => payload).sort((a, b) => Number(a.assertion) - Number(b.assertion)),
      rows,
    )
    const [subject] = await app.sql(`select distinct subject from events where kind = 'badge.asserted'`)
    assert.equal(subject!.subject, `person:${rows[0]!.person}`)
    assert.deepEqual(rows.map(({ badgeKey }) => badgeKey).sort(), [course, objective].sort())
  })

  await t.test('another pass, a worse try, a grade that takes it away and a reset change nothing', async () => {
    await pass('checkride', { pass: true, score: 100 })
    await pass('walkaround', { pass: false })
    const drew = await signInBrowser(app, 'drew')
    const student = { lessonId: 'checkride', studentId: 'blake-bravo', reason: 'Looked again.' }
    const graded = await call(drew, 'POST', `${PROGRESS}/grade`, { ...student, pass: false, score: 1 })
    assert.equal(graded.status, 200, graded.text)
    const reset = await call(drew, 'POST', `${PROGRESS}/reset`, { ...student, lessonId: 'walkaround' })
    assert.equal(reset.status, 200, reset.text)
    await settle(app)
    assert.deepEqual(await heldBy(app, 'blake'), ['Course badge', 'Safety badge'])
    assert.equal((await listEvents(app, 'badge.%')).length, 2)
  })

  await t.test('events that are read again award nothing twice', async () => {
    await app.sql(`update event_consumers set position = 0 where name = 'badges'`)
    await settle(app)
    assert.equal((await listEvents(app, 'badge.%')).length, 2)
    assert.equal((await app.sql('select from badge_assertions')).length, 2)
  })

  await t.test('a new badge is given to those who have earned it before', async () => {
    await make({ name: 'Afterwards', objectiveId: 'safety' })
    await settle(app)
    // Blake no longer meets the objective, because the walkaround was reset above.
    assert.deepEqual(await heldBy(app, 'blake'), ['Course badge', 'Safety badge'])
    await pass('checkride', { pass: true, score: 100 })
    await pass('walkaround', { pass: true })
    await settle(app)
    assert.ok((await heldBy(app, 'blake')).includes('Afterwards'))
    const late = await make({ name: 'Late', courseId: 'course' })
    await settle(app)
    assert.ok((await heldBy(app, 'blake')).includes('Late'))
    assert.deepEqual(await heldBy(app, 'avery'), [])
    await call(finley, 'POST', `${PATH}/remove`, { badgeId: late })
    assert.ok((await heldBy(app, 'blake')).includes('Late'))
  })

  await t.test(
    'what a plugin asserted is known as its word, and gives way once the badge is earned; never the other way round',
    async () => {
      const helper = await openHelper(app, { key: 'helper' })
      const [avery, userId] = [await app.as('avery'), await helper.userIdOf('avery')]
      const before = (await listEvents(app, 'badge.%')).length
      const assertCourse = async (issuedOn: string) => {
        const fields = { badgeId: course, issuedOn, lessonId: 'walkaround', classId: 'bravo' }
        const { status, body, text } = await helper.client.post(ASSERTION, earned(userId, fields))
        assert.equal(status, 200, text)
        return body
      }
      type HeldBadge = { badgeId: string; assertedBy: string | null }
      const shown = async (): Promise<HeldBadge[]> => {
        const [record] = (await helper.client.get(`${AI}/record-data`, { limit: 100 })).body.filter(
          (one: { userId: string }) => one.userId === userId,
        )
        const own = (await avery.get(`${PATH}/my`, { limit: 100 })).body.docs
        const seen = (await helper.client.get(ASSERTION, { userId })).body
        return [record.badges, own, seen].map((list: HeldBadge[]) => list.find(({ badgeId }) => badgeId === course)!)
      }
      const forged = await assertCourse('1990-01-01T00:00:00.000Z')
      assert.deepEqual([forged.assertedBy, forged.issuedOn], [helper.clientId, '1990-01-01T00:00:00.000Z'])
      for (const { assertedBy } of await shown()) assert.equal(assertedBy, helper.clientId)

      // Avery completes the course in two classes. The events of both may be processed in one batch.
      await run(app, {
        classes: [{ key: 'zulu', course: 'course', name: 'Zulu', students: [{ handle: '@avery', id: 'avery-zulu' }] }],
      })
      for (const classId of ['alpha', 'zulu'])
        for (const lessonId of ['walkaround', 'checklist', 'interior', 'exterior', 'checkride'])
          await complete(avery, { lessonId, classId }, { pass: true, score: 90 })
      await settle(app)
      assert.deepEqual(await heldBy(app, 'avery'), ['Afterwards', 'Course badge', 'Safety badge'])
      const given = await assertCourse('1991-01-01T00:00:00.000Z')
      const { assertionId, assertedBy, classId, lessonId, versionId, issuedOn } = given
      assert.deepEqual(
        { assertionId, assertedBy, classId, lessonId, versionId },
        { assertionId: forged.assertionId, assertedBy: null, classId: 'alpha', lessonId: null, versionId: '1' },
      )
      assert.ok(Date.parse(issuedOn) > Date.parse('2000-01-01'))
      for (const { assertedBy } of await shown()) assert.equal(assertedBy, null)

      // One event for the plugin's assertion, then one for the platform's award, whose `plugin` is null.
      const events = (await listEvents(app, 'badge.%'))
        .slice(before)
        .filter(({ payload }) => payload.badgeKey === course)
      assert.deepEqual(
        events.map(({ payload }) => payload.plugin),
        [helper.pluginId, null],
      )
      await app.sql(`update event_consumers set position = 0 where name = 'badges'`)
      await settle(app)
      assert.deepEqual(await assertCourse('1992-01-01T00:00:00.000Z'), given)
    },
  )

  await t.test('an assertion still names its plugin after the plugin was removed', async () => {
    const gone = await openHelper(app, { key: 'gone' })
    const fields = { badgeId: objective }
    const { status } = await gone.client.post(ASSERTION, earned(await gone.userIdOf('finley'), fields))
    assert.equal(status, 200)
    await app.sql(`delete from apps where client_id = '${gone.clientId}'`)
    const { docs } = (await (await app.as('finley')).get(`${PATH}/my`)).body
    assert.equal(docs.find(({ badgeId }: { badgeId: string }) => badgeId === objective).assertedBy, gone.clientId)
  })
})

test('an objective is met with its lessons passed and a score of 80; a score that was reported counts before the lesson’s', async (t) => {
  const { app, make } = await open(t)
  await make({ name: 'Safety badge', objectiveId: 'safety' })
  const blake = await app.as('blake')
  const bravo = (lessonId: string) => ({ lessonId, classId: 'bravo' })
  const score = async (lessonId: string, points: number) => {
    const body = { ...bravo(lessonId), objectiveId: 'safety', score: points }
    assert.equal((await blake.post(`${PROGRESS}/objective`, body)).status, 200)
  }
  await complete(blake, bravo('walkaround'), { pass: true })
  await complete(blake, bravo('checkride'), { pass: true, score: 100 })
  await settle(app)
  // The walkaround has no score: the mean covers only lessons with a score.
  assert.deepEqual(await heldBy(app, 'blake'), ['Safety badge'])

  const avery = await app.as('avery')
  await app.sql(`update classes set is_sequential = false`)
  const alpha = (lessonId: string) => ({ lessonId, classId: 'alpha' })
  await complete(avery, alpha('walkaround'), { pass: true, score: 50 })
  await complete(avery, alpha('checkride'), { pass: true, score: 100 })
  await settle(app)
  assert.deepEqual(await heldBy(app, 'avery'), [])
  for (const points of [59, 60]) {
    const body = { ...alpha('walkaround'), objectiveId: 'safety', score: points }
    assert.equal((await avery.post(`${PROGRESS}/objective`, body)).status, 200)
    await settle(app)
    assert.deepEqual(await heldBy(app, 'avery'), points === 60 ? ['Safety badge'] : [])
  }
  await score('walkaround', 0)
  await settle(app)
  assert.deepEqual(await heldBy(app, 'blake'), ['Safety badge'])
})

test('ten completions at once, read by two processes, are one badge', async (t) => {
  const { app, make } = await open(t)
  await app.startSecond()
  await make({ name: 'Course badge', courseId: 'course' })
  // Avery is in ten classes of the course, and completes the last lesson of all ten in parallel.
  const classes = Array.from({ length: 10 }, (_, n) => `class-${n}`)
  await run(app, {
    classes: classes.map((key) => ({
      key,
      course: 'course',
      name: key,
      students: [{ handle: '@avery', id: `avery-${key}` }],
    })),
  })
  await app.sql(
    `insert into standings (enrolment_id, lesson_id, state, result, is_passed, changed_at)
     select e.id, l.id, 'completed', 'PASS', true, now() from enrolments e, lessons l where e.key like 'avery-class-%' and l.key <> 'walkaround'`,
  )
  const avery = await app.as('avery')
  await Promise.all(classes.map((classId) => complete(avery, { lessonId: 'walkaround', classId }, { pass: true })))
  await settle(app)
  assert.deepEqual(await heldBy(app, 'avery'), ['Course badge'])
  assert.equal((await app.sql('select from badge_assertions')).length, 1)
  assert.equal((await listEvents(app, 'badge.%')).length, 1)
})
