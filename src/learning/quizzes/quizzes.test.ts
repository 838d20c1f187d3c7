import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNLIMITED } from '../../apps/account/testing.ts'
import { upkeepAt } from '../../kernel/caller.ts'
import { until } from '../../kernel/database/test-database.ts'
import { assertError, testApp } from '../../operations/testing/testing.ts'
import { findFaults } from '../../records/statements/faults/faults.ts'
import { presentStatement } from '../../records/statements/query/query.ts'
import { assertStandings, type Browsing, browse, listEvents, PATH as PROGRESS } from '../progress/testing.ts'
import { submitExpired } from './grading.ts'
import { openQuizSchool, type QuestionIds, quizLesson, rightResponse, type TakenQuestion } from './testing.ts'

const QUIZ = '/edu/v1/quiz'
const start = (who: Browsing, lessonId: string) => who.post(`${QUIZ}/start`, { lessonId, classId: 'alpha' })
const read = (who: Browsing, lessonResultId: string, more: Record<string, string> = {}) =>
  who.get(`${QUIZ}/attempt`, { lessonResultId, ...more })
const answer = (who: Browsing, lessonResultId: string, questionId: string, response: unknown, more: object = {}) =>
  who.post(`${QUIZ}/answer`, { lessonResultId, questionId, response, ...more })
const submit = (who: Browsing, lessonResultId: string) => who.post(`${QUIZ}/submit`, { lessonResultId })

/** Starts a quiz and answers all its questions correctly, except those of the given kinds. */
async function take(who: Browsing, lessonId: string, without: readonly string[] = []) {
  const started = await start(who, lessonId)
  assert.equal(started.status, 200, started.text)
  const { lessonResultId, questions } = started.body as { lessonResultId: string; questions: TakenQuestion[] }
  for (const question of questions.filter(({ kind }) => !without.includes(kind))) {
    const saved = await answer(who, lessonResultId, question.questionId, rightResponse(question))
    assert.equal(saved.status, 200, saved.text)
  }
  return { lessonResultId, questions }
}

const KINDS = ['single', 'multiple', 'ordering', 'matching', 'numeric', 'text'] as const
const partsOf = (ids: QuestionIds, kinds: readonly (keyof QuestionIds)[] = KINDS) => [
  { questions: kinds.map((kind) => ids[kind]) },
]

