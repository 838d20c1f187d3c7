import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { CLIENT_ID } from '../../kernel/samples.ts'
import { APP_DEVELOPERS } from '../organisations/roles.ts'
import { listRequests } from './requests.ts'
import { ListRequests, RequestPage } from './schema.ts'

const op = operationsIn({ area: 'Apps', who: person })

export const requestOperations: readonly Operation[] = [
  op('GET /app/v1/app/requests', {
    name: 'listAppRequests',
    summary: 'List app requests',
    description:
      'Returns the latest requests of an app and their responses, newest first; they appear after a few seconds. All errors are kept, and a sample of the successful requests if there are many in a second. Bodies and users are not recorded.',
    example: {
      request: { clientId: CLIENT_ID, status: '2xx', limit: 1 },

      as: 'ellis',
      isLive: true,
    },
    roles: APP_DEVELOPERS,
    input: ListRequests,
    output: json(RequestPage),
    errors: ['forbidden'],
    run: ({ db, who, environment }, input) => listRequests(db, who, input, environment.config),
  }),
]
