import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { uploadItems } from '../packages/testing.ts'
import type { LessonContent } from './schema.ts'
import { openSchool } from './testing.ts'

const COURSE = '/edu/v1/course'
const app = await sharedApp(UNLIMITED)
await openSchool(app)
await app.sql(`insert into organisations (key, name, created_at) values ('other', 'Other', now());
  insert into organisation_members (organisation_id, person_id, role)
  select o.id, p.id, 'owner' from organisations o, people p where p.handle = '@drew' and o.key = 'other'`)
const [finley, drew, casey] = await Promise.all([
  signInBrowser(app, 'finley'),
  signInBrowser(app, 'drew'),
  signInBrowser(app, 'casey'),
])

const textsOf = (title: string, about: string) =>
  `<title><langstring lang="de">De ${title}</langstring><langstring lang="en-GB">${title}</langstring></title>
   <description><langstring lang="de">De</langstring><langstring lang="en">${about}</langstring></description>`
const au = (id: string, title = id, about = `About ${title}`) =>
  `<au id="urn:${id}">${textsOf(title, about)}<url>index.html</url></au>`
const block = (id: string, ...children: string[]) =>
  `<block id="urn:${id}">${textsOf(id, `About ${id}`)}${children.join('')}</block>`

const upload = (items: string, organisation = 'school'): Promise<string> =>
  uploadItems(organisation === 'school' ? finley : drew, items, { organisation })
let courses = 0
async function makeCourse(lessons: readonly object[] = [], more: object = {}): Promise<string> {
  courses++
  const what = { courseId: `course-${courses}`, organisation: 'school', name: `Course ${courses}`, lessons, ...more }
  const saved = await call(finley, 'PUT', COURSE, what)
  assert.equal(saved.status, 200, saved.text)
  return what.courseId
}
const add = (courseId: string, packageId: string, replaces?: string, browser = finley) =>
  call(browser, 'POST', `${COURSE}/package`, { courseId, packageId, ...(replaces && { replaces }) })

/** Shows lessons as their names, each with its item, and the children of a parent. */
const shapeOf = (lessons: readonly LessonContent[]): unknown[] =>
  lessons.map(({ name, item, childLessons }) => {
    const label = item === undefined ? name : `${name} ${item}`
    return childLessons ? [label, ...shapeOf(childLessons)] : label
  })
const all = (lessons: readonly LessonContent[]): LessonContent[] =>
  lessons.flatMap((lesson) => [lesson, ...(lesson.childLessons ?? [])])
const idOf = (lessons: readonly LessonContent[], name: string) => all(lessons).find((one) => one.name === name)!.id

test('the units of a package become lessons of the draft, after those that it has', async () => {
  // Positions: a 0, b 1, b1 2, inner 3, b2 4, b3 5, c 6.
  const packageId = await upload(au('a') + block('b', au('b1'), block('inner', au('b2')), au('b3')) + au('c'))
  const courseId = await makeCourse([{ id: 'talk', name: 'Talk' }])
  const { status, body, text } = await add(courseId, packageId)
  assert.equal(status, 200, text)
  assert.deepEqual([body.draft, body.version, body.name], [true, null, 'Course 1'])
  assert.deepEqual(shapeOf(body.lessons), ['Talk', 'a 0', ['b 1', 'b1 2', 'b2 4', 'b3 5'], 'c 6'])
  const { id, ...a } = body.lessons[1]
  assert.match(id, /^[A-Za-z0-9][\w.~-]{0,63}$/)
  assert.deepEqual(a, { name: 'a', description: 'About a', kind: 'package', package: packageId, item: 0 })
  // The document can be sent back as it is.
  const again = await call(finley, 'PUT', COURSE, { courseId, name: body.name, lessons: body.lessons })
  assert.deepEqual([again.status, again.body.lessons], [200, body.lessons], again.text)
  assert.equal((await call(finley, 'POST', `${COURSE}/publish`, { courseId })).status, 200)
  // A published course gets a draft again.
  const more = await add(courseId, await upload(au('d')))
  assert.deepEqual([more.status, more.body.draft, more.body.version], [200, true, 1], more.text)
  assert.deepEqual(shapeOf(more.body.lessons).at(-1), 'd 0')
})

