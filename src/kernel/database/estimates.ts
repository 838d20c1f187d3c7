import { int8, read } from './statement.ts'

/**
 * About how many rows a table has, with all its parts, for a price that does not grow with them: what PostgreSQL has counted as
 * it wrote, or where a crash has lost that, what it last found when it looked.
 */
export const estimateRows = (name: string, table: string) =>
  read(name, {
    params: {},
    row: { rows: int8 },
    gather: false,
    text: `
      select coalesce(sum(coalesce(nullif(pg_stat_get_live_tuples(c.oid), 0), greatest(c.reltuples, 0)::int8)), 0)::int8 as rows
        from pg_class c
       where c.oid in (select '${table}'::regclass union all select inhrelid from pg_inherits where inhparent = '${table}'::regclass)
         and c.relkind = 'r'`,
  })
