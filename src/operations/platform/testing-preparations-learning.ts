import assert from 'node:assert/strict'
import { makeDemo } from '../../../demo/make-demo.ts'
import { call } from '../../apps/account/testing.ts'
import { until } from '../../kernel/database/test-database.ts'
import { importContent } from '../../kernel/imports/imports.ts'
import { who } from '../../kernel/imports/testing.ts'
import { CALENDAR_SECRET, FILE_ID, NOTE_ID, QUESTION_ID, QUIZ_ATTEMPT_ID, REDIRECT_URI } from '../../kernel/samples.ts'
import { hashToken, mintToken } from '../../kernel/sessions/tokens.ts'
import { upload } from '../../learning/content/testing.ts'
import type { TestApp } from '../testing/testing.ts'
import { type Addition, type Prepare, requestOf, type Scene, signIn } from './testing-scene.ts'
import { sendFirst } from './testing-sending.ts'

/** Areas whose examples need the demo course and class. */
const LEARNING: readonly string[] = [
  'Lessons and progress',
  'Courses and classes',
  'Dates',
  'Evaluations',
  'Notes',
  'Announcements',
  'Files',
  'Packages',
  'Quizzes',
  'xAPI',
  'AI plugins',
  'Badges',
]
const LAUNCH_URI = 'http://localhost:4000/demo/callback'
/** The demo data with the address of the examples. The first question of the quiz has the id of the examples. */
const demo: ReturnType<typeof makeDemo> = JSON.parse(
  JSON.stringify(makeDemo()).replaceAll(LAUNCH_URI, REDIRECT_URI).replaceAll('question-engine-failure', QUESTION_ID),
)
/** Returns a class without its history, with Casey, Avery and Blake. */
const emptyClass = (wanted: string) => {
  const { key, course, name, joinCode, students } = demo.classes.find((one) => one.key === wanted)!
  return { key, course, name, joinCode, instructors: ['@casey'], students: students.slice(0, 2) }
}
const preflight = {
  courses: demo.courses.slice(0, 1),
  classes: [{ ...emptyClass('class-alpha'), sequential: true }],
}
const firstSolo = {
  files: demo.files.map(({ author: _author, ...file }) => file),
  questions: demo.questions,
  courses: demo.courses.slice(1),
  classes: [emptyClass('class-charlie')],
}

/** Starts a quiz of Avery, under the id of the examples. */
const startQuiz = async (app: TestApp) => {
  const request = requestOf('startQuiz')
  const { status, text } = await call(await signIn(app, 'avery'), 'POST', '/edu/v1/quiz/start', request)
  assert.equal(status, 200, text)
  await app.sql(`update attempts set key = '${QUIZ_ATTEMPT_ID}'`)
}
const submitQuiz: Prepare = async ({ app, browser }) => {
  await app.sql(
    `update quiz_answers set response = (case position when 1 then '0' else '"7700"' end)::json, saved_at = now()`,
  )
  const { status, text } = await call(browser, 'POST', '/edu/v1/quiz/submit', { lessonResultId: QUIZ_ATTEMPT_ID })
  assert.equal(status, 200, text)
}

const writeNote: Prepare = async ({ user, real }) => {
  const { body } = await user.put('/edu/v1/note', {
    text: 'Found the bent pitot cover without a hint.',
    studentId: 'student-avery',
    lessonId: 'lesson-walkaround',
  })
  real[NOTE_ID] = body.noteId
}

const announce: Prepare = async ({ app }) => {
  const casey = await signIn(app, 'casey')
  const { status } = await call(casey, 'PUT', '/edu/v1/announcement', requestOf('createAnnouncement'))
  assert.equal(status, 200)
  const isDone = async () => (await app.sql(`select from jobs where kind = 'announcement'`)).length === 0
  await until('it is distributed', isDone)
}

const uploadText: Prepare = async ({ browser, real }) => {
  const { body } = await upload(browser, 'fuel.csv', 'tail,litres\r\nN123AB,140\r\n', { organisation: 'sandhills' })
  real[FILE_ID] = body.fileId
}

