import { c, read } from './statement.ts'

/** Tells whether this server is a standby, and whether its last attempt to archive its log failed. */
export const serverState = read('database.serverState', {
  params: {},
  row: { is_standby: c.bool, is_archive_failing: c.bool },
  gather: false,
  text: `
    select pg_is_in_recovery() as is_standby,
           coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as is_archive_failing
      from pg_stat_archiver`,
})
