import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { listEvents } from '../../learning/progress/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { ASSERTION, addBadge, BADGE, earned, openHelper, openSchools } from './testing.ts'

const PATH = '/edu/v1/badge'
const app = await sharedApp(UNLIMITED)
await openSchools(app)
await app.sql(`update people set administrator = true where handle = '@ellis'`)
const helper = await openHelper(app, { key: 'helper' })
const other = await openHelper(app, { key: 'other', organisations: ['other'] })
const both = await openHelper(app, { key: 'both', organisations: ['school', 'other'] })
const averyId = await helper.userIdOf('avery')
const [finley, ellis, avery] = [
  await signInBrowser(app, 'finley'),
  await signInBrowser(app, 'ellis'),
  await signInBrowser(app, 'avery'),
]
const WHOLE = {
  name: 'Preflight',
  description: 'Two\nlines',
  type: 'wings',
  image: 'https://badges.example.org/a.png',
  issuerName: 'The school',
  criteria: 'Pass',
}
const assertions = async (userId: string, { client } = helper) => (await client.get(ASSERTION, { userId })).body

test('a plugin makes badges of courses and objectives; the same name again changes its own badge', async () => {
  const { body, status, text } = await helper.client.post(BADGE, { ...WHOLE, courseId: 'course' })
  assert.equal(status, 200, text)
  const { badgeId, createdDate, updatedDate, ...rest } = body
  assert.match(badgeId, /^[\w-]{22}$/)
  assert.equal(createdDate, updatedDate)
  assert.deepEqual(rest, { ...WHOLE, courseId: 'course', objectiveId: null, organisation: 'school' })
  const ofObjective = await helper.client.post(BADGE, { name: 'Safety', objectiveId: 'safety' })
  assert.deepEqual(
    { ...ofObjective.body, badgeId: '', createdDate: '', updatedDate: '' },
    {
      badgeId: '',
      name: 'Safety',
      description: '',
      type: 'objective',
      image: '',
      issuerName: 'School',
      criteria: '',
      courseId: 'course',
      objectiveId: 'safety',
      organisation: 'school',
      createdDate: '',
      updatedDate: '',
    },
  )
  const again = await helper.client.post(BADGE, { name: 'Preflight', courseId: 'course', criteria: 'Pass all' })
  assert.equal(again.body.badgeId, badgeId)
  assert.equal(again.body.criteria, 'Pass all')
  assert.equal(again.body.image, WHOLE.image)
  assertError(await both.client.post(BADGE, { ...WHOLE, courseId: 'course' }), 409, 4091)

  const list = async (path: string, query: object, { client } = helper) =>
    (await client.get(`${BADGE}/${path}`, { ...query })).body.map(({ name }: { name: string }) => name)
  await addBadge(other, { courseId: 'elsewhere', name: 'Far' })
  assert.deepEqual(await list('course', {}), ['Preflight'])
  assert.deepEqual(await list('course', { courseId: 'course' }), ['Preflight'])
  assert.deepEqual(await list('objective', {}), ['Safety'])
  assert.deepEqual(await list('objective', { objectiveId: 'safety' }), ['Safety'])
  assert.deepEqual(await list('course', {}, both), ['Preflight', 'Far'])
  assert.deepEqual(await list('course', { orgIds: 'other' }, both), ['Far'])
  assert.deepEqual(await list('course', { orgIds: 'other', courseId: 'course' }, both), [])
})

test('ten parallel creations of one badge create one, and a course has at most twenty', async () => {
  const make = (name: string) => both.client.post(BADGE, { name, courseId: 'elsewhere' })
  const made = await Promise.all(Array.from({ length: 10 }, () => make('Once')))
  assert.equal(new Set(made.map(({ body }) => body.badgeId)).size, 1)
  const many = await Promise.all(Array.from({ length: 20 }, (_, n) => make(`Badge ${n}`)))
  // The badges Far and Once exist already, so only 18 more fit.
  assert.equal(many.filter(({ status }) => status === 200).length, 18)
  assertError(await make('One more'), 400, 4006, /at most 20/)
  assert.equal((await make('Once')).status, 200)
})

