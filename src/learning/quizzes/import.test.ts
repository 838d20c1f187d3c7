import assert from 'node:assert/strict'
import { test } from 'node:test'
import { all, refused, run } from '../../kernel/imports/testing.ts'
import { testApp } from '../../operations/testing/testing.ts'

const QUESTIONS = [
  {
    key: 'question-hook',
    organisation: 'hangar',
    kind: 'single',
    text: 'Who hooks in the cable?',
    options: [{ text: 'The helper', correct: true }, { text: 'The pilot' }],
    tags: ['Winch'],
  },
  { key: 'question-wind', organisation: 'hangar', kind: 'essay', text: 'Describe a launch in wind.', points: 3 },
]
const quiz = (changes: object = {}) => ({
  id: 'quiz-noor',
  handle: '@noor',
  lesson: 'lesson-winch',
  started: '2025-09-01T08:00:00Z',
  completed: '2025-09-01T08:20:00Z',
  answers: [
    { question: 'question-hook', response: 1 },
    { question: 'question-wind', response: 'Nose down.' },
  ],
  ...changes,
})
const evaluation = (changes: object = {}) => ({
  id: 'evaluation-noor',
  handle: '@noor',
  lesson: 'lesson-ride',
  author: '@kai',
  started: '2025-09-02T08:00:00Z',
  completed: '2025-09-02T09:00:00Z',
  pass: true,
  criteria: [
    { id: 'landing', name: 'Landing', objective: 'objective-handling', maxPoints: 10, points: 8 },
    { id: 'radio', name: 'Radio', maxPoints: 10, points: 9 },
  ],
  remarks: 'Steady.',
  ...changes,
})
const school = (records: object = {}, questions: readonly object[] = QUESTIONS) => ({
  organisations: [{ key: 'hangar', name: 'Hangar Seven' }],
  people: [{ handle: '@noor' }, { handle: '@kai' }],
  questions,
  courses: [
    {
      key: 'course-glider',
      organisation: 'hangar',
      name: 'Gliding',
      lessons: [
        {
          id: 'lesson-winch',
          name: 'Winch',
          kind: 'quiz',
          threshold: 50,
          quiz: { parts: [{ questions: ['question-hook', 'question-wind'] }] },
        },
        { id: 'lesson-ride', name: 'Ride', kind: 'instructor-led', rubric: [{ id: 'landing', name: 'Landing' }] },
      ],
      objectives: [{ id: 'objective-handling', name: 'Handling', lessons: ['lesson-ride'] }],
    },
  ],
  classes: [
    {
      key: 'class-glider',
      course: 'course-glider',
      name: 'Glider',
      instructors: ['@kai'],
      students: ['@noor'],
      ...records,
    },
  ],
})

test('an imported quiz is graded, waits for the grade of its essay, and importing it again changes nothing', async (t) => {
  const app = await testApp(t)
  const file = school({ quizzes: [quiz()], evaluations: [evaluation()] })
  await run(app, file)
  const again = (await run(app, file)).production!
  assert.deepEqual([again.questions, again.classes], [all(0, 0, 2), all(0, 0, 1)])
  const attempts = await app.sql('select key, result, pass, score, awaits_grade from attempts order by started_at')
  assert.deepEqual(attempts, [
    { key: 'quiz-noor', result: 'INCOMPLETE', pass: false, score: null, awaits_grade: true },
    { key: 'evaluation-noor', result: 'PASS', pass: true, score: 85, awaits_grade: false },
  ])
  assert.deepEqual(
    await app.sql('select position, is_correct, points, max_points from quiz_answers order by position'),
    [
      { position: 1, is_correct: true, points: 1, max_points: 1 },
      { position: 2, is_correct: null, points: null, max_points: 3 },
    ],
  )
  assert.deepEqual(await app.sql('select score from objective_scores'), [{ score: 80 }])
  assert.deepEqual(await app.sql('select version, remarks, acknowledged_at from evaluations'), [
    { version: 1, remarks: 'Steady.', acknowledged_at: null },
  ])
})

test('a changed question gets a new revision, and points in the file are the grade of an instructor', async (t) => {
  const app = await testApp(t)
  const graded = { question: 'question-wind', response: 'Nose down.', points: 1, remark: 'And then?', grader: '@kai' }
  await run(app, school({ quizzes: [quiz({ answers: [{ question: 'question-hook', response: 2 }, graded] })] }))
  assert.deepEqual(await app.sql('select result, score from attempts'), [{ result: 'FAIL', score: 25 }])
  assert.deepEqual(
    await app.sql('select remark, graded_by is not null as graded from quiz_answers order by position'),
    [
      { remark: null, graded: false },
      { remark: 'And then?', graded: true },
    ],
  )
  const changed = [{ ...QUESTIONS[0], text: 'Who hooks the cable in?' }, QUESTIONS[1]!]
  assert.deepEqual((await run(app, school({}, changed))).production!.questions, all(0, 1, 1))
  assert.deepEqual(await app.sql('select revision from questions order by id'), [{ revision: 2 }, { revision: 1 }])
})

test('questions, quizzes and evaluations with mistakes are refused', async (t) => {
  const app = await testApp(t)
  const refusal = (records: object, questions?: readonly object[]) => refused(run(app, school(records, questions)))
  assert.deepEqual(
    await refusal({}, [{ ...QUESTIONS[0], options: [{ text: 'One' }, { text: 'Two' }] }, QUESTIONS[1]!]),
    ['questions[0]: is refused: options must have exactly one correct one'],
  )
  assert.deepEqual(await refusal({ quizzes: [quiz({ lesson: 'lesson-ride' })] }), [
    'classes[0].quizzes[0].lesson: must be a quiz',
  ])
  assert.match(
    (await refusal({ quizzes: [quiz({ answers: [{ question: 'question-hook', response: 7 }] })] }))[0]!,
    /^classes\[0\]\.quizzes\[0\]\.answers\[0\]\.response: must fit the question/,
  )
  assert.deepEqual(await refusal({ quizzes: [quiz({ answers: [{ question: 'question-gone' }] })] }), [
    'classes[0].quizzes[0].answers[0].question: refers to no question in this file or in production',
  ])
  assert.deepEqual(await refusal({ evaluations: [evaluation({ lesson: 'lesson-winch', criteria: [] })] }), [
    'classes[0].evaluations[0].lesson: must be instructor-led',
  ])
  assert.deepEqual(await refusal({ evaluations: [evaluation({ comment: 'Thanks' })] }), [
    'classes[0].evaluations[0].comment: must be left out until the student has acknowledged it',
  ])
  await run(app, school())
  assert.deepEqual(await refusal({}, [{ ...QUESTIONS[0], kind: 'multiple' }, QUESTIONS[1]!]), [
    'questions[0].kind: must stay single; use another key',
  ])
})
