import { BASE_URL, DONE, MOMENT, USER_IDS } from '../samples.ts'
import { presetVerbs } from './capture.ts'
import { STANDARD_VERBS } from './vocabulary.ts'

const apiId = (type: string) => `${BASE_URL}/xapi/api-id/${type}`
const CAPTURED = { success: true, statementId: '0b9d1e52-6f0e-4a3c-9a57-3c1f2f9d8e40' }
const FLEW = { verbId: 'https://sandhills.example.org/verbs/flew', name: 'flew' }

/** What people read about these operations. */
export const examples = {
  captureStatement: {
    description:
      'The statement is checked, linked to what its ids name, stored once and seen in the student’s timeline. An app speaks for the user who is signed in, instructors for students of their classes. With an `id` of its own a statement can be sent again: the same changes nothing, another one under that id is refused with 409.',
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
      'The object names what the statement is about, and whatever else there is to say: questionText, questionIndex, error, assist, safety, knowledge, target. Where no student is named it is the actor, in the newest class that takes the lesson.',
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
      'The verbs that statements of v2 may have: those that came with the platform, and those that administrators have added. v1 says its verbs in words, and takes any.',
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
    description: 'From then on statements may have it. The audit log says who added it.',
    example: { request: FLEW, answer: { ...FLEW, standard: false }, as: 'ellis' as const },
  },
  removeVerb: {
    description:
      'New statements with it are refused, those that are there stay. What came with the platform cannot be removed.',
    example: { request: { verbId: FLEW.verbId }, answer: DONE, as: 'ellis' as const, after: 'addVerb' },
  },
}
