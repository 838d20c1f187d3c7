import { person } from '../../kernel/http/callers/callers.ts'
import { administrator } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { exportAudit, listAudit } from './audit-log.ts'
import { AuditPage, ExportAudit, ListAudit } from './audit-log-schema.ts'

const op = operationsIn({ area: 'Administration', who: person })

export const auditLogOperations: readonly Operation[] = [
  op('GET /admin/v1/audit', {
    name: 'listAudit',
    summary: 'List audit log entries',
    description:
      'Returns what happened to accounts, sessions and apps, and who did it, newest first. Filters can be combined; `next` of a response is the `cursor` of the next page.',
    example: {
      request: { limit: 1 },

      as: 'ellis',
    },
    needs: [administrator],
    input: ListAudit,
    output: json(AuditPage),
    run: ({ db }, input) => listAudit(db, input),
  }),
  op('GET /admin/v1/audit/csv', {
    name: 'exportAudit',
    summary: 'Export the audit log as CSV',
    description:
      'Returns the audit log entries that match the filters as a CSV stream, newest first. The file is UTF-8 with a byte order mark; text that looks like a formula starts with an apostrophe.',
    example: { request: { action: 'person.disabled' }, as: 'ellis' },
    needs: [administrator],
    input: ExportAudit,
    output: {
      kind: 'file',
      mediaType: 'text/csv; charset=utf-8',
      headers: { 'Content-Disposition': 'The name of the file' },
    },
    mayLag: true,
    run: ({ db, who }, input) => exportAudit(db, who, input),
  }),
]
