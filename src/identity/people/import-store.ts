import { c, nullable, read, write } from '../../kernel/database/statement.ts'

/** Finds people by handle. Leaves out anonymous users, who cannot appear in an import file. */
export const findPeople = read('people.findForImport', {
  params: { handles: c.textArray },
  row: {
    id: c.int8,
    key: c.text,
    handle: c.text,
    first_name: c.text,
    last_name: c.text,
    email: nullable(c.text),
    country: nullable(c.text),
    date_of_birth: nullable(c.text),
    gender: nullable(c.text),
    position: nullable(c.text),
    account_kind: nullable(c.text),
    service: c.json,
    public_search: c.bool,
    administrator: c.bool,
    developer: c.bool,
    password_hash: nullable(c.text),
    search_version: c.int4,
  },
  text: `
    select id, handle_key as key, handle, first_name, last_name, email, country,
           to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, gender, position, account_kind, service,
           public_search, administrator, developer, password_hash, search_version
      from people where handle_key = any(:handles) and not anonymous`,
})

/** Locks people in ascending order of id, like every statement that locks several people, to avoid deadlocks. */
export const lockPeople = write('people.lockForImport', {
  params: { handles: c.textArray },
  row: { id: c.int8 },
  text: `select id from people where handle_key = any(:handles) order by id for no key update`,
})

export const insertPeople = write('people.insertMany', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8, key: c.text },
  text: `
    insert into people (handle, handle_key, first_name, last_name, email, country, date_of_birth, gender, position,
                        account_kind, service, public_search, administrator, developer, password_hash, search_keys,
                        search_version, created_at)
    select r.handle, r.handle_key, r.first_name, r.last_name, r.email, r.country, r.date_of_birth, r.gender, r.position,
           r.account_kind, r.service::json, r.public_search, r.administrator, r.developer, r.password_hash, r.search_keys,
           r.search_version, :now
      from json_to_recordset(:rows) as r(handle text, handle_key text, first_name text, last_name text, email text,
           country text, date_of_birth date, gender text, position text, account_kind text, service text,
           public_search boolean, administrator boolean, developer boolean, password_hash text, search_keys text[],
           search_version integer)
    returning id, handle_key as key`,
})

/**
 * Counts the apps in which each of these people can be found. Changing a person takes longer the more there are,
 * because the change rewrites the person's row in `findable_users` for each app.
 */
export const countPlaces = read('people.countPlaces', {
  params: { people: c.int8Array },
  row: { person_id: c.int8, apps: c.int8 },
  text: `select person_id, count(*) as apps from findable_users where person_id = any(:people) group by person_id`,
})
