import type { Room } from '../room.ts'
import { auditRetention, exportAudit } from './audit.ts'
import { followSignIns, signIns } from './sign-ins.ts'

export const audit: Room = {
  name: 'audit',
  personalTables: {
    audit_entries: {
      inExport: '`audit.json`',
      whenDeleted:
        'stays for AUDIT_DAYS, because changes to accounts must stay traceable. The number of the user, without name and handle; addresses as they were',
    },
  },
  exports: [
    {
      file: 'audit.json',
      about: 'What happened to your account, and what you did as a parent; with the address if it was you',
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
