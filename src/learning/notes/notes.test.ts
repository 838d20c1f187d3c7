import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../../kernel/imports/testing.ts'
import { assertError, type TestApp, testApp } from '../../operations/testing/testing.ts'
import { lesson, makeSchool, openSchool } from '../courses/testing.ts'

const PATH = '/edu/v1/note'

test('notes', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const [drew, ellis, finley] = [await app.as('drew'), await app.as('ellis'), await app.as('finley')]
  const about = { studentId: 'avery-alpha', lessonId: 'walkaround' }

  const written = await casey.put(PATH, { text: 'Looks twice.', ...about })
  const note = written.body

  await t.test('carry the ids that follow from the given ones', async () => {
    assert.deepEqual(note, {
      noteId: note.noteId,
      text: 'Looks twice.',
      lessonId: 'walkaround',
      userId: avery.userId,
      classId: 'alpha',
      studentId: 'avery-alpha',
      courseId: 'course',
      authorId: casey.userId,
      authorName: '@casey',
      createdDate: note.createdDate,
    })
    const derived = async (ids: object) => {
      const { lessonId, userId, classId, studentId, courseId } = (await blake.put(PATH, { text: 'x', ...ids })).body
      return [lessonId, userId, classId, studentId, courseId]
    }
    assert.deepEqual(await derived({}), [null, null, null, null, null])
    assert.deepEqual(await derived({ lessonId: 'walkaround' }), ['walkaround', null, null, null, 'course'])
    assert.deepEqual(await derived({ lessondId: 'walkaround' }), ['walkaround', null, null, null, 'course'])
    assert.deepEqual(await derived({ classId: 'alpha', studentId: 'nil' }), [null, null, 'alpha', null, 'course'])
    assert.deepEqual(await derived({ userId: blake.userId }), [null, blake.userId, null, null, null])
    assert.deepEqual(await derived({ studentId: 'blake-bravo' }), [
      null,
      blake.userId,
      'bravo',
      'blake-bravo',
      'course',
    ])
  })

  await t.test('refuse ids that do not belong together, and foreign ids like unknown ones', async () => {
    assertError(await blake.put(PATH, { text: 'x', studentId: 'blake-bravo', classId: 'alpha' }), 400, 4003, /together/)
    for (const ids of [
      { studentId: 'avery-alpha' },
      { studentId: 'nobody' },
      { classId: 'nowhere' },
      { lessonId: 'none' },
      { courseId: 'none' },
      { userId: avery.userId },
      { userId: 'nobody' },
    ])
      assertError(
        await blake.put(PATH, { text: 'x', ...ids }),
        400,
        4003,
        /is unknown, or you cannot create notes about it/,
      )
    assertError(await avery.put(PATH, { text: 'x', classId: 'bravo' }), 400, 4003)
    assertError(await drew.put(PATH, { text: 'x', studentId: 'avery-alpha' }), 400, 4003)
    // Ellis observes the class of Avery.
    assertError(await ellis.put(PATH, { text: 'x', userId: avery.userId }), 400, 4003)
    assertError(await casey.put(PATH, about), 400, 4001, /text/)
    assertError(await casey.put(PATH, { ...about, text: ' ' }), 400, 4001, /text/)
    assertError(await casey.put(PATH, { ...about, text: 'x'.repeat(10_001) }), 400, 4003)
    await app.sql(
      `insert into courses (key, organisation_id, created_at) select 'other', id, now() from organisations;
       insert into lessons (key, course_id) select 'foreign', id from courses where key = 'other'`,
    )
    assertError(await finley.put(PATH, { text: 'x', lessonId: 'foreign', courseId: 'course' }), 400, 4003)
  })

  await t.test(
    'are read by the author, the student and the instructors of the class, and by nobody else (D1)',
    async () => {
      for (const reader of [casey, avery]) {
        assert.equal((await reader.get(PATH, { noteId: note.noteId })).body.text, 'Looks twice.')
        assert.equal((await reader.get(`${PATH}/list`, about)).body.length, 1)
      }
      for (const other of [blake, drew, ellis, finley]) {
        assertError(await other.get(PATH, { noteId: note.noteId }), 404, 4042)
        assert.deepEqual((await other.get(`${PATH}/list`, about)).body, [])
        assertError(await other.post(`${PATH}/remove`, { noteId: note.noteId }), 404, 4042)
      }
      assertError(await avery.post(`${PATH}/remove`, { noteId: note.noteId }), 403, 4032)
      const inSecond = await app.as('avery', 'second')
      const seen = (await inSecond.get(PATH, { noteId: note.noteId })).body
      assert.deepEqual([seen.userId, seen.authorId, seen.authorName], [inSecond.userId, null, null])
      assertError(await app.nobody().get(PATH, { noteId: note.noteId }), 401, 4016)
    },
  )

  await t.test('are listed newest first, by all filters together', async () => {
    await casey.put(PATH, { text: 'Later.', studentId: 'avery-alpha' })
    const list = async (query: object) =>
      (await casey.get(`${PATH}/list`, query as Record<string, string>)).body.map(({ text }: { text: string }) => text)
    assert.deepEqual(await list({ studentId: 'avery-alpha' }), ['Later.', 'Looks twice.'])
    assert.deepEqual(await list({ studentId: 'avery-alpha', lessonId: 'walkaround' }), ['Looks twice.'])
    assert.deepEqual(await list({ userId: avery.userId, courseId: 'course' }), ['Later.', 'Looks twice.'])
    assert.deepEqual(await list({ studentId: 'avery-alpha', classId: 'bravo' }), [])
    assert.deepEqual(await list({ lessonId: 'none' }), [])
  })

  await t.test('smuggled fields are not stored (D2)', async () => {
    const smuggled = { authorId: avery.userId, noteId: 'mine', createdDate: '2000-01-01', userId: '' }
    const { body } = await casey.put(PATH, { text: 'x', ...about, ...smuggled })
    assert.equal(body.authorId, casey.userId)
    assert.notEqual(body.noteId, 'mine')
    assert.ok(body.createdDate > '2020')
  })

  await t.test('are removed by the author and the instructors', async () => {
    const own = await avery.put(PATH, { text: 'Mine.', studentId: 'avery-alpha' })
    assert.deepEqual((await casey.post(`${PATH}/remove`, { noteId: own.body.noteId })).body, { success: true })
    assertError(await avery.get(PATH, { noteId: own.body.noteId }), 404, 4042)
    assert.deepEqual((await casey.post(`${PATH}/remove`, { noteId: note.noteId })).body, { success: true })
    assertError(await casey.post(`${PATH}/remove`, { noteId: note.noteId }), 404, 4042)
  })
})

