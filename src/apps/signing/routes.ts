import { anyone } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { PublicKeys } from './schema.ts'
import { readPublicKeys } from './signing.ts'

const op = operationsIn({ area: 'Sign-in', who: anyone })

export const signingOperations: readonly Operation[] = [
  op('GET /oauth/v2/jwks', {
    name: 'readPublicKeys',
    summary: 'Get the keys of ID tokens',
    description:
      'Returns the public keys that ID tokens are verified with (RFC 7517). A key is published seven days before it is used, and stays for thirty days after that. The response may be cached for five minutes; read it again if a token names a key that is not in your copy.',
    errorForm: 'rfc',
    example: { isLive: true },
    input: Nothing,
    output: json(PublicKeys, {
      headers: { 'cache-control': 'May be cached for five minutes' },
      headersOf: () => ({ 'cache-control': 'public, max-age=300' }),
    }),
    run: ({ environment, who }) => readPublicKeys(environment, who),
  }),
]
