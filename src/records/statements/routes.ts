import { member, person } from '../../kernel/http/callers/callers.ts'
import { anAdministrator } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { captureV1, captureV2 } from './capture.ts'
import { examples } from './examples.ts'
import { AddVerb, Captured, CaptureV1, CaptureV2, NameVerb, Verb, Verbs } from './schema.ts'
import { addVerb, listVerbs, removeVerb } from './verbs.ts'

const area = 'xAPI'
const role = 'the actor, or an instructor of a class of theirs'
const verbs = '/edu/v1/xapi/verbs'

export const statementOperations: readonly Operation[] = [
  operation({
    name: 'captureStatement',
    summary: 'Sends an xAPI statement',
    ...examples.captureStatement,
    method: 'POST',
    path: '/edu/v2/xapi/statement',
    area,
    who: member,
    role,
    input: CaptureV2,
    from: 'body',
    output: json(Captured),
    errors: ['validationFailed', 'forbidden', 'impossibleNow', 'conflict'],
    run: ({ environment, db, who }, input) => captureV2(environment, db, who, input),
  }),
  operation({
    name: 'captureSimpleStatement',
    summary: 'Sends a statement in the simpler form of v1',
    ...examples.captureSimpleStatement,
    method: 'POST',
    path: '/edu/v1/xapi/statement',
    area,
    who: member,
    role,
    input: CaptureV1,
    from: 'body',
    output: json(Captured),
    errors: ['validationFailed', 'forbidden', 'impossibleNow', 'conflict'],
    run: ({ environment, db, who }, input) => captureV1(environment, db, who, input),
  }),
  operation({
    name: 'listVerbs',
    summary: 'Lists the verb library',
    ...examples.listVerbs,
    method: 'GET',
    path: verbs,
    area,
    who: member,
    role: 'anybody with an account',
    input: Nothing,
    from: 'query',
    output: json(Verbs),
    errors: [],
    run: ({ environment, db }) => listVerbs(environment, db),
  }),
  operation({
    name: 'addVerb',
    summary: 'Adds a verb to the library',
    ...examples.addVerb,
    method: 'PUT',
    path: verbs,
    area,
    who: person,
    needs: [anAdministrator],
    input: AddVerb,
    from: 'body',
    output: json(Verb),
    errors: ['validationFailed', 'conflict'],
    run: ({ environment, db, who }, input) => addVerb(environment, db, who, input),
  }),
  operation({
    name: 'removeVerb',
    summary: 'Removes a verb from the library',
    ...examples.removeVerb,
    method: 'POST',
    path: `${verbs}/remove`,
    area,
    who: person,
    needs: [anAdministrator],
    input: NameVerb,
    from: 'body',
    output: success(),
    errors: ['impossibleNow', 'notFound'],
    run: ({ environment, db, who }, input) => removeVerb(environment, db, who, input),
  }),
]
