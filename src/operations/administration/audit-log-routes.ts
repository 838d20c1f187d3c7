import { person } from '../../kernel/http/callers/callers.ts'
import { anAdministrator } from '../../kernel/http/callers/needs.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { BROWSER_ADDRESS, MOMENT, REQUEST_ID } from '../../kernel/samples.ts'
import { listAudit } from './audit-log.ts'
import { AuditPage, ListAudit } from './audit-log-schema.ts'

export const auditLogOperations: readonly Operation[] = [
  operation({
    name: 'listAudit',
    summary: 'Lists the audit log',
    description:
      'What happened to accounts, sessions and apps, the latest first, and who did it. Filters can be combined; `next` of an answer is the `cursor` of the page after it.',
    example: {
      request: { limit: 1 },
      answer: {
        docs: [
          {
            date: MOMENT,
            action: 'sign-in.password',
            person: '@ellis',
            by: '@ellis',
            clientId: null,
            sessionId: null,
            address: BROWSER_ADDRESS,
            requestId: REQUEST_ID,
            detail: {},
          },
        ],
        next: 'MjAyNi0wNS0wMVQxMjowMDowMFo',
      },
      as: 'ellis',
    },
    method: 'GET',
    path: '/admin/v1/audit',
    area: 'Administration',
    who: person,
    needs: [anAdministrator],
    input: ListAudit,
    from: 'query',
    output: json(AuditPage),
    errors: [],
    run: ({ db }, input) => listAudit(db, input),
  }),
]
