import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'

const LIST = '/edu/v1/class/list'

test('classes and courses come in pages, and every text of them is present', async (t) => {
  const app = await testApp(t)
  await openSchool(app, { alpha: { joinCode: 'ALPHA-1' } })
  const [avery, blake, casey, drew] = await Promise.all([
    app.as('avery'),
    app.as('blake'),
    app.as('casey'),
    app.as('drew'),
  ])
  const course = {
    courseId: 'course',
    name: 'Course',
    description: '',
    profilePic: '',
    coverPhoto: '',
    public: false,
    organisation: 'school',
    version: 1,
  }
  const alpha = { classId: 'alpha', groupId: 'alpha', name: 'Alpha', sequential: true, ended: false, course }
  const one = { total: 1, limit: 10, page: 1, pages: 1 }
  const asStudent = { ...alpha, joinCode: '', studentId: 'avery-alpha', role: 'student' }
  assert.deepEqual((await avery.get(LIST)).body, { docs: [asStudent], ...one })
  const asInstructor = { ...alpha, joinCode: 'ALPHA-1', studentId: '', role: 'instructor' }
  assert.deepEqual((await casey.get(LIST)).body, { docs: [asInstructor], ...one })
  assert.equal((await drew.get(LIST)).body.docs[0].joinCode, '')
  assert.deepEqual((await avery.get('/edu/v1/course/list')).body, { docs: [course], ...one })

  const { docs, ...page } = (await blake.get(LIST, { limit: '1', page: '2' })).body
  assert.deepEqual([docs.length, page], [1, { total: 2, limit: 1, page: 2, pages: 2 }])
  assert.notEqual(docs[0].classId, (await blake.get(LIST, { limit: '1' })).body.docs[0].classId)
  assertError(await blake.get(LIST, { limit: '101' }), 400, 4003, /limit/)
})
