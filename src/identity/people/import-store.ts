import {
  bool,
  int4,
  int8,
  int8Array,
  json,
  nullable,
  read,
  text,
  textArray,
  timestamptz,
  write,
} from '../../kernel/database/statement.ts'

/** Anonymous users cannot be named in a file. */
export const findPeople = read('people.findForImport', {
  params: { handles: textArray },
  row: {
    id: int8,
    key: text,
    handle: text,
    first_name: text,
    last_name: text,
    email: nullable(text),
    country: nullable(text),
    date_of_birth: nullable(text),
    gender: nullable(text),
    position: nullable(text),
    account_kind: nullable(text),
    service: json,
    public_search: bool,
    administrator: bool,
    developer: bool,
    password_hash: nullable(text),
    search_version: int4,
  },
  text: `
    select id, handle_key as key, handle, first_name, last_name, email, country,
           to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth, gender, position, account_kind, service,
           public_search, administrator, developer, password_hash, search_version
      from people where handle_key = any(:handles) and not anonymous`,
})

/**
 * Locks in ascending order of id, like every statement that locks several people, so that two of them cannot deadlock.
 */
export const lockPeople = write('people.lockForImport', {
  params: { handles: textArray },
  row: { id: int8 },
  text: `select id from people where handle_key = any(:handles) order by id for no key update`,
})

export const insertPeople = write('people.insertMany', {
  params: { rows: json, now: timestamptz },
  row: { id: int8, key: text },
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

/** In how many apps each of these people can be found; each such row is rewritten together with the person. */
export const countPlaces = read('people.countPlaces', {
  params: { people: int8Array },
  row: { person_id: int8, apps: int8 },
  text: `select person_id, count(*) as apps from findable_users where person_id = any(:people) group by person_id`,
})
