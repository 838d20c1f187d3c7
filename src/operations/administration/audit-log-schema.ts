import { type Static, Type } from 'typebox'
import { AUDIT_ACTIONS, type AuditAction } from '../../kernel/audit/actions.ts'
import { DateTime, Id, Whole } from '../../kernel/http/input/fields.ts'

const filters = {
  action: Type.Optional(Type.Unsafe<AuditAction>({ ...Id('Only entries of this action'), enum: [...AUDIT_ACTIONS] })),
  handle: Type.Optional(Id('Only entries about the user with this handle, or by them')),
  clientId: Type.Optional(Id('Only entries about the app with this client ID')),
  from: Type.Optional(DateTime('Only entries at this time or later')),
  to: Type.Optional(DateTime('Only entries before this time')),
}
export const ExportAudit = Type.Object(filters)
export type ExportAudit = Static<typeof ExportAudit>
export const ListAudit = Type.Object({
  ...filters,
  limit: Type.Optional(Whole('Entries per page. Default: 50', 1, 200)),
  cursor: Type.Optional(Id('Cursor of the page: `next` of the page before', 100)),
})
export type ListAudit = Static<typeof ListAudit>

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
export const ShownEntry = Type.Object(
  {
    date: Type.String({ format: 'date-time' }),
    action: Type.String(),
    person: orNull('Handle of the user it is about; null if there is none, or the account was deleted'),
    by: orNull(
      'Handle of the user who did it; null for the platform itself, for operators, and if nobody was signed in',
    ),
    clientId: orNull('The app that it is about'),
    sessionId: orNull('The session that it is about'),
    address: orNull('The IP address of the request'),
    requestId: orNull('Id of the request'),
    detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    names: Type.Record(Type.String(), Type.String(), {
      description:
        'Current names of the objects that the entry refers to, by field: `person`, `by`, `clientId`, or a field of `detail` such as `class`',
    }),
  },
  { title: 'AuditEntry' },
)
export type ShownEntry = Static<typeof ShownEntry>
export const AuditPage = Type.Object(
  { docs: Type.Array(ShownEntry), next: orNull('The cursor of the next page; null on the last page') },
  { title: 'AuditPage' },
)
export type AuditPage = Static<typeof AuditPage>
