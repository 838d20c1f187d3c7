import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { refused, run } from '../../kernel/imports/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { uploadItems } from '../packages/testing.ts'
import { auOf, blockOf } from '../packages/testing-cmi5.ts'
import { browse, PATH as PROGRESS } from '../progress/testing.ts'
import { makeSchool, openSchool } from './testing.ts'

const COURSE = '/edu/v1/course'
const app = await sharedApp(UNLIMITED)
await openSchool(app)
const [finley, drew, casey] = await Promise.all([
  signInBrowser(app, 'finley'),
  signInBrowser(app, 'drew'),
  signInBrowser(app, 'casey'),
])
await app.sql(`insert into organisations (key, name, created_at) values ('other', 'Other', now());
  insert into organisation_members (organisation_id, person_id, role)
  select o.id, p.id, 'owner' from organisations o, people p where p.handle = '@drew' and o.key = 'other'`)

/** Uploads a package with these items. */
const makePackage = (items: string, organisation = 'school'): Promise<string> =>
  uploadItems(organisation === 'school' ? finley : drew, items, { organisation })
// The items are: 0 the block, 1 and 2 its units, 3 a unit at the top.
const ITEMS = `${blockOf('urn:b', { children: auOf('urn:b1') + auOf('urn:b2') })}${auOf('urn:c')}`
const packageId = await makePackage(ITEMS)
const foreign = await makePackage(auOf('urn:f'), 'other')

const save = (lessons: readonly object[], more: object = {}) =>
  call(finley, 'PUT', COURSE, { courseId: 'cmi5', organisation: 'school', name: 'Cmi5', lessons, ...more })
const lesson = (id: string, item: number, more: object = {}) => ({
  ...{ id, name: id, kind: 'package', package: packageId, item },
  ...more,
})
const LESSONS = [
  lesson('block', 0, { childLessons: [lesson('first', 1), lesson('second', 2)] }),
  lesson('top', 3, { prerequisites: ['block'] }),
]

test('a package lesson shows a unit of a package of the organisation, and a parent lesson also a block', async () => {
  const wrong: [lessons: readonly object[], pointer: string, must: RegExp][] = [
    [[{ id: 'a', name: 'A', kind: 'package', item: 0 }], '/lessons/0/package', /set package of a: it is a package/],
    [[{ id: 'a', name: 'A', kind: 'package', package: packageId }], '/lessons/0/item', /set item of a/],
    [[{ id: 'a', name: 'A', package: packageId, item: 3 }], '/lessons/0/kind', /set kind of a/],
    [[lesson('a', 3, { kind: 'page', text: 'x' })], '/lessons/0/kind', /not set package of a/],
    [[lesson('a', 3, { package: 'nothing' })], '/lessons/0/package', /only packages of school: a uses nothing/],
    [[lesson('a', 0, { package: foreign })], '/lessons/0/package', /only packages of school/],
    [[lesson('a', 4)], '/lessons/0/item', /items that their packages have: a shows item 4/],
    [[lesson('a', 0)], '/lessons/0/item', /a unit unless they have child lessons: item 0/],
    [[lesson('a', 3, { threshold: 80 })], '/lessons/0/threshold', /not set threshold of a/],
    [[lesson('a', 3), lesson('b', 3)], '/lessons/1/item', /once: a and b show item 3/],
    [
      [lesson('a', 0, { childLessons: [lesson('b', 1, { childLessons: [] }), lesson('c', 4)] })],
      '/lessons/0/childLessons/1/item',
      /c shows item 4/,
    ],
  ]
  for (const [lessons, pointer, must] of wrong) {
    const answer = await save(lessons)
    assertError(answer, 400, 4003, must)
    assert.equal(answer.body.faults[0].pointer, pointer)
  }
  const saved = await save(LESSONS)
  assert.equal(saved.status, 200, saved.text)
  const read = await call(finley, 'GET', `${COURSE}/document?courseId=cmi5`)
  assert.deepEqual(read.body.lessons, LESSONS)
})

