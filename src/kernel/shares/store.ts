import { c, report, write } from '../database/statement.ts'

/** Updates the totals of apps: the rows that have an app and no person. */
export const addUp = write('shares.addUp', {
  params: {},
  row: { share_no: c.int8 },
  text: `
    insert into shares as s (app_id, bytes)
    select app_id, coalesce(sum(bytes) filter (where person_id is not null), 0) from shares where app_id is not null group by app_id order by app_id
    on conflict (person_id, app_id, credential_id) do update set bytes = excluded.bytes where s.bytes <> excluded.bytes
    returning share_no`,
})

export const total = report('shares.total', {
  params: {},
  row: { bytes: c.int8 },
  text: `
    select coalesce(sum(bytes), 0)::int8 as bytes from shares where person_id is not null or credential_id is not null`,
})