test("a plugin's own badge is stored as sent; a badge of the platform keeps the platform's fields", async () => {
  const own = await helper.client.post(ASSERTION, earned(averyId, { lessonId: 'anything', versionId: '7.1' }))
  assert.equal(own.status, 200, own.text)
  assert.deepEqual(
    { ...own.body, assertionId: '' },
    {
      ...earned(averyId),
      assertionId: '',
      lessonId: 'anything',
      classId: null,
      versionId: '7.1',
      organisation: null,
      assertedBy: 'gs-helper',
    },
  )
  const badgeId = await addBadge(helper, { ...WHOLE, name: 'Said', courseId: 'course' })
  const context = { lessonId: 'walkaround', classId: 'alpha', versionId: '1' }
  const platform = await helper.client.post(ASSERTION, earned(averyId, { badgeId, ...context }))
  assert.deepEqual(
    { ...platform.body, assertionId: '' },
    {
      ...earned(averyId),
      assertionId: '',
      badgeId,
      name: 'Said',
      type: WHOLE.type,
      image: WHOLE.image,
      issuerName: WHOLE.issuerName,
      ...context,
      organisation: 'school',
      assertedBy: 'gs-helper',
    },
  )
  const blakeId = await helper.userIdOf('blake')
  // A lesson, a class and a version 2 exist, but of another course.
  await app.sql(
    `with version as (
       insert into course_versions (course_id, number, name, description, is_public, document, published_at)
       select id, 2, 'Elsewhere', '', false, '{}', now() from courses where key = 'elsewhere' returning id, course_id
     ), lesson as (insert into lessons (key, course_id) select 'far-lesson', course_id from version)
     insert into classes (key, course_id, version_id, name, is_sequential, created_at)
     select 'far-class', course_id, id, 'Far', false, now() from version`,
  )
  const missing = [{ lessonId: 'none' }, { classId: 'none' }, { versionId: '3' }]
  for (const wrong of [...missing, { lessonId: 'far-lesson' }, { classId: 'far-class' }, { versionId: '2' }])
    assertError(await helper.client.post(ASSERTION, earned(blakeId, { badgeId, ...wrong })), 404, 4042)
  assert.deepEqual(await assertions(blakeId), [])
  assert.deepEqual(await assertions(averyId), [platform.body, own.body])

  // `both` sees the school's badge although `helper` asserted it, but not the badge of `helper`'s own.
  const ofBoth = await both.userIdOf('avery')
  const seen = (await assertions(ofBoth, both)).map((one: Record<string, unknown>) => [one.userId, one.badgeId])
  assert.deepEqual(seen, [[ofBoth, badgeId]])
  const blakeOfOther = await other.userIdOf('blake')
  assert.deepEqual(await assertions(blakeOfOther, other), [])
  // The plugin cannot see the badge with this id, so the assertion is stored as a badge of the plugin's own.
  const strange = await other.client.post(ASSERTION, earned(blakeOfOther, { badgeId }))
  assert.equal(strange.body.organisation, null)
  assert.equal(strange.body.name, 'Own badge')
  assert.deepEqual(await assertions(blakeId), [])
})

test('the same assertion again changes nothing, and ten at once are one, with one event', async () => {
  const blakeId = await helper.userIdOf('blake')
  const before = (await listEvents(app, 'badge.%')).length
  const what = earned(blakeId, { badgeId: 'raced' })
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => helper.client.post(ASSERTION, { ...what, name: `Name ${n}` })),
  )
  for (const { status, body } of answers) {
    assert.equal(status, 200)
    assert.deepEqual(body, answers[0]!.body)
  }
  const again = await helper.client.post(ASSERTION, { ...what, name: 'Later', issuedOn: '2026-06-01T00:00:00Z' })
  assert.deepEqual(again.body, answers[0]!.body)
  const rows = await app.sql(
    `select id::int, person_id::int, badge_key from badge_assertions where badge_key = 'raced'`,
  )
  assert.equal(rows.length, 1)
  const [row] = rows
  const events = (await listEvents(app, 'badge.%')).slice(before)
  assert.deepEqual(events, [
    {
      kind: 'badge.asserted',
      payload: {
        assertion: row!.id,
        person: row!.person_id,
        badge: null,
        badgeKey: 'raced',
        organisation: null,
        plugin: helper.pluginId,
      },
    },
  ])
})

test('a plugin gives a person a thousand badges at most', async () => {
  await app.sql(
    `insert into badge_assertions (person_id, owner_id, badge_key, name, type, image, issuer_name, issued_at, asserted_by, created_at)
     select p.id, ${both.pluginId}, 'many-' || i, 'x', 'x', '', 'x', now(), '${both.clientId}', now() from people p, generate_series(1, 1000) i where p.handle = '@drew'`,
  )
  const userId = await both.userIdOf('drew')
  assertError(await both.client.post(ASSERTION, earned(userId)), 400, 4006, /1000 badges/)
  assert.equal((await both.client.post(ASSERTION, earned(userId, { badgeId: 'many-1' }))).status, 200)
  await app.sql(`delete from badge_assertions where badge_key like 'many-%'`)
})

