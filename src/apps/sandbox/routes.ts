import { forgetting } from '../../kernel/forget.ts'
import { person } from '../../kernel/http/callers/callers.ts'
import { writeCookie } from '../../kernel/http/callers/cookies.ts'
import { recentSignIn } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { TESTER } from '../../kernel/samples.ts'
import { APP_DEVELOPERS } from '../organisations/roles.ts'
import { listTesters, makeTesters, resetTesters, signInAsTester } from './people.ts'
import { SignInAsTester, Testers } from './schema.ts'

const op = operationsIn({ area: 'Apps', who: person })

export const sandboxOperations: readonly Operation[] = [
  op('PUT /sandbox/v1/people', {
    name: 'makeTestPeople',
    summary: 'Create test users',
    description:
      'Creates ten test users with names and without a password, whom other users can find, so that you can try an app with several users. If you have some already, only the missing ones are created. They exist only in the sandbox; production refuses this with 400/4006.',
    example: { as: 'ellis', environment: 'sandbox', isLive: true },
    roles: APP_DEVELOPERS,
    input: Nothing,
    output: json(Testers),
    errors: ['impossibleNow'],
    run: ({ db, who, environment }) => makeTesters(db, who, environment),
  }),
  op('GET /sandbox/v1/people', {
    name: 'listTestPeople',
    summary: 'List your test users',
    description: "Returns the caller's own test users, oldest first. Nobody else sees them.",
    example: { as: 'ellis', environment: 'sandbox', isLive: true, after: 'makeTestPeople' },
    roles: APP_DEVELOPERS,
    input: Nothing,
    output: json(Testers),
    errors: ['impossibleNow', 'forbidden'],
    run: ({ db, who, environment }) => listTesters(db, who, environment),
  }),
  op('POST /sandbox/v1/people/signin', {
    name: 'signInAsTestPerson',
    summary: 'Sign in as a test user',
    description:
      "Signs this browser in as one of the caller's own test users. To be yourself again, sign in again. It works only in the sandbox.",
    example: { request: { handle: TESTER }, as: 'ellis', environment: 'sandbox', after: 'makeTestPeople' },
    roles: APP_DEVELOPERS,
    input: SignInAsTester,
    output: success<{ cookie: string[] }>({
      headersOf: ({ cookie }) => ({ 'set-cookie': cookie }),
      headers: { 'Set-Cookie': 'The new cookie of this browser; the old one stops working' },
    }),
    refusesIdempotencyKey: true,
    errors: ['impossibleNow', 'notFound', 'wrongCredentials'],
    run: async ({ db, who, environment }, input) => ({
      cookie: writeCookie(environment, await signInAsTester(db, who, input, environment)),
    }),
  }),
  op('POST /sandbox/v1/people/reset', {
    name: 'resetTestPeople',
    summary: 'Reset your test users',
    description:
      "Deletes the caller's test users and creates ten new ones with new handles. Everything that they did is deleted too: buckets, progress, statements and sessions.",
    example: { as: 'ellis', environment: 'sandbox', isLive: true },
    needs: [recentSignIn],
    roles: APP_DEVELOPERS,
    input: Nothing,
    output: json(Testers),
    refusesIdempotencyKey: true,
    errors: ['impossibleNow'],
    run: ({ db, who, environment }) => resetTesters(db, who, environment, environment.get(forgetting)),
  }),
]
