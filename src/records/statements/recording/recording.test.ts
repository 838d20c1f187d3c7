import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInBrowser } from '../../../apps/account/testing.ts'
import { UNLIMITED } from '../../../apps/buckets/testing.ts'
import { leavingPolicy, removeByHandle } from '../../../identity/people/deletion.ts'
import { until } from '../../../kernel/database/test-database.ts'
import { idOf, run } from '../../../kernel/imports/testing.ts'
import { makeSchool, openSchool } from '../../../learning/courses/testing.ts'
import { makePackage, uploadPackage } from '../../../learning/packages/testing.ts'
import { freshAttempt } from '../../../learning/progress/attempt.ts'
import { authorizeLesson } from '../../../learning/progress/authorize.ts'
import { insert, update, withStudentLock } from '../../../learning/progress/progress.ts'
import { moveTo } from '../../../learning/progress/rules.ts'
import { browse, listEvents, PATH } from '../../../learning/progress/testing.ts'
import { testApp } from '../../../operations/testing/testing.ts'
import { findFaults } from '../faults/faults.ts'
import type { Activity, Statement } from '../model/statement.ts'
import { presentStatement } from '../query/query.ts'
import { statementRecorder } from './recording.ts'

const WALKAROUND = { lessonId: 'walkaround', classId: 'alpha' }

