import { c, read, write } from '../database/statement.ts'

const TURN = `hashtextextended('groundschool.import.' || current_schema(), 0)`

/** Takes the lock that serialises accepting imports and writing their parts within an environment. */
export const takeTurn = write('imports.takeTurn', {
  params: {},
  row: { locked: c.text },
  text: `select pg_advisory_xact_lock(${TURN})::text as locked`,
})

/**
 * Switches the rest of the transaction to another environment. Both share a database, so one commit can accept an
 * import for both.
 */
export const enter = write('imports.enter', {
  params: { schema: c.text },
  row: { schema: c.text },
  text: `select set_config('search_path', :schema, true) as schema`,
})

/**
 * Turns off the idle timeout for this transaction, because planning a large file takes long, and the connection is idle
 * meanwhile.
 */
export const beginDecision = write('imports.beginDecision', {
  params: {},
  row: { patience: c.text },
  text: `select set_config('idle_in_transaction_session_timeout', '0', true) as patience`,
})

export const insertParts = write('imports.insertParts', {
  params: { rows: c.json, now: c.timestamptz, request: c.text, address: c.text },
  row: { id: c.int8 },
  text: `
    insert into import_parts (decided_at, request_id, address, content)
    select :now, :request, :address, r.content from json_array_elements(:rows) with ordinality as r(content, n) order by n
    returning id`,
})

export const readFirstPart = write('imports.readFirstPart', {
  params: {},
  row: { id: c.int8, decided_at: c.timestamptz, request_id: c.text, address: c.text, content: c.json },
  text: `select id, decided_at, request_id, address, content from import_parts order by id limit 1`,
})

/** Replaces the content of a part with what is still to be written. */
export const keepRest = write('imports.keepRest', {
  params: { part: c.int8, content: c.json },
  row: { id: c.int8 },
  text: `update import_parts set content = :content where id = :part returning id`,
})

export const deletePart = write('imports.deletePart', {
  params: { part: c.int8 },
  row: { id: c.int8 },
  text: `delete from import_parts where id = :part returning id`,
})

export const findFirstPart = read('imports.findFirstPart', {
  params: {},
  row: { id: c.int8 },
  text: `select id from import_parts order by id limit 1`,
})

export const findTraces = read('imports.findTraces', {
  params: {},
  row: { any: c.bool },
  text: `
    select exists (select from people) or exists (select from apps) or exists (select from audit_entries) as any`,
})