test('only authors of the course add a package, of its organisation, and once', async () => {
  const packageId = await upload(au('once'))
  const courseId = await makeCourse()
  assertError(await add(courseId, packageId, undefined, casey), 403, 4032)
  assertError(await add('nothing', packageId), 403, 4032)
  assertError(await add(courseId, 'nothing'), 400, 4003, /packageId must be a package of school/)
  assertError(await add(courseId, await upload(au('foreign'), 'other')), 400, 4003, /must be a package of school/)
  assertError(await add(courseId, packageId, 'nothing'), 400, 4003, /replaces must be a package of which/)
  assert.equal((await add(courseId, packageId)).status, 200)
  assertError(await add(courseId, packageId), 400, 4006, /already has lessons of this package/)
  assertError(await add(courseId, packageId, packageId), 400, 4006, /already has lessons of this package/)
})

test('of two requests that add the same package at once, one is refused', async () => {
  const packageId = await upload(au('twice'))
  const courseId = await makeCourse()
  const answers = await Promise.all([add(courseId, packageId), add(courseId, packageId)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
})

test('a package with more units than a course can have lessons is refused, and says so', async () => {
  const units = (count: number, prefix = 'many') =>
    Array.from({ length: count }, (_, i) => au(`${prefix}-${i}`, 'x', 'y'))
  const tooMany = await upload(units(1501).join(''))
  const courseId = await makeCourse()
  assertError(
    await add(courseId, tooMany),
    400,
    4006,
    /at most 1500 lessons and steps, but the package Walkaround has 1501 units/,
  )
  const whole = await add(courseId, await upload(units(1000, 'top').join('') + block('wide', ...units(499, 'wide'))))
  assert.deepEqual([whole.status, whole.body.lessons?.length], [200, 1001], whole.text.slice(0, 500))
  assert.equal(whole.body.lessons[1000].childLessons.length, 499)
  assertError(await add(courseId, await upload(au('one-more'))), 400, 4006, /with this package it would have 1501/)
  const published = await call(finley, 'POST', `${COURSE}/publish`, { courseId })
  assert.equal(published.status, 200, published.text)
})

test('a new version of a package replaces the old one: lessons keep their ids, by the ids of the units', async () => {
  const old = await upload(au('a') + block('b', au('b1'), au('b2'), au('gone')) + au('c') + block('lost', au('l1')))
  const courseId = await makeCourse([{ id: `before-${courses}`, name: 'Before' }])
  const { lessons } = (await add(courseId, old)).body
  // The author renames a lesson, adds one of their own, and refers to lessons.
  const gone = idOf(lessons, 'gone')
  const edited = lessons.map((one: LessonContent) =>
    one.name === 'b'
      ? { ...one, childLessons: [...one.childLessons!, { id: `own-${courses}`, name: 'Own', prerequisites: [gone] }] }
      : one.name === 'c'
        ? { ...one, name: 'Renamed', description: 'Mine', maxAttempts: 3, prerequisites: [lessons[1].id, gone] }
        : one,
  )
  const objectives = [{ id: `objective-${courses}`, name: 'Safety', lessons: [gone, lessons[1].id] }]
  const what = { courseId, name: 'Course', lessons: edited, objectives }
  assert.equal((await call(finley, 'PUT', COURSE, what)).status, 200)
  // New: a0 before a, b3 in b, a block d. Gone: the unit gone, the block lost. Changed: the title of a. Moved: l1 to d.
  const next = await upload(
    au('a0') + au('a', 'A again') + block('b', au('b3'), au('b2'), au('b1')) + au('c') + block('d', au('d1'), au('l1')),
  )
  const { status, body, text } = await add(courseId, next, old)
  assert.equal(status, 200, text)
  assert.deepEqual(shapeOf(body.lessons), [
    'Before',
    'a0 0',
    'A again 1',
    ['b 2', 'b3 3', 'b1 5', 'b2 4', 'Own'],
    'Renamed 6',
    ['d 7', 'd1 8', 'l1 9'],
  ])
  assert.ok(all(body.lessons).every((one) => one.kind !== 'package' || one.package === next))
  for (const name of ['b', 'b1', 'b2', 'l1']) assert.equal(idOf(body.lessons, name), idOf(lessons, name), name)
  assert.equal(idOf(body.lessons, 'A again'), idOf(lessons, 'a'))
  const renamed = body.lessons[4]
  assert.deepEqual(renamed, {
    ...{ id: idOf(lessons, 'c'), name: 'Renamed', description: 'Mine', maxAttempts: 3 },
    ...{ prerequisites: [lessons[1].id], kind: 'package', package: next, item: 6 },
  })
  assert.deepEqual(body.objectives[0].lessons, [lessons[1].id])
  const own = all(body.lessons).find(({ name }) => name === 'Own')
  assert.equal(own!.prerequisites, undefined)
  // The old package is free again, because the course was never published with it.
  assert.equal((await call(finley, 'POST', '/edu/v1/package/delete', { packageId: old })).status, 200)
})

test('objectives of a package become objectives of the course, with the lessons of their units', async () => {
  const reference = (...ids: string[]) =>
    `<objectives>${ids.map((id) => `<objective idref="urn:o:${id}"/>`).join('')}</objectives>`
  const objective = (id: string) => `<objective id="urn:o:${id}">${textsOf(id, `About ${id}`)}</objective>`
  const unit = (id: string, ...objectives: string[]) =>
    `<au id="urn:${id}">${textsOf(id, id)}${objectives.length ? reference(...objectives) : ''}<url>index.html</url></au>`
  const around = (id: string, on: string, ...children: string[]) =>
    `<block id="urn:${id}">${textsOf(id, id)}${reference(on)}${children.join('')}</block>`
  const old = await upload(
    `<objectives>${['fuel', 'wind', 'none'].map(objective).join('')}</objectives>${unit('a', 'fuel')}${unit('p')}${around('b', 'wind', unit('b1'), around('in', 'fuel', unit('b2')))}`,
  )
  const courseId = await makeCourse()
  const { body, text } = await add(courseId, old)
  const namesOf = (course: { lessons: LessonContent[]; objectives: { name: string; lessons: string[] }[] }) =>
    course.objectives.map(({ name, lessons }) => [
      name,
      ...lessons.map((id) => all(course.lessons).find((lesson) => lesson.id === id)!.name),
    ])
  assert.deepEqual(
    namesOf(body),
    [
      ['fuel', 'a', 'b2'],
      ['wind', 'b1', 'b2'],
    ],
    text,
  )
  assert.equal(body.objectives[0].description, 'About fuel')
  assert.equal((await call(finley, 'POST', `${COURSE}/publish`, { courseId })).status, 200)
  // In the new version, b1 is gone, c is new and teaches wind, and so is the objective ice.
  const next = await upload(
    `<objectives>${['fuel', 'wind', 'ice'].map(objective).join('')}</objectives>${unit('a', 'fuel')}${around('b', 'wind', around('in', 'fuel', unit('b2')))}${unit('c', 'wind', 'ice')}`,
  )
  const replaced = await add(courseId, next, old)
  assert.deepEqual(
    namesOf(replaced.body),
    [
      ['fuel', 'a', 'b2'],
      ['wind', 'b2', 'c'],
      ['ice', 'c'],
    ],
    replaced.text,
  )
  assert.equal(replaced.body.objectives[1].id, body.objectives[1].id)
})

test('what the author has removed or regrouped stays so when a package is replaced', async () => {
  const old = await upload(block('b', au('b1'), au('b2')) + block('e', au('e1')) + au('c'))
  const courseId = await makeCourse()
  const { lessons } = (await add(courseId, old)).body
  const [b, e] = lessons
  const [b1] = b.childLessons
  // b2 is removed, b1 stands at the top, e1 is a step of a lesson of the author, and there is no lesson for b and e.
  const part = { id: `part-${courses}`, name: 'Part', childLessons: e.childLessons }
  const what = { courseId, name: 'Course', lessons: [part, b1, lessons[2]] }
  assert.equal((await call(finley, 'PUT', COURSE, what)).status, 200)
  const next = await upload(block('b', au('b1'), au('b2'), au('b3')) + block('e', au('e1')) + au('c') + au('f'))
  const { body, status, text } = await add(courseId, next, old)
  assert.equal(status, 200, text)
  assert.deepEqual(shapeOf(body.lessons), [['Part', 'e1 5'], 'b1 1', 'b3 3', 'c 6', 'f 7'])
})

test('a block whose units are all gone goes too, and the steps of the author move up', async () => {
  const old = await upload(block('b', au('b1')) + block('k', au('k1')) + au('c'))
  const courseId = await makeCourse()
  const { lessons } = (await add(courseId, old)).body
  const [b, k, c] = lessons
  const own = { id: `own-${courses}`, name: 'Own' }
  const what = { courseId, name: 'Course', lessons: [{ ...b, childLessons: [...b.childLessons, own] }, k, c] }
  assert.equal((await call(finley, 'PUT', COURSE, what)).status, 200)
  // The block b and its unit vanish, and k1 moves out of its block.
  const next = await upload(block('k', au('k2')) + au('k1') + au('c'))
  const { status, body, text } = await add(courseId, next, old)
  assert.equal(status, 200, text)
  assert.deepEqual(shapeOf(body.lessons), ['Own', ['k 0', 'k2 1'], 'k1 2', 'c 3'])
  assert.equal(body.lessons[2].id, k.childLessons[0].id)
})
