import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSchool } from '../courses/testing.ts'
import { assertError, testApp } from '../testing/testing.ts'

const PATH = '/edu/v1/note'

test('notes', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  const [avery, blake, casey] = [await app.as('avery'), await app.as('blake'), await app.as('casey')]
  const [drew, ellis, finley] = [await app.as('drew'), await app.as('ellis'), await app.as('finley')]
  const about = { studentId: 'avery-alpha', lessonId: 'walkaround' }

  const written = await casey.put(PATH, { text: 'Looks twice.', ...about })
  const note = written.body

  await t.test('carry the ids that follow from those given', async () => {
    assert.deepEqual(note, {
      noteId: note.noteId,
      text: 'Looks twice.',
      lessonId: 'walkaround',
      userId: avery.userId,
      classId: 'alpha',
      studentId: 'avery-alpha',
      courseId: 'course',
      authorId: casey.userId,
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

  await t.test('refuse ids that do not belong together, and those of others like those of nobody', async () => {
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
      assertError(await blake.put(PATH, { text: 'x', ...ids }), 400, 4003, /names nothing that you can write/)
    assertError(await avery.put(PATH, { text: 'x', classId: 'bravo' }), 400, 4003)
    assertError(await drew.put(PATH, { text: 'x', studentId: 'avery-alpha' }), 400, 4003)
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
      assert.deepEqual([seen.userId, seen.authorId], [inSecond.userId, null])
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

  await t.test('what is smuggled in is not kept (D2)', async () => {
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
