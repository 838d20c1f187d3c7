import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { EVALUATION_ID } from '../../kernel/samples.ts'
import { MAY } from '../classes/roles.ts'
import {
  acknowledgeEvaluation,
  changeEvaluation,
  listEvaluations,
  readEvaluation,
  recordEvaluations,
} from './evaluations.ts'
import {
  AcknowledgeEvaluation,
  ChangeEvaluation,
  Evaluation,
  EvaluationPage,
  ListEvaluations,
  NameEvaluation,
  RecordEvaluations,
  RecordedEvaluations,
} from './schema.ts'

const op = operationsIn({ area: 'Evaluations', who: person })

export const evaluationOperations: readonly Operation[] = [
  op('POST /edu/v1/evaluation', {
    name: 'recordEvaluations',
    summary: 'Record evaluations',
    description:
      'Records what an instructor has evaluated in an instructor-led lesson, for up to 100 students. Each is an attempt, or completes the one that is open, and is recorded or refused on its own: the response is 200, and `error` says which were refused and why. The client chooses each `evaluationId`, so the request can be repeated after a lost connection.',
    example: {
      request: {
        classId: 'class-charlie',
        lessonId: 'lesson-introductory-flight',
        evaluations: [
          {
            evaluationId: EVALUATION_ID,
            studentId: 'student-avery-charlie',
            criteria: [
              { id: 'straight', points: 8 },
              { id: 'turns', points: 9 },
            ],
            pass: true,
            remarks: 'Steady hands, good turns.',
            startTime: '2026-04-30T09:00:00Z',
            endTime: '2026-04-30T10:30:00Z',
          },
        ],
      },
      as: 'casey',
    },
    roles: MAY.evaluate,
    input: RecordEvaluations,
    hasLargeBody: true,
    output: json(RecordedEvaluations),
    errors: ['forbidden', 'storageFull'],
    run: ({ db, who }, input) => recordEvaluations(db, who, input),
  }),
  op('GET /edu/v1/evaluation', {
    name: 'readEvaluation',
    summary: 'Get an evaluation',
    description:
      'Returns an evaluation with the points for each criterion. The student and everybody who can read the progress of the student can read it; all others get 404.',
    example: {
      request: { evaluationId: EVALUATION_ID },
      as: 'casey',
      after: 'recordEvaluations',
    },
    roles: MAY.readStudent,
    input: NameEvaluation,
    output: json(Evaluation),
    errors: ['notFound'],
    run: ({ db, who }, input) => readEvaluation(db, who, input),
  }),
  op('GET /edu/v1/evaluation/list', {
    name: 'listEvaluations',
    summary: 'List evaluations',
    description:
      'Returns evaluations, newest first: for staff those of the class in `classId`, for students their own, in one class or in all. With `acknowledged=false`, only those that the student has not acknowledged. Evaluations after the first 2 MiB of a page have no criteria and shortened remarks.',
    example: {
      request: { classId: 'class-charlie', lessonId: 'lesson-introductory-flight' },
      as: 'casey',
      after: 'recordEvaluations',
    },
    roles: MAY.readStudent,
    input: ListEvaluations,
    output: json(EvaluationPage),
    isCompressible: true,
    run: ({ db, who }, input) => listEvaluations(db, who, input),
  }),
  op('POST /edu/v1/evaluation/acknowledge', {
    name: 'acknowledgeEvaluation',
    summary: 'Acknowledge an evaluation',
    description:
      'Records that the student has read an evaluation, with a comment if they like. If the instructor has changed it since the student read that `version`, the response is 409 with code 4091. Acknowledging it again changes nothing.',
    example: {
      request: { evaluationId: EVALUATION_ID, version: 1 },
      after: 'recordEvaluations',
    },
    roles: ['student'],
    input: AcknowledgeEvaluation,
    from: 'either',
    output: json(Evaluation),
    errors: ['forbidden', 'notFound', 'conflict', 'storageFull'],
    run: ({ db, who }, input) => acknowledgeEvaluation(db, who, input),
  }),
  op('POST /edu/v1/evaluation/change', {
    name: 'changeEvaluation',
    summary: 'Change an evaluation',
    description:
      'Changes points, score, pass or remarks; fields that are left out stay as they are. The change is logged as a grade change with its `reason`, and the student has to acknowledge the evaluation again. The times of an evaluation cannot be changed.',
    example: {
      request: { evaluationId: EVALUATION_ID, score: 90, reason: 'The last turn counts too.' },
      as: 'casey',
      after: 'recordEvaluations',
    },
    roles: MAY.grade,
    input: ChangeEvaluation,
    from: 'either',
    output: json(Evaluation),
    errors: ['forbidden', 'notFound', 'validationFailed', 'impossibleNow', 'storageFull'],
    run: ({ db, who }, input) => changeEvaluation(db, who, input),
  }),
]
