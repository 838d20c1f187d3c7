import { int8, int8Array, json, read, text, textArray, timestamptz, write } from '../database/statement.ts'

export const findOrganisations = read('organisations.find', {
  params: { keys: textArray },
  row: { id: int8, key: text, name: text },
  text: `select id, key, name from organisations where key = any(:keys)`,
})

export const insertOrganisations = write('organisations.insert', {
  params: { rows: json, now: timestamptz },
  row: { id: int8, key: text },
  text: `
    insert into organisations (key, name, created_at)
    select r.key, r.name, :now from json_to_recordset(:rows) as r(key text, name text) returning id, key`,
})

export const updateOrganisations = write('organisations.update', {
  params: { rows: json },
  row: { id: int8 },
  text: `
    update organisations o set name = r.name from json_to_recordset(:rows) as r(id bigint, name text)
     where o.id = r.id returning o.id`,
})

export const findMemberships = read('organisations.findMemberships', {
  params: { people: int8Array },
  row: { person_id: int8, key: text, role: text },
  text: `
    select m.person_id, o.key, m.role
      from organisation_members m join organisations o on o.id = m.organisation_id where m.person_id = any(:people)`,
})

/** Memberships of these people are these rows and no others. */
export const replaceMemberships = write('organisations.replaceMemberships', {
  params: { people: int8Array, rows: json },
  row: { person_id: int8 },
  text: `
    with wanted as (
      select * from json_to_recordset(:rows) as r(organisation_id bigint, person_id bigint, role text)
    ), gone as (
      delete from organisation_members m where m.person_id = any(:people) and not exists
        (select from wanted w where w.person_id = m.person_id and w.organisation_id = m.organisation_id)
    )
    insert into organisation_members as m (organisation_id, person_id, role)
    select organisation_id, person_id, role from wanted
    on conflict (organisation_id, person_id) do update set role = excluded.role returning m.person_id`,
})

/** Those that are nothing to anybody else. */
export const deleteOrganisations = write('organisations.delete', {
  params: { keys: textArray, people: int8Array },
  row: { key: text },
  text: `
    delete from organisations o where o.key = any(:keys)
       and not exists (select from organisation_members m where m.organisation_id = o.id and m.person_id <> all(:people))
       and not exists (select from apps a where a.organisation_id = o.id)
       and not exists (select from courses k where k.organisation_id = o.id)
    returning o.key`,
})
