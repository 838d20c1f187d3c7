import { type Static, Type } from 'typebox'
import { AUDIT_ACTIONS, type AuditAction } from '../../kernel/audit/actions.ts'
import { DateTime, Id, Whole } from '../../kernel/http/input/fields.ts'

const filters = {
  action: Type.Optional(Type.Unsafe<AuditAction>({ ...Id('Only entries of this action'), enum: [...AUDIT_ACTIONS] })),
  handle: Type.Optional(Id('Only what happened to the person with this handle, or was done by them')),
  clientId: Type.Optional(Id('Only what concerns the app with this client ID')),
  from: Type.Optional(DateTime('Only what happened at this moment or later')),
  to: Type.Optional(DateTime('Only what happened before this moment')),
}
export const ExportAudit = Type.Object(filters)
export type ExportAudit = Static<typeof ExportAudit>
export const ListAudit = Type.Object({
  ...filters,
  limit: Type.Optional(Whole('Entries per page; 50 by default', 1, 200)),
  cursor: Type.Optional(Id('Cursor of the page: `next` of the page before', 100)),
})
export type ListAudit = Static<typeof ListAudit>

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
export const ShownEntry = Type.Object(
  {
    date: Type.String({ format: 'date-time' }),
    action: Type.String(),
    person: orNull('Handle of the person it is about; null if it is about nobody, or the account is gone'),
    by: orNull(
      'Handle of the person who did it; null for the platform itself, for operators, and if nobody was signed in',
    ),
    clientId: orNull('The app that it is about'),
    sessionId: orNull('The session that it is about'),
    address: orNull('Where it came from'),
    requestId: orNull('Id of the request that did it'),
    detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
    names: Type.Record(Type.String(), Type.String(), {
      description:
        'Current names of what the entry refers to, by field: `person`, `by`, `clientId`, or a field of `detail` such as `class`',
    }),
  },
  { title: 'AuditEntry' },
)
export type ShownEntry = Static<typeof ShownEntry>
export const AuditPage = Type.Object(
  { docs: Type.Array(ShownEntry), next: orNull('The cursor of the next page; null on the last') },
  { title: 'AuditPage' },
)
export type AuditPage = Static<typeof AuditPage>