test('events of attempts become statements, and statements of apps are visible', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app)
  const environment = app.environment()
  const { db, url } = environment
  const [avery, casey] = [await app.as('avery'), await browse(app, 'casey')]
  const list = async (isOwn: boolean) => {
    const rows = await app.sql(
      `select s.seq::float8, s.payload from statements s join statement_links l using (seq) where l.is_own = ${isOwn} order by s.seq`,
    )
    return rows.map((row) => presentStatement(row as { seq: number; payload: string })) as (Statement & {
      object: Activity
    })[]
  }
  const wordOf = ({ verb }: Statement) => verb.id.split('/').at(-1)
  const waitFor = async (count: number) => {
    await until(`${count} statements`, async () => (await list(true)).length >= count)
    return list(true)
  }

  const { lessonResultId } = (await avery.post(`${PATH}/start`, WALKAROUND)).body
  await avery.post(`${PATH}/pause`, WALKAROUND)
  await avery.post(`${PATH}/resume`, WALKAROUND)
  await avery.post(`${PATH}/objective`, { ...WALKAROUND, objectiveId: 'safety', score: 75 })
  await avery.post(PATH, { ...WALKAROUND, complete: true, pass: true, score: 90 })
  await casey.post(`${PATH}/grade`, {
    studentId: 'avery-alpha',
    lessonId: 'walkaround',
    pass: false,
    score: 40,
    reason: 'Seen it.',
  })

  await t.test('starting, finishing and scoring are recorded once, in conformant statements', async () => {
    const all = await waitFor(7)
    assert.deepEqual(all.map(wordOf), ['initialized', 'scored', 'completed', 'passed', 'scored', 'failed', 'scored'])
    for (const one of all) {
      assert.deepEqual(findFaults(one, '2.0.0'), [])
      assert.match(one.id!, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8/)
      assert.deepEqual(one.actor.account, { homePage: url, name: '@avery' })
      assert.equal(one.context!.extensions![`${url}/xapi/api-id/lesson-result`], lessonResultId)
    }
    assert.equal(new Set(all.map(({ context }) => context!.registration)).size, 1)
    assert.deepEqual(
      all.map(({ object }) => object.id.split('/').slice(-2).join('/')),
      ['lesson/walkaround', 'objective/safety', ...Array(5).fill('lesson/walkaround')],
    )
    assert.deepEqual(all[1]!.result, { score: { scaled: 0.75, raw: 75, min: 0, max: 100 } })
    assert.equal(all[2]!.result!.completion, true)
    assert.match(all[2]!.result!.duration!, /^PT\d+\.\d\dS$/)
    assert.deepEqual([all[3]!.result!.success, all[5]!.result!.success], [true, false])
    const links = await app.sql(
      'select distinct lesson_id, class_id, enrolment_id, attempt_id, person_id from statement_links',
    )
    assert.equal(links.length, 1)
    assert.ok(Object.values(links[0]!).every((id) => id !== null))
  })

  await t.test('an event that is delivered again writes nothing', async () => {
    const events = await app.sql(
      `select id::int, kind, subject, payload, at from events where kind like 'attempt.%' or kind = 'objective.scored' order by id`,
    )
    const taken = events.filter(({ kind }) => (statementRecorder.kinds as readonly unknown[]).includes(kind))
    assert.equal(taken.length, 4)
    const before = await list(true)
    await db.transaction((tx) => statementRecorder.handle(tx, taken as never, environment))
    assert.deepEqual(await list(true), before)
  })

  const sent = await avery.post('/edu/v1/xapi/statement', {
    actor: avery.userId,
    verb: 'Correct Item Selected',
    object: { lessonId: 'walkaround', lessonResultId, questionText: 'Which?' },
  })
  const timeline = async (limit: number, before?: string) => {
    const { body } = await casey.get('/edu/v1/class/timeline', {
      studentId: 'avery-alpha',
      limit: String(limit),
      ...(before ? { before } : {}),
    })
    return body as { docs: { kind: string; at: string }[]; next: string | null }
  }

  await t.test(
    'a statement sent by an app is in the timeline and in the results, the platform’s own are not',
    async () => {
      const { docs } = await timeline(100)
      const found = docs.filter(({ kind }) => kind === 'statement')
      assert.deepEqual(found, [
        {
          at: found[0]!.at,
          kind: 'statement',
          lessonId: 'walkaround',
          lessonResultId,
          byId: null,
          byName: '@avery',
          data: {
            statementId: sent.body.statementId,
            verb: `${url}/xapi/verbs/correct-item-selected`,
            verbName: 'Correct Item Selected',
            timestamp: null,
            result: null,
            extensions: {
              [`${url}/xapi/api-id/lesson`]: 'walkaround',
              [`${url}/xapi/api-id/v1/questionText`]: 'Which?',
            },
          },
        },
      ])
      assert.equal(docs[0]!.kind, 'statement')
      const results = (await casey.get('/edu/v1/class/result', { classId: 'alpha', studentId: 'avery-alpha' })).body
      assert.deepEqual(
        results.lessons.map((one: { statements: number }) => one.statements),
        [1, 0, 0, 0, 0],
      )
    },
  )

  await t.test('pages of the timeline lose none of many simultaneous statements', async () => {
    const send = () =>
      avery.post('/edu/v1/xapi/statement', { actor: avery.userId, verb: 'x', object: { lessonId: 'walkaround' } })
    await Promise.all(Array.from({ length: 30 }, send))
    // Void some statements: voided statements are not shown, and do not count towards the size of a page.
    await app.sql(
      `update statements set is_voided = true where seq in (select seq from statement_links where not is_own order by seq desc limit 9)`,
    )
    const whole = (await timeline(200)).docs
    const pages: unknown[] = []
    for (let before: string | null | undefined; before !== null; ) {
      const page: Awaited<ReturnType<typeof timeline>> = await timeline(4, before)
      pages.push(...page.docs)
      before = page.next
    }
    assert.equal(whole.filter(({ kind }) => kind === 'statement').length, 22)
    assert.deepEqual(pages, whole)
  })

  await t.test('deleting an account deletes its statements and those that name it', async () => {
    const object = { id: 'https://app.example.org/1', extensions: { [`${url}/xapi/api-id/lesson`]: 'walkaround' } }
    const instructor = { account: { homePage: url, name: '@avery' } }
    const blake = await app.as('blake')
    const say = {
      actor: { account: { homePage: url, name: '@blake' } },
      verb: { id: 'http://adlnet.gov/expapi/verbs/asked' },
      object,
    }
    const kept = (await blake.post('/edu/v2/xapi/statement', say)).body.statementId
    assert.equal((await blake.post('/edu/v2/xapi/statement', { ...say, context: { instructor } })).status, 200)
    const who = { at: environment.clock(), requestId: 'test', address: 'test' }
    await removeByHandle(db, who, { handle: '@avery' }, environment.get(leavingPolicy))
    // Casey is only named as an instructor and has never been an actor.
    const named = { instructor: { account: { homePage: url, name: '@casey' } } }
    assert.equal((await blake.post('/edu/v2/xapi/statement', { ...say, context: named })).status, 200)
    await removeByHandle(db, who, { handle: '@casey' }, environment.get(leavingPolicy))
    const left = await app.sql(`select statement_id from statements`)
    assert.deepEqual(left, [{ statement_id: kept }])
    for (const table of ['statement_ids', 'statement_links'])
      assert.equal((await app.sql(`select 1 from ${table}`)).length, 1, table)
    assert.equal(
      (await app.sql(`select 1 from statement_refs r where not exists (select from statements s where s.seq = r.seq)`))
        .length,
      0,
    )
  })
})

