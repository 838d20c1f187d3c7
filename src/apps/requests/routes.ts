import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { CLIENT_ID, MOMENT } from '../../kernel/samples.ts'
import { listRequests } from './requests.ts'
import { ListRequests, RequestPage } from './schema.ts'

export const requestOperations: readonly Operation[] = [
  operation({
    name: 'listAppRequests',
    summary: 'Lists the latest requests of an app',
    description:
      'Requests and how they were answered, newest first; they appear after a few seconds. All refusals are kept, and a sample of the successes if there are many in a second. Bodies and users are not recorded.',
    example: {
      request: { clientId: CLIENT_ID, status: '2xx', limit: 1 },
      answer: {
        docs: [
          { date: MOMENT, operation: 'signInWithBasic', status: 200, code: null, ms: 12, requestId: 'q7Xm2Kd0-1f' },
        ],
        next: '4711',
        days: 7,
      },
      as: 'ellis',
      isLive: true,
    },
    method: 'GET',
    path: '/app/v1/app/requests',
    area: 'Apps',
    who: person,
    role: "owner or developer of the app's organisation, or administrator",
    input: ListRequests,
    from: 'query',
    output: json(RequestPage),
    errors: ['forbidden'],
    run: ({ db, who, environment }, input) => listRequests(db, who, input, environment.config),
  }),
]
