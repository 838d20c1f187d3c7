import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSchool } from '../../learning/courses/testing.ts'
import { type Browsing, browse, CLASS, complete, PATH } from '../../learning/progress/testing.ts'
import { type Client, testApp } from '../../operations/testing/testing.ts'

const WALKAROUND = { classId: 'alpha', lessonId: 'walkaround' }
const AVERY = { studentId: 'avery-alpha' }
const MINUTE_MS = 60_000

interface TimelineEntry {
  readonly at: string
  readonly kind: string
  readonly data: Record<string, unknown>
  readonly [name: string]: unknown
}

test('the timeline of one student, newest first', async (t) => {
  const app = await testApp(t)
  await openSchool(app)
  app.holdClock()
  const [avery, casey, ellis] = [await app.as('avery'), await browse(app, 'casey'), await browse(app, 'ellis')]
  const inApp = await app.as('casey')
  const time = () => app.environment().clock().toISOString()
  const tick = () => {
    app.advance(MINUTE_MS)
    return time()
  }
  const began = time()
  const lessonResultId = (await avery.post(`${PATH}/start`, WALKAROUND)).body.lessonResultId
  const idle = tick()
  await avery.post(`${PATH}/idle`, WALKAROUND)
  const scored = tick()
  await avery.post(`${PATH}/objective`, { ...WALKAROUND, objectiveId: 'safety', score: 75 })
  const ended = tick()
  await avery.post(PATH, { ...WALKAROUND, complete: true, pass: true, score: 90 })
  const noted = tick()
  const note = (await inApp.put('/edu/v1/note', { text: 'Looks twice.', ...AVERY, lessonId: 'walkaround' })).body
  const graded = tick()
  await casey.post(`${PATH}/grade`, { ...AVERY, lessonId: 'walkaround', score: 80, reason: 'One was missed.' })
  // These events belong to another student or another class, so they must not appear.
  await complete(await app.as('blake'), WALKAROUND, {})
  await complete(await app.as('blake'), { ...WALKAROUND, classId: 'bravo' }, {})
  await (await app.as('blake')).post(`${PATH}/objective`, { ...WALKAROUND, objectiveId: 'safety', score: 60 })
  const other = { studentId: 'blake-alpha', lessonId: 'walkaround', score: 70, reason: 'Late.' }
  assert.equal((await casey.post(`${PATH}/grade`, other)).status, 200)

  const [result, grade] = [
    { pass: true, score: 80, result: 'PASS' },
    { pass: true, score: 90, result: 'PASS' },
  ]
  // The grade was the last report, so it counts as the source of what the attempt says.
  const reported = { via: 'instructor', app: null, at: graded, afterTheFact: false, beforeEnrolment: false }
  const of = { lessonId: 'walkaround', lessonResultId }
  const nobody = { byId: null, byName: null }
  const expected = [
    {
      at: graded,
      kind: 'grade',
      ...of,
      byId: null,
      byName: '@casey',
      data: { before: grade, after: result, reason: 'One was missed.' },
    },
    {
      at: noted,
      kind: 'note',
      lessonId: 'walkaround',
      lessonResultId: null,
      byId: null,
      byName: '@casey',
      data: { noteId: note.noteId, text: 'Looks twice.' },
    },
    { at: ended, kind: 'completed', ...of, byId: null, byName: '@casey', data: { ...result, reported } },
    {
      at: scored,
      kind: 'objective',
      ...of,
      byId: null,
      byName: '@avery',
      data: { objectiveId: 'safety', score: 75, name: 'Safety' },
    },
    { at: idle, kind: 'idle', ...of, ...nobody, data: { end: ended } },
    { at: began, kind: 'progress', ...of, ...nobody, data: { end: ended } },
    { at: began, kind: 'started', ...of, ...nobody, data: {} },
  ]
  const read = async (who: Client | Browsing, query: Record<string, string> = {}) => {
    const { status, body, text } = await who.get(`${CLASS}/timeline`, { ...AVERY, ...query })
    assert.equal(status, 200, text)
    return body as { docs: TimelineEntry[]; next: string | null }
  }

  await t.test('is read with one request, in plain words', async () => {
    assert.deepEqual(await read(casey), { docs: expected, next: null })
  })
  await t.test('has no notes for people who may not read them', async () => {
    assert.deepEqual(
      (await read(ellis)).docs,
      expected.filter(({ kind }) => kind !== 'note'),
    )
  })
  await t.test('identifies people by the user ids of the calling app', async () => {
    const { docs } = await read(avery)
    assert.deepEqual(docs.map(({ kind, byId, byName }) => [kind, byId, byName]).slice(0, 4), [
      ['grade', inApp.userId, '@casey'],
      ['note', inApp.userId, '@casey'],
      ['completed', inApp.userId, '@casey'],
      ['objective', avery.userId, '@avery'],
    ])
    const elsewhere = await read(await app.as('avery', 'second'))
    assert.deepEqual([elsewhere.docs[0]!.byId, elsewhere.docs[0]!.byName], [null, null])
  })
  await t.test('pages lose nothing, even of simultaneous events', async () => {
    for (const limit of [1, 2, 3, 5, 6, 7]) {
      const all: TimelineEntry[] = []
      for (let before: string | null | undefined; before !== null; ) {
        const page: Awaited<ReturnType<typeof read>> = await read(casey, {
          limit: String(limit),
          ...(before ? { before } : {}),
        })
        assert.ok(page.docs.length <= limit + 1)
        all.push(...page.docs)
        before = page.next
      }
      assert.deepEqual(all, expected, `limit ${limit}`)
    }
  })
  await t.test('includes events of an old attempt that continued long after later ones', async () => {
    const checklist = { classId: 'alpha', lessonId: 'checklist' }
    await avery.post(`${PATH}/start`, checklist)
    await avery.post(`${PATH}/pause`, checklist)
    for (let i = 0; i < 3; i++) {
      tick()
      await complete(avery, WALKAROUND, { pass: true })
    }
    const resumed = tick()
    await avery.post(`${PATH}/resume`, checklist)
    const [newest] = (await read(casey, { limit: '1' })).docs
    assert.deepEqual([newest!.at, newest!.kind, newest!.lessonId], [resumed, 'progress', 'checklist'])
  })
})
