import { member, person } from '../../../kernel/http/callers/callers.ts'
import { administrator } from '../../../kernel/http/callers/needs.ts'
import { Nothing } from '../../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../../kernel/http/operation.ts'
import { json, success } from '../../../kernel/http/output/output.ts'
import { AddVerb, LibraryVerb, NameVerb, Verbs } from './schema.ts'
import { addVerb, listVerbs, removeVerb } from './verbs.ts'

const op = operationsIn({ area: 'xAPI', who: person })

export const verbOperations: readonly Operation[] = [
  op('GET /edu/v1/xapi/verbs', {
    name: 'listVerbs',
    summary: 'List xAPI verbs',
    description:
      'Returns the verbs that v2 statements can use: the built-in ones, and those that administrators have added. v1 takes any verb as plain text.',
    who: member,
    scope: 'statements',
    input: Nothing,
    output: json(Verbs),
    run: ({ environment, db }) => listVerbs(db, environment),
  }),
  op('PUT /edu/v1/xapi/verbs', {
    name: 'addVerb',
    summary: 'Create an xAPI verb',
    description: 'Adds a verb to the library, so that statements can use it. The audit log says who added it.',
    example: { request: { verbId: 'https://sandhills.example.org/verbs/flew', name: 'flew' }, as: 'ellis' },
    needs: [administrator],
    input: AddVerb,
    output: json(LibraryVerb),
    errors: ['validationFailed', 'conflict'],
    run: ({ environment, db, who }, input) => addVerb(db, who, input, environment),
  }),
  op('POST /edu/v1/xapi/verbs/remove', {
    name: 'removeVerb',
    summary: 'Delete an xAPI verb',
    description:
      'Deletes a verb from the library: new statements with it are refused, and existing ones stay. Built-in verbs cannot be deleted.',
    example: { request: { verbId: 'https://sandhills.example.org/verbs/flew' }, as: 'ellis', after: 'addVerb' },
    needs: [administrator],
    input: NameVerb,
    output: success(),
    errors: ['impossibleNow', 'notFound'],
    run: ({ environment, db, who }, input) => removeVerb(db, who, input, environment),
  }),
]
