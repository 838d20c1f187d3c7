import { AUTHORS } from '../../apps/organisations/roles.ts'
import type { ErrorName } from '../../kernel/errors.ts'
import { member, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { QUESTION_ID, QUIZ_ATTEMPT_ID } from '../../kernel/samples.ts'
import { MAY } from '../classes/roles.ts'
import { LESSON_READERS, LessonRecord, ReadLesson } from '../courses/schema.ts'
import { readProgress } from '../progress/progress.ts'
import { NameAttempt, Progress } from '../progress/schema.ts'
import { readAssessment } from './assessments.ts'
import { archiveQuestion, changeQuestion, createQuestion, listQuestions, listTags, readQuestion } from './bank.ts'
import { gradeQuizAnswer, readQuizResults } from './grading.ts'
import {
  ArchiveQuestion,
  ChangeQuestion,
  CreateQuestion,
  ListQuestions,
  ListTags,
  NameQuestion,
  Question,
  QuestionPage,
  QuestionTags,
} from './question-schema.ts'
import { readQuizAttempt, saveQuizAnswer, startQuiz, submitQuiz } from './quizzes.ts'
import {
  GradeQuizAnswer,
  QuizAttempt,
  QuizQuestion,
  QuizResultsPage,
  ReadQuizAttempt,
  ReadQuizResults,
  SaveQuizAnswer,
  StartQuiz,
  SubmitQuiz,
} from './schema.ts'

const op = operationsIn({ area: 'Quizzes', who: person })

const REFUSED: readonly ErrorName[] = ['forbidden', 'validationFailed']
const example = {
  kind: 'single',
  text: 'Which instrument shows the altitude?',
  options: [
    { text: 'The altimeter', correct: true },
    { text: 'The variometer', feedback: 'It shows the rate of climb.' },
  ],
  explanation: 'The altimeter measures the air pressure and shows it as altitude.',
  tags: ['instruments'],
}

const bankOperations: readonly Operation[] = [
  op('GET /edu/v1/question/list', {
    name: 'listQuestions',
    summary: 'List questions',
    description:
      'Returns questions of the bank of an organisation, latest changes first. Filters can be combined, and archived questions are listed only with `archived`.',
    example: { request: { organisation: 'sandhills', tag: 'instruments' }, as: 'ellis' },
    roles: AUTHORS,
    input: ListQuestions,
    output: json(QuestionPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listQuestions(db, who, input),
  }),
  op('GET /edu/v1/question/tags', {
    name: 'listQuestionTags',
    summary: 'List tags of questions',
    description:
      'Returns the tags in the question bank of an organisation, each with its number of questions. A quiz can draw questions with a tag at random.',
    example: { request: { organisation: 'sandhills' }, as: 'ellis' },
    roles: AUTHORS,
    input: ListTags,
    output: json(QuestionTags),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listTags(db, who, input),
  }),
  op('GET /edu/v1/question', {
    name: 'readQuestion',
    summary: 'Get a question',
    description:
      'Returns a question with its correct answer. Only users who can create courses in the organisation can read it.',
    example: { request: { questionId: QUESTION_ID }, as: 'ellis', after: 'createQuestion' },
    roles: AUTHORS,
    input: NameQuestion,
    output: json(Question),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readQuestion(db, who, input),
  }),
  op('PUT /edu/v1/question', {
    name: 'createQuestion',
    summary: 'Create a question',
    description:
      'Adds a question to the bank of an organisation, which can have 20,000 of them. Each kind of question has its own fields, and those of other kinds are refused.',
    example: { request: { organisation: 'sandhills', ...example }, as: 'ellis' },
    roles: AUTHORS,
    input: CreateQuestion,
    output: json(Question),
    errors: [...REFUSED, 'impossibleNow'],
    run: ({ db, who }, input) => createQuestion(db, who, input),
  }),
  op('POST /edu/v1/question', {
    name: 'changeQuestion',
    summary: 'Replace a question',
    description:
      'Replaces the whole content of a question with a new revision. Courses that are published already keep the revision that they were published with. If `revision` is sent and the question has changed since, the response is 409.',
    example: { request: { questionId: QUESTION_ID, revision: 1, ...example }, as: 'ellis', after: 'createQuestion' },
    roles: AUTHORS,
    input: ChangeQuestion,
    output: json(Question),
    errors: [...REFUSED, 'conflict'],
    run: ({ db, who }, input) => changeQuestion(db, who, input),
  }),
  op('POST /edu/v1/question/archive', {
    name: 'archiveQuestion',
    summary: 'Archive a question',
    description:
      'Hides a question from the bank, or shows it again with `archived: false`. Published courses keep using it; courses that are published later cannot.',
    example: { request: { questionId: QUESTION_ID }, as: 'ellis', after: 'createQuestion' },
    roles: AUTHORS,
    input: ArchiveQuestion,
    from: 'either',
    output: json(Question),
    errors: ['forbidden'],
    run: ({ db, who }, input) => archiveQuestion(db, who, input),
  }),
]

const attempt = { lessonResultId: QUIZ_ATTEMPT_ID }

export const quizOperations: readonly Operation[] = [
  ...bankOperations,
  op('POST /edu/v1/quiz/start', {
    name: 'startQuiz',
    summary: 'Start a quiz',
    description:
      'Starts an attempt at a quiz: draws its questions and sets the deadline. If an attempt is open, it is returned instead, with the same questions. Correct answers are left out until the quiz shows them.',
    example: {
      request: { lessonId: 'lesson-emergencies', classId: 'class-charlie' },
    },
    roles: ['student', 'classmate'],
    input: StartQuiz,
    from: 'either',
    output: json(QuizAttempt),
    errors: [...REFUSED, 'notFound', 'impossibleNow', 'conflict', 'storageFull'],
    run: ({ db, who }, input) => startQuiz(db, who, input),
  }),
  op('GET /edu/v1/quiz/attempt', {
    name: 'readQuizAttempt',
    summary: 'Get an attempt at a quiz',
    description:
      "Returns the questions and answers of an attempt. Students see their own, and correct answers when the quiz shows them; staff who can read the student's progress see everything. If the time is over, the attempt is submitted first.",
    example: {
      request: attempt,
      after: 'saveQuizAnswer',
    },
    roles: MAY.readStudent,
    input: ReadQuizAttempt,
    output: json(QuizAttempt),
    errors: REFUSED,
    run: ({ db, who }, input) => readQuizAttempt(db, who, input),
  }),
  op('POST /edu/v1/quiz/answer', {
    name: 'saveQuizAnswer',
    summary: 'Set an answer in a quiz',
    description:
      'Saves an answer of an open attempt; it can be sent again and changed until the quiz is submitted. After the time limit, nothing more is saved, and the saved answers count. In a quiz with feedback after each answer, `final` locks the answer and returns the feedback.',
    example: {
      request: { ...attempt, questionId: QUESTION_ID, response: '1' },
      after: 'startQuiz',
    },
    roles: ['student'],
    input: SaveQuizAnswer,
    hasLargeBody: true,
    output: json(QuizQuestion),
    errors: [...REFUSED, 'impossibleNow'],
    run: ({ db, who }, input) => saveQuizAnswer(db, who, input),
  }),
  op('POST /edu/v1/quiz/submit', {
    name: 'submitQuiz',
    summary: 'Complete a quiz',
    description:
      'Grades the saved answers and completes the attempt; the score is the percentage of points. Submitting again changes nothing. Instructors can submit the open attempt of a student.',
    example: {
      request: attempt,
      after: 'saveQuizAnswer',
    },
    roles: ['student', ...MAY.grade],
    input: SubmitQuiz,
    from: 'either',
    output: json(QuizAttempt),
    errors: [...REFUSED, 'impossibleNow'],
    run: ({ db, who }, input) => submitQuiz(db, who, input),
  }),
  op('POST /edu/v1/quiz/grade', {
    name: 'gradeQuizAnswer',
    summary: 'Grade an answer in a quiz',
    description:
      'Sets the points of an answer, such as an essay, with a remark for the student. When no answer is left to grade, the attempt gets its score and result; later changes are recorded with the remark as their reason.',
    example: {
      request: { ...attempt, questionId: QUESTION_ID, points: 1, remark: 'Well explained.' },
      as: 'casey',
      after: 'submitQuiz',
    },
    roles: MAY.grade,
    input: GradeQuizAnswer,
    output: json(QuizQuestion),
    errors: [...REFUSED, 'impossibleNow'],
    run: ({ db, who }, input) => gradeQuizAnswer(db, who, input),
  }),
  op('GET /edu/v1/quiz/results', {
    name: 'readQuizResults',
    summary: 'Get results per question',
    description:
      'Returns how the students of a class answered each question of a quiz, over all submitted attempts that were not reset. It contains correct answers, so only staff can read it.',
    example: {
      request: { classId: 'class-charlie', lessonId: 'lesson-emergencies' },
      as: 'casey',
      after: 'submitQuiz',
    },
    roles: MAY.readClass,
    input: ReadQuizResults,
    output: json(QuizResultsPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readQuizResults(db, who, input),
  }),
  op('GET /edu/v1/assessment', {
    name: 'readAssessment',
    summary: 'Get an assessment',
    description:
      'Returns a lesson that is an assessment, for older apps; others use `GET /edu/v1/lesson`. A lesson that is not an assessment is not found.',
    example: {
      request: { lessonId: 'lesson-emergencies', classId: 'class-charlie' },
    },
    who: member,
    scope: 'lessons',
    roles: LESSON_READERS,
    input: ReadLesson,
    output: json(LessonRecord),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => readAssessment(db, who, input),
  }),
  op('GET /edu/v1/assessment/progress', {
    name: 'readAssessmentProgress',
    summary: 'Get assessment progress',
    description:
      'Returns the progress of a student in an assessment, for older apps; it is the same as `GET /edu/v1/lesson/progress`. If the assessment was never started, the response is 404.',
    example: {
      request: { lessonId: 'lesson-emergencies', classId: 'class-charlie' },
      after: 'startQuiz',
    },
    who: member,
    scope: 'progress',
    roles: MAY.readStudent,
    input: NameAttempt,
    output: json(Progress),
    errors: [...REFUSED, 'notFound'],
    run: ({ db, who }, input) => readProgress(db, who, input),
  }),
]