test('a student takes a quiz', async (t) => {
  const school = await openQuizSchool(await testApp(t, UNLIMITED))
  const { app, ids, finley } = school
  const [avery, blake, casey, ellis, drew] = await Promise.all(
    (['avery', 'blake', 'casey', 'ellis', 'drew'] as const).map((person) => browse(app, person)),
  )
  await school.publish([
    quizLesson('graded', { parts: partsOf(ids) }, { threshold: 75 }),
    quizLesson('shuffled', { parts: partsOf(ids), shuffleQuestions: true, shuffleAnswers: true }),
    quizLesson('pool', {
      parts: [{ questions: [ids.single] }, { questions: Object.values(ids), draw: 2 }, { tag: 'Text', draw: 1 }],
    }),
    quizLesson('each', { parts: partsOf(ids, ['single', 'text']), feedback: 'answer' }),
    quizLesson('secret', { parts: partsOf(ids, ['single', 'numeric']), feedback: 'never' }),
    quizLesson('essay', { parts: partsOf(ids, ['single', 'essay']) }, { threshold: 60, maxAttempts: 1 }),
    { id: 'drill', name: 'Drill' },
  ])

  await t.test('each kind of question is answered and graded, and the score is the share of points', async () => {
    const { lessonResultId, questions } = await take(avery!, 'graded', ['multiple'])
    assert.deepEqual(
      questions.map(({ kind }) => kind),
      KINDS,
    )
    const done = await submit(avery!, lessonResultId)
    assert.equal(done.status, 200, done.text)
    // Five of seven points: the multiple choice has two.
    assert.deepEqual([done.body.score, done.body.pass, done.body.awaitsGrade], [71.43, false, false])
    const progress = (await avery!.get(PROGRESS, { lessonId: 'graded', classId: 'alpha' })).body
    assert.equal(progress.lessonResultId, lessonResultId)
    assert.equal(progress.score, 71.43)
    assert.equal(progress.answers.length, 6)
    assert.deepEqual(progress.answers[0], {
      questionId: ids.single,
      type: 'single',
      question: 'Which one?',
      response: 'option-2',
      correct: true,
      points: 1,
      maxPoints: 1,
    })
    const again = await take(avery!, 'graded')
    assert.deepEqual((await submit(avery!, again.lessonResultId)).body.pass, true)
    await assertStandings(app)
  })

  await t.test('nothing that the browser gets before the end tells the correct answers', async () => {
    const { lessonResultId } = await take(blake!, 'graded', ['text'])
    for (const { text } of [await start(blake!, 'graded'), await read(blake!, lessonResultId)])
      for (const secret of ['correct', 'Pitot', 'tolerance', 'accepted', 'guidance', 'explanation', '"points"'])
        assert.ok(!text.includes(secret), `${secret} in ${text}`)
    const shown = JSON.parse((await submit(blake!, lessonResultId)).text).questions
    assert.equal(shown[0].feedback.correct, true)
    assert.deepEqual(shown[5].feedback.accepted, ['Pitot tube', 'pitot'])
  })

  await t.test('questions and options keep their order, however often they are read', async () => {
    const first = (await start(avery!, 'shuffled')).body
    for (let i = 0; i < 3; i++) {
      assert.deepEqual((await read(avery!, first.lessonResultId)).body.questions, first.questions)
      assert.deepEqual((await start(avery!, 'shuffled')).body.questions, first.questions)
    }
    const orders = new Set<string>()
    for (let i = 0; i < 12; i++) {
      const { lessonResultId, questions } = (await start(blake!, 'shuffled')).body
      orders.add(JSON.stringify(questions))
      await submit(blake!, lessonResultId)
    }
    assert.ok(orders.size > 6, `${orders.size} different orders`)
  })

  await t.test('pools draw as many questions as they say, none of them twice', async () => {
    for (let i = 0; i < 10; i++) {
      const { lessonResultId, questions, total } = (await start(avery!, 'pool')).body
      assert.ok(total === 4 || total === 3, String(total))
      assert.equal(questions[0].questionId, ids.single)
      assert.equal(new Set(questions.map((one: TakenQuestion) => one.questionId)).size, total)
      await submit(avery!, lessonResultId)
    }
  })

  await t.test('with feedback after each answer, a final answer shows it and stays', async () => {
    const { lessonResultId, questions } = (await start(avery!, 'each')).body
    const [single, text] = questions
    const wrong = single.options.find((one: { text: string }) => one.text === 'wrong').id
    const draft = await answer(avery!, lessonResultId, single.questionId, wrong)
    assert.equal(draft.body.feedback, undefined)
    const final = await answer(avery!, lessonResultId, single.questionId, wrong, { final: true })
    assert.deepEqual([final.body.feedback.correct, final.body.final], [false, true])
    const repeated = await answer(avery!, lessonResultId, single.questionId, wrong, { final: true })
    assert.deepEqual(repeated.body, final.body)
    assertError(await answer(avery!, lessonResultId, single.questionId, rightResponse(single)), 400, 4006)
    assertError(await answer(avery!, lessonResultId, text.questionId, null, { final: true }), 400, 4003)
    assert.equal((await read(avery!, lessonResultId)).body.questions[1].feedback, undefined)
    assert.equal((await submit(avery!, lessonResultId)).body.score, 0)
  })

  await t.test(
    'a quiz that never shows correct answers does not show them afterwards, in progress or in statements',
    async () => {
      const { lessonResultId } = await take(avery!, 'secret')
      const done = await submit(avery!, lessonResultId)
      assert.equal(done.body.score, 100)
      for (const { text } of [
        done,
        await read(avery!, lessonResultId),
        await avery!.get(PROGRESS, { lessonId: 'secret' }),
      ])
        assert.ok(!text.includes('"correct'), text)
      assert.equal((await read(casey!, lessonResultId)).body.questions[0].feedback.correct, true)
    },
  )

  await t.test(
    'an answer that is late, for another student or for another question is refused, and nothing is lost',
    async () => {
      const { lessonResultId, questions } = await take(avery!, 'graded')
      const [single] = questions
      const before = (await read(avery!, lessonResultId)).body.questions
      const theirs = await answer(blake!, lessonResultId, single!.questionId, '1')
      const unknown = await answer(blake!, 'nothing', single!.questionId, '1')
      assertError(theirs, 403, 4032)
      assert.equal(theirs.body.error_description, unknown.body.error_description)
      assertError(await submit(blake!, lessonResultId), 403, 4032)
      assertError(await read(blake!, lessonResultId), 403, 4032)
      assertError(await read(drew!, lessonResultId), 403, 4032)
      assertError(await answer(avery!, lessonResultId, ids.essay, 'x'), 400, 4003)
      assertError(await answer(avery!, lessonResultId, 'nothing', 'x'), 400, 4003)
      assertError(await answer(avery!, lessonResultId, single!.questionId, '9'), 400, 4003)
      assertError(await answer(avery!, lessonResultId, single!.questionId, '1', { final: true }), 400, 4003)
      assertError(await answer(casey!, lessonResultId, single!.questionId, '1'), 403, 4032)
      assert.deepEqual((await read(avery!, lessonResultId)).body.questions, before)
      await submit(avery!, lessonResultId)
      assertError(await answer(avery!, lessonResultId, single!.questionId, '1'), 400, 4006)
    },
  )

  await t.test('submitting again, or many times at once, grades once', async () => {
    const { lessonResultId } = await take(blake!, 'graded')
    const events = (await listEvents(app, '%.%')).length
    const done = await Promise.all(Array.from({ length: 8 }, () => submit(blake!, lessonResultId)))
    for (const { status, body } of done) assert.deepEqual([status, body.score], [200, 100])
    const emitted = (await listEvents(app, '%.%')).slice(events).map(({ kind }) => kind)
    assert.deepEqual(emitted.sort(), ['attempt.completed', ...Array(6).fill('quiz.answered')])
    await submit(blake!, lessonResultId)
    assert.equal((await listEvents(app, '%.%')).length, events + 7)
    await assertStandings(app)
  })

  await t.test('starting many times at once starts one attempt', async () => {
    const started = await Promise.all(Array.from({ length: 8 }, () => start(blake!, 'pool')))
    assert.deepEqual(new Set(started.map(({ status }) => status)), new Set([200]), started[0]!.text)
    assert.equal(new Set(started.map(({ body }) => body.lessonResultId)).size, 1)
    assert.equal(new Set(started.map(({ body }) => JSON.stringify(body.questions))).size, 1)
    await submit(blake!, started[0]!.body.lessonResultId)
  })

  await t.test('progress at a quiz is written only by the quiz', async () => {
    const what = { lessonId: 'graded', classId: 'alpha' }
    assertError(await avery!.post(`${PROGRESS}/start`, what), 403, 4032)
    assertError(
      await casey!.post(PROGRESS, { ...what, studentId: 'avery-alpha', score: 100, complete: true }),
      403,
      4032,
    )
    assertError(await start(avery!, 'drill'), 400, 4003)
    assertError(await start(casey!, 'graded'), 403, 4032)
    assertError(await start(drew!, 'graded'), 403, 4032)
  })

  await t.test('an essay waits for the instructor, whose grade completes the score', async () => {
    const { lessonResultId } = await take(avery!, 'essay')
    const done = (await submit(avery!, lessonResultId)).body
    assert.deepEqual([done.score, done.awaitsGrade], [null, true])
    const waiting = (await casey!.get('/edu/v1/class/grading', { classId: 'alpha' })).body.docs
    assert.deepEqual(
      waiting.map((one: { lessonResultId: string }) => one.lessonResultId),
      [lessonResultId],
    )
    const seen = (await read(casey!, lessonResultId)).body.questions[1]
    assert.deepEqual([seen.response, seen.guidance], ['Because of lift.', 'Lift must be mentioned'])
    const grade = (who: Browsing, points: number, remark?: string) =>
      who.post(`${QUIZ}/grade`, { lessonResultId, questionId: ids.essay, points, ...(remark ? { remark } : {}) })
    for (const other of [avery!, blake!, ellis!, drew!]) assertError(await grade(other, 4), 403, 4032)
    assertError(await grade(casey!, 5), 400, 4003)
    assert.equal((await grade(casey!, 3, 'Good, but short.')).status, 200)
    const graded = (await read(avery!, lessonResultId)).body
    assert.deepEqual([graded.score, graded.pass, graded.awaitsGrade], [80, true, false])
    assert.deepEqual([graded.questions[1].graded.points, graded.questions[1].graded.remark], [3, 'Good, but short.'])
    assert.equal((await avery!.get(PROGRESS, { lessonId: 'essay' })).body.answers[1].points, 3)
    assert.equal((await grade(casey!, 1)).status, 200)
    assert.deepEqual((await read(avery!, lessonResultId)).body.pass, false)
    const changes = (await avery!.get(`${PROGRESS}/changes`, { lessonId: 'essay' })).body
    assert.deepEqual(
      changes.map((one: { reason: string; after: { score: number } }) => [one.after.score, one.reason]),
      [
        [40, 'Question 2 of the quiz was graded'],
        [80, 'Good, but short.'],
      ],
    )
    assertError(await start(avery!, 'essay'), 400, 4006)
    await assertStandings(app)
  })

  await t.test('an unanswered essay needs no grader, and an open quiz cannot be graded', async () => {
    const { lessonResultId } = await take(blake!, 'essay', ['essay'])
    const body = { lessonResultId, questionId: ids.essay, points: 1 }
    assertError(await casey!.post(`${QUIZ}/grade`, body), 400, 4006)
    assertError(await submit(ellis!, lessonResultId), 403, 4032)
    const done = (await submit(casey!, lessonResultId)).body
    assert.deepEqual([done.score, done.awaitsGrade], [20, false])
  })

  await t.test('instructors see results per question, and students do not', async () => {
    const results = (who: Browsing, lessonId: string) =>
      who.get(`${QUIZ}/results`, { classId: 'alpha', lessonId, limit: '100' })
    const found = (await results(casey!, 'essay')).body
    assert.equal(found.total, 2)
    const [single, essay] = found.docs
    assert.deepEqual([single.shown, single.answered, single.correct, single.meanPoints], [2, 2, 2, 1])
    assert.deepEqual(single.responses, [
      { text: 'wrong', correct: false, count: 0 },
      { text: 'right', correct: true, count: 2 },
      { text: 'other', correct: false, count: 0 },
    ])
    assert.deepEqual([essay.answered, essay.correct, essay.meanPoints, essay.toGrade], [1, 0, 0.5, 0])
    const graded = (await results(ellis!, 'graded')).body.docs
    assert.deepEqual(graded.find(({ kind }: { kind: string }) => kind === 'text').responses, [
      { text: ' PITOT ', correct: null, count: 4 },
    ])
    for (const other of [avery!, drew!]) assertError(await results(other, 'graded'), 403, 4032)
    assert.equal((await results(finley, 'graded')).status, 200)
  })

  await t.test('each answer becomes a conformant statement of a cmi.interaction', async () => {
    const list = async () =>
      (
        await app.sql(
          `select s.seq::float8, s.payload from statements s join statement_links l using (seq) join lessons n on n.id = l.lesson_id
            where n.key in ('secret', 'essay') and s.payload like '%verbs/answered%' order by s.seq`,
        )
      ).map((row) => presentStatement(row as { seq: number; payload: string })) as never as {
        result: Record<string, unknown>
        object: { id: string; definition: Record<string, unknown> }
      }[]
    await until('statements', async () => (await list()).length >= 5)
    const all = await list()
    assert.equal(all.length, 5)
    for (const one of all) assert.deepEqual(findFaults(one, '2.0.0'), [])
    const [single] = all
    assert.match(single!.object.id, /\/lesson\/secret\/question\/[\w-]+\/1$/)
    assert.deepEqual(single!.result, {
      response: 'option-2',
      success: true,
      score: { scaled: 1, raw: 1, min: 0, max: 1 },
    })
    assert.equal(single!.object.definition.interactionType, 'choice')
    const essay = all.find(({ object }) => object.definition.interactionType === 'long-fill-in')!
    assert.deepEqual(essay.result, { response: 'Because of lift.' })
    for (const { object } of all) {
      const read = await (await app.as('avery')).get(
        '/xapi/activities',
        { activityId: object.id },
        { 'x-experience-api-version': '2.0.0' },
      )
      assert.deepEqual([read.status, read.body.definition.interactionType], [200, object.definition.interactionType])
      assert.ok(!read.text.includes('correctResponsesPattern'), 'students may be taking the quiz')
    }
  })

  await t.test('old clients read assessments and their progress', async () => {
    const app1 = await app.as('avery')
    const found = await app1.get('/edu/v1/assessment', { lessonId: 'graded' })
    assert.deepEqual([found.status, found.body.lessonId, found.body.isAssessment], [200, 'graded', true])
    assertError(await app1.get('/edu/v1/assessment', { lessonId: 'drill' }), 404, 4042)
    assertError(await app1.get('/edu/v1/assessment', { lessonId: 'nothing' }), 404, 4042)
    const progress = await app1.get('/edu/v1/assessment/progress', { lessonId: 'graded', classId: 'alpha' })
    assert.deepEqual(progress.body, (await app1.get(PROGRESS, { lessonId: 'graded', classId: 'alpha' })).body)
    assertError(await app1.get('/edu/v1/assessment/progress', { lessonId: 'nothing' }), 404, 4042)
  })
})