/** Creates a school to which neither Avery nor Casey nor Drew belongs. */
const openForeignSchool = (app: TestApp, lessons: readonly object[] = [lesson('foreign-lesson')]) =>
  run(app, {
    organisations: [{ key: 'abroad', name: 'Abroad' }],
    courses: [{ key: 'foreign-course', organisation: 'abroad', name: 'Foreign', lessons }],
    classes: [
      {
        key: 'foreign-class',
        course: 'foreign-course',
        name: 'Foreign',
        instructors: ['@ellis'],
        students: [{ handle: '@finley', id: 'foreign-student' }],
      },
    ],
  })

const NOTHING = /^(\w+) is unknown, or you cannot create notes about it$/

test('notes reveal nothing that the caller may not see', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  await openForeignSchool(app)
  const [avery, casey, drew] = [await app.as('avery'), await app.as('casey'), await app.as('drew')]

  await t.test("together with the caller's own ids, foreign ids are refused like unknown ones", async () => {
    const foreign = {
      lessonId: 'foreign-lesson',
      courseId: 'foreign-course',
      classId: 'foreign-class',
      studentId: 'foreign-student',
    }
    for (const [writer, studentId] of [
      [avery, 'avery-alpha'],
      [casey, 'avery-alpha'],
      [drew, 'blake-bravo'],
    ] as const)
      for (const own of [
        {},
        { studentId },
        { classId: studentId.split('-')[1]! },
        { lessonId: 'walkaround' },
        { courseId: 'course' },
      ])
        for (const [field, id] of Object.entries(foreign)) {
          const answers = []
          for (const value of [id, 'invented'])
            answers.push(await writer.put(PATH, { text: 'x', ...own, [field]: value }))
          for (const answer of answers) assertError(answer, 400, 4003, NOTHING)
          const [theirs, invented] = answers.map(({ body }) => body.error_description)
          assert.equal(theirs, invented)
          assert.match(invented, new RegExp(`^${field} `))
        }
    // Drew can see the course, but not the class alpha, so alpha is refused like a class that does not exist.
    for (const classId of ['alpha', 'invented'])
      assertError(await drew.put(PATH, { text: 'x', studentId: 'blake-bravo', classId }), 400, 4003, NOTHING)
  })

  await t.test('ids that the caller can see and that do not belong together are reported as such', async () => {
    await openForeignSchool(app, [lesson('foreign-lesson'), lesson('public-lesson', { public: true })])
    for (const ids of [
      { studentId: 'avery-alpha', lessonId: 'public-lesson' },
      { classId: 'alpha', lessonId: 'public-lesson' },
      { lessonId: 'walkaround', courseId: 'foreign-course' },
    ])
      assertError(await casey.put(PATH, { text: 'x', ...ids }), 400, 4003, /do not belong together.*courses/)
    assertError(await casey.put(PATH, { text: 'x', classId: 'alpha', lessonId: 'foreign-lesson' }), 400, 4003, NOTHING)
    assert.equal((await casey.put(PATH, { text: 'x', lessonId: 'public-lesson' })).status, 200)
  })

  await t.test('a student who does not exist is not left out of the note', async () => {
    for (const studentId of ['no-such-student', 'blake-bravo', 'foreign-student'])
      assertError(await casey.put(PATH, { text: 'x', classId: 'alpha', studentId }), 400, 4003, /^studentId is unknown/)
  })
})

