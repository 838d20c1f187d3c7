import { int8, nullable, read, textArray, timestamptz, write } from '../database/statement.ts'

export const findSkills = read('skills.find', {
  params: { person: int8 },
  row: { hobbies: textArray, skills: textArray },
  text: `select hobbies, skills from skills where person_id = :person`,
})

/** What is null stays as it is. */
export const setSkills = write('skills.set', {
  params: { person: int8, hobbies: nullable(textArray), skills: nullable(textArray), now: timestamptz },
  row: { hobbies: textArray, skills: textArray },
  text: `
    insert into skills as s (person_id, hobbies, skills, changed_at)
    values (:person, coalesce(:hobbies, '{}'), coalesce(:skills, '{}'), :now)
    on conflict (person_id) do update set
      hobbies = coalesce(:hobbies, s.hobbies), skills = coalesce(:skills, s.skills), changed_at = :now
    returning hobbies, skills`,
})
