import { BASE_URL, DONE, MOMENT, USER_IDS } from '../../kernel/samples.ts'
import { presetVerbs } from './capture.ts'
import { STANDARD_VERBS } from './vocabulary.ts'

const apiId = (type: string) => `${BASE_URL}/xapi/api-id/${type}`
const CAPTURED = { success: true, statementId: '0b9d1e52-6f0e-4a3c-9a57-3c1f2f9d8e40' }
const FLEW = { verbId: 'https://sandhills.example.org/verbs/flew', name: 'flew' }

/** What people read about these operations. */
export const examples = {
  captureStatement: {
    description:
      'The statement is checked, linked to the records that its ids name, stored, and shown in the student’s timeline. Apps send statements for the signed-in user, instructors for students of their classes. With an `id` you can safely resend: the same statement changes nothing, a different one with that id is refused with 409.',
    example: {
      request: {
        actor: { objectType: 'Agent', account: { homePage: BASE_URL, name: '@avery' } },
        verb: { id: 'http://adlnet.gov/expapi/verbs/answered', display: { en: 'answered' } },
        object: {
          id: `${BASE_URL}/xapi/objects/lesson`,
          definition: { name: { en: 'Walkaround' } },
          extensions: { [apiId('lesson')]: 'lesson-walkaround' },
        },
        result: { success: true, response: 'The pitot cover' },
        context: { extensions: { [apiId('education-class')]: 'class-alpha', [apiId('student')]: 'student-avery' } },
        timestamp: MOMENT,
      },
      answer: CAPTURED,
    },
  },
  captureSimpleStatement: {
    description:
      'The object says what the statement is about, and can have questionText, questionIndex, error, assist, safety, knowledge, target and more. If no student is named, it is the actor, in the newest class that takes the lesson.',
    example: {
      request: {
        timestamp: MOMENT,
        actor: USER_IDS.avery,
        verb: 'Correct Item Selected',
        object: { lessonId: 'lesson-walkaround', questionText: 'Which cover is bent?', safety: true },
      },
      answer: CAPTURED,
    },
  },
  listVerbs: {
    description:
      'The verbs that v2 statements can use: the built-in ones, and those that administrators have added. v1 takes any verb as plain text.',
    example: {
      answer: [
        ...[...STANDARD_VERBS].map(([verbId, name]) => ({ verbId, name, standard: true })),
        ...presetVerbs({ homePage: '', objects: '', apiIds: '', verbs: `${BASE_URL}/xapi/verbs` }).map(
          ({ id, display }) => ({ verbId: id, name: display.en, standard: true }),
        ),
      ],
    },
  },
  addVerb: {
    description: 'Statements can use it from then on. The audit log says who added it.',
    example: { request: FLEW, answer: { ...FLEW, standard: false }, as: 'ellis' as const },
  },
  removeVerb: {
    description: 'New statements with it are refused; existing ones stay. Built-in verbs cannot be removed.',
    example: { request: { verbId: FLEW.verbId }, answer: DONE, as: 'ellis' as const, after: 'addVerb' },
  },
}
