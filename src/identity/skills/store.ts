import { c, nullable, read, write } from '../../kernel/database/statement.ts'

const row = { hobbies: c.textArray, skills: c.textArray, afsc: c.text, education: c.textArray }

export const findSkills = read('skills.find', {
  params: { person: c.int8 },
  row,
  text: `select hobbies, skills, afsc, education from skills where person_id = :person`,
})

export const listSkills = read('skills.list', {
  params: { people: c.int8Array },
  row: { person_id: c.int8, ...row },
  text: `select person_id, hobbies, skills, afsc, education from skills where person_id = any(:people)`,
})

/** A field whose parameter is null keeps its value. */
export const setSkills = write('skills.set', {
  params: {
    person: c.int8,
    hobbies: nullable(c.textArray),
    skills: nullable(c.textArray),
    afsc: nullable(c.text),
    education: nullable(c.textArray),
    now: c.timestamptz,
  },
  row,
  text: `
    insert into skills as s (person_id, hobbies, skills, afsc, education, changed_at)
    values (:person, coalesce(:hobbies, '{}'), coalesce(:skills, '{}'), coalesce(:afsc, ''), coalesce(:education, '{}'), :now)
    on conflict (person_id) do update set
      hobbies = coalesce(:hobbies, s.hobbies), skills = coalesce(:skills, s.skills), afsc = coalesce(:afsc, s.afsc),
      education = coalesce(:education, s.education), changed_at = :now
    returning hobbies, skills, afsc, education`,
})

/** Replaces all fields of the given people. */
export const replaceSkills = write('skills.replace', {
  params: { rows: c.json, now: c.timestamptz },
  row: { person_id: c.int8 },
  text: `
    insert into skills as s (person_id, hobbies, skills, afsc, education, changed_at)
    select r.person_id, r.hobbies, r.skills, r.afsc, r.education, :now
      from json_to_recordset(:rows) as r(person_id bigint, hobbies text[], skills text[], afsc text, education text[])
    on conflict (person_id) do update set
      hobbies = excluded.hobbies, skills = excluded.skills, afsc = excluded.afsc, education = excluded.education, changed_at = :now
    returning s.person_id`,
})
