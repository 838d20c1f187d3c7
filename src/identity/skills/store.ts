import {
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

const row = { hobbies: textArray, skills: textArray, afsc: text, education: textArray }

export const findSkills = read('skills.find', {
  params: { person: int8 },
  row,
  text: `select hobbies, skills, afsc, education from skills where person_id = :person`,
})

export const listSkills = read('skills.list', {
  params: { people: int8Array },
  row: { person_id: int8, ...row },
  text: `select person_id, hobbies, skills, afsc, education from skills where person_id = any(:people)`,
})

/** Null leaves a field as it is. */
export const setSkills = write('skills.set', {
  params: {
    person: int8,
    hobbies: nullable(textArray),
    skills: nullable(textArray),
    afsc: nullable(text),
    education: nullable(textArray),
    now: timestamptz,
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

/** Replaces all fields, for many people. */
export const replaceSkills = write('skills.replace', {
  params: { rows: json, now: timestamptz },
  row: { person_id: int8 },
  text: `
    insert into skills as s (person_id, hobbies, skills, afsc, education, changed_at)
    select r.person_id, r.hobbies, r.skills, r.afsc, r.education, :now
      from json_to_recordset(:rows) as r(person_id bigint, hobbies text[], skills text[], afsc text, education text[])
    on conflict (person_id) do update set
      hobbies = excluded.hobbies, skills = excluded.skills, afsc = excluded.afsc, education = excluded.education, changed_at = :now
    returning s.person_id`,
})
