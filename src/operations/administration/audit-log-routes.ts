import { person } from '../../kernel/http/callers/callers.ts'
import { administrator } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { listAudit } from './audit-log.ts'
import { AuditPage, ListAudit } from './audit-log-schema.ts'

const op = operationsIn({ area: 'Administration', who: person })

export const auditLogOperations: readonly Operation[] = [
  op('GET /admin/v1/audit', {
    name: 'listAudit',
    summary: 'Lists the audit log',
    description:
      'What happened to accounts, sessions and apps, the latest first, and who did it. Filters can be combined; `next` of an answer is the `cursor` of the page after it.',
    example: {
      request: { limit: 1 },

      as: 'ellis',
    },
    needs: [administrator],
    input: ListAudit,
    output: json(AuditPage),
    run: ({ db }, input) => listAudit(db, input),
  }),
]