test('publishing keeps the package and the item with each lesson', async () => {
  assert.equal((await save(LESSONS)).status, 200)
  const published = await call(finley, 'POST', `${COURSE}/publish`, { courseId: 'cmi5' })
  assert.equal(published.status, 200, published.text)
  const rows = await app.sql(
    `select l.key, k.key as package, v.package_item as item, v.kind, v.threshold from lesson_versions v join lessons l on l.id = v.lesson_id
      join packages k on k.id = v.package_id order by v.package_item`,
  )
  assert.deepEqual(
    rows,
    ['block', 'first', 'second', 'top'].map((key, item) => ({
      ...{ key, package: packageId, item, kind: 'package', threshold: null },
    })),
  )
})

test('a course of a package is copied within its organisation only', async () => {
  assert.equal((await save(LESSONS)).status, 200)
  const copy = await call(finley, 'POST', `${COURSE}/duplicate`, { courseId: 'cmi5', newCourseId: 'copy' })
  assert.equal(copy.status, 200, copy.text)
  assert.deepEqual(
    copy.body.lessons.map((one: { package: string; item: number }) => [one.package, one.item]),
    [
      [packageId, 0],
      [packageId, 3],
    ],
  )
  await app.sql(`insert into organisation_members (organisation_id, person_id, role)
    select o.id, p.id, 'owner' from organisations o, people p where p.handle = '@finley' and o.key = 'other'`)
  const refused = await call(finley, 'POST', `${COURSE}/duplicate`, { courseId: 'cmi5', organisation: 'other' })
  assertError(refused, 400, 4006, /uses files, questions or packages of its organisation/)
  await app.sql(`delete from organisation_members m using organisations o, people p
    where o.id = m.organisation_id and p.id = m.person_id and o.key = 'other' and p.handle = '@finley'`)
})

test('an import file refers to packages by their ids, in the same organisation only', async () => {
  const withCourse = (lessons: readonly object[]) => {
    const { organisations, courses } = makeSchool()
    return { organisations, courses: [{ ...courses[0], key: 'imported', lessons, objectives: [] }] }
  }
  const imported = [lesson('imported', 3)]
  await run(app, withCourse(imported))
  const [row] = await app.sql(
    `select v.package_item as item from lesson_versions v join lessons l on l.id = v.lesson_id where l.key = 'imported'`,
  )
  assert.equal(row!.item, 3)
  for (const [wrong, must] of [
    [lesson('other', 0, { package: foreign }), /courses\[0\]\.lessons.*only packages of school/],
    [lesson('other', 9), /items that their packages have/],
  ] as const)
    assert.match((await refused(run(app, withCourse([wrong])))).join('\n'), must)
})

