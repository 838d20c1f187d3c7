import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { openExport, readAll, unzip } from '../../identity/exports/testing.ts'
import { complete } from '../../learning/progress/testing.ts'
import { readPages } from '../../operations/testing/pages.ts'
import { sharedApp } from '../../operations/testing/testing.ts'
import { AI, ASSERTION, earned, openHelper, openSchools } from '../badges/testing.ts'

const RECORDS = `${AI}/record-data`
const INFO = `${AI}/additional-info`
const app = await sharedApp(UNLIMITED)
await openSchools(app)
const helper = await openHelper(app, { key: 'helper' })
const both = await openHelper(app, { key: 'both', organisations: ['school', 'other'] })
const avery = await app.as('avery')
const averyId = await helper.userIdOf('avery')
const browser = await signInBrowser(app, 'avery')
const blakes = await app.as('blake')

type Body = { userId: string; courses: { courseId: string }[] }[]
const read = async ({ client } = helper, query: object = {}): Promise<Body> => {
  const { status, body, text } = await client.get(RECORDS, { limit: 100, ...query })
  assert.equal(status, 200, text)
  return body
}
const recordOf = async (userId: string, from = helper) => (await read(from)).find((one) => one.userId === userId)

test('a record says what a person has learned and can do', async () => {
  assert.deepEqual(await recordOf(averyId), {
    userId: averyId,
    dutyTitle: '',
    afsc: '',
    education: [],
    courses: [
      {
        courseId: 'course',
        name: 'Course',
        organisation: 'school',
        lessons: 5,
        lessonsPassed: 0,
        completed: false,
        completedDate: null,
        score: null,
      },
    ],
    badges: [],
    skills: [],
  })
  const said = { hobbies: ['gliding'], skills: ['night flying'], afsc: '11F3', education: ['BSc'] }
  assert.equal((await call(browser, 'PUT', '/account/v1/skills', said)).status, 200)
  await app.sql(
    `update people set service = '{"displayDutyTitle": "Crew Chief", "displayRank": "TSgt"}' where handle = '@avery'`,
  )
  await complete(avery, { lessonId: 'walkaround', classId: 'alpha' }, { pass: true, score: 70 })
  await helper.client.post(ASSERTION, earned(averyId))
  const record = (await recordOf(averyId))!
  assert.deepEqual(
    { ...record, courses: record.courses.map((one) => ({ ...one })) },
    {
      userId: averyId,
      dutyTitle: 'Crew Chief',
      afsc: '11F3',
      education: ['BSc'],
      courses: [
        {
          ...record.courses[0]!,
          courseId: 'course',
          lessonsPassed: 1,
          completed: false,
          completedDate: null,
          score: 70,
        },
      ],
      badges: [
        { badgeId: 'own-badge', name: 'Own badge', issuedOn: '2026-05-01T12:00:00.000Z', assertedBy: 'gs-helper' },
      ],
      skills: ['night flying'],
    },
  )
  const { body } = await helper.client.get(`${AI}/other-skills`, { userId: averyId })
  assert.deepEqual(body, { userId: averyId, hobbies: ['gliding'], skills: ['night flying'] })
})

test('of a course that is taken twice, the class with the most progress counts; another attempt takes nothing away', async () => {
  const id = await helper.userIdOf('blake')
  for (const [lessonId, report] of [
    ['walkaround', { pass: true }],
    ['checklist', { pass: true, score: 90 }],
    ['interior', { pass: true }],
    ['exterior', { pass: true }],
    ['checkride', { pass: true, score: 80 }],
  ] as const)
    await complete(blakes, { lessonId, classId: 'bravo' }, report)
  await complete(blakes, { lessonId: 'walkaround', classId: 'alpha' }, { pass: true })
  const [course] = (await recordOf(id))!.courses as Record<string, unknown>[]
  assert.equal((await recordOf(id))!.courses.length, 1)
  assert.deepEqual(
    { ...course, completedDate: typeof course!.completedDate },
    {
      courseId: 'course',
      name: 'Course',
      organisation: 'school',
      lessons: 5,
      lessonsPassed: 5,
      completed: true,
      completedDate: 'string',
      score: 85,
    },
  )
  assert.match(String(course!.completedDate), /^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/)
  await complete(blakes, { lessonId: 'walkaround', classId: 'bravo' }, { pass: false })
  const [again] = (await recordOf(id))!.courses as Record<string, unknown>[]
  assert.equal(again!.completed, true)
  // After leaving a class, people keep a course that they have completed there; an incomplete course is no longer
  // listed.
  await app.sql(`update enrolments set status = 'dropped' where key in ('blake-bravo', 'avery-alpha')`)
  assert.equal(((await recordOf(id))!.courses[0] as Record<string, unknown>).completed, true)
  assert.deepEqual((await recordOf(averyId))!.courses, [])
  await app.sql(`update enrolments set status = 'active'`)
})

