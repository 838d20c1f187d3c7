import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, signInBrowser, UNLIMITED } from '../../apps/account/testing.ts'
import { assertError, sharedApp } from '../../operations/testing/testing.ts'
import { openSchool } from '../courses/testing.ts'
import { browse } from '../progress/testing.ts'
import { load, makeImage, makeMp4, makePdf, upload } from './testing.ts'

const app = await sharedApp(UNLIMITED)
await openSchool(app)
await app.sql(`insert into organisations (key, name, created_at) values ('other', 'Other', now());
  insert into organisation_members (organisation_id, person_id, role)
  select o.id, p.id, 'owner' from organisations o, people p where p.handle = '@drew' and o.key = 'other'`)
const [finley, drew, avery] = [
  await signInBrowser(app, 'finley'),
  await signInBrowser(app, 'drew'),
  await browse(app, 'avery'),
]
const uploaded = async (name: string, file: Buffer | string): Promise<string> =>
  (await upload(finley, name, file)).body.fileId
const picture = await uploaded('cockpit.png', await makeImage('png'))
const video = await uploaded('walkaround.mp4', makeMp4('isom'))
const captions = await uploaded('walkaround.vtt', 'WEBVTT\n\n00:00.000 --> 00:02.000\nOil\n')
const pdf = await uploaded('checklist.pdf', makePdf())
const foreign = (await upload(drew, 'foreign.pdf', makePdf(), { organisation: 'other' })).body.fileId

const save = (courseId: string, lessons: readonly object[]) =>
  call(finley, 'PUT', '/edu/v1/course', { courseId, organisation: 'school', name: courseId, lessons })
const publish = (courseId: string) => call(finley, 'POST', '/edu/v1/course/publish', { courseId })
const remove = (fileId: string) => call(finley, 'POST', '/edu/v1/file/remove', { fileId })

test('students get the files of a lesson with links, and of files of others nothing', async () => {
  const text = `# Cockpit\n\n![The cockpit](file:${picture}) and [the checklist](file:${pdf})`
  const saved = await save('files', [
    { id: 'read', name: 'Read', kind: 'page', text },
    { id: 'watch', name: 'Watch', kind: 'file', file: video, captions },
  ])
  assert.equal(saved.status, 200, saved.text)
  assert.equal((await publish('files')).status, 200)
  await call(finley, 'PUT', '/edu/v1/class', { classId: 'gamma', courseId: 'files', name: 'Gamma' })
  await app.sql(`insert into enrolments (key, class_id, person_id, status, enrolled_at, changed_at)
    select 'avery-gamma', c.id, p.id, 'active', now(), now() from classes c, people p where c.key = 'gamma' and p.handle = '@avery'`)
  const read = async (lessonId: string) =>
    (await avery.get('/edu/v1/lesson/content', { lessonId, classId: 'gamma' })).body
  const page = await read('read')
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
  assert.deepEqual(
    page.files.toSorted(byName).map(({ url: _, ...file }: { url: string }) => file),
    [
      { fileId: pdf, name: 'checklist.pdf', mediaType: 'application/pdf', bytes: makePdf().length },
      { fileId: picture, name: 'cockpit.png', mediaType: 'image/png', bytes: (await makeImage('png')).length },
    ],
  )
  for (const { url } of page.files) assert.equal((await load(url)).status, 200)
  const watched = await read('watch')
  assert.deepEqual([watched.file, watched.captions, watched.files.length], [video, captions, 2])
  const preview = await call(finley, 'GET', '/edu/v1/course/lesson?courseId=files&lessonId=watch')
  assert.equal(preview.body.files.length, 2)
})

test('a file that a published course uses cannot be deleted, and the message names the lesson', async () => {
  for (const [file, lesson] of [
    [picture, 'Read'],
    [captions, 'Watch'],
  ])
    assertError(await remove(file!), 400, 4006, new RegExp(`lesson ${lesson} of the course files uses this file`))
  const free = await uploaded('free.txt', 'nobody uses it')
  assert.equal((await remove(free)).status, 200)
})

test('a course whose files are missing, of others, or of a wrong type cannot be published', async () => {
  const wrong: [lesson: object, must: RegExp][] = [
    [{ kind: 'file', file: 'nothing' }, /one-a uses nothing, which does not exist/],
    [{ kind: 'file', file: foreign }, /which does not exist/],
    [{ kind: 'page', text: `[x](file:${foreign})` }, /which does not exist/],
    [{ kind: 'file', file: picture }, /have a PDF, video or audio as file of one-a, not image\/png/],
    [{ kind: 'file', file: video, captions: pdf }, /have WebVTT captions of one-a/],
  ]
  for (const [lesson, must] of wrong) {
    assert.equal((await save('wrong', [{ id: 'one-a', name: 'One', ...lesson }])).status, 200)
    assertError(await publish('wrong'), 400, 4003, must)
  }
})

test('a file is never deleted while a course is published with it', async () => {
  for (let i = 0; i < 5; i++) {
    const file = await uploaded(`race-${i}.pdf`, Buffer.concat([makePdf(), Buffer.from(String(i))]))
    await save(`race-${i}`, [{ id: `race-lesson-${i}`, name: 'Race', kind: 'file', file }])
    const [published, removed] = await Promise.all([publish(`race-${i}`), remove(file)])
    const outcome = [published.status, removed.status].join()
    assert.ok(['200,400', '400,200'].includes(outcome), `${outcome} ${published.text} ${removed.text}`)
  }
})
