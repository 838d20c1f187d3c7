import { member } from '../../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../../kernel/http/operation.ts'
import { json } from '../../../kernel/http/output/output.ts'
import { MOMENT, USER_IDS } from '../../../kernel/samples.ts'
import { captureV1, captureV2 } from './capture.ts'
import { Captured, CaptureV1, CaptureV2 } from './schema.ts'

const op = operationsIn({ area: 'xAPI', who: member, scope: 'statements' })

export const captureOperations: readonly Operation[] = [
  op('POST /edu/v2/xapi/statement', {
    name: 'captureStatement',
    summary: 'Send an xAPI statement',
    description:
      "Checks a statement, links it to the records that its ids refer to, stores it, and shows it in the student's timeline. Apps send statements for the signed-in user, instructors for students of their classes. With an `id` you can safely resend: the same statement changes nothing, and a different one with that id is refused with 409.",
    example: {
      request: {
        actor: { objectType: 'Agent', account: { homePage: 'http://localhost:4000', name: '@avery' } },
        verb: { id: 'http://adlnet.gov/expapi/verbs/answered', display: { en: 'answered' } },
        object: {
          id: 'http://localhost:4000/xapi/objects/lesson',
          definition: { name: { en: 'Walkaround' } },
          extensions: { 'http://localhost:4000/xapi/api-id/lesson': 'lesson-walkaround' },
        },
        result: { success: true, response: 'The pitot cover' },
        context: {
          extensions: {
            'http://localhost:4000/xapi/api-id/education-class': 'class-alpha',
            'http://localhost:4000/xapi/api-id/student': 'student-avery',
          },
        },
        timestamp: MOMENT,
      },
    },
    roles: ['actor', 'instructor'],
    input: CaptureV2,
    output: json(Captured),
    errors: ['validationFailed', 'forbidden', 'impossibleNow', 'conflict', 'storageFull'],
    run: ({ environment, db, who }, input) => captureV2(db, who, input, environment),
  }),
  op('POST /edu/v1/xapi/statement', {
    name: 'captureSimpleStatement',
    summary: 'Send an xAPI statement (v1)',
    description:
      'Stores a statement in the simpler form of v1: the object says what it is about, and can have questionText, questionIndex, error, assist, safety, knowledge, target and more. If there is no studentId, the student is the actor, in the newest class that takes the lesson.',
    example: {
      request: {
        timestamp: MOMENT,
        actor: USER_IDS.avery,
        verb: 'Correct Item Selected',
        object: { lessonId: 'lesson-walkaround', questionText: 'Which cover is bent?', safety: true },
      },
    },
    roles: ['actor', 'instructor'],
    input: CaptureV1,
    output: json(Captured),
    errors: ['validationFailed', 'forbidden', 'impossibleNow', 'conflict', 'storageFull'],
    run: ({ environment, db, who }, input) => captureV1(db, who, input, environment),
  }),
]
