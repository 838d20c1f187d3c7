import { bool, int8, json, read, text, timestamptz, write } from '../database/statement.ts'

const TURN = `hashtextextended('groundschool.import.' || current_schema(), 0)`

/** Serialises accepting imports and writing their parts within an environment. */
export const takeTurn = write('imports.takeTurn', {
  params: {},
  row: { locked: text },
  text: `select pg_advisory_xact_lock(${TURN})::text as locked`,
})

/**
 * Switches the rest of the transaction to another environment. Both share a database, so one commit can accept an
 * import for both.
 */
export const enter = write('imports.enter', {
  params: { schema: text },
  row: { schema: text },
  text: `select set_config('search_path', :schema, true) as schema`,
})

/** Planning a large file may take longer between two statements than the idle timeout allows. */
export const beginDecision = write('imports.beginDecision', {
  params: {},
  row: { patience: text },
  text: `select set_config('idle_in_transaction_session_timeout', '0', true) as patience`,
})

export const insertParts = write('imports.insertParts', {
  params: { rows: json, now: timestamptz, request: text, address: text },
  row: { id: int8 },
  text: `
    insert into import_parts (decided_at, request_id, address, content)
    select :now, :request, :address, r.content from json_array_elements(:rows) with ordinality as r(content, n) order by n
    returning id`,
})

export const readFirstPart = write('imports.readFirstPart', {
  params: {},
  row: { id: int8, decided_at: timestamptz, request_id: text, address: text, content: json },
  text: `select id, decided_at, request_id, address, content from import_parts order by id limit 1`,
})

/** Replaces the content with the files that are still to be written. */
export const keepRest = write('imports.keepRest', {
  params: { part: int8, content: json },
  row: { id: int8 },
  text: `update import_parts set content = :content where id = :part returning id`,
})

export const deletePart = write('imports.deletePart', {
  params: { part: int8 },
  row: { id: int8 },
  text: `delete from import_parts where id = :part returning id`,
})

export const findFirstPart = read('imports.findFirstPart', {
  params: {},
  row: { id: int8 },
  text: `select id from import_parts order by id limit 1`,
})

export const findTraces = read('imports.findTraces', {
  params: {},
  row: { any: bool },
  text: `
    select exists (select from people) or exists (select from apps) or exists (select from audit_entries) as any`,
})