test('owners and administrators manage badges of their organisation; nobody else does', async () => {
  const made = await call(finley, 'PUT', PATH, { ...WHOLE, name: 'Of the school', courseId: 'course' })
  assert.equal(made.status, 200, made.text)
  const { badgeId } = made.body
  assertError(await call(finley, 'PUT', PATH, { name: 'Of the school', courseId: 'course' }), 409, 4091)
  // A course and its objective may each have a badge of the same name.
  assert.equal((await call(ellis, 'PUT', PATH, { name: 'Of the school', objectiveId: 'safety' })).status, 200)
  const changed = await call(ellis, 'POST', PATH, { badgeId, name: 'Renamed', image: '' })
  assert.equal(changed.body.name, 'Renamed')
  assert.equal(changed.body.image, '')
  assert.equal(changed.body.criteria, WHOLE.criteria)
  assertError(await call(finley, 'POST', PATH, { badgeId, name: 'Said' }), 409, 4091)
  assertError(await call(finley, 'POST', PATH, { badgeId, image: 'ftp://x' }), 400, 4003)
  const { body } = await call(finley, 'GET', `${PATH}/list?organisation=school&limit=100`)
  assert.equal(body.total, 5)
  assert.ok(body.docs.some((one: { badgeId: string }) => one.badgeId === badgeId))
  for (const browser of [avery, await signInBrowser(app, 'casey')]) {
    assertError(await call(browser, 'PUT', PATH, { name: 'Mine', courseId: 'course' }), 403, 4032)
    assertError(await call(browser, 'POST', PATH, { badgeId, name: 'Mine' }), 403, 4032)
    assertError(await call(browser, 'POST', `${PATH}/remove`, { badgeId }), 403, 4032)
    assertError(await call(browser, 'GET', `${PATH}/list?organisation=school`), 403, 4032)
  }
  for (const what of [{ courseId: 'elsewhere' }, { courseId: 'none' }, { objectiveId: 'far' }])
    assertError(await call(finley, 'PUT', PATH, { name: 'Mine', ...what }), 403, 4032)
  assertError(await call(finley, 'POST', `${PATH}/remove`, { badgeId: 'none' }), 403, 4032)
  assert.equal((await call(finley, 'POST', `${PATH}/remove`, { badgeId })).status, 200)
  assertError(await call(finley, 'POST', PATH, { badgeId, name: 'Gone' }), 403, 4032)
  const actions = await app.sql(`select distinct action from audit_entries where action like 'badge.%' order by 1`)
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['badge.changed', 'badge.created', 'badge.removed'],
  )
})

test('a held badge stays as it was awarded when the badge changes or is removed, and its holder can read it', async () => {
  const { body } = await call(finley, 'PUT', PATH, { ...WHOLE, name: 'Kept', courseId: 'course' })
  const held = await helper.client.post(ASSERTION, earned(averyId, { badgeId: body.badgeId }))
  await call(finley, 'POST', PATH, { badgeId: body.badgeId, name: 'Another name' })
  await call(finley, 'POST', `${PATH}/remove`, { badgeId: body.badgeId })
  const now = (await assertions(averyId)).find((one: { badgeId: string }) => one.badgeId === body.badgeId)
  assert.deepEqual(now, held.body)
  const { assertionId: _assertionId, userId: _userId, ...shown } = held.body
  const own = await call(avery, 'GET', `${PATH}/my?limit=100`)
  assert.deepEqual(
    own.body.docs.find((one: { badgeId: string }) => one.badgeId === body.badgeId),
    shown,
  )
  assert.deepEqual((await (await app.as('avery')).get(`${PATH}/my`, { limit: 100 })).body, own.body)
  assert.equal((await (await app.as('casey')).get(`${PATH}/my`)).body.total, 0)
})

test('removing a badge during an assertion, or a course while it gets a badge, causes no error', async () => {
  const blakeId = await helper.userIdOf('blake')
  for (let round = 0; round < 5; round++) {
    const { body } = await call(finley, 'PUT', PATH, { name: `Round ${round}`, courseId: 'course' })
    const [asserted, removed] = await Promise.all([
      helper.client.post(ASSERTION, earned(blakeId, { badgeId: body.badgeId })),
      call(finley, 'POST', `${PATH}/remove`, { badgeId: body.badgeId }),
    ])
    assert.deepEqual([asserted.status, removed.status], [200, 200])
    // If the badge was removed first, its id was unknown, and the fields that the plugin sent were stored.
    assert.ok([`Round ${round}`, 'Own badge'].includes(asserted.body.name), asserted.text)
    const gone = `gone-${round}`
    await app.sql(
      `with made as (insert into courses (key, organisation_id, created_at) select '${gone}', id, now() from organisations where key = 'school' returning id)
       insert into course_versions (course_id, number, name, description, is_public, document, published_at) select id, 1, 'Gone', '', false, '{}', now() from made;
       update courses k set version_id = v.id from course_versions v where v.course_id = k.id and k.key = '${gone}'`,
    )
    const [added] = await Promise.all([
      helper.client.post(BADGE, { name: 'x', courseId: gone }),
      app.sql(`delete from courses where key = '${gone}'`),
    ])
    assert.ok([200, 400, 404].includes(added.status), added.text)
  }
})
