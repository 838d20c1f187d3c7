import type { Room } from '../room.ts'
import { auditRetention, exportAudit } from './audit.ts'
import { followSignIns, signIns } from './sign-ins.ts'

export const audit: Room = {
  name: 'audit',
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
  gauges: [
    {
      name: 'groundschool_sign_ins_total',
      help: 'Sign-ins by method',
      label: 'door',
      isCounter: true,
      value: ({ get }) => get(signIns).byDoor,
    },
    {
      name: 'groundschool_sign_in_failures_total',
      help: 'Sign-in attempts with a wrong password or passkey',
      isCounter: true,
      value: ({ get }) => get(signIns).failures,
    },
  ],
  start: followSignIns,
}
