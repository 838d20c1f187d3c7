import { type Static, Type } from 'typebox'
import { Decimal, Flag, Id, inBody, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'
import { MAX_SCORE, Moment, orNull } from '../progress/schema.ts'

const MAX_EVALUATIONS = 100
const MAX_REMARKS = 5000
const MAX_COMMENT = 1000
const MAX_REASON = 1000

const GivenPoints = Type.Array(
  Type.Object({
    id: Type.String({ minLength: 1, maxLength: 64, description: 'Id of a criterion of the rubric' }),
    points: Type.Union([Type.Number({ minimum: 0, maximum: 1000 }), Type.Null()], {
      description: 'Up to the points of the criterion; null if it was not evaluated',
    }),
  }),
  { maxItems: 50, description: 'Points for the criteria of the rubric; those left out were not evaluated' },
)
export type GivenPoints = Static<typeof GivenPoints>

/** One student's part of a request. Times are checked per student, so that one mistake does not refuse the others. */
const NewEvaluation = Type.Object({
  evaluationId: Type.String({
    pattern: '^[A-Za-z0-9_-]{16,64}$',
    maxLength: 64,
    description: 'An id of your own, such as a UUID. Sending the same id again changes nothing',
  }),
  studentId: Type.String({ minLength: 1, maxLength: 200, description: 'Id of the student' }),
  criteria: Type.Optional(GivenPoints),
  score: Type.Optional(
    Type.Number({
      minimum: -MAX_SCORE,
      maximum: MAX_SCORE,
      description: 'By default, the percentage of the points that were possible in the evaluated criteria',
    }),
  ),
  pass: Type.Optional(
    Type.Boolean({ description: 'By default, whether the score reaches the passing score of the lesson' }),
  ),
  remarks: Type.Optional(
    Type.String({
      maxLength: MAX_REMARKS,
      description: `For the student, in up to ${MAX_REMARKS} characters; none by default`,
    }),
  ),
  startTime: Type.String({ maxLength: 40, description: 'When it began. ISO 8601 with a time zone' }),
  endTime: Type.Optional(
    Type.String({ maxLength: 40, description: 'When it ended, by default at once. ISO 8601 with a time zone' }),
  ),
})
export type NewEvaluation = Static<typeof NewEvaluation>

export const RecordEvaluations = Type.Object({
  classId: Id('Id of the class'),
  lessonId: Id('Id of an instructor-led lesson'),
  evaluations: Type.Array(NewEvaluation, {
    minItems: 1,
    maxItems: MAX_EVALUATIONS,
    description: 'One for each student',
  }),
})
export type RecordEvaluations = Static<typeof RecordEvaluations>

export const NameEvaluation = Type.Object({ evaluationId: Id('Id of the evaluation') })
export type NameEvaluation = Static<typeof NameEvaluation>

export const ChangeEvaluation = Type.Object({
  ...NameEvaluation.properties,
  criteria: Type.Optional(inBody(GivenPoints)),
  score: Type.Optional(
    inBody(Decimal('By default it follows from the criteria if they are sent', -MAX_SCORE, MAX_SCORE)),
  ),
  pass: Type.Optional(inBody(Flag('By default it follows from the score if that changes'))),
  remarks: Type.Optional(inBody(Text(`Up to ${MAX_REMARKS} characters`, MAX_REMARKS))),
  reason: inBody(Text(`The reason, in up to ${MAX_REASON} characters; the student can read it`, MAX_REASON)),
})
export type ChangeEvaluation = Static<typeof ChangeEvaluation>

export const AcknowledgeEvaluation = Type.Object({
  ...NameEvaluation.properties,
  version: inBody(Whole('The version that the student has read', 1, 1_000_000)),
  comment: Type.Optional(inBody(Text(`For the instructor, in up to ${MAX_COMMENT} characters`, MAX_COMMENT))),
})
export type AcknowledgeEvaluation = Static<typeof AcknowledgeEvaluation>

export const ListEvaluations = Type.Object({
  classId: Type.Optional(Id('Id of a class; by default all classes in which the caller is a student')),
  lessonId: Type.Optional(Id('Only those of this lesson')),
  studentId: Type.Optional(Id('Only those of this student of the class')),
  acknowledged: Type.Optional(Flag('Only those that the student has acknowledged, or only those not acknowledged')),
  ...paging,
})
export type ListEvaluations = Static<typeof ListEvaluations>

export const Criterion = Type.Object({
  id: Type.String(),
  name: Type.String(),
  objective: orNull('Id of the objective that gets the score; null if none does'),
  maxPoints: Type.Number(),
  points: Type.Union([Type.Number(), Type.Null()], { description: 'Null if it was not evaluated' }),
})
export type Criterion = Static<typeof Criterion>

export const Evaluation = Type.Object(
  {
    evaluationId: Type.String(),
    version: Type.Integer({ description: 'From 1; each change adds one' }),
    classId: Type.String(),
    studentId: Type.String(),
    handle: Type.String(),
    name: Type.String({ description: 'Name of the student' }),
    lessonId: Type.String(),
    lessonName: Type.String(),
    lessonResultId: Type.String({ description: 'Id of the attempt' }),
    criteria: Type.Array(Criterion, { description: 'The rubric as it was then, with the points' }),
    score: Type.Union([Type.Number(), Type.Null()]),
    pass: Type.Boolean(),
    remarks: Type.String({ description: 'Empty if there are none. Long ones are shortened in lists' }),
    startTime: Moment,
    endTime: Moment,
    recordedBy: orNull('Name of the instructor; null if the account was deleted'),
    recorded: Moment,
    changed: Moment,
    acknowledged: Type.Union([Moment, Type.Null()], {
      description: 'When the student acknowledged it; null until then, and after a change',
    }),
    comment: Type.String({ description: "The student's comment; empty if there is none" }),
    counts: Type.Boolean({ description: 'False if the lesson was reset since' }),
  },
  { title: 'Evaluation' },
)
export type Evaluation = Static<typeof Evaluation>
export const EvaluationPage = PageOf(Evaluation, 'EvaluationPage')

export const RecordedEvaluations = Type.Object(
  {
    evaluations: Type.Array(
      Type.Object({
        evaluationId: Type.String(),
        studentId: Type.String(),
        evaluation: Type.Union([Evaluation, Type.Null()], { description: 'Null if it was refused' }),
        code: Type.Union([Type.Integer(), Type.Null()], { description: 'Code of the error; null if it was recorded' }),
        error: orNull('Why it was refused; null if it was recorded'),
      }),
      { description: 'In the order of the request' },
    ),
  },
  { title: 'RecordedEvaluations' },
)
export type RecordedEvaluations = Static<typeof RecordedEvaluations>
