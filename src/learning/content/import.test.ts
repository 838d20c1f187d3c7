import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all, refused, run } from '../../kernel/imports/testing.ts'
import { testApp } from '../../operations/testing/testing.ts'
import { linkFiles } from './content.ts'
import { load } from './testing.ts'

const file = (changes: object = {}) => ({
  key: 'file-fuel',
  organisation: 'hangar',
  name: 'fuel.csv',
  content: Buffer.from('tail,litres\r\n').toString('base64'),
  ...changes,
})
const school = (...files: object[]) => ({ organisations: [{ key: 'hangar', name: 'Hangar Seven' }], files })

test('an imported file can be read at its link, and importing it again changes nothing', async (t) => {
  const app = await testApp(t)
  const environment = app.environment()
  assert.deepEqual((await run(app, school(file()))).production!.files, all(1, 0, 0))
  assert.deepEqual((await run(app, school(file()))).production!.files, all(0, 0, 1))
  const [linked] = await linkFiles(environment.db, { organisation: 'hangar', keys: ['file-fuel'] }, environment)
  assert.deepEqual([linked!.name, linked!.mediaType, linked!.bytes], ['fuel.csv', 'text/csv', 13])
  const loaded = await load(linked!.url)
  assert.deepEqual([loaded.status, loaded.bytes.toString()], [200, 'tail,litres\r\n'])
  assert.deepEqual(await app.sql('select used_bytes::int from file_storage'), [{ used_bytes: 13 }])
})

test('a file of another type, a changed file and a copy are refused', async (t) => {
  const app = await testApp(t)
  const script = Buffer.from('<script>alert(1)</script>').toString('base64')
  assert.match(
    (await refused(run(app, school(file({ content: script })))))[0]!,
    /^files\[0\]\.content: must be of another/,
  )
  assert.deepEqual(await refused(run(app, school(file({ content: 'no base64' })))), [
    'files[0].content: must be the bytes in Base64, at most 1 MiB',
  ])
  await run(app, school(file()))
  const other = Buffer.from('tail\r\n').toString('base64')
  assert.deepEqual(await refused(run(app, school(file({ content: other })))), [
    'files[0]: must stay the same file: file-fuel is another one',
  ])
  assert.deepEqual(await refused(run(app, school(file({ key: 'file-copy' })))), [
    'files[0]: must be unique: file-fuel is the same file',
  ])
})

test('a course with a file or a question that its organisation does not have is refused before anything is written', async (t) => {
  const app = await testApp(t)
  const course = {
    key: 'course-glider',
    organisation: 'hangar',
    name: 'Gliding',
    lessons: [
      { id: 'lesson-fuel', name: 'Fuel', kind: 'file', file: 'file-gone' },
      { id: 'lesson-winch', name: 'Winch', kind: 'quiz', quiz: { parts: [{ questions: ['question-gone'] }] } },
    ],
  }
  assert.deepEqual(await refused(run(app, { ...school(), courses: [course] })), [
    'courses[0].lessons: must use only files of the organisation: lesson-fuel uses file-gone, which does not exist',
    'courses[0].lessons: must have questions of hangar in the quiz lesson-winch: not question-gone',
  ])
})
