import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { audited, openClasses } from './testing-roster.ts'

const LOCK = '/edu/v1/class/lock'
const LESSON = '/edu/v1/lesson'

test('a manual lock wins over the course, and one for a student over one for the class', async (t) => {
  const app = await testApp(t)
  const { get, put, post } = await openClasses(app)
  const [avery, blake] = [await app.as('avery'), await app.as('blake')]
  /** Reads whether a lesson is locked, and checks that all operations that show it agree. */
  const isLocked = async (who: typeof avery, lessonId: string) => {
    const { body: lesson } = await who.get(LESSON, { lessonId, classId: 'alpha' })
    const { body: locks } = await who.get(`${LESSON}/progress/lock`, { classId: 'alpha' })
    const { body: course } = await who.get(`${LESSON}/course`, { courseId: 'course', limit: 100 })
    const find = (
      list: { lessonId: string; locked: boolean; childLessons?: { lessonId: string; locked: boolean }[] }[],
    ) => list.flatMap((one) => [one, ...(one.childLessons ?? [])]).find((one) => one.lessonId === lessonId)?.locked
    // The request for the course names no class, so the student's newest class is used. For Blake this is bravo, so the
    // result is not compared.
    const told = [lesson.locked, find(locks), ...(who === avery ? [find(course.docs)] : [])]
    assert.equal(new Set(told).size, 1, `${lessonId}: ${told}`)
    return told[0]
  }
  const set = async (what: object) =>
    assert.equal((await put('casey', LOCK, { classId: 'alpha', ...what })).status, 200)
  const clear = async (what: object) =>
    assert.deepEqual((await post('casey', `${LOCK}/clear`, { classId: 'alpha', ...what })).body, { success: true })
  const start = async (who: typeof avery, lessonId: string) =>
    who.post(`${LESSON}/progress/start`, { lessonId, classId: 'alpha' })

  assert.deepEqual([await isLocked(avery, 'walkaround'), await isLocked(avery, 'checkride')], [false, true])
  await set({ lessonId: 'checkride', locked: false })
  await set({ lessonId: 'walkaround', locked: true })
  assert.deepEqual([await isLocked(avery, 'walkaround'), await isLocked(avery, 'checkride')], [true, false])
  assertError(await start(avery, 'walkaround'), 400, 4006, /locked/)

  await set({ lessonId: 'checkride', studentId: 'avery-alpha', locked: true })
  await set({ lessonId: 'walkaround', studentId: 'avery-alpha', locked: false })
  assert.deepEqual([await isLocked(avery, 'walkaround'), await isLocked(avery, 'checkride')], [false, true])
  assert.deepEqual([await isLocked(blake, 'walkaround'), await isLocked(blake, 'checkride')], [true, false])
  const byHand = (lessonId: string, studentId: string | null, locked: boolean) => ({
    classId: 'alpha',
    lessonId,
    studentId,
    locked,
  })
  assert.deepEqual((await get('casey', `${LOCK}?classId=alpha`)).body, [
    byHand('walkaround', null, true),
    byHand('walkaround', 'avery-alpha', false),
    byHand('checkride', null, false),
    byHand('checkride', 'avery-alpha', true),
  ])
  assertError(await get('avery', `${LOCK}?classId=alpha`), 403, 4032)
  assert.equal((await start(avery, 'walkaround')).status, 200)
  assert.equal((await start(blake, 'checkride')).status, 200)
  // A lock prevents starting a lesson, but a lesson that was already started can go on.
  await set({ lessonId: 'checkride', locked: true })
  const pause = { lessonId: 'checkride', classId: 'alpha' }
  assert.equal((await blake.post(`${LESSON}/progress/pause`, pause)).status, 200)
  assertError(await start(avery, 'checkride'), 400, 4006, /locked/)

  await clear({ lessonId: 'walkaround', studentId: 'avery-alpha' })
  await clear({ lessonId: 'checkride', studentId: 'avery-alpha' })
  assert.deepEqual([await isLocked(avery, 'walkaround'), await isLocked(avery, 'checkride')], [true, true])
  await clear({ lessonId: 'walkaround' })
  await clear({ lessonId: 'checkride' })
  await clear({ lessonId: 'checkride' })
  assert.deepEqual([await isLocked(avery, 'walkaround'), await isLocked(avery, 'checkride')], [false, true])
  // A lock of a parent lesson also applies to its child lessons, unless a child lesson has a lock of its own.
  await set({ lessonId: 'checklist', locked: false })
  assert.equal(await isLocked(avery, 'interior'), false)
  await set({ lessonId: 'interior', locked: true })
  assert.equal(await isLocked(avery, 'interior'), true)

  assert.deepEqual(await audited(app), [
    'lesson.unlocked alpha by casey',
    'lesson.locked alpha by casey',
    'lesson.locked avery alpha by casey',
    'lesson.unlocked avery alpha by casey',
    'lesson.locked alpha by casey',
    'lesson.lock-cleared avery alpha by casey',
    'lesson.lock-cleared avery alpha by casey',
    'lesson.lock-cleared alpha by casey',
    'lesson.lock-cleared alpha by casey',
    'lesson.unlocked alpha by casey',
    'lesson.locked alpha by casey',
  ])
})

