import { c, read, write } from '../../kernel/database/statement.ts'

/** Lists a developer's test people in order of creation. */
export const listOf = read('sandbox.listOf', {
  params: { maker: c.int8 },
  row: { id: c.int8, handle: c.text, first_name: c.text, last_name: c.text, created_at: c.instant, apps: c.int8 },
  gather: false,
  text: `
    select p.id, p.handle, p.first_name, p.last_name, p.created_at,
           (select count(*) from app_users u where u.person_id = p.id and u.withdrawn_at is null) as apps
      from test_people t join people p on p.id = t.person_id where t.maker_id = :maker and p.leaving_at is null order by p.id`,
})

export const insertTesters = write('sandbox.insert', {
  params: { people: c.int8Array, maker: c.int8 },
  row: { person_id: c.int8 },
  text: `
    insert into test_people (person_id, maker_id) select id, :maker from unnest(:people) as id returning person_id`,
})

export const findSignIn = read('sandbox.findSignIn', {
  params: { maker: c.int8, handle: c.text },
  row: { id: c.int8, epoch: c.int4 },
  gather: false,
  text: `
    select p.id, p.epoch from test_people t join people p on p.id = t.person_id
     where t.maker_id = :maker and p.handle_key = :handle and p.disabled_at is null`,
})

export const listOrphans = read('sandbox.listOrphans', {
  params: { limit: c.int8 },
  row: { person_id: c.int8 },
  gather: false,
  text: `select person_id from test_people where maker_id is null order by person_id limit :limit`,
})
