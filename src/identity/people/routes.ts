import { person } from '../../kernel/http/callers/callers.ts'
import { clearCookie } from '../../kernel/http/callers/cookies.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { success } from '../../kernel/http/output/output.ts'
import { PASSWORD } from '../../kernel/samples.ts'
import { deleteOwnAccount, leavingPolicy } from './deletion.ts'
import { DeleteAccount } from './schema.ts'

const op = operationsIn({ area: 'Account', who: person })

export const peopleOperations: readonly Operation[] = [
  op('POST /account/v1/delete', {
    name: 'deleteAccount',
    summary: 'Delete your account',
    description:
      "Deletes the caller's account; send the handle and the password, so that nobody deletes an account by mistake. Everything that belongs to the user alone is deleted, all tokens stop working immediately, and what they share with others stays without them. This cannot be undone, and the handle is reserved for 180 days; a child's account is deleted by a parent.",
    example: { request: { handle: '@blake', password: PASSWORD }, as: 'blake' },
    input: DeleteAccount,
    output: success({
      headers: { 'Set-Cookie': 'Deletes the cookie of this browser' },
      headersOf: ({ cookie }: { cookie: string[] }) => ({ 'set-cookie': cookie }),
    }),
    refusesIdempotencyKey: true,
    errors: ['wrongCredentials', 'impossibleNow', 'forbidden'],
    run: async ({ db, who, environment }, input) => {
      await deleteOwnAccount(db, who, input, environment.get(leavingPolicy))
      return { cookie: clearCookie(environment) }
    },
  }),
]