test('clearing a lock leaves the locks of students, of other lessons and of other classes', async (t) => {
  const app = await testApp(t)
  const { get, put, post } = await openClasses(app)
  await app.sql(
    `insert into class_staff (class_id, person_id, role)
     select c.id, p.id, 'instructor' from classes c, people p where c.key = 'bravo' and p.handle_key = 'casey'`,
  )
  const locks: readonly { classId: string; lessonId: string; studentId?: string }[] = [
    { classId: 'alpha', lessonId: 'walkaround' },
    { classId: 'alpha', lessonId: 'walkaround', studentId: 'avery-alpha' },
    { classId: 'alpha', lessonId: 'walkaround', studentId: 'blake-alpha' },
    { classId: 'alpha', lessonId: 'checkride' },
    { classId: 'bravo', lessonId: 'walkaround' },
  ]
  const list = async () => {
    const found = [await get('casey', `${LOCK}?classId=alpha`), await get('casey', `${LOCK}?classId=bravo`)]
    return found.flatMap(({ body }) =>
      body.map((one: Record<string, string>) => [one.classId, one.lessonId, one.studentId].join(' ').trim()),
    )
  }
  for (const cleared of locks) {
    for (const lock of locks) await put('casey', LOCK, { ...lock, locked: true })
    assert.equal((await list()).length, locks.length)
    assert.deepEqual((await post('casey', `${LOCK}/clear`, cleared)).body, { success: true })
    const left = locks.filter((lock) => lock !== cleared).map((lock) => Object.values(lock).join(' '))
    assert.deepEqual((await list()).sort(), left.sort())
  }
})

test('a lock is for a lesson and a student of the class', async (t) => {
  const app = await testApp(t)
  const { put } = await openClasses(app)
  const set = (what: object) => put('casey', LOCK, { classId: 'alpha', lessonId: 'walkaround', locked: true, ...what })
  assertError(await set({ lessonId: 'none' }), 404, 4042)
  assertError(await set({ studentId: 'blake-bravo' }), 400, 4003)
  assert.equal((await set({ studentId: 'blake-bravo' })).text, (await set({ studentId: 'nobody' })).text)
  assertError(await set({ classId: 'bravo' }), 403, 4032)
  assertError(await set({ locked: null }), 400, 4001)
  assert.deepEqual(await app.sql('select * from lesson_locks'), [])
  const { body } = await set({ studentId: 'avery-alpha', set_by: 1, is_locked: false, enrolmentId: 1 })
  assert.deepEqual(body, { classId: 'alpha', lessonId: 'walkaround', studentId: 'avery-alpha', locked: true })

  await t.test('ten at once make one', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => set({ locked: i % 2 === 0 })))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal((await app.sql('select * from lesson_locks where enrolment_id is null')).length, 1)
  })
})
