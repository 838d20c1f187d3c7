import { person } from '../../kernel/http/callers/callers.ts'
import { recentSignIn } from '../../kernel/http/callers/needs.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { listConnections, removeConnection } from './connections.ts'
import { Connections, NameProvider } from './schema.ts'

const op = operationsIn({ area: 'Account', who: person })

export const connectionOperations: readonly Operation[] = [
  op('GET /account/v1/connections', {
    name: 'listConnections',
    summary: 'List your connections to organisations',
    description:
      "Returns the caller's organisations that have their own sign-in, at most 100, and whether the caller's account is connected to it. People connect their account on the page `/account/provider?organisation=KEY&connect=true`.",
    example: { request: {}, as: 'ellis' },
    input: Nothing,
    output: json(Connections),
    run: ({ db, who }) => listConnections(db, who),
  }),
  op('POST /account/v1/connection/remove', {
    name: 'removeConnection',
    summary: 'Remove your connection to an organisation',
    description:
      "Disconnects the caller's account from the sign-in of an organisation. It is refused if the organisation requires this way of signing in, or if the caller has neither a password nor a passkey. The membership stays.",
    example: {
      request: { organisation: 'sandhills' },
      as: 'ellis',
      fill: { organisation: 'An organisation to which your account is connected' },
    },
    needs: [recentSignIn],
    input: NameProvider,
    output: success(),
    errors: ['notFound', 'impossibleNow'],
    run: ({ db, who }, input) => removeConnection(db, who, input),
  }),
]