test('a published quiz keeps its questions', async (t) => {
  const school = await openQuizSchool(await testApp(t, UNLIMITED))
  const { app, ids, finley } = school
  const [avery, blake] = await Promise.all([browse(app, 'avery'), browse(app, 'blake')])
  await school.publish([quizLesson('frozen', { parts: [...partsOf(ids, ['text']), { tag: 'single' }] })])
  const before = await take(avery, 'frozen')
  app.advance(60_000)
  const changed = await finley.post('/edu/v1/question', {
    questionId: ids.text,
    revision: 1,
    kind: 'text',
    text: 'Another question?',
    accepted: ['something else'],
  })
  assert.deepEqual([changed.status, changed.body.revision], [200, 2], changed.text)
  await finley.post('/edu/v1/question/archive', { questionId: ids.single })
  const more = { organisation: 'school', kind: 'essay', text: 'New?', tags: ['single'] }
  assert.equal((await finley.put('/edu/v1/question', more)).status, 200)

  await t.test('a change of the bank does not change attempts or published versions', async () => {
    assert.equal((await submit(avery, before.lessonResultId)).body.score, 100)
    const after = await take(blake, 'frozen')
    assert.deepEqual(
      after.questions.map(({ questionId }) => questionId),
      [ids.text, ids.single],
    )
    assert.equal((await submit(blake, after.lessonResultId)).body.score, 100)
  })

  await t.test('the next version uses the changed questions, and none that are archived', async () => {
    app.advance(60_000)
    await school.publish([
      quizLesson('frozen', { parts: [...partsOf(ids, ['text']), { tag: 'single' }] }, { name: 'New' }),
    ])
    const { questions } = (await start(avery, 'frozen')).body
    assert.deepEqual(
      questions.map(({ text }: { text: string }) => text),
      ['Another question?', 'New?'],
    )
  })

  await t.test(
    'a course with unknown or archived questions, or pools that are too small, is not published',
    async () => {
      const save = (parts: readonly object[]) =>
        finley.put('/edu/v1/course', { courseId: 'course', name: 'Course', lessons: [quizLesson('frozen', { parts })] })
      assertError(await save([{ questions: ['nothing'] }]), 400, 4003)
      for (const parts of [[{ questions: [ids.single] }], [{ tag: 'single', draw: 2 }], [{ tag: 'nothing' }]]) {
        assert.equal((await save(parts)).status, 200)
        const refused = await finley.post('/edu/v1/course/publish', { courseId: 'course' })
        assertError(refused, 400, 4003)
        assert.match(refused.body.error_description, /frozen/)
      }
    },
  )
})

