import { type Static, Type } from 'typebox'
import { AnyJson, Decimal, Flag, Id, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'
import { MAX_DRAWN, QuestionKind } from './question-schema.ts'

const MAX_REMARK = 4000

const lessonResultId = { lessonResultId: Id('Id of the attempt') }
const questionId = { questionId: Id('Id of a question of the attempt') }

export const StartQuiz = Type.Object({
  lessonId: Id('Id of the lesson'),
  classId: Type.Optional(Id('Id of the class; by default the newest one in which the caller takes the lesson')),
})
export type StartQuiz = Static<typeof StartQuiz>
export const ReadQuizAttempt = Type.Object({
  ...lessonResultId,
  from: Type.Optional(Whole('Number of the first question to return. Default: 1', 1, MAX_DRAWN)),
})
export type ReadQuizAttempt = Static<typeof ReadQuizAttempt>
export const SaveQuizAnswer = Type.Object({
  ...lessonResultId,
  ...questionId,
  response: AnyJson(
    'The answer: the id of an option; a list of ids of options, or of items in order; an object from ids of prompts to ids of choices; a number; a text. null deletes the answer',
  ),
  final: Type.Optional(
    Flag('Whether the answer is final; only in quizzes with feedback after each answer, which then return it'),
  ),
})
export type SaveQuizAnswer = Static<typeof SaveQuizAnswer>
export const SubmitQuiz = Type.Object(lessonResultId)
export type SubmitQuiz = Static<typeof SubmitQuiz>
export const GradeQuizAnswer = Type.Object({
  ...lessonResultId,
  ...questionId,
  points: Decimal('From 0 to the points of the question', 0, 1000),
  remark: Type.Optional(Text('For the student; none by default', MAX_REMARK)),
})
export type GradeQuizAnswer = Static<typeof GradeQuizAnswer>
export const ReadQuizResults = Type.Object({
  classId: Id('Id of the class'),
  lessonId: Id('Id of the lesson'),
  ...paging,
})
export type ReadQuizResults = Static<typeof ReadQuizResults>

const Moment = Type.String({ format: 'date-time' })
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description })
const parts = (description: string) =>
  Type.Optional(Type.Array(Type.Object({ id: Type.String(), text: Type.String() }), { description }))

const Feedback = Type.Object({
  correct: orNull(Type.Boolean(), 'Whether all points were reached; null while it is not graded'),
  points: orNull(Type.Number(), 'Null while it is not graded'),
  correctResponse: Type.Unknown({ description: 'In the form of a response; null for an essay' }),
  tolerance: Type.Optional(Type.Number()),
  accepted: Type.Optional(Type.Array(Type.String())),
  explanation: Type.Optional(Type.String()),
  remarks: Type.Optional(Type.Array(Type.String(), { description: 'About the chosen options' })),
})

export const QuizQuestion = Type.Object(
  {
    questionId: Type.String(),
    number: Type.Integer({ description: 'From 1' }),
    kind: QuestionKind,
    text: Type.String(),
    maxPoints: Type.Number(),
    options: parts('Of single and multiple choice. Ids hold only for this attempt'),
    items: parts('To put in order'),
    prompts: parts('Each belongs to one of the choices'),
    choices: parts('A choice can belong to several prompts, or to none'),
    unit: Type.Optional(Type.String({ description: 'Of the number' })),
    maxLength: Type.Optional(Type.Integer({ description: 'Of a text, in characters' })),
    response: Type.Unknown({ description: 'The saved answer; null if there is none' }),
    saved: orNull(Moment, 'When it was saved; null if it was not'),
    final: Type.Boolean({ description: 'Whether the answer can no longer change' }),
    feedback: Type.Optional(Feedback),
    graded: Type.Optional(
      Type.Object(
        { points: Type.Number(), remark: Type.String({ description: 'Empty if there is none' }), date: Moment },
        { description: 'The grade of an instructor' },
      ),
    ),
    guidance: Type.Optional(Type.String({ description: 'Notes for graders' })),
  },
  { title: 'QuizQuestion' },
)
export type QuizQuestion = Static<typeof QuizQuestion>

export const QuizAttempt = Type.Object(
  {
    lessonResultId: Type.String(),
    lessonId: Type.String(),
    classId: Type.String(),
    studentId: Type.String(),
    started: Moment,
    deadline: orNull(Moment, 'When the time is over; null if there is no time limit'),
    now: Type.String({ format: 'date-time', description: "The server's time, to show the time left" }),
    submitted: orNull(Moment, 'Null while the quiz is open'),
    feedback: Type.Enum(['answer', 'end', 'never'], { description: 'When correct answers are shown' }),
    pass: Type.Boolean(),
    score: orNull(Type.Number(), 'In percent; null until it is graded'),
    awaitsGrade: Type.Boolean({ description: 'Whether an instructor still has to grade an answer' }),
    answered: Type.Integer({ description: 'Number of answered questions' }),
    total: Type.Integer({ description: 'Number of all questions' }),
    questions: Type.Array(QuizQuestion, {
      description: 'In order; if they are large, there are fewer than total: read on with from',
    }),
  },
  { title: 'QuizAttempt' },
)
export type QuizAttempt = Static<typeof QuizAttempt>

const QuestionResult = Type.Object({
  questionId: Type.String(),
  revision: Type.Integer({ description: 'The newest one that was answered' }),
  kind: QuestionKind,
  text: Type.String({ description: 'The first 300 characters of the question' }),
  maxPoints: Type.Number(),
  shown: Type.Integer({ description: 'In how many submitted attempts it was drawn' }),
  answered: Type.Integer(),
  correct: Type.Integer({ description: 'Number of answers with all points' }),
  meanPoints: orNull(Type.Number(), 'Mean of the graded answers; null if there are none'),
  toGrade: Type.Integer({ description: 'Number of answers that an instructor has to grade' }),
  responses: Type.Array(
    Type.Object({ text: Type.String(), correct: orNull(Type.Boolean(), 'Null if unknown'), count: Type.Integer() }),
    { description: 'How often each option was chosen; for numbers and short texts, the 10 most frequent answers' },
  ),
})
export type QuestionResult = Static<typeof QuestionResult>
export const QuizResultsPage = PageOf(QuestionResult, 'QuizResultsPage')
