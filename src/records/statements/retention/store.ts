import { c, nullable, read, report, write } from '../../../kernel/database/statement.ts'

/** Counts the statements with a `seq` below :before, and the attachments that only those statements have. */
export const countOlder = report('statements.countOlder', {
  params: { before: c.int8 },
  row: { statements: c.int8, attachments: c.int8 },
  text: `
    select (select count(*) from statements where seq < :before) as statements,
           (select count(distinct a.sha2) from statement_attachments a
             where a.seq < :before and not exists (select from statement_attachments y where y.sha2 = a.sha2 and y.seq >= :before)) as attachments`,
})

/** Lists the months that have a partition, such as `2026_01`, newest first. */
export const listMonths = read('statements.listMonths', {
  params: {},
  row: { month: c.text },
  gather: false,
  text: `
    select substr(c.relname::text, 12) as month from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'statements'::regclass and c.relname::text ~ '^statements_[0-9]{4}_[0-9]{2}$' order by 1 desc`,
})

/**
 * Counts the statements of a month, and their bytes, by the share that they count for. :from is the first `seq` of the
 * month, :before the first of the next month.
 */
export const countMonth = report('statements.countMonth', {
  params: { from: c.int8, before: c.int8 },
  row: { share_no: nullable(c.int8), count: c.int8, bytes: c.int8 },
  text: `
    select share_no, count(*), coalesce(sum(charge), 0)::int8 as bytes from statements
     where seq >= :from and seq < :before group by share_no`,
})

/**
 * Lists some statements of a range, newest first. The order matters: to remove the keys that a statement has copied
 * from its target, the older target must still be readable.
 */
export const listSome = write('statements.listSome', {
  params: { from: c.int8, before: c.int8, limit: c.int8, most: c.int8 },
  row: { seq: c.int8, payload: c.text, sender: nullable(c.uuid) },
  text: `
    select t.seq, t.payload, t.sender
      from (select s.*, sum(octet_length(s.payload)) over (order by s.seq desc) - octet_length(s.payload) as ahead
              from (select seq, payload, sender from statements where seq >= :from and seq < :before order by seq desc limit :limit) s) t
     where t.ahead < :most`,
})

/**
 * Deletes some rows of `statement_links` that belong to statements of a range, and some of their ids if these are in
 * the old partition. Other ids are dropped with their month.
 */
export const deleteBeside = write('statements.deleteBeside', {
  params: { from: c.int8, before: c.int8, limit: c.int8 },
  row: { removed: c.int8 },
  text: `
    with links as (
      delete from statement_links where seq in (select seq from statement_links where seq >= :from and seq < :before order by seq limit :limit) returning seq
    )
    select (select count(*) from links) + delete_old_statement_ids(:from, :before, :limit) as removed`,
})

/** Deletes some rows of `statement_attachments` that belong to statements of a range. */
export const deleteFiles = write('statements.deleteFiles', {
  params: { from: c.int8, before: c.int8, limit: c.int8 },
  row: { sha2: c.text },
  text: `
    delete from statement_attachments where (seq, sha2) in
      (select seq, sha2 from statement_attachments where seq >= :from and seq < :before order by seq limit :limit)
    returning sha2`,
})

/** Drops the partitions of a month. Returns false if a query that reads or writes the month holds a lock. */
export const dropMonth = write('statements.dropMonth', {
  params: { month: c.text },
  row: { dropped: c.bool },
  text: `select drop_statement_month(:month) as dropped`,
})