test('a time limit', async (t) => {
  const school = await openQuizSchool(await testApp(t, UNLIMITED))
  const { app, ids } = school
  const [avery, blake, casey] = await Promise.all((['avery', 'blake', 'casey'] as const).map((one) => browse(app, one)))
  await school.publish([quizLesson('timed', { parts: partsOf(ids, ['single', 'text']), timeLimit: 10 })])
  app.holdClock()

  await t.test('answers count until the deadline, with a few seconds of grace, and are refused after it', async () => {
    const { body } = await start(avery!, 'timed')
    const [single, text] = body.questions
    assert.equal(Date.parse(body.deadline) - Date.parse(body.now), 600_000)
    app.advance(604_000)
    assert.equal((await answer(avery!, body.lessonResultId, single.questionId, rightResponse(single))).status, 200)
    app.advance(2000)
    const late = await answer(avery!, body.lessonResultId, text.questionId, 'pitot')
    assertError(late, 400, 4006)
    assert.match(late.body.error_description, /time is over/i)
    const done = (await submit(avery!, body.lessonResultId)).body
    assert.deepEqual([done.score, done.answered, done.submitted], [50, 1, body.deadline])
    const progress = (await avery!.get(PROGRESS, { lessonId: 'timed' })).body
    assert.equal(progress.completed, body.deadline)
  })

  await t.test('reading an attempt after its deadline submits it', async () => {
    const { body } = await start(avery!, 'timed')
    app.advance(606_000)
    assert.equal((await read(casey!, body.lessonResultId)).body.submitted, body.deadline)
  })

  await t.test('upkeep submits attempts that nobody reads, once, even in several processes', async () => {
    const { body } = await start(blake!, 'timed')
    await answer(blake!, body.lessonResultId, ids.text, 'pitot')
    const { db, clock } = app.environment()
    const sweep = () => submitExpired(db, upkeepAt(clock()), new AbortController().signal)
    assert.equal(await sweep(), 0)
    app.advance(606_000)
    await app.sql(`update enrolments set status = 'suspended' where key = 'blake-alpha'`)
    await Promise.all([sweep(), sweep(), sweep()])
    assert.equal(await sweep(), 0)
    const [row] = await app.sql(`select state, score, completed_at from attempts where key = '${body.lessonResultId}'`)
    assert.deepEqual([row!.state, row!.score], ['completed', 50])
    assert.equal((await listEvents(app, 'quiz.answered')).length, 2)
    await assertStandings(app)
  })

  await t.test('an open quiz ends when the lesson closes, and the answers saved in time count', async () => {
    const setDates = (closes: string | null, studentId?: string) =>
      casey!.put('/edu/v1/class/dates', {
        classId: 'alpha',
        dates: [{ lessonId: 'timed', closes, ...(studentId && { studentId }) }],
      })
    const inMinutes = (minutes: number) =>
      new Date(app.environment().clock().getTime() + minutes * 60_000).toISOString()
    const { body } = await start(avery!, 'timed')
    const closes = inMinutes(5)
    assert.equal((await setDates(closes)).status, 200)
    assert.equal((await read(avery!, body.lessonResultId)).body.deadline, closes)
    await answer(avery!, body.lessonResultId, ids.text, 'pitot')
    // The time limit is earlier than a later closing time, and an extension counts at once.
    await setDates(inMinutes(60))
    assert.equal((await read(avery!, body.lessonResultId)).body.deadline, body.deadline)
    await setDates(closes)
    app.advance(306_000)
    assertError(await answer(avery!, body.lessonResultId, ids.text, 'late'), 400, 4006, /time is over/)
    const { db, clock } = app.environment()
    app.advance(60_000)
    assert.equal(await submitExpired(db, upkeepAt(clock()), new AbortController().signal), 1)
    const done = (await read(avery!, body.lessonResultId)).body
    assert.deepEqual([done.score, done.answered, done.submitted], [50, 1, closes])
    assertError(await start(avery!, 'timed'), 400, 4006, /locked/)
    await setDates(null)
  })

  await t.test('a suspended student cannot answer', async () => {
    await app.sql(`update enrolments set status = 'active' where key = 'blake-alpha'`)
    const { body } = await start(blake!, 'timed')
    await app.sql(`update enrolments set status = 'suspended' where key = 'blake-alpha'`)
    assertError(await answer(blake!, body.lessonResultId, ids.text, 'x'), 403, 4032)
    assertError(await submit(blake!, body.lessonResultId), 403, 4032)
  })
})
