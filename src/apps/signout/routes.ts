import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { listFailedLogouts } from '../../kernel/logouts/logouts.ts'
import { CLIENT_ID } from '../../kernel/samples.ts'
import { readManaged } from '../apps/management.ts'
import { APP_DEVELOPERS } from '../organisations/roles.ts'
import { FailedLogouts, NameLogoutApp } from './schema.ts'

const op = operationsIn({ area: 'Apps', who: person })

export const signOutOperations: readonly Operation[] = [
  op('GET /app/v1/app/logouts', {
    name: 'listFailedLogouts',
    summary: 'List failed logout tokens',
    description:
      'Returns the last 20 logout tokens that the back-channel logout URL of an app did not take within a day, most recent first, for 14 days. The platform tries again with growing intervals before a token counts as failed.',
    example: { request: { clientId: CLIENT_ID }, as: 'ellis' },
    roles: APP_DEVELOPERS,
    input: NameLogoutApp,
    output: json(FailedLogouts),
    errors: ['forbidden'],
    run: async ({ db, who }, { clientId }) => {
      const { id: appId } = await readManaged(db, who, clientId)
      return listFailedLogouts(db, { appId })
    },
  }),
]
