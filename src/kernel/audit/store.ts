import { deleteOlder } from '../database/retention.ts'
import { bool, instant, int8, json, nullable, read, text, timestamptz, uuid, write } from '../database/statement.ts'

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

export const insertEntries = write('audit.insertMany', {
  params: { rows: json, at: timestamptz, address: text, request: text },
  row: { id: int8 },
  text: `
    insert into audit_entries (at, action, person_id, address, request_id, detail)
    select :at, r.action, r.person_id, :address, :request, r.detail
      from json_to_recordset(:rows) as r(action text, person_id bigint, detail json)
    returning id`,
})

const PAGE = `(e.at, e.id) > (cast(:after || '' as timestamptz), :id) order by e.at, e.id limit :limit`

/**
 * Lists a page of entries that concern a person, in order: about them, about their sessions, and about children while
 * they were the parent. The timestamp is passed as text, because a JavaScript date has no microseconds.
 */
export const listOfPerson = read('audit.listOfPerson', {
  params: { person: int8, after: text, id: int8, limit: int8 },
  row: {
    id: int8,
    position: text,
    at: instant,
    action: text,
    client_id: nullable(text),
    session_id: nullable(uuid),
    address: nullable(text),
    request_id: nullable(text),
    detail: json,
    is_of_child: bool,
  },
  gather: false,
  text: `
    select e.id, e.at::text as position, e.at, e.action, a.client_id, e.session_id, e.address, e.request_id, e.detail,
           e.person_id is distinct from :person and e.person_id is not null as is_of_child
      from ((select * from audit_entries e where e.person_id = :person and ${PAGE})
             union all
            (select * from audit_entries e where e.detail->>'parent' = cast(:person as text) and e.person_id <> :person and ${PAGE})
             union all
            (select * from audit_entries e where e.person_id is null
                and e.session_id in (select id from sessions where person_id = :person) and ${PAGE})) e
           left join apps a on a.id = e.app_id
     order by e.at, e.id limit :limit`,
})

export const deleteOld = deleteOlder('audit.deleteOld', { table: 'audit_entries', key: { id: int8 }, by: 'at' })