/** Reports a completed walkaround of Avery. It is sent by the scene's user, Avery or Casey. */
async function reportWalkaround({ user }: Scene, what: object): Promise<void> {
  const student = { lessonId: 'lesson-walkaround', studentId: 'student-avery' }
  const times = { startTime: '2020-05-01T11:30:00Z', endTime: '2020-05-01T12:00:00Z' }
  const { status, text } = await user.post('/edu/v1/lesson/progress', { ...student, ...times, ...what })
  assert.equal(status, 200, text)
}
export const doWalkaround: Prepare = (scene) => reportWalkaround(scene, { pass: true, score: 92 })

const setLesson = ({ app }: Scene, lesson: string, what: string) =>
  app.sql(`update lesson_versions v set ${what} from lessons l where l.id = v.lesson_id and l.key = '${lesson}'`)

const evaluateFlight: Prepare = async ({ app }) => {
  const casey = await signIn(app, 'casey')
  const { body } = await call(casey, 'POST', '/edu/v1/evaluation', requestOf('recordEvaluations'))
  assert.equal(body.evaluations[0].error, null)
}

const addSecondClass = ({ app }: Scene) =>
  importContent([app.environment()], who(), {
    content: { classes: demo.classes.slice(1, 2).map((one) => ({ ...one, instructors: [], students: [] })) },
  })

/** The courses, classes and quizzes that the examples about learning need. */
export const LEARNING_ADDITIONS: readonly Addition[] = [
  {
    name: 'school',
    isFor: (area) => LEARNING.includes(area),
    add: (app) => importContent([app.environment()], who(), { content: preflight }),
  },
  {
    name: 'first solo',
    isFor: (area) => area === 'Quizzes' || area === 'Evaluations',
    add: (app) => importContent([app.environment()], who(), { content: firstSolo }),
  },
  { name: 'quiz', isFor: (area) => area === 'Quizzes', add: (app) => startQuiz(app) },
]

/** Preparations that the examples about courses, classes and the progress of students need. */
export const LEARNING_PREPARATIONS: Readonly<Record<string, Prepare>> = {
  readCalendarFile: async ({ app, real }) => {
    real[CALENDAR_SECRET] = mintToken('calendar', 'production')
    await app.sql(
      `insert into calendar_feeds (person_id, token_hash, created_at)
       select id, '\\x${hashToken(real[CALENDAR_SECRET]).toString('hex')}', now() from people where handle = '@avery'
       on conflict (person_id) do update set token_hash = excluded.token_hash`,
    )
  },
  discardCourseDraft: async ({ browser }) => {
    const request = requestOf('saveCourse')
    await call(browser, 'PUT', '/edu/v1/course', request)
    await call(browser, 'POST', '/edu/v1/course/publish', { courseId: request.courseId })
    await call(browser, 'PUT', '/edu/v1/course', request)
  },
  removeClassStaff: async (scene) => {
    await sendFirst('createClass', scene)
    await scene.app.sql(
      `insert into class_staff (class_id, person_id, role)
       select c.id, p.id, 'instructor' from classes c, people p where c.key = 'class-delta' and p.handle = '@casey'`,
    )
  },
  transferStudent: addSecondClass,
  listTransferTargets: addSecondClass,
  gradeQuizAnswer: submitQuiz,
  readQuizResults: submitQuiz,
  readNote: writeNote,
  deleteFile: uploadText,
  removeNote: writeNote,
  listAnnouncements: announce,
  readAnnouncement: announce,
  deleteAnnouncement: async (scene) => {
    await announce(scene)
    // Avery is the author of all examples.
    await scene.app.sql(`update announcements set author_id = p.id from people p where p.handle = '@avery'`)
  },
  readEvaluation: evaluateFlight,
  listEvaluations: evaluateFlight,
  changeEvaluation: evaluateFlight,
  acknowledgeEvaluation: evaluateFlight,
  gradeAttempt: doWalkaround,
  resetLesson: doWalkaround,
  listGradeChanges: async (scene) => {
    await doWalkaround(scene)
    await call(scene.browser, 'POST', '/edu/v1/lesson/progress/grade', requestOf('gradeAttempt'))
  },
  readResults: doWalkaround,
  readGradebook: doWalkaround,
  readGradebookAverages: doWalkaround,
  exportGradebook: doWalkaround,
  readTimeline: doWalkaround,
  listAwaiting: async (scene) => {
    await setLesson(scene, 'lesson-walkaround', 'instructor_graded = true')
    await reportWalkaround(scene, {})
  },
  grantAttempts: (scene) => setLesson(scene, 'lesson-checkride', 'max_attempts = 3'),
}