test('notes about a lesson are about one of the class', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  // Publish a new version of the course. The classes stay on the version with which they were created.
  await run(app, makeSchool({ lessons: [lesson('walkaround'), lesson('added')] }))
  const casey = await app.as('casey')
  for (const about of [{ classId: 'alpha' }, { studentId: 'avery-alpha' }]) {
    const answer = await casey.put(PATH, { text: 'x', ...about, lessonId: 'added' })
    assertError(answer, 400, 4003, /^lessonId is not a lesson of this class$/)
    for (const lessonId of ['walkaround', 'interior'])
      assert.equal((await casey.put(PATH, { text: 'x', ...about, lessonId })).body.lessonId, lessonId)
  }
  assert.equal((await casey.put(PATH, { text: 'x', lessonId: 'added' })).body.lessonId, 'added')
})

test('notes of a class are written by its members, until it ends', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const ofClass = [
    { classId: 'alpha' },
    { studentId: 'avery-alpha' },
    { studentId: 'avery-alpha', lessonId: 'walkaround' },
    { classId: 'alpha', studentId: 'avery-alpha', lessonId: 'none' },
  ]
  const before = (await avery.put(PATH, { text: 'Before.', studentId: 'avery-alpha' })).body.noteId
  const stillReadsAndRemoves = async () => {
    const { noteId } = (await casey.put(PATH, { text: 'Of Casey.' })).body
    assert.equal((await avery.get(PATH, { noteId: before })).body.text, 'Before.')
    assert.ok((await avery.get(`${PATH}/list`, { classId: 'alpha' })).body.length > 0)
    assert.deepEqual((await casey.post(`${PATH}/remove`, { noteId })).body, { success: true })
    assert.equal((await avery.put(PATH, { text: 'About nothing.', userId: avery.userId })).status, 200)
  }

  for (const [status, why] of [
    ['suspended', /You are suspended from this class; contact your instructor/],
    ['dropped', /You are no longer in this class/],
  ] as const)
    await t.test(`not by a student who is ${status}`, async () => {
      await app.sql(`update enrolments set status = '${status}' where key = 'avery-alpha'`)
      for (const ids of ofClass) assertError(await avery.put(PATH, { text: 'x', ...ids }), 403, 4032, why)
      assert.equal((await casey.put(PATH, { text: 'Of them.', studentId: 'avery-alpha' })).status, 200)
      assert.equal((await blake.put(PATH, { text: 'x', classId: 'alpha' })).status, 200)
      await stillReadsAndRemoves()
      await app.sql(`update enrolments set status = 'active' where key = 'avery-alpha'`)
      assert.equal((await avery.put(PATH, { text: 'x', classId: 'alpha' })).status, 200)
    })

  await t.test('by nobody in a class that has ended', async () => {
    await app.sql(`update classes set ended_at = now() where key = 'alpha'`)
    for (const writer of [avery, casey])
      for (const ids of ofClass) assertError(await writer.put(PATH, { text: 'x', ...ids }), 400, 4006, /is closed/)
    for (const ids of [{ lessonId: 'walkaround' }, { courseId: 'course' }, { userId: avery.userId }])
      assert.equal((await casey.put(PATH, { text: 'x', ...ids })).status, 200)
    await stillReadsAndRemoves()
    assert.deepEqual((await avery.post(`${PATH}/remove`, { noteId: before })).body, { success: true })
  })
})
