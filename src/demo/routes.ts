import { visitor } from '../http/callers/callers.ts'
import { writeCookie } from '../http/callers/cookies.ts'
import { type Operation, operation } from '../http/operation.ts'
import { success } from '../http/output/output.ts'
import { DONE } from '../samples.ts'
import { SignInAsDemo } from './schema.ts'
import { signInAsDemo } from './signin.ts'

export const demoOperations: readonly Operation[] = [
  operation({
    name: 'signInAsDemo',
    summary: 'Signs a demo person in, in this browser',
    description:
      'For looking around on your own machine: no password is asked for, because everybody knows it. It works only with the demo data, on a platform that only this machine can reach; anywhere else nobody is found.',
    example: { request: { handle: '@casey' }, answer: DONE },
    method: 'POST',
    path: '/account/v1/demo/signin',
    area: 'Account',
    who: visitor,
    input: SignInAsDemo,
    from: 'body',
    output: success<{ cookie: string[] }>({
      headersOf: ({ cookie }) => ({ 'set-cookie': cookie }),
      headers: { 'Set-Cookie': 'The new cookie of this browser; the one before is worth nothing' },
    }),
    errors: ['notFound', 'wrongCredentials'],
    run: async ({ db, who, environment }, input) => ({
      cookie: writeCookie(environment, await signInAsDemo(db, who, input, environment)),
    }),
  }),
]
