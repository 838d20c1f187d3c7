import { bool, int8, read, report, text, write } from '../database/statement.ts'

/** What is older than a number. */
export const countOlder = report('statements.countOlder', {
  params: { before: int8 },
  row: { statements: int8 },
  text: `select count(*) as statements from statements where seq < :before`,
})

/** The months that have parts of their own, `2026_01`, the newest first. */
export const listMonths = read('statements.listMonths', {
  params: {},
  row: { month: text },
  gather: false,
  text: `
    select substr(c.relname::text, 12) as month from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'statements'::regclass and c.relname ~ '^statements_\\d{4}_\\d\\d$' order by 1 desc`,
})

/** Some statements of a range, the newest first: what refers to others goes before those, by which it is found. */
export const listSome = write('statements.listSome', {
  params: { from: int8, before: int8, limit: int8 },
  row: { seq: int8, payload: text },
  text: `select seq, payload from statements where seq >= :from and seq < :before order by seq desc limit :limit`,
})

/** Some of what stands beside the statements of a range. */
export const deleteBeside = write('statements.deleteBeside', {
  params: { from: int8, before: int8, limit: int8 },
  row: { removed: int8 },
  text: `
    with links as (
      delete from statement_links where seq in (select seq from statement_links where seq >= :from and seq < :before order by seq limit :limit) returning seq
    ), ids as (
      delete from statement_ids where seq in (select seq from statement_ids where seq >= :from and seq < :before order by seq limit :limit) returning seq
    )
    select greatest((select count(*) from links), (select count(*) from ids)) as removed`,
})

export const countRange = report('statements.countRange', {
  params: { from: int8, before: int8 },
  row: { statements: int8 },
  text: `select count(*) as statements from statements where seq >= :from and seq < :before`,
})

/** Whether it is gone; not where somebody reads or writes there. */
export const dropMonth = write('statements.dropMonth', {
  params: { month: text },
  row: { dropped: bool },
  text: `select drop_statement_month(:month) as dropped`,
})