test('a package that a course uses cannot be deleted, and it names the courses that use it', async () => {
  const used = await makePackage(auOf('urn:used'))
  const remove = (browser = finley) => call(browser, 'POST', '/edu/v1/package/delete', { packageId: used })
  const usage = async (browser = finley) => {
    const { body } = await call(browser, 'GET', `/edu/v1/package?packageId=${used}`)
    const listed = await call(browser, 'GET', '/edu/v1/packages?organisation=school')
    const one = listed.body.docs.find(({ packageId }: { packageId: string }) => packageId === used)
    assert.deepEqual([one.courses, one.courseCount], [body.courses, body.courseCount])
    return [body.courses.map(({ courseId }: { courseId: string }) => courseId), body.courseCount]
  }
  const make = (n: number) =>
    save([lesson(`used-${n}`, 0, { package: used })], { courseId: `uses-${n}`, name: `Uses ${n}` })
  assert.deepEqual(await usage(), [[], 0])
  assert.equal((await make(1)).status, 200)
  assert.deepEqual(await usage(), [['uses-1'], 1])
  assertError(await remove(), 400, 4006, /^The package is used by Uses 1\. Remove its lessons from drafts/)
  // A course that was never published is named to those who edit it.
  assert.deepEqual(await usage(casey), [[], 1])
  await app.sql(
    `update packages set created_by = (select id from people where handle = '@casey') where key = '${used}'`,
  )
  assertError(await remove(casey), 400, 4006, /^The package is used by another course\./)
  assert.equal((await call(finley, 'POST', `${COURSE}/publish`, { courseId: 'uses-1' })).status, 200)
  assert.deepEqual(await usage(casey), [['uses-1'], 1])
  for (let n = 2; n < 8; n++) assert.equal((await make(n)).status, 200)
  assert.deepEqual(await usage(), [['uses-1', 'uses-2', 'uses-3', 'uses-4', 'uses-5'], 7])
  assertError(await remove(), 400, 4006, /Uses 5, 2 other courses\./)
  // A draft that no longer uses it does not free it while a version does.
  assert.equal((await save([lesson('used-1', 3)], { courseId: 'uses-1', name: 'Uses 1' })).status, 200)
  for (let n = 2; n < 8; n++)
    assert.equal((await call(finley, 'POST', `${COURSE}/remove`, { courseId: `uses-${n}` })).status, 200)
  assert.deepEqual(await usage(), [['uses-1'], 1])
  assertError(await remove(), 400, 4006)
  assert.equal((await call(finley, 'POST', `${COURSE}/remove`, { courseId: 'uses-1' })).status, 200)
  assert.equal((await remove()).status, 200)
})

test('a package is either deleted or used, when both are asked at once', async () => {
  for (let n = 0; n < 8; n++) {
    const raced = await makePackage(auOf(`urn:raced-${n}`))
    const courseId = `raced-${n}`
    const [saved, removed] = await Promise.all([
      save([lesson(courseId, 0, { package: raced })], { courseId }),
      call(finley, 'POST', '/edu/v1/package/delete', { packageId: raced }),
    ])
    assert.deepEqual([saved.status, removed.status].sort(), [200, 400], `${saved.text} ${removed.text}`)
  }
})

test('students and instructors do not record progress at a package lesson, its content does', async () => {
  const lessons = [{ id: 'unit', name: 'Unit', kind: 'package', package: packageId, item: 3 }]
  assert.equal((await save(lessons, { courseId: 'taken' })).status, 200)
  const published = await call(finley, 'POST', `${COURSE}/publish`, { courseId: 'taken' })
  assert.equal(published.status, 200, published.text)
  const { classes, people } = makeSchool()
  const [alpha] = classes
  await run(app, {
    people,
    classes: [
      {
        ...alpha,
        key: 'cmi5-class',
        course: 'taken',
        students: [{ handle: '@avery', id: 'avery-cmi5' }],
        name: 'Cmi5',
      },
    ],
  })
  const [avery, instructor] = [await browse(app, 'avery'), await browse(app, 'casey')]
  const what = { lessonId: 'unit', classId: 'cmi5-class' }
  const content = await avery.get('/edu/v1/lesson/content', what)
  assert.deepEqual([content.body.kind, content.body.package, content.body.item], ['package', packageId, 3])
  const refusal = /The content of this lesson reports its progress/
  for (const action of ['start', 'pause', 'resume', 'idle', 'active'])
    assertError(await avery.post(`${PROGRESS}/${action}`, what), 403, 4032, refusal)
  assertError(await avery.post(PROGRESS, { ...what, complete: true }), 403, 4032, refusal)
  assertError(await avery.post(PROGRESS, { ...what, pass: true, score: 90 }), 403, 4032, refusal)
  const student = { ...what, studentId: 'avery-cmi5' }
  assertError(await instructor.post(`${PROGRESS}/start`, student), 403, 4032, refusal)
  assertError(await instructor.post(PROGRESS, { ...student, pass: true, complete: true }), 403, 4032, refusal)
  const inApp = await app.as('avery')
  assertError(await inApp.post(`${PROGRESS}/start`, what), 403, 4032, refusal)
})
