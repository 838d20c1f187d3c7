import { c, read } from '../../kernel/database/statement.ts'

/** SQL for the people who are marked as demo people (see `markOf` in import.ts). */
const marked = `
  marked as materialized (
    select substr(name, length('demo-person-') + 1)::bigint as id from installation where name like 'demo-person-%'
  )`

export const listPeople = read('demo.listPeople', {
  params: {},
  row: { id: c.int8 },
  gather: false,
  text: `with ${marked} select p.id from people p join marked on marked.id = p.id order by p.id`,
})

/** Tells whether there are demo people, including those of an accepted import that is not completely written yet. */
export const findAny = read('demo.findAny', {
  params: {},
  row: { any: c.bool },
  gather: false,
  text: `
    with ${marked}
    select exists (select from people p join marked on marked.id = p.id)
        or exists (select from import_parts where content::text like '%"demo":true%') as any`,
})

/**
 * Lists the people who were imported together with an app. They are found by their timestamp, which is the same for all
 * rows of an import.
 */
export const listMadeWith = read('demo.listMadeWith', {
  params: { client: c.text },
  row: { id: c.int8 },
  gather: false,
  text: `
    select p.id from apps a join people p on p.created_at = a.created_at and not p.anonymous where a.client_id = :client`,
})

export const listCourses = read('demo.listCourses', {
  params: { keys: c.textArray },
  row: { key: c.text },
  gather: false,
  text: `select key from courses where key = any(:keys) order by key`,
})

export const listAppsLeft = read('demo.listAppsLeft', {
  params: { people: c.int8Array, clients: c.textArray },
  row: { client_id: c.text },
  gather: false,
  text: `
    select client_id from apps where owner_id = any(:people) and client_id <> all(:clients) order by client_id`,
})
