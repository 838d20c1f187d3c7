import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../../kernel/imports/testing.ts'
import { assertError, type Client, type Person, sharedApp } from '../../operations/testing/testing.ts'
import { lesson, makeSchool } from './testing.ts'

const app = await sharedApp()
const school = makeSchool()
// A course that nobody may read without a role in it, and one that is public and has a lesson that is not.
const open = { key: 'open', organisation: 'school', name: 'Open', public: true }
const lessons = [lesson('shown', { public: true }), lesson('hidden')]
const objectives = [{ id: 'look', name: 'Look', lessons: ['shown'] }]
await run(app, { ...school, courses: [...school.courses, { ...open, lessons, objectives }] })
await app.sql(
  `insert into people (handle, handle_key, created_at, administrator)
   select '@' || name, name, now(), name = 'admin' from unnest(array['admin', 'member', 'former', 'stranger']) name;
   insert into organisation_members (organisation_id, person_id, role)
   select o.id, p.id, 'member' from organisations o, people p where o.key = 'school' and p.handle_key = 'member';
   insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
   select 'former-alpha', c.id, p.id, 'dropped', now(), now() from classes c, people p
    where c.key = 'alpha' and p.handle_key = 'former'`,
)
/** Students, instructors of both classes, an observer, the owner of the school, and an administrator. */
const INSIDE = ['avery', 'blake', 'casey', 'drew', 'ellis', 'finley', 'admin']
const OUTSIDE = ['member', 'former', 'stranger']
const as = (name: string): Promise<Client> => app.as(name as Person)

const readers: Readonly<Record<string, [path: string, query: Record<string, string>]>> = {
  'a course': ['/edu/v1/course', { courseId: 'course' }],
  'its lessons': ['/edu/v1/lesson/course', { courseId: 'course' }],
  'a lesson': ['/edu/v1/lesson', { lessonId: 'walkaround' }],
  'its objectives': ['/edu/v1/course/objectives', { courseId: 'course' }],
}

for (const [what, [path, query]] of Object.entries(readers))
  test(`D1: students and staff of its classes and its managers read ${what}, and nobody else does`, async () => {
    for (const name of INSIDE) {
      const { status, text } = await (await as(name)).get(path, query)
      assert.equal(status, 200, `${name}: ${text}`)
    }
    const unknown = Object.fromEntries(Object.keys(query).map((field) => [field, 'nothing']))
    for (const name of OUTSIDE) {
      const client = await as(name)
      const refused = await client.get(path, query)
      assertError(refused, 404, 4042)
      assert.equal(refused.text, (await client.get(path, unknown)).text, name)
    }
  })

test('D1: of a public course everybody reads the public lessons, and its managers all lessons', async () => {
  for (const name of [...INSIDE, ...OUTSIDE]) {
    const client = await as(name)
    assert.equal((await client.get('/edu/v1/course', { courseId: 'open' })).status, 200, name)
    assert.equal((await client.get('/edu/v1/lesson', { lessonId: 'shown' })).status, 200, name)
    const { body } = await client.get('/edu/v1/lesson/course', { courseId: 'open' })
    const ids = body.docs.map(({ lessonId }: { lessonId: string }) => lessonId)
    const isManager = ['finley', 'admin'].includes(name)
    assert.deepEqual([ids, body.total], isManager ? [['shown', 'hidden'], 2] : [['shown'], 1], name)
    const hidden = await client.get('/edu/v1/lesson', { lessonId: 'hidden' })
    if (isManager) assert.equal(hidden.status, 200)
    else assertError(hidden, 404, 4042)
  }
})

test('D1: the list has the courses of the caller’s classes and own organisations, and public ones', async () => {
  for (const name of [...INSIDE, ...OUTSIDE]) {
    const { body } = await (await as(name)).get('/edu/v1/course/list')
    const ids = body.docs.map(({ courseId }: { courseId: string }) => courseId)
    // Administrators can read every course, but the list is about their own.
    const hasBoth = INSIDE.includes(name) && name !== 'admin'
    assert.deepEqual([ids, body.total], hasBoth ? [['course', 'open'], 2] : [['open'], 1], name)
  }
})