test('the content of a package records its start and its end itself; grades are recorded', async (t) => {
  const app = await testApp(t, UNLIMITED)
  await openSchool(app, { lessons: [{ id: 'page', name: 'Page', kind: 'page', text: 'Read.' }] })
  const finley = await signInBrowser(app, 'finley')
  const { packageId } = (await uploadPackage(finley, makePackage())).body
  const lessons = [{ id: 'unit', name: 'Unit', kind: 'package', package: packageId, item: 0 }]
  await run(app, {
    ...makeSchool({ lessons }),
    classes: [
      { ...makeSchool().classes[0], course: 'units', key: 'units', students: [{ handle: '@avery', id: 'avery' }] },
    ],
    courses: [{ ...makeSchool({ lessons }).courses[0], key: 'units' }],
  })
  const { db } = app.environment()
  const what = { lessonId: 'unit', classId: 'units' }
  const who = {
    personId: await idOf(app, 'avery'),
    appId: undefined,
    at: new Date(),
    requestId: 'test',
    address: 'test',
  }
  const read = () => authorizeLesson(db, who, what, 'complete', { recorder: 'package' })
  const begun = await read()
  await withStudentLock(db, begun, (tx) => insert(tx, who, begun, freshAttempt(who.at), 'attempt.started'))
  const open = await read()
  const ended = { ...open.attempt!, ...moveTo(open.attempt, 'completed', new Date()), pass: true, score: 90 }
  await update(db, who, open, ended, 'attempt.completed')
  const casey = await browse(app, 'casey')
  const results = await casey.get('/edu/v1/class/result', { classId: 'units', studentId: 'avery' })
  const [unit] = results.body.lessons
  assert.deepEqual([unit.kind, unit.result, unit.explanation], ['package', 'PASS', 'Passed with 90 points'])
  const gradebook = await casey.get('/edu/v1/class/gradebook', { classId: 'units' })
  assert.deepEqual([gradebook.body.lessons[0].kind, gradebook.body.lessons[0].threshold ?? null], ['package', null])
  const grade = { lessonId: 'unit', studentId: 'avery', pass: false, score: 40, reason: 'Seen it.' }
  const graded = await casey.post(`${PATH}/grade`, grade)
  assert.equal(graded.status, 200, graded.text)
  const verbs = async () =>
    (await app.sql('select payload from statements order by seq')).map(
      ({ payload }) =>
        JSON.parse(payload as string)
          .verb.id.split('/')
          .at(-1) as string,
    )
  await until('the grade is recorded', async () => (await verbs()).length > 0)
  assert.deepEqual(await verbs(), ['failed', 'scored'])
  const kinds = (await listEvents(app, 'attempt.%')).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['attempt.started', 'attempt.completed', 'attempt.graded'])
})
