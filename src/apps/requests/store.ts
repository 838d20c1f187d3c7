import { deleteOlder } from '../../kernel/database/retention.ts'
import { c, nullable, report, write } from '../../kernel/database/statement.ts'

/** Inserts requests, each with the id of its app or the client ID from the request. Skips requests of unknown apps. */
export const insertRequests = write('requests.insert', {
  params: { rows: c.json },
  row: { id: c.int8 },
  text: `
    insert into app_requests (app_id, at, operation, status, code, ms, request_id)
    select a.id, r.at, r.operation, r.status, r.code, r.ms, r.request_id
      from json_to_recordset(:rows) as r(app_id bigint, client_id text, at timestamptz, operation text, status int, code int, ms int, request_id text)
      join apps a on a.id = r.app_id or r.app_id is null and a.client_id = r.client_id
    returning id`,
})

const FILTERS = {
  app: c.int8,
  before: c.int8,
  first: c.int4,
  last: c.int4,
  code: nullable(c.int4),
  operation: nullable(c.text),
  limit: c.int8,
}
export const listRequests = report('requests.list', {
  params: FILTERS,
  row: {
    id: c.int8,
    at: c.instant,
    operation: c.text,
    status: c.int4,
    code: nullable(c.int4),
    ms: c.int4,
    request_id: c.text,
  },
  text: `
    select id, at, operation, status, code, ms, request_id from app_requests
     where app_id = :app and id < :before and status between :first and :last
       and (:code is null or code = :code) and (:operation is null or operation = :operation)
     order by id desc limit :limit`,
})

export const deleteOld = deleteOlder('requests.deleteOld', { table: 'app_requests', key: { id: c.int8 }, by: 'at' })