test('a plugin reads of courses and badges of its own organisations only', async () => {
  const strange = await openHelper(app, { key: 'strange', organisations: ['other'] })
  await helper.client.post(ASSERTION, earned(await helper.userIdOf('blake')))
  // Blake belongs to both organisations, has completed a course of the school, and holds a badge of `helper`.
  const recordOfBlake = async (from: typeof helper) => {
    const { courses, badges } = (await recordOf(await from.userIdOf('blake'), from)) as unknown as {
      courses: { courseId: string }[]
      badges: { badgeId: string }[]
    }
    return [courses.map(({ courseId }) => courseId), badges.map(({ badgeId }) => badgeId)]
  }
  assert.deepEqual(await recordOfBlake(helper), [['course'], ['own-badge']])
  assert.deepEqual(await recordOfBlake(both), [['course'], []])
  assert.deepEqual(await recordOfBlake(strange), [[], []])
})

test('pages are complete and in a stable order; a person in two organisations is listed once', async () => {
  await app.sql(
    `with made as (insert into people (handle, handle_key, created_at) select '@page-' || i, 'page-' || i, now() from generate_series(1, 57) i returning id)
     insert into organisation_members (organisation_id, person_id, role)
     select o.id, m.id, 'member' from made m, organisations o where o.key = 'school' or (o.key = 'other' and m.id % 2 = 0)`,
  )
  const collect = async (query: object) => {
    const pages = await readPages(
      1,
      (page) => read(both, { limit: 7, page, ...query }),
      (some, number) => (some.length < 7 ? undefined : number + 1),
    )
    return pages.flat().map(({ userId }) => userId)
  }
  const all = await collect({})
  // Avery, Blake, Finley, Drew, and the 57 people created above.
  assert.equal(all.length, 4 + 57)
  assert.equal(new Set(all).size, all.length)
  assert.deepEqual(await collect({}), all)
  assert.deepEqual(await collect({ orgIds: 'school,other' }), all)
  const ofSchool = await collect({ orgIds: 'school' })
  assert.equal(ofSchool.length, 3 + 57)
  assert.deepEqual(
    all.filter((id) => ofSchool.includes(id)),
    ofSchool,
  )
  assert.equal((await both.client.get(RECORDS)).body.length, 10)
  // Parallel requests that are the first to list a person create only one userId for that person.
  const fresh = await openHelper(app, { key: 'fresh' })
  const answers = await Promise.all(Array.from({ length: 5 }, () => read(fresh)))
  for (const answer of answers) assert.deepEqual(answer, answers[0])
})

test('people who leave the organisation, are disabled or anonymous disappear at once, and so do those of a lost organisation', async () => {
  const finley = await helper.userIdOf('finley')
  const sees = async () => [
    (await read()).some(({ userId }) => userId === finley),
    (await helper.client.get(`${AI}/other-skills`, { userId: finley })).status === 200,
  ]
  assert.deepEqual(await sees(), [true, true])
  for (const [off, on] of [
    [`update people set disabled_at = now() where handle = '@finley'`, `update people set disabled_at = null`],
    [`update people set anonymous = true where handle = '@finley'`, `update people set anonymous = false`],
    [
      `delete from plugin_organisations where plugin_id = ${helper.pluginId}`,
      `insert into plugin_organisations select ${helper.pluginId}, id, now() from organisations where key = 'school'`,
    ],
    [
      `delete from organisation_members where person_id = (select id from people where handle = '@finley')`,
      `insert into organisation_members select o.id, p.id, 'owner' from organisations o, people p where o.key = 'school' and p.handle = '@finley'`,
    ],
  ] as const) {
    await app.sql(off)
    assert.deepEqual(await sees(), [false, false], off)
    await app.sql(on)
    assert.deepEqual(await sees(), [true, true], on)
  }
})

test('additional data is replaced, is private to its plugin, and is in the download', async () => {
  const write = (info: unknown, { client, userIdOf } = helper) =>
    userIdOf('avery').then((userId) => client.post(INFO, { userId, info }))
  for (const info of [null, 'text', 7, [1, { a: null }], 'x'.repeat(65_534), { note: 'last' }]) {
    const { status, body, text } = await write(info)
    assert.equal(status, 200, text)
    assert.deepEqual({ ...body, updatedDate: '' }, { userId: averyId, info, updatedDate: '' })
  }
  assert.equal((await write({ note: 'of another' }, both)).status, 200)
  await Promise.all(Array.from({ length: 10 }, (_, n) => write({ n })))
  const rows = await app.sql(`select info from additional_info where plugin_id = ${helper.pluginId}`)
  assert.equal(rows.length, 1)
  await write({ note: 'last' })
  const files = unzip(await readAll(await openExport(browser)))
  const json = (name: string) => JSON.parse(files.get(name)!.toString('utf8'))
  assert.deepEqual(
    json('additional-info.json').map(({ updatedDate: _updatedDate, ...rest }: Record<string, unknown>) => rest),
    [
      { clientId: 'gs-both', name: 'both', info: { note: 'of another' } },
      { clientId: 'gs-helper', name: 'helper', info: { note: 'last' } },
    ],
  )
  assert.deepEqual(
    json('badges.json').map((one: Record<string, unknown>) => [one.badgeId, one.assertedBy]),
    [['own-badge', 'gs-helper']],
  )
  assert.deepEqual(json('skills.json').afsc, '11F3')
})
