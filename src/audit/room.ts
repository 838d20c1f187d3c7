import type { Room } from '../room.ts'
import { auditRetention, exportAudit } from './audit.ts'
import { auditOperations } from './routes.ts'

export const audit: Room = {
  name: 'audit',
  operations: auditOperations,
  personalTables: {
    audit_entries: {
      inExport: '`audit.json`',
      whenDeleted:
        'stays for AUDIT_DAYS: who did what to an account has to be known also afterwards. The number of the person, no name, no handle; addresses as they were',
    },
  },
  exports: [
    {
      file: 'audit.json',
      about: 'What happened to your account, and what you did as a parent; the address where it was you',
      read: exportAudit,
    },
  ],
  retention: auditRetention,
}
