import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/buckets/testing.ts'
import { all, refused, run } from '../../kernel/imports/testing.ts'
import { makeSchool } from '../../learning/courses/testing.ts'
import { listEvents } from '../../learning/progress/testing.ts'
import { sharedApp } from '../../operations/testing/testing.ts'

const app = await sharedApp(UNLIMITED)
const issued = '2026-05-01T12:00:00Z'
const COURSE = {
  key: 'badge-course',
  course: 'course',
  name: 'Course badge',
  image: 'https://badges.example.org/a.png',
  holders: [{ handle: '@avery', issued }],
}
const OBJECTIVE = { key: 'badge-safety', course: 'course', objective: 'safety', name: 'Safety badge', type: 'wings' }
const of = (...badges: object[]) => ({ badges })
const list = () =>
  app.sql(
    `select b.key, b.name, b.type, b.issuer_name, j.key as objective, array(select p.handle from badge_assertions a join people p on p.id = a.person_id where a.badge_id = b.id order by 1) as holders
       from badges b left join objectives j on j.id = b.objective_id order by b.key`,
  )

test('badges and their holders can be imported, and a second import changes nothing', async () => {
  const file = { ...makeSchool(), ...of(COURSE, OBJECTIVE) }
  assert.deepEqual((await run(app, file)).production!.badges, all(2, 0, 0))
  const first = [
    {
      key: 'badge-course',
      name: 'Course badge',
      type: 'course',
      issuer_name: 'School',
      objective: null,
      holders: ['@avery'],
    },
    {
      key: 'badge-safety',
      name: 'Safety badge',
      type: 'wings',
      issuer_name: 'School',
      objective: 'safety',
      holders: [],
    },
  ]
  assert.deepEqual(await list(), first)
  assert.deepEqual((await run(app, file)).production!.badges, all(0, 0, 2))
  assert.deepEqual(await list(), first)
  const { body } = await (await app.as('avery')).get('/edu/v1/badge/my')
  assert.equal(body.docs[0].badgeId, 'badge-course')
  assert.equal(body.docs[0].issuedOn, '2026-05-01T12:00:00.000Z')
  // Importing holders records the past, so it emits no events.
  assert.deepEqual(await listEvents(app, 'badge.%'), [])
  const more = of({ ...COURSE, name: 'Renamed', holders: [{ handle: '@Blake', issued }] })
  assert.deepEqual((await run(app, more)).production!.badges, all(0, 1, 0))
  assert.deepEqual((await list())[0], { ...first[0], name: 'Renamed', holders: ['@avery', '@blake'] })

  // An imported holder replaces the assertion by a plugin. Listing a person twice is no error.
  await app.sql(`update badge_assertions set asserted_by = 'gs-helper', issued_at = '1990-01-01'`)
  const again = of({ ...COURSE, name: 'Renamed', holders: [...COURSE.holders, ...COURSE.holders] })
  assert.deepEqual((await run(app, again)).production!.badges, all(0, 1, 0))
  const { docs } = (await (await app.as('avery')).get('/edu/v1/badge/my')).body
  assert.deepEqual([docs.length, docs[0].assertedBy, docs[0].issuedOn], [1, null, '2026-05-01T12:00:00.000Z'])
  assert.deepEqual((await run(app, again)).production!.badges, all(0, 0, 1))
})

test('mistakes are named with their places, and nothing is written', async () => {
  const before = await list()
  const cases: [object, RegExp][] = [
    [of({ ...COURSE, course: 'none' }), /badges\[0\]\.course/],
    [of({ ...OBJECTIVE, objective: 'none' }), /badges\[0\]\.objective: must be an objective of the course/],
    [of({ ...COURSE, key: 'badge-new', name: 'Renamed' }), /badges\[0\]\.name: must be unique: the badge badge-course/],
    [of({ ...COURSE, key: 'one' }, { ...COURSE, key: 'two' }), /badges\[1\]\.name: must be unique: the badge one/],
    [of({ ...COURSE, objective: 'safety' }), /badges\[0\]: must keep its course/],
    [of({ ...COURSE, image: 'http://a.example.org' }), /badges\[0\]\.image: must be an https URL/],
    [of({ ...COURSE, holders: [{ handle: '@nobody', issued }] }), /badges\[0\]\.holders\[0\]\.handle/],
    [of({ ...COURSE, holders: [{ handle: '@avery', issued: '2099-01-01T00:00Z' }] }), /holders\[0\]\.issued: must be/],
    [of({ ...COURSE, holders: [{ handle: '@avery' }] }), /badges\[0\]\.holders\[0\]/],
  ]
  for (const [file, sentence] of cases) assert.match((await refused(run(app, file))).join('\n'), sentence)
  assert.deepEqual(await list(), before)
})
