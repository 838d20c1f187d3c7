import { c, read } from './statement.ts'

/**
 * Estimates the number of rows in a table, including its partitions, at a cost that does not grow with the table. It
 * uses PostgreSQL's running count or, if a crash has reset that, the count of the last ANALYZE.
 */
export const estimateRows = (name: string, table: string) =>
  read(name, {
    params: {},
    row: { rows: c.int8 },
    gather: false,
    text: `
      select coalesce(sum(coalesce(nullif(pg_stat_get_live_tuples(c.oid), 0), greatest(c.reltuples, 0)::int8)), 0)::int8 as rows
        from pg_class c
       where c.oid in (select '${table}'::regclass union all select inhrelid from pg_inherits where inhparent = '${table}'::regclass)
         and c.relkind = 'r'`,
  })
