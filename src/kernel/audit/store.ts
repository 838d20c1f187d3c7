import { deleteOlder } from '../database/retention.ts'
import { c, nullable, read, write } from '../database/statement.ts'

export const insertEntry = write('audit.insert', {
  params: {
    at: c.timestamptz,
    action: c.text,
    person: nullable(c.int8),
    app: nullable(c.int8),
    session: nullable(c.uuid),
    address: c.text,
    request: c.text,
    detail: c.json,
  },
  row: { id: c.int8 },
  text: `
    insert into audit_entries (at, action, person_id, app_id, session_id, address, request_id, detail)
    values (:at, :action, :person, :app, :session, :address, :request, :detail)
    returning id`,
})

export const insertEntries = write('audit.insertMany', {
  params: { rows: c.json, at: c.timestamptz, address: c.text, request: c.text },
  row: { id: c.int8 },
  text: `
    insert into audit_entries (at, action, person_id, address, request_id, detail)
    select :at, r.action, r.person_id, :address, :request, r.detail
      from json_to_recordset(:rows) as r(action text, person_id bigint, detail json)
    returning id`,
})

const PAGE = `(e.at, e.id) > (cast(:after || '' as timestamptz), :id) order by e.at, e.id limit :limit`

/**
 * Lists a page of the entries that concern a person, in order of time: entries about the person, about their sessions,
 * and about their children where the entry names them as the parent. The timestamp is passed as text, because a
 * JavaScript date would lose the microseconds.
 */
export const listOfPerson = read('audit.listOfPerson', {
  params: { person: c.int8, after: c.text, id: c.int8, limit: c.int8 },
  row: {
    id: c.int8,
    position: c.text,
    at: c.instant,
    action: c.text,
    client_id: nullable(c.text),
    session_id: nullable(c.uuid),
    address: nullable(c.text),
    request_id: nullable(c.text),
    detail: c.json,
    is_of_child: c.bool,
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

export const deleteOld = deleteOlder('audit.deleteOld', { table: 'audit_entries', key: { id: c.int8 }, by: 'at' })
