import { forgetting } from '../../kernel/forget.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { writeCookie } from '../../kernel/http/callers/cookies.ts'
import { aRecentSignIn } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { examples } from './examples.ts'
import { listTesters, makeTesters, resetTesters, signInAsTester } from './people.ts'
import { SignInAsTester, Testers } from './schema.ts'

const area = 'Apps'
const path = '/sandbox/v1/people'
const role = 'developer of an organisation, or administrator; in the sandbox'

export const sandboxOperations: readonly Operation[] = [
  operation({
    name: 'makeTestPeople',
    summary: 'Creates ten test people',
    ...examples.makeTestPeople,
    method: 'PUT',
    path,
    area,
    who: person,
    role,
    input: Nothing,
    from: 'body',
    output: json(Testers),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }) => makeTesters(db, who, environment),
  }),
  operation({
    name: 'listTestPeople',
    summary: 'Lists the test people of the caller',
    ...examples.listTestPeople,
    method: 'GET',
    path,
    area,
    who: person,
    role,
    input: Nothing,
    from: 'query',
    output: json(Testers),
    errors: ['impossibleNow', 'forbidden'],
    run: ({ db, who, environment }) => listTesters(db, who, environment),
  }),
  operation({
    name: 'signInAsTestPerson',
    summary: 'Signs this browser in as one of the caller’s test people',
    ...examples.signInAsTestPerson,
    method: 'POST',
    path: `${path}/signin`,
    area,
    who: person,
    role,
    input: SignInAsTester,
    from: 'body',
    output: success<{ cookie: string[] }>({
      headersOf: ({ cookie }) => ({ 'set-cookie': cookie }),
      headers: { 'Set-Cookie': 'The new cookie of this browser; the old one stops working' },
    }),
    isUnrepeatable: true,
    errors: ['impossibleNow', 'notFound', 'wrongCredentials'],
    run: async ({ db, who, environment }, input) => ({
      cookie: writeCookie(environment, await signInAsTester(db, who, input, environment)),
    }),
  }),
  operation({
    name: 'resetTestPeople',
    summary: 'Removes the test people of the caller, and creates ten new ones',
    ...examples.resetTestPeople,
    method: 'POST',
    path: `${path}/reset`,
    area,
    who: person,
    needs: [aRecentSignIn],
    role,
    input: Nothing,
    from: 'body',
    output: json(Testers),
    isUnrepeatable: true,
    errors: ['impossibleNow'],
    run: ({ db, who, environment }) => resetTesters(db, who, environment, environment.get(forgetting)),
  }),
]
