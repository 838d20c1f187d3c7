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
    summary: 'Signs this browser in as a demo person',
    description:
      'For looking around on your own machine; no password is needed. It works only with the demo data, on a platform that only this machine can reach; anywhere else the answer is 404.',
    example: { request: { handle: '@casey' }, answer: DONE },
    method: 'POST',
    path: '/account/v1/demo/signin',
    area: 'Account',
    who: visitor,
    input: SignInAsDemo,
    from: 'body',
    output: success<{ cookie: string[] }>({
      headersOf: ({ cookie }) => ({ 'set-cookie': cookie }),
      headers: { 'Set-Cookie': 'The new cookie of this browser; the old one stops working' },
    }),
    errors: ['notFound', 'wrongCredentials'],
    run: async ({ db, who, environment }, input) => ({
      cookie: writeCookie(environment, await signInAsDemo(db, who, input, environment)),
    }),
  }),
]
