import { person } from '../http/callers/callers.ts'
import { type Operation, operation } from '../http/operation.ts'
import { json } from '../http/output/output.ts'
import { CLIENT_ID, MOMENT } from '../samples.ts'
import { listRequests } from './requests.ts'
import { ListRequests, RequestPage } from './schema.ts'

export const requestOperations: readonly Operation[] = [
  operation({
    name: 'listAppRequests',
    summary: 'Lists the latest requests of an app',
    description:
      'What the app asked for and how it was answered, the newest first; they appear after a few seconds. Refusals are all there, and of many successes in a second a sample. Nothing is kept of what a request or its answer said, nor of the user whom it was for.',
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
