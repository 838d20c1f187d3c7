import { writeCookie } from '../http/cookies.ts'
import { type Operation, personOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/success.ts'
import { deleteOwnAccount } from './deletion.ts'
import { DeleteAccount } from './schema.ts'

export const peopleOperations: readonly Operation[] = [
  personOperation({
    name: 'deleteAccount',
    summary:
      'Deletes the own account for good; all tokens are dead at once. Accounts of children who have one are deleted by a parent',
    method: 'POST',
    path: '/account/v1/delete',
    area: 'Account',
    input: DeleteAccount,
    place: 'body',
    answer: Success,
    answerHeaders: { 'Set-Cookie': 'Takes the cookie of this browser away' },
    headersOf: ({ cookie }: { cookie: string }) => ({ 'set-cookie': cookie }),
    errors: ['wrongCredentials', 'impossibleNow', 'forbidden'],
    run: async ({ db, who, environment }, input) => {
      await deleteOwnAccount(db, who, input, environment)
      return { ...SUCCESS, cookie: writeCookie(environment.cookie, '', 0) }
    },
  }),
]
