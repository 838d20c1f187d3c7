import { c, read, write } from '../../../kernel/database/statement.ts'

/** Reads the newest `seq`, and the `seq` up to which facts are written. */
export const readProgress = read('statements.readProgress', {
  params: {},
  row: { last: c.int8, fed: c.int8 },
  text: `select c.last, f.fed from statement_clock c, statement_facts_clock f`,
})

/** Lists the next statements without facts. The list ends with the statement at which the total reaches :most bytes. */
export const listUnfed = write('statements.listUnfed', {
  params: { after: c.int8, limit: c.int8, most: c.int8 },
  row: { seq: c.int8, payload: c.text },
  text: `
    select t.seq, t.payload
      from (select s.seq, s.payload, sum(octet_length(s.payload)) over (order by s.seq) - octet_length(s.payload) as before
              from (select seq, payload from statements where seq > :after and not is_voided order by seq limit :limit) s) t
     where t.before < :most order by t.seq`,
})

/** Inserts facts, and deletes the facts of statements that have been voided. */
export const insertFacts = write('statements.insertFacts', {
  params: { rows: c.json, voided: c.uuidArray, fed: c.int8 },
  row: { fed: c.int8 },
  text: `
    with made as (
      insert into statement_facts (seq, verb, activity, agent, scaled, seconds, success)
      select * from json_to_recordset(:rows)
        as r(seq bigint, verb uuid, activity uuid, agent uuid, scaled float8, seconds float8, success boolean)
    ), gone as (
      delete from statement_facts f where f.seq = any(array(
        select i.seq from unnest(:voided) k(id)
         cross join lateral (select n.seq from statement_ids n where n.statement_id = k.id limit 1) i
         where (select s.is_voided from statements s where s.seq = i.seq)))
    )
    update statement_facts_clock set fed = :fed returning fed`,
})
