import { c, read } from '../../kernel/database/statement.ts'

/** SQL: people who were marked as demo people when demo data was imported. */
const marked = `
  marked as materialized (
    select substr(name, length('demo-person-') + 1)::bigint as id from installation where name like 'demo-person-%'
  )`

/** Lists the demo people who can sign in, each with the role that they demonstrate, in order of creation. */
export const listSignIns = read('account.listDemoSignIns', {
  params: { limit: c.int8 },
  row: { handle: c.text, first_name: c.text, last_name: c.text, part: c.text },
  gather: false,
  text: `
    with ${marked}
    select p.handle, p.first_name, p.last_name,
           case when p.administrator then 'administrator' when p.developer then 'developer'
                when exists (select from class_staff s where s.person_id = p.id) then 'instructor' else 'student' end as part
      from people p join marked on marked.id = p.id
     where p.password_hash is not null and p.disabled_at is null order by p.id limit :limit`,
})

export const findSignIn = read('account.findDemoSignIn', {
  params: { handle: c.text },
  row: { id: c.int8, epoch: c.int4 },
  gather: false,
  text: `
    with ${marked}
    select p.id, p.epoch from people p join marked on marked.id = p.id
     where p.handle_key = :handle and p.password_hash is not null and p.disabled_at is null`,
})
