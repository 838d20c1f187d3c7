import { deleteOlder } from '../database/age.ts'
import { int8, json, nullable, text, timestamptz, uuid, write } from '../database/statement.ts'

export const insertEntry = write('audit.insert', {
  params: {
    at: timestamptz,
    action: text,
    person: nullable(int8),
    app: nullable(int8),
    session: nullable(uuid),
    address: text,
    request: text,
    detail: json,
  },
  row: { id: int8 },
  text: `
    insert into audit_entries (at, action, person_id, app_id, session_id, address, request_id, detail)
    values (:at, :action, :person, :app, :session, :address, :request, :detail)
    returning id`,
})

export const deleteOld = deleteOlder('audit.deleteOld', { table: 'audit_entries', key: { id: int8 }, by: 'at' })
