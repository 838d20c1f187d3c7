import { c, nullable, read, write } from '../../kernel/database/statement.ts'

export const findBadges = read('badges.findImported', {
  params: { keys: c.textArray },
  row: {
    id: c.int8,
    key: c.text,
    course: c.text,
    objective: nullable(c.text),
    name: c.text,
    description: c.text,
    type: c.text,
    image: c.text,
    issuer_name: c.text,
    criteria: c.text,
  },
  text: `
    select b.id, b.key, k.key as course, j.key as objective, b.name, b.description, b.type, b.image, b.issuer_name, b.criteria
      from badges b join courses k on k.id = b.course_id left join objectives j on j.id = b.objective_id where b.key = any(:keys)`,
})

export const lockBadges = write('badges.lockImported', {
  params: { keys: c.textArray },
  row: { id: c.int8 },
  text: `select id from badges where key = any(:keys) order by id for update`,
})

/** Finds the names of all badges of these courses and of their objectives. */
export const findNames = read('badges.findNames', {
  params: { courses: c.textArray },
  row: { key: c.text, course: c.text, objective: nullable(c.text), name: c.text },
  text: `
    select b.key, k.key as course, j.key as objective, b.name
      from courses k join badges b on b.course_id = k.id left join objectives j on j.id = b.objective_id where k.key = any(:courses)`,
})

export const findObjectives = read('badges.findObjectives', {
  params: { keys: c.textArray },
  row: { key: c.text, course: c.text },
  text: `select j.key, k.key as course from objectives j join courses k on k.id = j.course_id where j.key = any(:keys)`,
})

/**
 * Inserts badges. A null `type` becomes `course` or `objective`; a null `issuer_name` becomes the name of the
 * organisation.
 */
export const insertBadges = write('badges.insertImported', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8, key: c.text },
  text: `
    insert into badges (key, course_id, objective_id, name, description, type, image, issuer_name, criteria, created_at, changed_at)
    select r.key, k.id, j.id, r.name, r.description, coalesce(r.type, case when j.id is null then 'course' else 'objective' end), r.image,
           coalesce(r.issuer_name, o.name), r.criteria, :now, :now
      from json_to_recordset(:rows) as r(key text, course_id bigint, objective text, name text, description text, type text, image text, issuer_name text, criteria text)
      join courses k on k.id = r.course_id join organisations o on o.id = k.organisation_id left join objectives j on j.key = r.objective and j.course_id = k.id
    returning id, key`,
})

export const updateBadges = write('badges.updateImported', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    update badges b set name = r.name, description = r.description, type = coalesce(r.type, b.type), image = r.image,
           issuer_name = coalesce(r.issuer_name, b.issuer_name), criteria = r.criteria, changed_at = :now
      from json_to_recordset(:rows) as r(id bigint, name text, description text, type text, image text, issuer_name text, criteria text)
     where b.id = r.id returning b.id`,
})

/** Finds the people to whom these badges were awarded. Assertions by plugins do not count. */
export const findHolders = read('badges.findHolders', {
  params: { badges: c.int8Array },
  row: { badge: c.text, handle: c.text },
  gather: false,
  text: `
    select a.badge_key as badge, p.handle_key as handle from badges b join badge_assertions a on a.badge_id = b.id join people p on p.id = a.person_id
     where b.id = any(:badges) and a.asserted_by is null`,
})

export const insertHolders = write('badges.insertHolders', {
  params: { rows: c.json, now: c.timestamptz },
  row: { id: c.int8 },
  text: `
    insert into badge_assertions (person_id, badge_key, badge_id, organisation_id, name, type, image, issuer_name, issued_at, created_at)
    select distinct on (r.person_id, b.id) r.person_id, b.key, b.id, k.organisation_id, b.name, b.type, b.image, b.issuer_name, r.issued, :now::timestamptz
      from json_to_recordset(:rows) as r(person_id bigint, badge_id bigint, issued timestamptz)
      join badges b on b.id = r.badge_id join courses k on k.id = b.course_id
     order by r.person_id, b.id
    on conflict (person_id, owner_id, badge_key) do update
      set badge_id = excluded.badge_id, organisation_id = excluded.organisation_id, name = excluded.name, type = excluded.type, image = excluded.image,
          issuer_name = excluded.issuer_name, issued_at = excluded.issued_at, lesson = null, class = null, version = null,
          asserted_by = null, created_at = excluded.created_at
    where badge_assertions.asserted_by is not null
    returning id`,
})
