import { BASE_URL, DONE } from '../../../kernel/samples.ts'
import { presetVerbs, STANDARD_VERBS } from './library.ts'

const FLEW = { verbId: 'https://sandhills.example.org/verbs/flew', name: 'flew' }

export const examples = {
  listVerbs: {
    description:
      'The verbs that v2 statements can use: the built-in ones, and those that administrators have added. v1 takes any verb as plain text.',
    example: {
      answer: [
        ...[...STANDARD_VERBS].map(([verbId, name]) => ({ verbId, name, standard: true })),
        ...presetVerbs({ verbs: `${BASE_URL}/xapi/verbs` }).map(({ id, display }) => ({
          verbId: id,
          name: display.en,
          standard: true,
        })),
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
