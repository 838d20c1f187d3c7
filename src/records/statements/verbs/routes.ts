import { member, person } from '../../../kernel/http/callers/callers.ts'
import { anAdministrator } from '../../../kernel/http/callers/needs.ts'
import { Nothing } from '../../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../../kernel/http/operation.ts'
import { json, success } from '../../../kernel/http/output/output.ts'
import { examples } from './examples.ts'
import { AddVerb, LibraryVerb, NameVerb, Verbs } from './schema.ts'
import { addVerb, listVerbs, removeVerb } from './verbs.ts'

const area = 'xAPI'
const path = '/edu/v1/xapi/verbs'

export const verbOperations: readonly Operation[] = [
  operation({
    name: 'listVerbs',
    summary: 'Lists the verb library',
    ...examples.listVerbs,
    method: 'GET',
    path,
    area,
    who: member,
    role: 'anybody with an account',
    input: Nothing,
    from: 'query',
    output: json(Verbs),
    errors: [],
    run: ({ environment, db }) => listVerbs(db, environment),
  }),
  operation({
    name: 'addVerb',
    summary: 'Adds a verb to the library',
    ...examples.addVerb,
    method: 'PUT',
    path,
    area,
    who: person,
    needs: [anAdministrator],
    input: AddVerb,
    from: 'body',
    output: json(LibraryVerb),
    errors: ['validationFailed', 'conflict'],
    run: ({ environment, db, who }, input) => addVerb(db, who, input, environment),
  }),
  operation({
    name: 'removeVerb',
    summary: 'Removes a verb from the library',
    ...examples.removeVerb,
    method: 'POST',
    path: `${path}/remove`,
    area,
    who: person,
    needs: [anAdministrator],
    input: NameVerb,
    from: 'body',
    output: success(),
    errors: ['impossibleNow', 'notFound'],
    run: ({ environment, db, who }, input) => removeVerb(db, who, input, environment),
  }),
]
